// The store's inside: sizes, collections, records, the change log, checks and snapshots. Each page asks the server for what it
// shows; nothing is followed, but a job that runs.

import { announce, ask, h, visible } from "./dom.js"
import { remedyOf } from "./app.js"
import { wire } from "./wire.js"

const pages = [
  ["", "Overview"], ["collections", "Collections"], ["changes", "Changes"], ["checks", "Checks"], ["snapshots", "Snapshots"],
]
let context = { rest: [] }
let body = null
/** Counts the pages that were asked for: an answer to an earlier one is not shown. */
let number = 0
let timer = null
/** The last folder of snapshots that was typed. */
let folder = ""

export function show(main, given) {
  context = given
  const [page = ""] = context.rest
  body = h("div", { class: "inside" })
  main.append(
    h("div", { class: "heading" }, h("h2", { text: "Store" })),
    h("nav", { class: "inside-pages", "aria-label": "Parts of the store" }, pages.map(([name, label]) =>
      h("a", { href: link(name), text: label, "aria-current": name === page ? "page" : null }))),
    body)
  // On a phone these are wider than the window.
  main.querySelector(".inside-pages [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" })
  load(currentPage())
}

export function leave() {
  number++
  clearTimeout(timer)
}

function link(...path) { return `#/${["store", ...path].filter((part) => part !== "").map(encodeURIComponent).join("/")}` }

function path(...parts) {
  const query = typeof parts.at(-1) === "object" ? parts.pop() : {}
  const pairs = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined && value !== false)
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return `/store/${parts.map(encodeURIComponent).join("/")}${search ? `?${search}` : ""}`
}

function get(...parts) { return wire.get(path(...parts)) }

/** Shows what a function returns: an element, or a list of them. */
async function load(make) {
  const mine = ++number
  body.setAttribute("aria-busy", "true")
  try {
    const elements = [await make()].flat()
    if (mine === number) body.replaceChildren(...elements)
  } catch (problem) {
    if (mine === number) body.replaceChildren(failure(problem, () => load(make)))
  }
  if (mine === number) body.removeAttribute("aria-busy")
}

function failure(problem, retry) {
  return h("div", { class: "inside-problem", role: "alert" }, h("p", { class: "words", text: visible(problem.text ?? "Something went wrong.") }), remedyOf(problem, retry))
}

function currentPage() {
  const [page = "", ...rest] = context.rest
  return () => ({ "": overview, collections, changes, checks, snapshots }[page] ?? overview)(...rest)
}

function pairs(rows) {
  return h("dl", { class: "inside-pairs" }, rows.map(([name, value]) =>
    h("div", {}, h("dt", { text: visible(name) }), h("dd", { class: "words", dir: "auto", text: visible(value) }))))
}

/** A table in a frame that scrolls by itself, also by the keyboard. */
function table(label, columns, rows) {
  return h("div", { class: "inside-scroll", tabindex: "0", role: "region", "aria-label": label },
    h("table", {}, h("thead", {}, h("tr", {}, columns.map((column) =>
      h("th", { scope: "col", class: column.number ? "number" : "", text: visible(column.name ?? column) })))), h("tbody", {}, rows)))
}

/** A value with its kind; what is shortened says so. */
function value(shown, lines = false) {
  if (!shown) return h("span", { class: "absent", "aria-label": "none", text: "–" })
  return h("span", { class: `words value ${shown.kind}`, dir: "auto", title: shown.title, text: visible(shown.text, !lines) })
}

