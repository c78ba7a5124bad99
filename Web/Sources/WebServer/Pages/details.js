// Everything of one task, beside the list or over it on a small screen. A field is saved when one leaves it.

import { ask, debounced, h, icon, iconButton, visible, words } from "./dom.js"
import { attempt } from "./app.js"
import { fill, taskRow } from "./tasks.js"
import { wire } from "./wire.js"

const panel = document.getElementById("details")
let open = null

export function openDetails(id) {
  if (open?.id === id) return
  const from = open?.from ?? document.activeElement
  closeDetails()
  open = { id, from, stops: [] }
  panel.hidden = false
  document.body.classList.add("with-details")
  open.stops.push(wire.follow(`task:${id}`, draw), wire.follow("lists:open", drawLists))
}

export function closeDetails() {
  if (!open) return false
  const { from, stops } = open
  open = null
  for (const stop of stops) stop()
  panel.hidden = true
  panel.replaceChildren()
  document.body.classList.remove("with-details")
  if (from?.isConnected) from.focus()
  return true
}

let drawn = null
let lists = null
function drawLists(state) {
  lists = state
  if (open && drawn?.id === open.id) fillLists(drawn.list, drawn.state.row?.list)
}

function draw(state) {
  if (!open || state.part !== `task:${open.id}`) return
  if (state.missing) return closeDetails()
  if (drawn?.id !== open.id || !panel.children.length) build(open.id)
  drawn.state = state
  const value = (name) => state.fields.find((field) => field.name === name)?.value ?? ""
  // What somebody types is not taken from under their hands.
  const set = (element, text) => { if (document.activeElement !== element) element.value = text }
  set(drawn.text, state.text)
  set(drawn.notes, state.notes ?? "")
  for (const name of ["day", "due", "remind", "repeat", "wait"]) set(drawn[name], value(name))
  set(drawn.tags, (state.row.tags ?? []).join(" "))
  set(drawn.category, state.row.category ?? "")
  set(drawn.priority, state.row.priority ?? "none")
  fillLists(drawn.list, state.row.list)
  drawn.facts.replaceChildren(...state.fields.filter(({ name }) => ["created", "changed", "completed"].includes(name))
    .flatMap(({ label, value }) => [h("dt", { text: label }), h("dd", { text: value })]))
  rows(drawn.subtasks, state.subtasks)
  rows(drawn.blockers, state.blockers, (id) => iconButton("close", "Does not wait for this", () => attempt(() => wire.do("unblock", { id: open.id, blocker: id }))))
  if (drawn.history.open) drawn.showHistory()
  drawn.blockers.parentElement.hidden = wire.readOnly && !state.blockers.length
}

function rows(element, list, more) {
  element.replaceChildren(...list.map((row) => {
    const shown = taskRow(row.id)
    fill(shown, row)
    if (more && !wire.readOnly) shown.append(more(row.id))
    return shown
  }))
}

function fillLists(select, id) {
  if (!lists || document.activeElement === select) return
  select.replaceChildren(h("option", { value: "", text: "No list" }), ...lists.lists.map((list) => h("option", { value: list.id, text: visible(list.name) })))
  select.value = id ?? ""
}

