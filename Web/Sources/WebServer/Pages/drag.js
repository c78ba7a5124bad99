// Dragging with a mouse, or with a finger after a long press. Nothing of tasks is decided here: a drop sends what the person meant.

import { announce, h, words } from "./dom.js"
import { attempt, navigate } from "./app.js"
import { wire } from "./wire.js"

const LONG_PRESS = 300
const TAB_REST = 500
const tabs = ["inbox", "today", "upcoming", "past"]
let drag = null
let current = null

/** Lets the rows in an element be dragged; `list.drop(id, index)` is called for a drop on it. */
export function draggable(element, list) {
  current = list
  element.addEventListener("pointerdown", (event) => begin(event))
}

function begin(event) {
  const row = event.target.closest(".row")
  if (!row || event.button !== 0 || wire.readOnly || event.target.closest(".state")) return
  const start = { x: event.clientX, y: event.clientY, time: performance.now() }
  const isTouch = event.pointerType !== "mouse"
  let press = isTouch ? setTimeout(() => lift(row, start), LONG_PRESS) : null
  const move = (event) => {
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y]
    if (!drag && !isTouch && Math.hypot(dx, dy) > 5) lift(row, start)
    if (!drag && isTouch && Math.hypot(dx, dy) > 10) clearTimeout(press)
    if (drag) follow(event.clientX, event.clientY)
  }
  const end = (event) => {
    clearTimeout(press)
    removeEventListener("pointermove", move)
    removeEventListener("pointerup", end)
    removeEventListener("pointercancel", end)
    if (drag) finish(event.type === "pointerup")
    else if (isTouch && event.type === "pointerup") swipe(event.clientX - start.x, event.clientY - start.y, start.time)
  }
  addEventListener("pointermove", move)
  addEventListener("pointerup", end)
  addEventListener("pointercancel", end)
}

/** A quick move sideways goes to the next of the four views; at the ends there is none. */
function swipe(dx, dy, began) {
  if (Math.abs(dx) < 60 || Math.abs(dy) > Math.abs(dx) / 2 || performance.now() - began > 600) return
  const at = tabs.indexOf(document.getElementById("main").dataset.screen)
  const next = tabs[at + (dx < 0 ? 1 : -1)]
  if (at >= 0 && next) navigate(next)
}

function lift(row, start) {
  const task = wire.rows.get(row.dataset.id)
  if (!task) return
  const ghost = h("div", { class: "ghost", "aria-hidden": "true" }, words(task.text))
  const line = h("div", { class: "drop-line", hidden: true })
  document.body.append(ghost, line)
  document.body.classList.add("dragging")
  drag = { id: row.dataset.id, row, ghost, line, rest: null, target: null }
  row.classList.add("lifted")
  announce(`Dragging ${task.text}. Escape cancels.`)
  addEventListener("keydown", cancelByKey, true)
  // The click that would follow opens nothing.
  addEventListener("click", stopClick, true)
  follow(start.x, start.y)
}

function stopClick(event) { event.stopPropagation(); event.preventDefault() }
function cancelByKey(event) { if (event.key === "Escape") { event.stopPropagation(); finish(false) } }

function follow(x, y) {
  drag.ghost.style.transform = `translate(${x + 12}px, ${y - 16}px)`
  const under = document.elementFromPoint(x, y)
  const tab = under?.closest("#tabs a[data-drop]")
  const bucket = under?.closest("[data-bucket]")
  const zone = under?.closest("[data-drop]")
  for (const marked of document.querySelectorAll(".drop-here")) if (marked !== (tab ?? bucket)) marked.classList.remove("drop-here")
  if (tab !== drag.tab) {
    clearTimeout(drag.rest)
    drag.tab = tab
    // Resting on a tab opens it, and the drag goes on there.
    if (tab) drag.rest = setTimeout(() => navigate(tab.dataset.drop), TAB_REST)
  }
  drag.line.hidden = true
  drag.target = null
  if (tab) {
    tab.classList.add("drop-here")
    drag.target = () => attempt(() => wire.do("drop", { id: drag.id, view: tab.dataset.drop }))
  } else if (bucket) {
    bucket.classList.add("drop-here")
    const [region, name] = bucket.dataset.bucket.split(" ")
    const after = [...bucket.querySelectorAll(".row")].filter((row) => row !== drag.row && middle(row) < y).at(-1)?.dataset.id
    drag.target = () => attempt(() => wire.do("place", { ids: [drag.id], region, bucket: name, place: after ? { after } : "first" }))
  } else if (zone?.matches(".card")) {
    zone.classList.add("drop-here")
    drag.target = () => attempt(() => wire.do("drop", { id: drag.id, view: zone.dataset.drop }))
  } else if (zone?.matches(".tasks") && current) {
    const rows = [...zone.querySelectorAll(".row, .day")].filter((row) => middle(row) < y)
    const above = rows.reduce((best, row) => (best && middle(best) > middle(row) ? best : row), null)
    const index = above ? Number(above.dataset.index) + 1 : 0
    const box = (above ?? zone.querySelector(".rows")).getBoundingClientRect()
    drag.line.style.transform = `translate(${box.left}px, ${above ? box.bottom : box.top}px)`
    drag.line.style.width = `${box.width}px`
    drag.line.hidden = false
    drag.target = () => current.drop(drag.id, index)
  }
}

function middle(row) {
  const box = row.getBoundingClientRect()
  return box.top + box.height / 2
}

function finish(isDropped) {
  if (!drag) return
  const ended = drag
  clearTimeout(ended.rest)
  if (isDropped && ended.target) ended.target()
  else announce("Not moved.")
  for (const marked of document.querySelectorAll(".drop-here")) marked.classList.remove("drop-here")
  ended.row.classList.remove("lifted")
  ended.ghost.remove()
  ended.line.remove()
  document.body.classList.remove("dragging")
  drag = null
  removeEventListener("keydown", cancelByKey, true)
  setTimeout(() => removeEventListener("click", stopClick, true))
}
