// Journals: threads, entries, what is being written, and the lock. Nothing of them is on the page while they are locked.

import { ask, debounced, h, icon, iconButton, redraw, visible, words } from "./dom.js"
import { attempt, navigate } from "./app.js"
import { wire } from "./wire.js"

const IDLE = 5 * 60_000
let stops = []
let lock = { isLocked: false, isOn: false }
let idle = null
let isGuarding = false

/** Locks the journals when nobody looks, also once another screen is shown: they were opened on this page. */
function guard() {
  if (isGuarding) return
  isGuarding = true
  const close = () => lock.isOn && !lock.isLocked && wire.do("lock").catch(() => {})
  const restart = () => {
    clearTimeout(idle)
    idle = setTimeout(close, IDLE)
  }
  wire.follow("lock", (state) => (lock = state))
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, restart)
  addEventListener("visibilitychange", () => document.hidden && close())
  restart()
}

export function show(main, { rest }) {
  const content = h("div", { class: "journal" })
  main.append(content)
  guard()
  const draw = rest[0] ? threadScreen(content, rest[0]) : threadsScreen(content)
  const part = rest[0] ? `thread:${rest[0]}` : "threads"
  const update = (state) => state && (state.locked ? locked(content) : draw(state))
  stops = [wire.follow(part, update), wire.follow("lock", (state) => {
    lock = state
    // Its buttons are among the threads.
    if (!rest[0] && !wire.parts.get(part)?.locked) update(wire.parts.get(part))
  })]
}

export function leave() { for (const stop of stops.splice(0)) stop() }

function locked(content) {
  const code = h("input", { id: "code", inputmode: "numeric", autocomplete: "off", "aria-label": "Code in the terminal", placeholder: "Code" })
  const unlock = (event) => {
    event.preventDefault()
    attempt(() => wire.do("unlock", { code: code.value.trim() }))
    code.value = ""
  }
  content.replaceChildren(h("form", { class: "locked", onsubmit: unlock }, icon("lock"), h("h2", { text: "The journals are locked" }),
    h("p", { text: "The terminal that runs 'daybook serve' shows a code when you ask for it." }),
    h("div", { class: "buttons" }, h("button", { type: "button", text: "Show a code", onclick: () => attempt(() => wire.do("unlockCode")).then(() => code.focus()) }), code,
      h("button", { class: "main", text: "Unlock" }))))
}

function threadsScreen(content) {
  return (state) => {
    const name = h("input", { id: "new-thread", placeholder: "New thread", "aria-label": "Name of a new thread", dir: "auto", autocomplete: "off" })
    const create = async (event) => {
      event.preventDefault()
      const id = name.value.trim() && (await attempt(() => wire.do("createThread", { name: name.value })))
      if (id) navigate(`journals/${id}`)
    }
    const isOn = lock.isOn
    redraw(content, h("div", { class: "heading" }, h("h2", { text: "Journals" }), wire.readOnly ? "" : h("button", {
      type: "button", text: isOn ? "Lock now" : "Turn the lock on",
      onclick: () => attempt(async () => { if (!isOn) await wire.do("setLock", { on: true }); await wire.do("lock") }),
    }), isOn && !wire.readOnly ? h("button", { type: "button", text: "Turn the lock off", onclick: () => attempt(() => wire.do("setLock", { on: false })) }) : ""),
      wire.readOnly ? "" : h("form", { class: "line", "data-key": "new", onsubmit: create }, name),
      h("div", { class: "cards", role: "list" }, ...state.threads.map((thread) => h("div", { class: "card", role: "listitem", "data-key": thread.id },
        h("a", { href: `#/journals/${thread.id}` }, words(thread.name, "name", "strong"), h("span", { class: "note", text: `${thread.entriesText} · ${thread.changed}` }))))),
      state.threads.length ? "" : h("p", { class: "empty", text: state.empty }))
  }
}

