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
  // A finger that drags does not scroll. Browsers ask only listeners that were there when the finger came down.
  element.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false })
}

/** Lets a quick move sideways, anywhere on one of the four views, go to the next of them; at the ends there is none. */
export function swipeable(element) {
  let start = null
  element.addEventListener("pointerdown", (event) => (start = event.pointerType === "touch" && event.isPrimary ? event : null))
  element.addEventListener("pointercancel", () => (start = null))
  element.addEventListener("pointerup", (event) => {
    if (start && !drag) swipe(event.clientX - start.clientX, event.clientY - start.clientY, event.timeStamp - start.timeStamp)
    start = null
  })
}

/** Whether a task is being dragged. */
export const isDragging = () => drag !== null

function begin(event) {
  const row = event.target.closest(".row")
  if (!row || event.button !== 0 || wire.readOnly || event.target.closest(".state")) return
  const start = { x: event.clientX, y: event.clientY }
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
  }
  addEventListener("pointermove", move)
  addEventListener("pointerup", end)
  addEventListener("pointercancel", end)
}

function swipe(dx, dy, milliseconds) {
  if (Math.abs(dx) < 60 || Math.abs(dy) > Math.abs(dx) / 2 || milliseconds > 600) return
  const main = document.getElementById("main")
  const at = tabs.indexOf(main.dataset.screen)
  const next = tabs[at + (dx < 0 ? 1 : -1)]
  if (at < 0 || !next) return
  main.dataset.from = dx < 0 ? "right" : "left"
  setTimeout(() => delete main.dataset.from, 400)
  navigate(next)
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
  // A finger that is lifted elsewhere opens no menu of the browser.
  addEventListener("contextmenu", stopClick, true)
  follow(start.x, start.y)
  scrollAtEdges()
}

/** Scrolls while the pointer rests near the upper or lower edge, so that a task can be dropped where one does not see. */
function scrollAtEdges() {
  if (!drag) return
  const edge = drag.tab ? 0 : drag.y < 110 ? drag.y - 110 : drag.y > innerHeight - 110 ? drag.y - innerHeight + 110 : 0
  if (edge) {
    scrollBy(0, edge / 6)
    follow(drag.x, drag.y)
  }
  requestAnimationFrame(scrollAtEdges)
}

function stopClick(event) { event.stopPropagation(); event.preventDefault() }
function cancelByKey(event) { if (event.key === "Escape") { event.stopPropagation(); finish(false) } }

function follow(x, y) {
  Object.assign(drag, { x, y })
  // On a phone it stays on the screen.
  drag.ghost.style.transform = `translate(${Math.max(8, Math.min(x + 12, innerWidth - drag.ghost.offsetWidth - 8))}px, ${y - 16}px)`
  const under = document.elementFromPoint(x, y)
  const tab = under?.closest("#tabs a")
  const bucket = under?.closest("[data-bucket]")
  const zone = under?.closest("[data-drop]")
  for (const marked of document.querySelectorAll(".drop-here")) if (marked !== (tab ?? bucket)) marked.classList.remove("drop-here")
  if (tab !== drag.tab) {
    clearTimeout(drag.rest)
    drag.tab = tab
    // Resting on a tab opens it, and the drag goes on there.
    if (tab) drag.rest = setTimeout(() => navigate(tab.hash.slice(2)), TAB_REST)
  }
  drag.line.hidden = true
  drag.target = null
  if (tab && !tab.dataset.drop) {
    // It only opens: there is nothing on it to drop a task into.
  } else if (tab) {
    tab.classList.add("drop-here")
    drag.target = () => attempt(() => wire.do("drop", { id: drag.id, view: tab.dataset.drop }))
  } else if (bucket) {
    bucket.classList.add("drop-here")
    const [region, name] = bucket.dataset.bucket.split(" ")
    const day = bucket.dataset.day
    const after = [...bucket.querySelectorAll(".row")].filter((row) => row !== drag.row && middle(row) < y).at(-1)?.dataset.id
    drag.target = () => attempt(() => wire.do("place", { ids: [drag.id], region, bucket: name, day, place: after ? { after } : "first" }))
  } else if (zone?.matches(".card")) {
    zone.classList.add("drop-here")
    drag.target = () => attempt(() => wire.do("drop", { id: drag.id, view: zone.dataset.drop }))
  } else if (zone?.matches(".tasks") && current) {
    const rows = [...zone.querySelectorAll(".row, .day")].filter((row) => row.y !== -9999 && middle(row) < y)
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
  ended.row.closest(".kept")?.remove()
  setTimeout(() => {
    removeEventListener("click", stopClick, true)
    removeEventListener("contextmenu", stopClick, true)
  })
}
