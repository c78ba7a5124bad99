// Lists of tasks: the views, a list, and search. A long list has elements only for what is on the screen.

import { announce, debounced, h, icon, visible, words } from "./dom.js"
import { attempt, complain, navigate } from "./app.js"
import { openDetails } from "./details.js"
import { draggable } from "./drag.js"
import { wire } from "./wire.js"

const HEIGHT = 48
/** The height that every browser can scroll; longer lists are scrolled in larger steps. */
const TALLEST = 8_000_000
const names = { todo: "To do", doing: "Doing", done: "Done", unknown: "Other" }

let list = null
let stops = []

export function show(main, { tab, rest }) {
  const part = tab === "list" ? `list:${rest[0]}` : tab
  if (tab === "search") main.append(searchField(part))
  list = new TaskList(part, tab === "list" ? "list" : "day")
  main.append(list.element)
  list.start()
}

export function leave() {
  list?.stop()
  list = null
  for (const stop of stops.splice(0)) stop()
}

/** The rows that are shown, in their order, for the keys. */
export function shownRows() { return [...document.querySelectorAll("#main .row")].sort((a, b) => a.dataset.index - b.dataset.index) }

function searchField(part) {
  const field = h("input", { type: "search", id: "search", "aria-label": "Search all tasks", placeholder: "Search all tasks", dir: "auto" })
  const open = h("input", { type: "checkbox", id: "open-only" })
  const search = debounced(() => wire.want(part, { text: field.value, openOnly: open.checked, from: 0, count: 100 }), 60)
  field.addEventListener("input", search)
  open.addEventListener("change", search)
  queueMicrotask(() => field.focus())
  return h("form", { class: "search", role: "search", onsubmit: (event) => event.preventDefault() }, field,
    h("label", {}, open, " Open only"))
}

class TaskList {
  /** @param order what a drop within the list changes: `day` or `list`. */
  constructor(part, order) {
    Object.assign(this, { part, order, total: 0, items: new Map(), elements: new Map(), window: [0, 100] })
    this.heading = h("h2", {})
    this.note = h("p", { class: "note" })
    this.body = h("div", { class: "rows", role: "list" })
    this.empty = h("p", { class: "empty", hidden: true })
    this.element = h("section", { class: "tasks", "data-drop": part, "data-order": order }, h("div", { class: "heading" }, this.heading, this.note), this.body, this.empty)
    this.body.setAttribute("aria-label", "Tasks")
    this.onscroll = () => { this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw() }) }
    this.onrows = (event) => {
      for (const [id, element] of this.elements) if (event.detail[id]) fill(element, wire.rows.get(id))
    }
  }

  start() {
    addEventListener("scroll", this.onscroll, { passive: true })
    addEventListener("resize", this.onscroll)
    wire.addEventListener("rows", this.onrows)
    this.stopFollowing = wire.follow(this.part, (state) => this.update(state), { from: 0, count: 100, problem: complain })
    draggable(this.body, this)
  }

  stop() {
    removeEventListener("scroll", this.onscroll)
    removeEventListener("resize", this.onscroll)
    wire.removeEventListener("rows", this.onrows)
    this.stopFollowing()
  }

  update(state) {
    if (state.missing) return navigate("lists")
    this.heading.textContent = visible(state.title)
    this.heading.style.borderColor = state.color ?? ""
    this.note.textContent = state.completedText ?? (state.countOfTasks ? `${state.countOfTasks}${state.more ? " or more" : ""}` : "")
    this.total = state.total
    this.items = new Map(state.items.map((item, index) => [state.from + index, item]))
    this.window = [state.from, state.from + state.items.length]
    this.empty.textContent = state.empty
    this.empty.hidden = state.total > 0
    this.draw()
  }

  /** Puts elements where the window of the browser looks, and asks for items that it needs. */
  draw() {
    const full = this.total * HEIGHT
    const height = Math.min(full, TALLEST)
    if (this.height !== height) this.body.style.height = `${(this.height = height)}px`
    const top = this.body.getBoundingClientRect().top
    const passed = Math.min(Math.max(0, -top), Math.max(0, height - innerHeight))
    // Where the whole list would be scrolled to; the same unless the list is too tall.
    const shift = height < full ? passed * (full - innerHeight) / (height - innerHeight) - passed : 0
    const first = Math.max(0, Math.floor((passed + shift - Math.max(0, top)) / HEIGHT) - 10)
    const last = Math.min(this.total, first + Math.ceil(innerHeight / HEIGHT) + 20)
    const used = new Set()
    for (let index = first; index < last; index++) {
      const item = this.items.get(index)
      if (!item) continue
      const key = item.id ?? `${item.heading} ${item.day ?? ""}`
      let element = this.elements.get(key)
      if (!element) {
        element = item.id ? taskRow(item.id) : h("h3", { class: item.due ? "day due" : "day" }, words(item.heading), h("span", { class: "note", text: item.count ?? "" }))
        this.elements.set(key, element)
        this.body.append(element)
        if (item.id) fill(element, wire.rows.get(item.id))
      }
      used.add(key)
      const y = index * HEIGHT - shift
      if (element.y !== y) element.style.transform = `translateY(${(element.y = y)}px)`
      if (element.dataset.index !== `${index}`) element.dataset.index = index
      if (item.day) element.dataset.day = item.day
    }
    for (const [key, element] of this.elements) {
      if (used.has(key)) continue
      // A row that has the focus keeps it until it is really gone.
      if (element.contains(document.activeElement) && wire.rows.has(key) && this.total) moveFocus(element)
      element.remove()
      this.elements.delete(key)
    }
    if (this.total && (first < this.window[0] || last > this.window[1])) {
      const from = Math.max(0, first - 50)
      if (this.asked !== `${from} ${this.total}`) {
        this.asked = `${from} ${this.total}`
        wire.want(this.part, { from, count: last - first + 100 })
      }
    }
  }

  /** The day of the heading above an item; null for none. */
  dayAt(index) {
    for (let above = index; above >= this.window[0]; above--) {
      const item = this.items.get(above)
      if (item?.day) return item.day
    }
    return null
  }

  /** A task was dropped at an index of this list. */
  drop(id, index) {
    const before = this.items.get(index)?.id, after = this.items.get(index - 1)?.id
    const place = after && after !== id ? { after } : before && before !== id ? { before } : "first"
    const day = this.dayAt(index - 1)
    const isHere = this.elements.has(id)
    if (this.part === "search") return
    if (day) return attempt(() => wire.do("schedule", { ids: [id], day, place }))
    if (isHere) return attempt(() => wire.do("reorder", { id, place, in: this.order }))
    return attempt(() => wire.do("drop", { id, view: this.part, place: this.order === "day" ? place : undefined }))
  }
}