function threadScreen(content, id) {
  const name = h("h2", { dir: "auto" })
  const text = h("textarea", { id: "entry-text", rows: 4, dir: "auto", placeholder: "Write…", "aria-label": "New entry" })
  const saving = h("span", { class: "note", role: "status" })
  const entries = h("ol", { class: "entries", reversed: true })
  const empty = h("p", { class: "empty" })
  const save = debounced(() => wire.do("draft", { thread: id, text: text.value }).catch(() => (saving.textContent = "Not saved yet.")), 250)
  text.addEventListener("input", () => { saving.textContent = "Typing…"; save() })
  const send = async (event) => {
    event.preventDefault()
    const written = text.value
    if (!written.trim()) return
    text.value = ""
    await attempt(() => wire.do("send", { thread: id, text: written }), () => (text.value = written))
  }
  let isFirst = true
  return (state) => {
    if (state.missing) return navigate("journals")
    if (!name.isConnected) {
      content.replaceChildren(h("div", { class: "heading" }, h("a", { href: "#/journals", "aria-label": "All threads", class: "quiet" }, icon("left")), name, h("div", { class: "buttons" },
        h("button", { type: "button", class: "quiet", text: "Rename", onclick: () => rename(id, name.textContent) }),
        h("button", { type: "button", class: "quiet", text: "Add a field", onclick: () => addField(id) }), iconButton("trash", "Delete the thread", () => remove(id)))),
        wire.readOnly ? "" : h("form", { class: "writing", onsubmit: send }, text, h("div", { class: "buttons" }, h("button", { class: "main", text: "Add the entry" }), saving)), entries, empty)
      isFirst = true
    }
    name.textContent = visible(state.name)
    // Later states of the draft are behind what is typed here.
    if (isFirst) text.value = state.draft?.text ?? ""
    isFirst = false
    saving.textContent = { saved: text.value ? "Draft saved." : "", changed: "Typing…", saving: "Saving…", failed: "The draft could not be saved." }[state.draft?.saving] ?? ""
    redraw(entries, state.entries.map((entry) => entryOf(entry, state.fields)))
    empty.textContent = state.entries.length ? "" : state.empty
  }
}

function entryOf(entry, fields) {
  const shown = fields.filter((field) => !field.group)
  return h("li", { class: "entry", "data-key": entry.id }, h("p", { class: "note", text: entry.at }), h("p", { class: "words", dir: "auto", text: visible(entry.text, false) }),
    h("dl", {}, ...shown.flatMap((field) => {
      const value = entry.fields.find((filled) => filled.id === field.id)?.value ?? ""
      const input = h("input", { value, dir: "auto", "aria-label": `${visible(field.name)} of this entry`, disabled: wire.readOnly, autocomplete: "off" })
      input.addEventListener("change", () => attempt(() => wire.do("setField", { entry: entry.id, field: field.id, value: input.value })))
      return [h("dt", {}, words(field.name)), h("dd", {}, input)]
    })), wire.readOnly ? "" : h("div", { class: "buttons" }, h("button", { type: "button", class: "quiet", text: "Edit", onclick: () => edit(entry) }),
      iconButton("trash", "Delete the entry", () => removeEntry(entry))))
}

function edit(entry) {
  const text = h("textarea", { rows: 8, dir: "auto", "aria-label": "Text of the entry" })
  text.value = entry.text
  const dialog = h("dialog", { class: "ask", "aria-label": "Edit the entry" }, h("form", { method: "dialog" }, text,
    h("div", { class: "buttons" }, h("button", { value: "no", text: "Cancel" }), h("button", { value: "yes", class: "main", text: "Save" }))))
  dialog.addEventListener("close", () => {
    dialog.remove()
    if (dialog.returnValue === "yes") attempt(() => wire.do("editEntry", { entry: entry.id, text: text.value }))
  })
  document.body.append(dialog)
  dialog.showModal()
}

async function removeEntry(entry) {
  if (await ask("Delete this entry?", "Delete")) attempt(() => wire.do("deleteEntry", { entry: entry.id }))
}
async function rename(id, old) {
  const name = await ask("The name of the thread:", "Rename", { value: old, label: "Name" })
  if (name) attempt(() => wire.do("renameThread", { thread: id, name }))
}
async function addField(id) {
  const name = await ask("The name of the field:", "Add", { value: "", label: "Name" })
  if (name) attempt(() => wire.do("createField", { thread: id, name }))
}
async function remove(id) {
  const question = await attempt(() => wire.do("threadQuestion", { thread: id }))
  if (question && (await ask(question, "Delete"))) await attempt(() => wire.do("deleteThread", { thread: id }))
}
