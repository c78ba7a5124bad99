"""Measures the limits of the page: `Scripts/web --measure`, in a store of 1,000,000 tasks; `Scripts/web --measure 10000` in a smaller one."""

import json
import os
import socket
import statistics
import subprocess
import sys
import time

from harness import BIN, Page, Server, browser, store, wait_for

# Times what the page's own code takes: in frames, and for events of the server.
TIMED = """
window.frames_ = []; window.firstRow = null
const timed = (action) => function (...values) { const began = performance.now(); try { return action.apply(this, values) } finally { frames_.push(performance.now() - began) } }
const frame = window.requestAnimationFrame
window.requestAnimationFrame = (action) => frame.call(window, timed(action))
const listen = EventSource.prototype.addEventListener
EventSource.prototype.addEventListener = function (kind, action) { return listen.call(this, kind, timed(action)) }
new MutationObserver((_, observer) => { if (document.querySelector('.row .text')) { window.firstRow = performance.now(); observer.disconnect() } })
    .observe(document, { childList: true, subtree: true })"""
CLICK = """
const done = arguments[0], row = document.querySelector('.row.todo, .row.doing, .row.done'), before = row.className, id = row.dataset.id, began = performance.now()
const seen = new MutationObserver(() => {
    const now = document.querySelector(`.row[data-id="${id}"]`)
    // A task that is done may be below the window.
    if (!now || now.className.replace(' pending', '') !== before) { seen.disconnect(); done(performance.now() - began) }
})
seen.observe(document.getElementById('main'), { attributes: true, childList: true, subtree: true })
row.querySelector('.state').click()"""
SCROLL = """
const done = arguments[0]
frames_.length = 0
let step = 0
const go = () => { scrollBy(0, 1500); ++step < 300 ? setTimeout(go, 16) : setTimeout(() => done([Math.max(...frames_), frames_.length, scrollY]), 300) }
go()"""


def memory(process):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))


def processor(process):
    with open(f"/proc/{process}/stat") as stat:
        fields = stat.read().rsplit(")")[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_stream(server, cookie):
    """A page without a browser: its events, and what it shows."""
    stream = socket.create_connection(("127.0.0.1", server.port))
    stream.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {cookie}\r\n\r\n".encode())
    hello = b""
    while b"event: hello" not in hello or b"\n\n" not in hello.split(b"event: hello")[1]:
        hello += stream.recv(4096)
    fields = json.loads(hello.split(b"data: ")[1].split(b"\n")[0])
    shown = json.dumps(dict(page=fields["page"], parts=[dict(part=part) for part in ["today", "undo", "status", "lists:open"]]))
    assert server.request("POST", "/show", shown, Cookie=cookie, X_Daybook=fields["token"])[0] == 200
    return stream


def row(what, limit, measured, unit):
    """A row of a table in Markdown, as Daybook's other measurements print it; a result without a limit is only reported."""
    verdict = "-" if limit is None else "met" if measured <= limit else "**missed**"
    return f"| {what} | {'-' if limit is None else f'{limit} {unit}'} | {measured:.1f} {unit} | {verdict} |"


def main(count):
    rows = []
    with browser() as shown, store() as kept:
        subprocess.run([f"{BIN}/daybook-lab", "generate", "--tasks", str(count), "--seed", "1", "--store", kept.folder], check=True, stdout=subprocess.DEVNULL)
        with Server(kept) as server:
            page = Page(shown, server)
            shown.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", dict(source=TIMED))
            first = []
            for _ in range(5):
                shown.get(f"http://127.0.0.1:{server.port}/#/today")
                shown.refresh()
                first.append(wait_for(lambda: page.script("return window.firstRow"), "the first row"))
            rows.append(row(f"first page of {count} tasks complete after the request, median of 5", 150, statistics.median(first), "ms"))
            clicks = []
            for _ in range(11):
                clicks.append(shown.execute_async_script(CLICK))
                wait_for(lambda: not page.all(".row.pending"), "it is durable")
            rows.append(row("a change of state on the screen after the click, median of 11", 50, statistics.median(clicks), "ms"))
            page.tab("past")
            wait_for(lambda: page.texts(), "past days")
            longest, number, _ = shown.execute_async_script(SCROLL)
            rows.append(row(f"longest of {number} pieces of script while past days scroll", 16, longest, "ms"))
            rows.append(row("memory of the server's own after all past days were open", None, memory(server.process.pid), "MB"))
            page.tab("today")
            time.sleep(3)
            rows.append(row("the same after they were left", None, memory(server.process.pid), "MB"))
            page.close()
        with Server(kept) as server:
            empty = memory(server.process.pid)
            cookie = server.cookie()
            streams = [open_stream(server, cookie) for _ in range(20)]
            time.sleep(3)
            began, used = time.monotonic(), processor(server.process.pid)
            time.sleep(15)
            share = 100 * (processor(server.process.pid) - used) / (time.monotonic() - began)
            rows.append(row("processor of the server, idle, with 20 pages of Today", 0.5, share, "%"))
            rows.append(row("memory of the server's own with 20 pages of Today", 40, memory(server.process.pid), "MB"))
            rows.append(row("the same without a page", None, empty, "MB"))
            for stream in streams:
                stream.close()
    print("\n".join(["| what | target | measured | |", "| --- | --- | --- | --- |"] + rows))
    sys.exit(1 if any("missed" in row for row in rows) else 0)


main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
