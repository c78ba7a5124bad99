// The shell: tabs, routes, the input line, notices. What is inside `main` belongs to a screen, a module of its own.

import { announce, debounced, dot, h, icon, iconButton, visible, words } from "./dom.js"
import { isDragging, swipeable } from "./drag.js"
import { wire } from "./wire.js"

/** The tabs in their order; the first four are the views that a swipe goes through. */
export const tabs = [
  ["inbox", "Inbox"], ["today", "Today"], ["upcoming", "Upcoming"], ["past", "Past"], ["lists", "Lists"], ["plan", "Plan"],
  ["search", "Search"], ["journals", "Journals"], ["statistics", "Statistics"], ["store", "Store"],
]
const modules = {
  inbox: "./tasks.js", today: "./tasks.js", upcoming: "./tasks.js", past: "./tasks.js", list: "./tasks.js", search: "./tasks.js",
  lists: "./lists.js", plan: "./plan.js", journals: "./journals.js", statistics: "./statistics.js", store: "./store.js",
}

// What the first page does not need comes after its rows.
let styles = null
const moreStyles = () => (styles ??= Promise.all(["statistics", "store"].map((name) => new Promise((done) =>
  document.head.append(h("link", { rel: "stylesheet", href: `${name}.css`, onload: done, onerror: done }))))))

let details = null
export async function openDetails(id) { (details ??= await import("./details.js")).openDetails(id) }

let keys = null
const loadKeys = () => (keys ??= import("./keys.js").then(({ startKeys }) => startKeys({ tabs, navigate, route, input, undo, openDetails }))
  .catch(() => (keys = null)))

let screen = null
/** Where a typed line goes, as `create` names it; null where none is typed. */
let target = "inbox"
const main = document.getElementById("main")

export function navigate(path) { location.hash = `#/${path}` }

/** The words of the address: `["list", "019c…"]`. */
export function route() {
  const path = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent)
  return path.length && modules[path[0]] ? path : ["today"]
}

let number = 0
async function show() {
  const path = route()
  const mine = ++number
  const module = await import(modules[path[0]]).catch(() => null)
  if (["statistics", "store"].includes(path[0])) await moreStyles()
  if (!module) return complain({ code: "request", text: "The server does not answer, so this part of the page is missing." })
  // Another screen was asked for meanwhile.
  if (mine !== number) return
  screen?.leave?.()
  details?.closeDetails()
  screen = module
  // Touch events go to the element where the finger came down: it stays, unseen, while its row is dragged to another screen.
  if (isDragging()) document.body.append(h("div", { class: "kept unseen", "aria-hidden": "true" }, [...main.children]))
  main.replaceChildren()
  main.dataset.screen = path[0]
  target = path[0] === "list" ? `list:${path[1]}` : ["inbox", "today", "upcoming", "past", "plan"].includes(path[0]) ? path[0] : null
  input.form.hidden = target === null || wire.readOnly
  const tab = path[0] === "list" ? "lists" : path[0]
  markTabs()
  document.title = `${tabs.find(([name]) => name === tab)[1]} · Daybook`
  scrollTo(0, 0)
  module.show(main, { wire, rest: path.slice(1), tab: path[0], navigate })
}

// The tabs: links, so that the browser's own keys and menus work on them.
document.getElementById("tabs").append(...tabs.map(([name, label]) =>
  h("a", { href: `#/${name}`, "data-tab": name, "data-drop": ["inbox", "today", "upcoming", "past"].includes(name) ? name : null },
    icon(name), h("span", { text: label }))))

// The lists, where there is room for them: to open, and to drop tasks on.
const listLinks = h("div", { id: "nav-lists" })
document.getElementById("tabs").append(listLinks)
wire.follow("lists:open", ({ lists }) => {
  const focus = listLinks.contains(document.activeElement) ? document.activeElement.hash : null
  listLinks.replaceChildren(...lists.map((list) => {
    const link = h("a", { href: `#/list/${list.id}`, "data-tab": "list", "data-drop": `list:${list.id}` }, dot(list.color), words(list.name),
      list.open ? h("span", { class: "note", text: list.open, "aria-label": `${list.open} open` }) : null)
    if (link.hash === focus) queueMicrotask(() => link.focus())
    return link
  }))
  markTabs()
})

function markTabs() {
  const tab = route()[0]
  for (const link of document.querySelectorAll("#tabs a")) {
    const isCurrent = tab === "list" ? link.hash === location.hash : link.dataset.tab === tab
    if (isCurrent) {
      link.setAttribute("aria-current", "page")
      // On a phone the tabs are wider than the window.
      link.scrollIntoView({ inline: "center", block: "nearest" })
    }
    else link.removeAttribute("aria-current")
  }
}

// The input line.
const chips = h("p", { class: "chips", id: "understood", "aria-live": "polite" })
export const input = h("input", {
  id: "new", placeholder: "What needs to be done?", "aria-label": "New task", "aria-describedby": "understood", autocomplete: "off",
  dir: "auto", enterkeyhint: "done", maxlength: 100000,
})
const preview = debounced(async () => {
  const text = input.value
  if (!text.trim()) return chips.replaceChildren()
  const found = await wire.do("preview", { text }).catch(() => null)
  if (!found || input.value !== text) return
  chips.replaceChildren(...found.parts.map((part) => h("span", { class: `chip ${part.kind}`, text: visible(part.text) })))
}, 80)
input.addEventListener("input", preview)
document.getElementById("top").after(h("form", { id: "entry", onsubmit: create }, input, chips))

