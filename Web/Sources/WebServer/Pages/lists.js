// The lists with their numbers.

import { ask, h, iconButton, visible, words } from "./dom.js"
import { attempt } from "./app.js"
import { wire } from "./wire.js"

let stop = null

export function show(main) {
  const cards = h("div", { class: "cards", role: "list" })
  const name = h("input", { id: "new-list", placeholder: "New list", "aria-label": "Name of a new list", dir: "auto", autocomplete: "off" })
  const create = (event) => {
    event.preventDefault()
    const text = name.value
    if (text.trim()) attempt(() => wire.do("createList", { name: text }), () => (name.value = text))
    name.value = ""
  }
  main.append(h("h2", { text: "Lists" }), wire.readOnly ? "" : h("form", { class: "line", onsubmit: create }, name), cards)
  stop = wire.follow("lists", (state) => {
    cards.replaceChildren(...state.lists.map((list) => card(list, state.colors)), card(state.none, []))
  })
}

export function leave() { stop?.() }

function card(list, colors) {
  const counts = [`${list.open} open`, list.due ? `${list.due} due` : "", list.overdue ? `${list.overdue} overdue` : ""].filter(Boolean).join(" · ")
  const element = h("div", { class: "card", role: "listitem", "data-drop": `list:${list.id ?? "none"}` },
    h("a", { href: `#/list/${list.id ?? "none"}` }, words(list.name, "name", "strong"), h("span", { class: list.overdue ? "note overdue" : "note", text: counts })))
  element.style.setProperty("--list", list.color ?? "transparent")
  if (list.id && !wire.readOnly) element.append(h("div", { class: "buttons" }, palette(list, colors),
    h("button", { type: "button", class: "quiet", text: "Rename", onclick: () => rename(list) }),
    iconButton("trash", `Delete ${visible(list.name)}`, () => remove(list))))
  return element
}

function palette(list, colors) {
  const select = h("select", { "aria-label": `Color of ${visible(list.name)}` }, ...[...new Set([list.color, ...colors])].map((color) =>
    h("option", { value: color, text: color })))
  select.value = list.color
  select.addEventListener("change", () => attempt(() => wire.do("colorList", { list: list.id, color: select.value })))
  return select
}

async function rename(list) {
  const name = await ask("The name of the list:", "Rename", { value: list.name, label: "Name" })
  if (name) attempt(() => wire.do("renameList", { list: list.id, name }))
}

async function remove(list) {
  const question = await attempt(() => wire.do("deletionQuestion", { list: list.id }))
  if (question && (await ask(question, "Delete"))) attempt(() => wire.do("deleteList", { list: list.id }))
}