function count(number, noun) { return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}` }

// Overview.

async function overview() {
  const { sections, tables, repaired } = await get("overview")
  return [
    repaired ? h("p", { class: "inside-problem", text: visible(repaired) }) : null,
    h("div", { class: "inside-columns" }, sections.map((section) => h("section", {}, h("h3", { text: section.title }),
      h("p", { class: "words", text: visible(section.text) }), pairs(section.rows)))),
    h("h3", { text: "Tables" }),
    table("Tables", ["Table", { name: "Entries", number: true }, { name: "Size", number: true }, "Share"], tables.map((each) => h("tr", {},
      h("th", { scope: "row", class: "words", text: visible(each.name) }), h("td", { class: "number", text: each.entries.toLocaleString("en") }),
      h("td", { class: "number", text: each.bytes }),
      h("td", {}, h("meter", { min: 0, max: 100, value: each.share, "aria-label": `${each.share} percent` }))))),
  ].filter(Boolean)
}

// Collections.

async function collections(name, key) {
  if (name === undefined) return listOfCollections()
  return key === undefined ? listOfRecords(name) : record(name, key)
}

async function listOfCollections() {
  const { collections, hidden } = await get("collections")
  return [
    hidden ? h("p", { class: "note" }, `${hidden} `, h("a", { href: "#/journals", text: "Unlock them" })) : null,
    h("ul", { class: "inside-cards" }, collections.map((each) => h("li", {},
      h("h3", {}, h("a", { class: "words", href: link("collections", each.name), text: visible(each.name) })),
      h("p", { text: `${count(each.records, "record")}, ${each.declaration}` }),
      h("details", {}, h("summary", { text: `${count(each.fields.length, "field")}, ${each.indexes.length === 1 ? "1 index" : `${each.indexes.length} indexes`}` }),
        pairs(each.fields.map(([number, field, kind]) => [`${number} ${field}`, kind])),
        pairs(each.indexes.map((index) => [index.name, keyText(index)])))))),
  ].filter(Boolean)
}

function keyText(index) {
  return `${index.key.length ? index.key.join(", ") : "bytes, not declared"}${index.unique ? "; unique" : ""}`
}

/** The records of a collection. `asked` has the index, the range and the direction; `after` the pages before this one. */
async function listOfRecords(name, asked = {}, after = []) {
  const page = await get("collections", name, { ...asked, after: after.at(-1) ?? "" })
  const index = page.indexes.find((each) => each.name === page.index)
  const again = (asked, after = []) => load(() => listOfRecords(name, asked, after))
  const chosen = h("select", { id: "inside-index", onchange: () => again({ index: chosen.value }) },
    h("option", { value: "", text: "the records' own key" }), page.indexes.map((each) =>
      h("option", { value: each.name, text: visible(each.name), selected: each.name === page.index })))
  const parts = (index?.key ?? page.key).join(", ")
  const limit = (id, label) => h("label", {}, h("span", { text: label }),
    h("input", { id: `inside-${id}`, name: id, value: asked[id] ?? "", dir: "auto", autocomplete: "off", spellcheck: "false", placeholder: parts, disabled: !parts }))
  const backwards = h("input", { type: "checkbox", name: "backwards", checked: asked.backwards === "1" })
  const range = h("form", {
    class: "inside-range",
    onsubmit: (event) => {
      event.preventDefault()
      const fields = new FormData(range)
      again({ index: page.index ?? "", from: fields.get("from") ?? "", to: fields.get("to") ?? "", backwards: backwards.checked ? "1" : "" })
    },
  }, h("label", {}, h("span", { text: "In the order of" }), chosen), limit("from", "From"), limit("to", "To, included"),
  h("label", { class: "check" }, backwards, h("span", { text: "Backwards" })), h("button", { class: "main", text: "Show" }))
  const columns = [index ? { name: parts || "key" } : { name: "key" }, ...page.columns]
  const rows = page.rows.map((row) => h("tr", { class: row.damaged ? "damaged" : "" },
    h("th", { scope: "row" }, h("a", { href: link("collections", name, row.key) }, row.place.flatMap((each, place) => [place ? " · " : null, value(each)]))),
    row.missing || row.damaged
      ? h("td", { colspan: page.columns.length || 1, text: row.missing ? "The index names a record that is not there." : "The record is damaged." })
      : row.values.map((each) => h("td", {}, value(each)))))
  return [
    heading(["collections", "collections"], name),
    h("p", { class: "note", text: `${count(page.records, "record")}, ${page.declaration}.` }),
    range,
    rows.length ? table(`Records of ${visible(name)}`, columns, rows) : h("p", { class: "empty", text: "There are no records here." }),
    pager(after.length && (() => again(asked, after.slice(0, -1))), page.next && (() => again(asked, [...after, page.next])), after.length + 1),
  ]
}

function heading([page, label], text) {
  return h("div", { class: "heading" }, h("h3", { class: "words", text: visible(text) }), h("a", { class: "note", href: link(page), text: `All ${label}` }))
}

function pager(before, next, page) {
  if (!before && !next) return h("p", {})
  return h("div", { class: "buttons" }, h("button", { type: "button", text: "Previous", disabled: !before, onclick: before || null }),
    h("span", { class: "note", text: `Page ${page}` }), h("button", { type: "button", text: "Next", disabled: !next, onclick: next || null }))
}

async function record(name, key) {
  const found = await get("collections", name, key)
  const state = found.damaged ? "The record is damaged: verify the store." : found.exists ? `${found.bytes}.` : "The record is not there any more."
  return [
    h("div", { class: "heading" }, h("h3", {}, ...(found.id.length ? found.id : [{ kind: "bytes", text: key }]).flatMap((part, place) => [place ? " · " : "", value(part)])),
      h("a", { class: "note words", href: link("collections", name), text: `All ${visible(name)}` })),
    h("p", { class: "note", text: `${state} Fields that have their default are not stored.` }),
    table("Fields", ["Field", "Kind", "Value"], found.fields.map((field) => h("tr", {},
      h("th", { scope: "row", class: "words", text: visible(field.name) }), h("td", { class: "note", text: field.kind }),
      h("td", { class: "whole" }, value(field.value, true))))),
    h("h4", { text: "In the indexes" }),
    found.entries.length ? table("Entries in the indexes", ["Index", "Key", "State"], found.entries.map((entry) => h("tr", {},
      h("th", { scope: "row", class: "words", text: visible(entry.index) }),
      h("td", { class: "key" }, entry.key.flatMap((part, place) => [place ? " · " : null, value(part)])),
      h("td", { class: entry.there ? "note" : "damaged", text: entry.there ? "there" : "missing: rebuild the store" }))))
      : h("p", { class: "note", text: "It has no entry in an index." }),
    found.entriesComplete ? null : h("p", { class: "note", text: "Only the first 20,000 entries of each index were searched." }),
    h("h4", { text: "History" }), historyOf(found),
  ].filter(Boolean)
}

/** What the change log has of a record: who changed what, and when. */
function historyOf(found) {
  return found.history.length ? h("ol", { class: "timeline" }, found.history.map((change) => changeItem(change, true)))
    : h("p", { class: "note", text: "The change log has no change of it, or not any more." })
}

/** The history of a task, for its details. */
export async function taskHistory(id) { return historyOf(await get("collections", "tasks", id.replaceAll("-", ""))) }

// The change log.

async function changes(sequence) {
  if (sequence !== undefined) return oneChange(sequence)
  const list = h("div", {})
  const more = h("button", { type: "button", text: "Earlier changes", onclick: () => add() })
  let before = null
  let day = null
  let items = null
  const add = async () => {
    const page = await get("changes", { before: before ?? "" })
    for (const change of page.changes) {
      if (change.day !== day) {
        day = change.day
        items = h("ol", { class: "timeline" })
        list.append(h("h3", { text: day }), items)
      }
      items.append(changeItem(change))
    }
    before = page.next
    more.hidden = before === null
    if (!list.children.length) list.append(h("p", { class: "empty", text: "Nothing was changed yet." }))
  }
  await add()
  return [list, more]
}

function changeItem(change, isOfRecord = false) {
  const time = (change.at.split(" ")[1] ?? "").split(".")[0]
  const records = change.entries.map((entry) => h("li", {},
    h("span", { class: `kind ${entry.kind}`, text: entry.kind }), " ",
    h("a", { class: "words", href: link("collections", entry.collection ?? "", entry.key), text: `${visible(entry.collection ?? "a collection of another program")} ${entry.key.slice(-8)}` }),
    entry.kind === "updated" ? h("span", { class: "note words", text: ` ${visible(entry.fields.join(", "))}` }) : null,
    isOfRecord && entry.before.length ? h("dl", { class: "inside-pairs" }, entry.before.map(([field, shown]) =>
      h("div", {}, h("dt", { text: `${visible(field)} was` }), h("dd", {}, value(shown))))) : null))
  const others = change.records - change.entries.length - change.hidden
  return h("li", {}, h("p", {}, h("a", { class: "sequence", href: link("changes", change.sequence), text: `#${change.sequence}` }), " ",
    h("time", { title: change.at, text: isOfRecord ? change.at : time }), " ",
    h("strong", { class: "words", text: visible(change.operation || "change") }), " ",
    h("span", { class: "note", text: `by ${change.origin}${change.isUndo ? ", an undo or redo" : ""}` })),
  isOfRecord ? h("ul", {}, records) : records.length > 4
    ? h("details", {}, h("summary", { text: count(change.records, "record") }), h("ul", {}, records)) : h("ul", {}, records),
  change.hidden ? h("p", { class: "note", text: `${count(change.hidden, "record")} of locked journals` }) : null,
  !isOfRecord && others > 0 ? h("p", { class: "note", text: `and ${count(others, "record")} more` }) : null)
}

