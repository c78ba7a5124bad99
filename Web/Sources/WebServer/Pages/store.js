import { h } from "./dom.js"
export function show(main) { main.append(h("h2", { text: "Store" })) }
export function leave() {}
