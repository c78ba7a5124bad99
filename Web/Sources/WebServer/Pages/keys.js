// Keys for everything. `?` shows them.

import { h } from "./dom.js"
import { attempt } from "./app.js"
import { closeDetails, remove } from "./details.js"
import { cycle, moveTask, shownRows } from "./tasks.js"
import { wire } from "./wire.js"

const help = [
  ["n", "New task"], ["1 … 9, 0", "Go to a tab"], ["← →", "The view before or after"], ["j k ↓ ↑", "Next or previous task"],
  ["Enter", "Open the task"], ["x", "To do, doing, done"], ["t m i", "To today, tomorrow, Inbox"], ["Alt ↑ ↓", "Move the task"],
  ["Delete", "Delete the task"], ["u", "Undo"], ["/", "Search"], ["Escape", "Close"], ["?", "These keys"],
]

export function startKeys({ tabs, navigate, route, input, undo, openDetails }) {
  document.body.dataset.keys = "on"
  const views = tabs.slice(0, 4).map(([name]) => name)
  const focused = () => document.activeElement?.closest?.(".row")
  const move = (step) => {
    const rows = shownRows()
    const next = rows[rows.indexOf(focused()) + step] ?? (focused() ? null : rows[0])
    next?.querySelector(".open").focus()
    next?.scrollIntoView({ block: "nearest" })
  }
  const reorder = (step) => {
    const rows = shownRows()
    const at = rows.indexOf(focused())
    const beside = rows[at + step]?.dataset.id
    const order = focused()?.closest("[data-order]")?.dataset.order
    if (at >= 0 && order !== "plan") return moveTask(rows[at].dataset.id, step)
    if (at >= 0 && beside) attempt(() => wire.do("reorder", { id: rows[at].dataset.id, place: step > 0 ? { after: beside } : { before: beside }, in: order }))
  }
  const task = (action) => { const row = focused(); if (row) action(row.dataset.id) }
  const schedule = (day) => task((id) => attempt(() => wire.do("schedule", { ids: [id], day })))

  addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select")
    if (event.key === "Escape") {
      if (typing) event.target.blur()
      else closeDetails()
      return
    }
    if (typing || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return
    if (event.altKey && !["ArrowUp", "ArrowDown"].includes(event.key)) return
    const at = views.indexOf(route()[0])
    const actions = {
      n: () => input.form.hidden || input.focus(), "/": () => navigate("search"), "?": showKeys, u: undo, j: () => move(1), k: () => move(-1),
      ArrowDown: () => (event.altKey ? reorder(1) : move(1)), ArrowUp: () => (event.altKey ? reorder(-1) : move(-1)),
      ArrowLeft: () => at > 0 && navigate(views[at - 1]), ArrowRight: () => at >= 0 && at < 3 && navigate(views[at + 1]),
      x: () => task(cycle), t: () => schedule("today"), m: () => schedule("tomorrow"), i: () => schedule("inbox"), Delete: () => task(remove),
      o: () => task(openDetails),
    }
    tabs.forEach(([name], index) => (actions[`${(index + 1) % 10}`] = () => navigate(name)))
    const action = actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  })
}

function showKeys() {
  const dialog = h("dialog", { class: "keys", "aria-label": "Keys" }, h("h2", { text: "Keys" }),
    h("dl", {}, ...help.flatMap(([key, text]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text })])),
    h("form", { method: "dialog" }, h("button", { text: "Close" })))
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}