function build(id) {
  drawn = { id }
  const save = (verb, fields) => () => attempt(() => wire.do(verb, { ids: [id], ...fields() }))
  const changed = (element, state, action) => element.addEventListener("change", action)
  const field = (name, label, hint, verb = name, key = "text") => {
    const element = h("input", { id: `field-${name}`, placeholder: hint, dir: "auto", autocomplete: "off" })
    changed(element, null, () => attempt(() => wire.do(verb, { ids: [id], [key]: element.value }), () => draw(drawn.state)))
    drawn[name] = element
    return h("div", { class: "field" }, h("label", { for: element.id, text: label }), element)
  }
  const text = (drawn.text = h("textarea", { id: "field-text", rows: 2, dir: "auto", "aria-label": "Text", maxlength: 1000000 }))
  changed(text, null, save("edit", () => ({ text: text.value })))
  const notes = (drawn.notes = h("textarea", { id: "field-notes", rows: 5, dir: "auto", placeholder: "Notes", "aria-label": "Notes" }))
  changed(notes, null, save("edit", () => ({ notes: notes.value })))
  const list = (drawn.list = h("select", { id: "field-list" }))
  changed(list, null, save("list", () => ({ list: list.value || null })))
  const priority = (drawn.priority = h("select", { id: "field-priority" }, ...["none", "high", "medium", "low"].map((name) => h("option", { value: name, text: name }))))
  changed(priority, null, save("priority", () => ({ priority: priority.value })))
  const subtask = h("input", { id: "new-subtask", placeholder: "Add a subtask", "aria-label": "New subtask", dir: "auto", autocomplete: "off" })
  const addSubtask = (event) => {
    event.preventDefault()
    const text = subtask.value
    if (text.trim()) attempt(() => wire.do("subtask", { id, text }), () => (subtask.value = text))
    subtask.value = ""
  }
  drawn.subtasks = h("div", { role: "list", "aria-label": "Subtasks" })
  drawn.blockers = h("div", { role: "list", "aria-label": "Waits for" })
  drawn.facts = h("dl", {})
  const changes = h("div", { class: "inside" })
  // The change log is searched when somebody wants to see it, and again when the task changes meanwhile.
  drawn.showHistory = debounced(() => attempt(async () => {
    const shown = await (await import("./store.js")).taskHistory(id)
    if (open?.id === id) changes.replaceChildren(shown)
  }), 100)
  drawn.history = h("details", { id: "task-history", ontoggle: () => drawn.history.open && drawn.showHistory() }, h("summary", { text: "History" }), changes)
  const days = [["today", "Today"], ["tomorrow", "Tomorrow"], ["inbox", "Inbox"]].map(([day, label]) =>
    h("button", { type: "button", text: label, onclick: save("schedule", () => ({ day })) }))
  panel.replaceChildren(
    h("div", { class: "heading" }, h("h2", { text: "Task" }), iconButton("close", "Close", closeDetails)),
    h("fieldset", { disabled: wire.readOnly }, text, notes, h("div", { class: "buttons" }, days),
      field("day", "Day", "tomorrow, fri, 2026-02-11", "schedule", "day"), field("due", "Due", "fri 17:30"), field("remind", "Remind", "tomorrow 9:00"),
      field("repeat", "Repeat", "every week"), field("wait", "Hide until", "next mon"),
      h("div", { class: "field" }, h("label", { for: "field-list", text: "List" }), list), h("div", { class: "field" }, h("label", { for: "field-priority", text: "Priority" }), priority),
      tagField(id), field("category", "Category", "", "edit", "category"),
      h("section", {}, h("h3", { text: "Subtasks" }), drawn.subtasks, h("form", { onsubmit: addSubtask }, subtask)),
      h("section", {}, h("h3", { text: "Waits for" }), drawn.blockers, blockerField(id)), drawn.facts,
      h("div", { class: "buttons" }, h("button", { type: "button", class: "danger", onclick: () => remove(id) }, icon("trash"), "Delete"))), drawn.history)
  panel.querySelector("button").focus()
}

function tagField(id) {
  const tags = (drawn.tags = h("input", { id: "field-tags", dir: "auto", autocomplete: "off" }))
  tags.addEventListener("change", () => attempt(() => wire.do("tag", { id, tags: tags.value.split(/[\s,#]+/).filter(Boolean) })))
  return h("div", { class: "field" }, h("label", { for: "field-tags", text: "Tags" }), tags)
}

/** Finds the task that this one waits for, by its words. Search itself has the part of that name for its own words. */
function blockerField(id) {
  if (document.getElementById("main").dataset.screen === "search") return ""
  const found = h("div", { class: "found" })
  let stop = null
  const end = () => {
    stop?.()
    stop = null
    found.replaceChildren()
  }
  const choose = (blocker) => {
    field.value = ""
    end()
    field.focus()
    attempt(() => wire.do("block", { id, blocker }))
  }
  const show = (state) => found.replaceChildren(...state.items.filter((item) => item.id !== id && wire.rows.get(item.id)).slice(0, 6)
    .map((item) => h("button", { type: "button", class: "quiet", onclick: () => choose(item.id) }, words(wire.rows.get(item.id).text))))
  const field = h("input", { id: "new-blocker", type: "search", placeholder: "Find a task", "aria-label": "Find a task that this one waits for", dir: "auto", autocomplete: "off" })
  field.addEventListener("input", debounced(() => {
    if (open?.id !== id || !field.value.trim()) return end()
    const words = { text: field.value, openOnly: true, from: 0, count: 10 }
    if (stop) wire.want("search", words)
    else stop = wire.follow("search", show, words)
  }, 100))
  open.stops.push(end)
  return h("div", {}, field, found)
}

/** Deleting can be undone for its seconds; with subtasks it is asked first. */
export async function remove(id) {
  const row = wire.rows.get(id)
  if (row?.subtasks && !(await ask("Delete this task and its subtasks?", "Delete"))) return
  await attempt(() => wire.do("delete", { ids: [id] }))
}
