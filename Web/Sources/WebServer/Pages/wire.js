// The connection to the server: one stream of events in, requests out. There is one `wire` for a page.

/** A failure that the server explained: `code`, `text`, `remedy`. */
export class Problem extends Error {
  constructor({ code, text, remedy }) {
    super(text)
    Object.assign(this, { code, text, remedy })
  }
}

class Wire extends EventTarget {
  /** The last `hello`; null before the first. */
  hello = null
  /** `connecting`, `open`, `lost` (retrying), `refused` (status 403). */
  state = "connecting"
  /** The last state of each part that was shown. */
  parts = new Map()
  /** Every task that was sent to this page, by id. The server does not repeat those that have not changed. */
  rows = new Map()
  #wanted = new Map()
  #listeners = new Map()
  #failures = 0
  #source = null
  #timer = null
  #asked = false
  #isShowing = false

  get readOnly() { return this.hello?.readOnly ?? false }

  connect() {
    clearTimeout(this.#timer)
    this.#source?.close()
    // What is shown comes with the connection; only long words need a request of their own.
    const wanted = this.#wish()
    const shown = wanted.length < 2000 ? wanted : null
    const source = (this.#source = new EventSource(shown ? `/events?show=${encodeURIComponent(shown)}` : "/events"))
    const on = (kind, action) => source.addEventListener(kind, (event) => action(JSON.parse(event.data)))
    on("hello", (hello) => {
      // A new page of the server has sent nothing yet: what is shown stays until its parts come.
      this.hello = hello
      this.#failures = 0
      this.#set("open")
      this.dispatchEvent(new Event("hello"))
      if (this.#wish() !== shown) this.#show()
    })
    on("part", (part) => this.#take(part))
    on("problem", ({ part, problem }) => this.dispatchEvent(new CustomEvent("problem", { detail: { part, problem } })))
    on("recovered", () => this.dispatchEvent(new Event("recovered")))
    source.onerror = () => this.#lost()
  }

  /** Ends the stream of a page that nobody sees: browsers allow six connections to a server. */
  pause() {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
  }

  get isPaused() { return this.#source === null }

  #lost() {
    this.#source?.close()
    this.#set(this.hello ? "lost" : "connecting")
    // An event source does not say why it failed: ask for the page to see whether it was refused.
    fetch("/", { cache: "no-store" }).then((answer) => answer.status === 403 && this.#refuse()).catch(() => this.#set("lost"))
    const wait = Math.min(10_000, 300 * 2 ** this.#failures++)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.state !== "refused" && this.connect(), wait)
  }

  #refuse() {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#set("refused")
  }

  #set(state) {
    if (state === this.state) return
    this.state = state
    this.dispatchEvent(new Event("state"))
  }

  #take(part) {
    for (const [id, row] of Object.entries(part.rows ?? {})) this.rows.set(id, row)
    for (const row of [part.row, ...(part.subtasks ?? []), ...(part.blockers ?? [])]) if (row) this.rows.set(row.id, row)
    this.parts.set(part.part, part)
    for (const update of [...(this.#listeners.get(part.part) ?? [])]) update(part)
    // A changed task is sent once, with one of the parts that show it: the others draw it again as well.
    if (part.rows && Object.keys(part.rows).length) this.dispatchEvent(new CustomEvent("rows", { detail: part.rows }))
  }

  /** Shows a part, with what else goes to `/show` (`from`, `count`, `text`…), until the function that it returns is called. */
  follow(part, action, fields = {}) {
    // The same function may follow a part twice.
    const update = (state) => action(state)
    if (!this.#listeners.has(part)) this.#listeners.set(part, new Set())
    this.#listeners.get(part).add(update)
    // The server does not send again what the page has, so a screen that is opened anew begins with that.
    if (this.parts.has(part)) update(this.parts.get(part))
    this.want(part, fields)
    return () => {
      const others = this.#listeners.get(part)
      others?.delete(update)
      if (others?.size) return
      this.#listeners.delete(part)
      this.#wanted.delete(part)
      this.#ask()
    }
  }

  /** Changes the window or the words of a part that is shown. */
  want(part, fields) {
    this.#wanted.set(part, { ...this.#wanted.get(part), ...fields, part })
    this.#ask()
  }

  #ask() {
    if (this.#asked) return
    this.#asked = true
    // What changes in one turn goes in one request.
    queueMicrotask(() => {
      this.#asked = false
      for (const part of this.parts.keys()) if (!this.#wanted.has(part)) this.parts.delete(part)
      this.#show()
    })
  }

  #wish() { return JSON.stringify([...this.#wanted.values()]) }

  async #show() {
    if (this.state !== "open") return
    // While one scrolls, windows change faster than they are answered: the next request has the last of them.
    if (this.#isShowing) return (this.#asked = true)
    this.#isShowing = true
    await this.post("/show", { page: this.hello.page, parts: [...this.#wanted.values()] }).catch(() => {})
    this.#isShowing = false
    if (!this.#asked) return
    this.#asked = false
    this.#ask()
  }

  /** Does what the person asked for; returns its value, or throws a `Problem`. */
  do(verb, fields = {}) {
    return this.post(`/do/${verb}`, { page: this.hello?.page, ...fields })
  }

  post(path, body = {}) {
    const headers = { "Content-Type": "application/json", "X-Daybook": this.hello?.token ?? "" }
    return this.#request(path, { method: "POST", headers, body: JSON.stringify(body) })
  }

  get(path) { return this.#request(path, {}) }

  async #request(path, options) {
    let answer
    try {
      answer = await fetch(path, { ...options, credentials: "same-origin", cache: "no-store" })
    } catch {
      throw new Problem({ code: "unreachable", text: "The server does not answer.", remedy: "retry" })
    }
    if (answer.status === 403) {
      this.#refuse()
      throw new Problem({ code: "refused", text: "This page is no longer connected to its server.", remedy: "none" })
    }
    if (!answer.ok) throw new Problem({ code: "status", text: `The server answered with status ${answer.status}.`, remedy: "retry" })
    const { value, problem } = await answer.json()
    if (problem) throw new Problem(problem)
    return value
  }
}

export const wire = new Wire()
