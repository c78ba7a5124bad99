// The plan of a day: its regions, each with its buckets.

import { h, visible } from "./dom.js"
import { attempt, navigate } from "./app.js"
import { draggable } from "./drag.js"
import { fill, taskRow } from "./tasks.js"
import { wire } from "./wire.js"

let stops = []

export function show(main, { rest }) {
  const part = rest[0] ? `plan:${rest[0]}` : "plan"
  const title = h("h2", {})
  const carry = h("button", { type: "button", text: "Carry the open tasks to tomorrow", hidden: true })
  const board = h("div", { class: "plan" })
  main.append(h("div", { class: "heading" }, title, carry), board)
  draggable(board, null)
  const elements = new Map()
  const onrows = ({ detail }) => { for (const [id, element] of elements) if (detail[id]) fill(element, wire.rows.get(id)) }
  wire.addEventListener("rows", onrows)
  stops = [() => wire.removeEventListener("rows", onrows), wire.follow(part, (state) => {
    title.textContent = `Plan: ${state.title}`
    const open = state.regions.flatMap((region) => region.buckets.flatMap((bucket) => bucket.items)).filter((id) => wire.rows.get(id)?.state !== "done")
    carry.hidden = !open.length || wire.readOnly
    carry.onclick = () => attempt(() => wire.do("carry", { ids: open, day: "tomorrow" }))
    const focus = document.activeElement?.closest?.(".row")?.dataset.id
    elements.clear()
    board.replaceChildren(...state.regions.map((region) => h("section", { class: "region" },
      h("h3", {}, region.heading, h("span", { class: "note", text: ` ${region.open}` })),
      ...region.buckets.map((bucket) => bucketOf(region, bucket, elements)))))
    if (focus) elements.get(focus)?.querySelector(".open").focus()
  })]
}

export function leave() { for (const stop of stops.splice(0)) stop() }

function bucketOf(region, bucket, elements) {
  const isFull = bucket.cap !== undefined && bucket.used >= bucket.cap
  return h("div", { class: isFull ? "bucket full" : "bucket", "data-bucket": `${region.region} ${bucket.bucket}`, "data-order": "plan" },
    h("h4", {}, bucket.heading, bucket.cap === undefined ? "" : h("span", { class: "note", text: ` ${bucket.used} of ${bucket.cap}` })),
    h("div", { role: "list", "aria-label": `${region.heading}, ${bucket.heading}` }, ...bucket.items.map((id, index) => {
      const element = taskRow(id)
      element.dataset.index = index
      fill(element, wire.rows.get(id))
      elements.set(id, element)
      return element
    })))
}