/** The row beside one that goes away gets the focus. */
function moveFocus(element) {
  const rows = shownRows()
  const index = rows.indexOf(element)
  ;(rows[index + 1] ?? rows[index - 1])?.querySelector(".open")?.focus()
}

/** An element for a task; `fill` gives it its contents, now and when they change. */
export function taskRow(id) {
  const element = h("div", { class: "row", role: "listitem", "data-id": id },
    h("button", { type: "button", class: "state", onclick: () => cycle(id) }),
    h("button", { type: "button", class: "open", onclick: () => openDetails(id) }))
  return element
}

export function cycle(id) {
  const row = wire.rows.get(id)
  return attempt(async () => {
    await wire.do("cycle", { ids: [id] })
    const now = wire.rows.get(id)
    if (row && now && row.state !== now.state) announce(`${now.text}: ${names[now.state]}`)
  })
}

export function fill(element, row) {
  if (!row || element.row === row) return
  element.row = row
  element.className = `row ${row.state}${row.pending ? " pending" : ""}${row.priority ? ` ${row.priority}` : ""}`
  const [state, open] = element.children
  state.setAttribute("aria-label", `${names[row.state]}: ${visible(row.text)}. Change the state`)
  state.disabled = wire.readOnly
  open.replaceChildren(words(row.text, "text"), chipsOf(row))
}

function chipsOf(row) {
  const chip = (kind, text, drawn) => text ? h("span", { class: `chip ${kind}` }, drawn ? icon(drawn) : null, words(text)) : null
  return h("span", { class: "chips" },
    chip(row.overdue ? "due overdue" : "due", row.due, "flag"), chip("reminder", row.reminder, "bell"), chip("repeat", row.repeats, "repeat"),
    chip("wait", row.waits ?? (row.blocked ? "waits" : null), "wait"), chip("subtasks", row.subtasks, "sub"),
    row.notes ? h("span", { class: "chip" }, icon("note"), h("span", { class: "unseen", text: "has notes" })) : null,
    chip("carried", row.carried ? `carried ${row.carried}` : null), ...(row.tags ?? []).map((tag) => chip("tag", `#${tag}`)),
    listChip(row), row.sticky ? h("span", { class: "chip" }, icon("pin"), h("span", { class: "unseen", text: "pinned" })) : null)
}

function listChip(row) {
  if (!row.listName) return null
  const element = h("span", { class: "chip list" }, words(row.listName))
  element.style.setProperty("--list", row.color)
  return element
}
