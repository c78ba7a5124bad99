// Lists of tasks: the views, a list, and search. A long list has elements only for what is on the screen.

import { announce, debounced, h, icon, visible, words } from "./dom.js"
import { attempt, navigate, openDetails } from "./app.js"
import { draggable } from "./drag.js"
import { wire } from "./wire.js"

/** The height of a row and of a heading, as in style.css: on a phone a row has two lines. */
const narrow = matchMedia("(max-width: 42rem)")
const rowHeight = () => (narrow.matches ? 60 : 48)
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
    this.body.addEventListener("focusin", (event) => this.makeTabbable(event.target.closest(".row")))
    this.onscroll = () => { this.frame ??= requestAnimationFrame(() => { this.frame = null; this.draw() }) }
    this.onrows = (event) => {
      for (const element of this.elements.values()) if (event.detail[element.dataset.id]) fill(element, wire.rows.get(element.dataset.id))
    }
  }

  start() {
    addEventListener("scroll", this.onscroll, { passive: true })
    addEventListener("resize", this.onscroll)
    wire.addEventListener("rows", this.onrows)
    this.stopFollowing = wire.follow(this.part, (state) => this.update(state), { from: 0, count: 100 })
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
    // A task is there twice when it is also due on a later day.
    const seen = new Set()
    for (const item of state.items) {
      item.key = item.id === undefined ? `${item.heading} ${item.day ?? ""}` : seen.has(item.id) ? `${item.id} again` : item.id
      seen.add(item.id)
    }
    this.window = [state.from, state.from + state.items.length]
    this.empty.textContent = state.empty
    this.empty.hidden = state.total > 0
    this.draw(true)
  }

  /**
   * Puts elements where the window of the browser looks, and asks for items that it needs.
   *
   * @param isChanged whether the list has changed, rather than been scrolled.
   */
  draw(isChanged = false) {
    const unit = rowHeight()
    const full = this.total * unit
    const height = Math.min(full, TALLEST)
    if (this.height !== height) this.body.style.height = `${(this.height = height)}px`
    const top = this.body.getBoundingClientRect().top
    const passed = Math.min(Math.max(0, -top), Math.max(0, height - innerHeight))
    // Where the whole list would be scrolled to; the same unless the list is too tall.
    const shift = height < full ? passed * (full - innerHeight) / (height - innerHeight) - passed : 0
    const first = Math.max(0, Math.floor((passed + shift - Math.max(0, top)) / unit) - 10)
    const last = Math.min(this.total, first + Math.ceil(innerHeight / unit) + 20)
    const shown = []
    for (let index = first; index < last; index++) {
      const item = this.items.get(index)
      if (item) shown.push([item.key, item, index])
    }
    const holder = this.body.contains(document.activeElement) ? document.activeElement : null
    const wanted = new Set(shown.map(([key]) => this.elements.get(key)))
    const lost = this.removeOthers(wanted, holder, isChanged ? [first, last] : [0, 0])
    let next = this.body.firstElementChild
    for (const [key, item, index] of shown) {
      let element = this.elements.get(key)
      if (!element) this.elements.set(key, (element = this.makeElement(item)))
      // Those that are only kept do not count.
      while (next && !wanted.has(next)) next = next.nextElementSibling
      // The order of elements is that of the list, for the Tab key and screen readers.
      if (element === next) next = next.nextElementSibling
      else this.body.insertBefore(element, next)
      const y = index * unit - shift
      if (element.y !== y) element.style.transform = `translateY(${(element.y = y)}px)`
      if (element.dataset.index !== `${index}`) {
        element.dataset.index = index
        element.setAttribute("aria-posinset", index + 1)
      }
      if (element.size !== this.total) element.setAttribute("aria-setsize", (element.size = this.total))
    }
    if (lost !== null) this.focusNear(lost)
    else if (holder && holder !== document.activeElement) holder.focus({ preventScroll: true })
    if (!this.tabbable?.isConnected) this.makeTabbable(this.body.querySelector(".row"))
    // The next window is asked for before anybody has scrolled to the end of this one.
    if (Math.max(0, first - 40) < this.window[0] || Math.min(this.total, last + 40) > this.window[1]) {
      const from = Math.max(0, first - 100)
      if (this.asked !== `${from} ${this.total}`) {
        this.asked = `${from} ${this.total}`
        wire.want(this.part, { from, count: last - first + 200 })
      }
    }
  }

  makeElement(item) {
    if (!item.id) {
      return h("div", { class: item.due ? "day due" : "day", role: "listitem", "data-day": item.day },
        h("h3", {}, words(item.heading)), h("span", { class: "note", text: item.count ?? "" }))
    }
    const element = taskRow(item.id)
    for (const button of element.children) button.tabIndex = -1
    fill(element, wire.rows.get(item.id))
    return element
  }

  /**
   * Removes the elements that are not wanted. The row with the focus, and one that is dragged, stay while they are only scrolled
   * away. Returns where the focus was if its row has left the list, or null.
   */
  removeOthers(wanted, holder, [first, last]) {
    let lost = null
    for (const [key, element] of this.elements) {
      if (wanted.has(element)) continue
      const index = Number(element.dataset.index)
      const hasFocus = element.contains(holder)
      // Something else is in its place, or the list does not reach it any more.
      const isGone = index >= first && (index >= this.total || (index < last && this.items.has(index)))
      if (element.matches(".lifted") || (hasFocus && !isGone)) {
        element.style.transform = `translateY(${(element.y = -9999)}px)`
        continue
      }
      if (hasFocus) lost = index
      element.remove()
      this.elements.delete(key)
    }
    return lost
  }

  /** One row at a time is a stop of the Tab key; the arrow keys go to the others. */
  makeTabbable(row) {
    if (!row || row === this.tabbable) return
    for (const button of this.tabbable?.querySelectorAll("button") ?? []) button.tabIndex = -1
    for (const button of row.querySelectorAll("button")) button.tabIndex = 0
    this.tabbable = row
  }

  /** Gives the focus to the row that is now where one has gone, or to the one above. */
  focusNear(index) {
    const rows = shownRows()
    const row = rows.find((row) => Number(row.dataset.index) >= index) ?? rows.at(-1)
    ;(row?.querySelector(".open") ?? document.getElementById("main")).focus()
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
    if (this.part === "search") return
    const before = this.items.get(index)?.id, after = this.items.get(index - 1)?.id
    const place = after && after !== id ? { after } : before && before !== id ? { before } : "first"
    if (this.order === "list") {
      return attempt(() => this.elements.has(id) ? wire.do("reorder", { id, place, in: "list" }) : wire.do("drop", { id, view: this.part }))
    }
    const row = wire.rows.get(id)
    const hasDays = this.part === "upcoming" || this.part === "past"
    const day = hasDays ? this.dayAt(index - 1) ?? wire.rows.get(after ?? before)?.day : this.part === "today" ? wire.parts.get("status")?.today : undefined
    if (row?.day === day) return attempt(() => wire.do("reorder", { id, place, in: "day" }))
    if (hasDays && day) return attempt(() => wire.do("schedule", { ids: [id], day, place }))
    return attempt(() => wire.do("drop", { id, view: this.part, place }))
  }

  /** Moves a task by one place, across the headings of days. */
  move(id, step) {
    for (const [index, item] of this.items) if (item.id === id) return this.drop(id, step > 0 ? index + 2 : Math.max(0, index - 1))
  }
}

/** Moves a task of the list that is shown, for the keys. */
export const moveTask = (id, step) => list?.move(id, step)

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
  state.setAttribute("aria-label", `${names[row.state]}${row.priority ? `, ${row.priority} priority` : ""}: ${visible(row.text).slice(0, 200)}. Change the state`)
  state.disabled = wire.readOnly
  open.replaceChildren(words(row.text, "text"), chipsOf(row))
}

function chipsOf(row) {
  const chip = (kind, text, drawn) => text ? h("span", { class: `chip ${kind}` }, drawn ? icon(drawn) : null, words(text)) : null
  return h("span", { class: "chips" }, chip("priority", row.priority && row.priority !== "low" ? row.priority : null),
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
