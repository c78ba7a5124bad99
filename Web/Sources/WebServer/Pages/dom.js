// Elements without markup: a text is only ever set as text, so that nothing a person wrote is read as HTML.

/** Creates an element. `properties` has attributes, `on…` listeners, `class`, `text`, and properties such as `value`. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value)
    else if (name === "class") element.className = value
    else if (name === "text") element.textContent = value
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value
    else element.setAttribute(name, value === true ? "" : value)
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false))
  return element
}

/** Replaces control characters by symbols, and line ends by spaces where a text has one line. */
export function visible(text, oneLine = true) {
  return String(text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    const code = character.charCodeAt(0)
    if (code === 10 || code === 13 || code === 9 || code > 0x2000) return oneLine ? " " : character
    return code < 32 ? String.fromCharCode(0x2400 + code) : code === 127 ? "\u2421" : "\ufffd"
  })
}

/** An element for a text that a person wrote: its direction is its own and does not leak into what is around it. */
export function words(text, className = "", tag = "span") {
  return h(tag, { class: `words ${className}`, dir: "auto", text: visible(text) })
}

const paths = {
  inbox: "M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 3h5L16 13h5",
  today: "M12 7a5 5 0 100 10 5 5 0 000-10zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  upcoming: "M4 6h16v14H4zM4 10h16M8 3v4M16 3v4M12 13l3 2.5-3 2.5",
  past: "M4 12a8 8 0 108-8 8 8 0 00-6 2.7L4 9M4 4v5h5M12 8v4l3 2",
  lists: "M9 6h11M9 12h11M9 18h11M4 6h.5M4 12h.5M4 18h.5",
  plan: "M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zM16.2 16.2L21 21",
  journals: "M6 3h13v18H6a2 2 0 01-2-2V5a2 2 0 012-2zM8 3v18M12 8h4M12 12h4",
  statistics: "M4 20h16M7 20v-7M12 20V5M17 20v-10",
  store: "M12 3c4.4 0 8 1.3 8 3s-3.6 3-8 3-8-1.3-8-3 3.6-3 8-3zM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  more: "M5 12h.5M11.75 12h.5M18.5 12h.5", close: "M6 6l12 12M18 6L6 18", plus: "M12 5v14M5 12h14", left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7", repeat: "M5 11V9a3 3 0 013-3h10l-3-3M19 13v2a3 3 0 01-3 3H6l3 3", bell: "M6 16V11a6 6 0 0112 0v5l2 2H4zM10 20.5h4",
  flag: "M6 21V4h11l-2 4 2 4H6", note: "M5 4h14v11l-5 5H5zM14 20v-5h5M8 9h8M8 12h5", wait: "M7 3h10M7 21h10M8 3c0 6 8 6 8 12v6M16 3c0 6-8 6-8 12v6",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 017 0v3", unlock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 016.6-1.6", pin: "M9 3h6l-1 6 4 4H6l4-4zM12 13v8",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13", sub: "M6 5v8a3 3 0 003 3h9M15 12l3.5 4L15 20", undo: "M4 9h10a5 5 0 010 10h-3M8 5L4 9l4 4",
}

/** A drawn icon, hidden from screen readers: what it means is said by the text or label beside it. */
export function icon(name) {
  const namespace = "http://www.w3.org/2000/svg"
  const svg = document.createElementNS(namespace, "svg")
  const path = document.createElementNS(namespace, "path")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("class", "icon")
  svg.setAttribute("aria-hidden", "true")
  path.setAttribute("d", paths[name])
  svg.append(path)
  return svg
}

/** A button with an icon and a label that only screen readers and tooltips say. */
export function iconButton(name, label, onclick, className = "") {
  return h("button", { type: "button", class: `quiet ${className}`, "aria-label": label, title: label, onclick }, icon(name))
}

/** The color of a list as a dot. */
export function dot(color) {
  const element = h("i", { class: "dot" })
  if (/^#[0-9a-f]{6}$/i.test(color ?? "")) element.style.setProperty("--list", color)
  return element
}

/** Draws the contents of an element anew; the focus, and what is being typed, stay in the part with the same `data-key`. */
export function redraw(container, ...children) {
  const focus = container.contains(document.activeElement) ? document.activeElement : null
  const key = focus?.closest("[data-key]")?.dataset.key
  const within = (part) => [...part.querySelectorAll("button, input, select, textarea, a, summary")]
  const index = key ? within(focus.closest("[data-key]")).indexOf(focus) : -1
  const isOpen = focus?.closest("details")?.open
  container.replaceChildren(...children.flat())
  if (index < 0) return
  const part = container.querySelector(`[data-key="${CSS.escape(key)}"]`)
  const again = part && within(part)[index]
  if (!again) return
  if (isOpen && again.closest("details")) again.closest("details").open = true
  if (focus.matches("input, textarea")) again.value = focus.value
  again.focus({ preventScroll: true })
}

let region

/** Says something to screen readers, politely. */
export function announce(text) {
  region ??= document.getElementById("live")
  region.textContent = ""
  // A live region speaks when its text changes: the same sentence twice needs an empty moment between.
  requestAnimationFrame(() => (region.textContent = visible(text)))
}

/** Calls `action` when it has not been called for a while. */
export function debounced(action, milliseconds) {
  let timer
  return (...values) => {
    clearTimeout(timer)
    timer = setTimeout(action, milliseconds, ...values)
  }
}

/** Asks before something that cannot be taken back lightly; returns whether the person agreed. */
export function ask(question, agree, { value, label } = {}) {
  return new Promise((answered) => {
    const input = value === undefined ? null : h("input", { value, "aria-label": label, dir: "auto" })
    const dialog = h("dialog", { class: "ask", "aria-label": label ?? agree },
      h("form", { method: "dialog" }, h("p", { text: question }), input,
        h("div", { class: "buttons" }, h("button", { value: "no", text: "Cancel", type: "button", onclick: () => dialog.close("") }),
          h("button", { value: "yes", class: "main", text: agree }))))
    dialog.addEventListener("close", () => {
      dialog.remove()
      answered(dialog.returnValue === "yes" ? (input ? input.value.trim() : true) : null)
    })
    document.body.append(dialog)
    dialog.showModal()
    if (input) input.select()
  })
}
