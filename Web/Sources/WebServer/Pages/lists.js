// The lists with their numbers.

import { ask, dot, h, iconButton, redraw, visible, words } from "./dom.js"
import { attempt } from "./app.js"
import { wire } from "./wire.js"

const names = {
  "#FF3B30": "Red", "#FF9500": "Orange", "#FFCC00": "Yellow", "#34C759": "Green", "#00C7BE": "Mint", "#007AFF": "Blue", "#5856D6": "Indigo",
  "#AF52DE": "Purple", "#8E8E93": "Gray",
}
let stop = null

export function show(main) {
  const cards = h("div", { class: "cards", role: "list" })
  const more = h("p", { class: "note", text: "There are more due tasks than these numbers count.", hidden: true })
  const name = h("input", { id: "new-list", placeholder: "New list", "aria-label": "Name of a new list", dir: "auto", autocomplete: "off" })
  const create = (event) => {
    event.preventDefault()
    const text = name.value
    if (text.trim()) attempt(() => wire.do("createList", { name: text }), () => (name.value = text))
    name.value = ""
  }
  main.append(h("div", { class: "heading" }, h("h2", { text: "Lists" })), wire.readOnly ? "" : h("form", { class: "line", onsubmit: create }, name), cards, more)
  stop = wire.follow("lists", (state) => {
    redraw(cards, state.lists.map((list) => card(list, state.colors)), card(state.none, []))
    more.hidden = !state.more
  })
}

export function leave() { stop?.() }

function card(list, colors) {
  const count = (number, text, kind) => number ? h("span", { class: `count ${kind}`, text: `${number} ${text}` }) : null
  const element = h("div", { class: "card list", role: "listitem", "data-drop": `list:${list.id ?? "none"}`, "data-key": list.id ?? "none" },
    h("a", { href: `#/list/${list.id ?? "none"}` }, words(list.name, "name", "strong"),
      h("span", { class: "note" }, `${list.open} open`, count(list.due, "due", "due"), count(list.overdue, "overdue", "overdue"))))
  element.style.setProperty("--list", list.color ?? "transparent")
  if (list.id && !wire.readOnly) element.append(h("div", { class: "buttons" }, palette(list, colors),
    h("button", { type: "button", class: "quiet", text: "Rename", "aria-label": `Rename ${visible(list.name)}`, onclick: () => rename(list) }),
    iconButton("trash", `Delete ${visible(list.name)}`, () => remove(list))))
  return element
}

/** The color, which opens the others to choose from. */
function palette(list, colors) {
  const choice = (color) => h("button", {
    type: "button", "aria-label": names[color] ?? color, "aria-pressed": String(color === list.color),
    onclick: () => attempt(() => wire.do("colorList", { list: list.id, color })),
  }, dot(color))
  return h("details", { class: "palette" }, h("summary", { "aria-label": `Color of ${visible(list.name)}` }, dot(list.color)),
    h("div", { role: "group", "aria-label": "Colors" }, colors.map(choice)))
}

async function rename(list) {
  const name = await ask("The name of the list:", "Rename", { value: list.name, label: "Name" })
  if (name) attempt(() => wire.do("renameList", { list: list.id, name }))
}

async function remove(list) {
  const question = await attempt(() => wire.do("deletionQuestion", { list: list.id }))
  if (question && (await ask(question, "Delete"))) attempt(() => wire.do("deleteList", { list: list.id }))
}
