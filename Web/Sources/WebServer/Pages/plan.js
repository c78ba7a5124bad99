// The plan of a day: its regions, each with its buckets.

import { h, iconButton, redraw } from "./dom.js"
import { attempt, navigate } from "./app.js"
import { draggable } from "./drag.js"
import { fill, taskRow } from "./tasks.js"
import { wire } from "./wire.js"

let stops = []

export function show(main, { rest }) {
  const part = rest[0] ? `plan:${rest[0]}` : "plan"
  let day = rest[0]
  const title = h("h2", {})
  const turn = (days) => () => day && navigate(`plan/${shifted(day, days)}`)
  const today = h("a", { href: "#/plan", class: "button", text: "Today", hidden: true })
  const carry = h("button", { type: "button", hidden: true })
  const board = h("div", { class: "plan" })
  main.append(h("div", { class: "heading" }, title, iconButton("left", "The day before", turn(-1)), iconButton("right", "The next day", turn(1)), today, carry), board)
  draggable(board, null)
  const elements = new Map()
  const onrows = ({ detail }) => { for (const [id, element] of elements) if (detail[id]) fill(element, wire.rows.get(id)) }
  wire.addEventListener("rows", onrows)
  stops = [() => wire.removeEventListener("rows", onrows), wire.follow(part, (state) => {
    day = state.day
    title.textContent = state.title
    today.hidden = state.isToday
    const open = state.regions.flatMap((region) => region.buckets.flatMap((bucket) => bucket.items)).filter((id) => wire.rows.get(id)?.state !== "done")
    const isPast = day < (wire.parts.get("status")?.today ?? "")
    carry.textContent = isPast ? "Carry the open tasks to today" : "Carry the open tasks to the next day"
    carry.hidden = !open.length || wire.readOnly
    carry.onclick = () => attempt(() => wire.do("carry", { ids: open, day: isPast ? "today" : shifted(day, 1) }))
    elements.clear()
    redraw(board, state.regions.map((region) => h("section", { class: "region", "aria-label": region.heading },
      h("h3", {}, region.heading, region.open ? h("span", { class: "note", text: region.open, "aria-label": `${region.open} open` }) : null),
      ...region.buckets.map((bucket) => bucketOf(state, region, bucket, elements)))))
  })]
}

export function leave() { for (const stop of stops.splice(0)) stop() }

/** A day as far away as so many days. */
function shifted(day, days) {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

function bucketOf(state, region, bucket, elements) {
  const hasCap = bucket.cap !== undefined && bucket.cap !== null
  const kind = hasCap && bucket.used >= bucket.cap ? "bucket full" : bucket.items.length ? "bucket" : "bucket vacant"
  return h("div", { class: kind, "data-bucket": `${region.region} ${bucket.bucket}`, "data-day": state.day, "data-order": "plan" },
    h("h4", {}, bucket.heading, hasCap ? h("span", { class: "note", text: `${bucket.used} of ${bucket.cap}` }) : ""),
    h("div", { role: "list", "aria-label": `${region.heading}, ${bucket.heading}` }, ...bucket.items.map((id, index) => {
      const element = taskRow(id)
      element.dataset.index = index
      element.dataset.key = id
      fill(element, wire.rows.get(id))
      elements.set(id, element)
      return element
    })))
}