async function oneChange(sequence) {
  const change = await get("changes", sequence)
  return [
    heading(["changes", "changes"], `Change ${change.sequence}`),
    pairs([["When", change.at], ["Operation", change.operation || "none"], ["By", change.origin], ["Records", String(change.records)]]),
    h("h4", { text: "What undo would do" }), h("p", { class: "outcome", text: change.undo }),
    change.effects.length ? h("ul", {}, change.effects.map((effect) => h("li", { class: "words", text: visible(effect) }))) : null,
    h("h4", { text: "Records, with what they were before" }),
    h("ol", { class: "timeline" }, changeItem(change, true)),
  ].filter(Boolean)
}

// Checks: jobs with progress.

async function checks() {
  const panel = h("div", {})
  const start = (kind, text) => h("li", {}, h("p", { text }), h("button", {
    type: "button", text: { verify: "Verify", scrub: "Scrub", compact: "Compact" }[kind], disabled: kind !== "verify" && wire.readOnly,
    onclick: () => run(panel, kind),
  }))
  const latest = await get("jobs")
  if (latest) follow(panel, latest, ["verify", "scrub", "compact"].includes(latest.kind) && (() => run(panel, latest.kind)))
  return [
    h("ul", { class: "inside-cards" },
      start("verify", "Reads everything and compares everything with everything. Changes nothing."),
      start("scrub", "Checks entries and pages a little at a time, and notes how far it came. Others write meanwhile."),
      start("compact", "Rewrites the data file without free pages and without what was deleted.")),
    panel,
  ]
}