/** The last task that was sent: two requests at once can arrive in either order. */
let created = Promise.resolve()
async function create(event) {
  event.preventDefault()
  const text = input.value
  if (!text.trim()) return
  // Empty at once: the next task can be typed while this one becomes durable. It is shown before that.
  input.value = ""
  chips.replaceChildren()
  const send = () => {
    if (input.value === text) input.value = ""
    const view = target
    return (created = created.catch(() => {}).then(() => wire.do("create", { text, view })))
  }
  const task = await attempt(send, () => { if (!input.value) input.value = text })
  if (task?.elsewhere) tell(task.elsewhere)
}

/** Does something, and shows why if it fails, with a button to try again; `revert` restores what the person sees. Returns undefined then. */
export async function attempt(action, revert) {
  try {
    return await action()
  } catch (problem) {
    revert?.()
    complain(problem, () => attempt(action, revert))
  }
}

// Notices at the bottom.
const notices = document.getElementById("notices")
const undoNotice = h("div", { class: "notice", hidden: true, role: "status" })
const problemNotice = h("div", { class: "notice problem", hidden: true, role: "alert" })
const connection = h("div", { class: "notice connection", hidden: true, role: "status" })
notices.append(connection, problemNotice, undoNotice)
const advice = {
  freeSpace: "Free some space on the disk.", update: "Update Daybook.", allowAccess: "Allow access to the store's folder.", restart: "Waiting for the store…",
}
export function complain(problem, retry) {
  const hide = () => (problemNotice.hidden = true)
  const remedy = remedyOf(problem, retry)
  remedy?.addEventListener("click", hide)
  problemNotice.replaceChildren(h("span", { class: "words", text: visible([problem.text, advice[problem.remedy]].filter(Boolean).join(" ")) }), remedy ?? "", iconButton("close", "Dismiss", hide))
  problemNotice.hidden = false
}

/** What does something about a problem, where the page can: a button or a link; else null. `retry` does again what has failed. */
export function remedyOf({ code, remedy }, retry) {
  const link = (path, text) => h("a", { class: "button", href: `#/${path}`, text })
  const button = (text, onclick) => h("button", { type: "button", class: "remedy", text, onclick })
  if (code === "request") return button("Load the page again", () => location.reload())
  if (remedy === "restore") return link("store/snapshots", "Show the snapshots")
  if (remedy === "unlock") return link("journals", "Unlock the journals")
  return retry && ["retry", "freeSpace", "allowAccess"].includes(remedy) ? button("Try again", retry) : null
}

let countdown
/** Says something for a few seconds. */
function tell(text) {
  clearInterval(countdown)
  undoNotice.replaceChildren(h("span", { class: "words", text: visible(text) }))
  undoNotice.hidden = false
  countdown = setTimeout(() => (undoNotice.hidden = true), 4000)
}

function offerUndo({ text, deadline }) {
  clearInterval(countdown)
  undoNotice.hidden = !text
  if (!text) return
  const end = performance.now() + deadline
  const seconds = h("span", { class: "seconds", "aria-hidden": "true" })
  const tick = () => {
    const left = Math.ceil((end - performance.now()) / 1000)
    seconds.textContent = Math.max(0, left)
    if (left <= 0) { clearInterval(countdown); undoNotice.hidden = true }
  }
  undoNotice.replaceChildren(h("span", { text }), h("button", { type: "button", id: "undo", text: "Undo", onclick: undo }), seconds)
  announce(`${text}. Press U to undo.`)
  countdown = setInterval(tick, 250)
  tick()
}
export function undo() { return attempt(() => wire.do("undo")) }

function showConnection() {
  const texts = {
    lost: "The server does not answer. Trying again…",
    refused: "This page belongs to a server that has ended. Open the address that 'daybook serve' has printed in the terminal.",
  }
  connection.textContent = texts[wire.state] ?? ""
  connection.hidden = !connection.textContent
  if (wire.state === "lost") connection.append(h("button", { type: "button", text: "Try now", onclick: () => wire.connect() }))
  document.body.classList.toggle("offline", wire.state !== "open")
}

wire.addEventListener("state", showConnection)
wire.addEventListener("problem", ({ detail: { part, problem } }) => complain(problem, () => attempt(() => wire.do("retry", { view: part }))))
wire.addEventListener("recovered", () => (problemNotice.hidden = true))
wire.addEventListener("hello", () => {
  document.getElementById("title").textContent = visible(wire.hello.store)
  document.body.classList.toggle("read-only", wire.readOnly)
  input.form.hidden = target === null || wire.readOnly
  problemNotice.hidden = true
  loadKeys()
  setTimeout(moreStyles, 100)
})
wire.follow("undo", offerUndo)
wire.follow("status", ({ dayText, zone }) => {
  document.getElementById("status").textContent = [dayText, zone, wire.readOnly ? "read-only" : ""].filter(Boolean).join(" · ")
})
addEventListener("hashchange", show)
// A page that nobody sees needs no stream; browsers have six connections for one server. Shown again, it begins anew.
addEventListener("visibilitychange", () => {
  if (document.hidden) setTimeout(() => document.hidden && wire.pause(), 60_000)
  else if (wire.isPaused) wire.connect()
})
swipeable(main)
show().finally(() => wire.connect())
