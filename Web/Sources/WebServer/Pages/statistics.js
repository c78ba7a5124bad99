import { h } from "./dom.js"
export function show(main) { main.append(h("h2", { text: "Statistics" })) }
export function leave() {}
