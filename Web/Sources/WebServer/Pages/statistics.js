// Statistics: the numbers, which follow the store, and pictures that the server draws, each with its numbers as a table.

import { debounced, h, iconButton } from "./dom.js"
import { complain } from "./app.js"

let stop = null

export function show(main, { wire }) {
  const numbers = h("dl", { class: "numbers" })
  const summary = h("p", { class: "summary" })
  const pictures = [
    new Picture(wire, "month", "By day", "month"), new Picture(wire, "week", "By weekday and hour"),
    new Picture(wire, "year", "By year", "year"), new Picture(wire, "open", "Open tasks"),
  ]
  main.append(h("div", { class: "heading" }, h("h2", { text: "Statistics" })), numbers, summary,
    h("div", { class: "pictures" }, ...pictures.map((picture) => picture.element)))
  // Several tasks that are completed at once are one change of the pictures.
  const draw = debounced(() => { for (const picture of pictures) picture.load() }, 200)
  stop = wire.follow("statistics", (state) => {
    const shown = [["Today", state.today], ["This week", state.week], ["This month", state.month], ["Last month", state.lastMonth]]
    numbers.replaceChildren(...shown.map(([name, count]) => h("div", {}, h("dt", { text: name }), h("dd", { text: count }))))
    summary.textContent = state.summary
    summary.dataset.trend = state.trend
    draw()
  })
}

export function leave() { stop?.() }

/** A picture with its heading; one of a month or a year can be changed for the one before or after. */
class Picture {
  constructor(wire, name, label, step) {
    Object.assign(this, { wire, name, step, chosen: null, shown: "" })
    this.heading = h("h3", { text: label })
    this.note = h("p", { class: "note" })
    this.drawing = h("div", { class: "drawing" })
    this.table = h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `${label}: the numbers` })
    this.numbers = h("details", { ontoggle: () => this.fill() }, h("summary", { text: "The numbers" }), this.table)
    this.before = iconButton("left", `The ${step} before`, () => this.choose(this.state.previous))
    this.after = iconButton("right", `The ${step} after`, () => this.choose(this.state.next))
    this.element = h("section", { class: `picture ${name}` },
      h("div", { class: "heading" }, this.heading, step ? h("div", { class: "steps" }, this.before, this.after) : null),
      this.drawing, this.note, this.numbers)
  }

  choose(value) {
    if (!value) return
    this.chosen = value
    this.load()
  }

  async load() {
    const asked = (this.asked = Symbol())
    const query = this.chosen ? `?${this.step}=${encodeURIComponent(this.chosen)}` : ""
    const state = await this.wire.get(`/statistics/${this.name}.json${query}`).catch((problem) => complain(problem, () => this.load()))
    // Another one was chosen meanwhile.
    if (!state || asked !== this.asked) return
    this.state = state
    this.heading.textContent = state.title
    this.note.textContent = state.note
    this.before.disabled = !state.previous
    this.after.disabled = !state.next
    if (state.svg !== this.shown) {
      this.shown = state.svg
      const drawing = new DOMParser().parseFromString(state.svg, "image/svg+xml").documentElement
      this.drawing.replaceChildren(document.importNode(drawing, true))
    }
    this.fill()
  }

  /** A year has hundreds of numbers: they become elements when somebody wants to see them. */
  fill() {
    if (!this.numbers.open || !this.state) return
    const cells = ([first, ...rest]) => h("tr", {}, h("th", { scope: "row", text: first }), ...rest.map((text) => h("td", { text })))
    this.table.replaceChildren(h("table", {}, h("caption", { class: "unseen", text: this.state.title }),
      h("thead", {}, h("tr", {}, ...this.state.columns.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, ...this.state.rows.map(cells))))
  }
}