const titles = {
  verify: "Verifying", scrub: "Scrubbing", compact: "Compacting", snapshot: "Writing the snapshot", check: "Verifying the snapshot", restore: "Restoring",
}

async function run(panel, kind, fields = {}) {
  const again = () => run(panel, kind, fields)
  try {
    return await follow(panel, await wire.post(path("jobs", kind), fields), again)
  } catch (problem) {
    panel.replaceChildren(failure(problem, again))
  }
}

/** Shows a job until it ends. */
function follow(panel, job, again) {
  const bar = h("progress", { "aria-label": titles[job.kind] ?? job.kind })
  const text = h("p", { class: "words", role: "status" })
  const cancel = h("button", { type: "button", text: "Cancel", hidden: job.kind === "compact", onclick: () => wire.post(path("jobs", job.id, "cancel")).catch(() => {}) })
  panel.replaceChildren(h("section", { class: "job" }, h("h3", { text: titles[job.kind] ?? job.kind }), bar, text, cancel))
  return new Promise((done) => {
    const update = async (state) => {
      if (state.phase === "running") {
        if (state.total) [bar.max, bar.value] = [Math.max(1, state.total), state.done]
        text.textContent = `${state.done.toLocaleString("en")}${state.total ? ` of ${state.total.toLocaleString("en")}` : ""}, ${(state.milliseconds / 1000).toFixed(1)} s`
        timer = setTimeout(async () => {
          const next = await get("jobs", job.id).catch(() => null)
          // Another page is shown meanwhile; the server goes on.
          if (panel.isConnected) next ? update(next) : (text.textContent = "The server does not answer.")
        }, 250)
        return
      }
      bar.remove()
      cancel.remove()
      text.className = `words outcome ${state.phase} ${state.problems.length ? "problem" : ""}`
      text.textContent = `${visible(state.text)} (${(state.milliseconds / 1000).toFixed(1)} s)`
      announce(state.text)
      const remedy = remedyOf(state, again)
      if (remedy) text.after(remedy)
      if (state.problems.length) text.after(h("ul", {}, state.problems.map((problem) => h("li", { class: "words", text: visible(problem) }))))
      done(state)
    }
    update(job)
  })
}

// Snapshots.

async function snapshots() {
  const found = await get("snapshots", { folder }).catch((problem) => ({ folder, problem }))
  folder = found.folder
  const input = h("input", { id: "inside-folder", name: "folder", value: folder, dir: "auto", spellcheck: "false", autocomplete: "off" })
  const panel = h("div", {})
  const reload = () => load(snapshots)
  const create = h("button", {
    type: "button", class: "main", text: "Create a snapshot", disabled: wire.readOnly,
    onclick: async () => {
      folder = input.value
      const job = await run(panel, "snapshot", { folder })
      if (job?.phase === "done") setTimeout(reload, 1500)
    },
  })
  const restore = async (file) => {
    const target = await ask(`Restore ${visible(file)} into a new folder. The open store is not changed.`, "Restore", { value: `${folder}/restored`, label: "Folder of the new store" })
    if (target) run(panel, "restore", { folder, file, target })
  }
  return [
    h("form", { class: "inside-range", onsubmit: (event) => { event.preventDefault(); folder = input.value; reload() } },
      h("label", { class: "wide" }, h("span", { text: "Folder" }), input), h("button", { text: "Show" }), create),
    panel,
    found.problem ? failure(found.problem, reload) : found.text ? h("p", { class: "empty words", text: visible(found.text) }) : table("Snapshots", ["Snapshot", "When", { name: "Size", number: true }, "What it has", ""],
      found.snapshots.map((each) => h("tr", {}, h("th", { scope: "row", class: "words", text: visible(each.name) }), h("td", { text: each.at ?? "" }),
        h("td", { class: "number", text: each.size }), h("td", { class: "words", text: visible(each.text) }),
        h("td", {}, h("div", { class: "buttons" },
          h("button", { type: "button", text: "Verify", "aria-label": `Verify ${visible(each.name)}`, onclick: () => run(panel, "check", { folder, file: each.name }) }),
          h("button", { type: "button", text: "Restore…", "aria-label": `Restore ${visible(each.name)}`, disabled: !each.complete || wire.readOnly, onclick: () => restore(each.name) })))))),
  ]
}
