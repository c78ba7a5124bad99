"""The store's inside: jobs in processes of their own, the history of a task, names that stay whole."""

import os
import shutil
import signal
import subprocess
import time

from harness import BIN, Page, Server, store, test, wait_for

BROKEN = """
return [...document.querySelectorAll('.inside dt, .inside tbody th:not(:has(.uuid)), .inside .value.enumeration')].filter((one) => one.checkVisibility() && /^\\S+$/.test(one.textContent.trim())).filter((one) => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1
}).map((one) => one.textContent)"""


def child(server):
    """The process that does a job."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(server.process.pid)], capture_output=True, text=True).stdout.split()
    return int(found[0]) if found else None


@test("A page of the file that cannot be read ends the process that verifies: the page says so, and the server goes on [N-9]")
def unreadable(browser):
    with store() as kept:
        subprocess.run([f"{BIN}/daybook-lab", "generate", "--tasks", "20000", "--seed", "1", "--store", kept.folder], check=True, stdout=subprocess.DEVNULL)
        # A real one, in a copy that is cut off while it is read.
        copy = f"{kept.folder}-copy"
        shutil.copytree(kept.folder, copy)
        job = subprocess.Popen([f"{BIN}/daybook-web", "--job", "verify", "--store", copy], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert b"done" in job.stdout.readline()
        job.send_signal(signal.SIGSTOP)
        os.truncate(f"{copy}/data.mdb", 1 << 16)
        job.send_signal(signal.SIGCONT)
        end = job.communicate()[0]
        # Where a page is looked for past the end of the file, that is a finding.
        assert job.returncode == -signal.SIGBUS or b'"problems":["' in end, (job.returncode, end)
        # The backtracer would let a process go on that somebody has sent the signal.
        with Server(kept, prefix=["env", "SWIFT_BACKTRACE=enable=no"]) as server:
            page = Page(browser, server)
            button = lambda text: wait_for(lambda: next((one for one in page.all("#main button") if one.text == text), None), text)
            page.script("location.hash = '#/store/checks'")
            button("Verify").click()
            process = wait_for(lambda: child(server), "the child")
            def step():
                # It runs for a moment at a time, so that it is not done before the page has asked.
                os.kill(process, signal.SIGSTOP)
                time.sleep(0.3)
                if "of 20,000" in page.find(".job").text:
                    return True
                os.kill(process, signal.SIGCONT)
                time.sleep(0.01)
            wait_for(step, "the progress")
            os.kill(process, signal.SIGBUS)
            os.kill(process, signal.SIGCONT)
            wait_for(lambda: "could not be read" in page.find(".job .outcome.failed").text, "what is wrong")
            page.find(".job a.button").click()
            wait_for(lambda: page.all("#inside-folder"), "the snapshots")
            page.tab("today")
            wait_for(page.texts, "the server goes on")
            page.script("location.hash = '#/store/checks'")
            button("Verify").click()
            button("Cancel").click()
            wait_for(lambda: "cancelled" in page.find(".job .outcome").text, "it is cancelled")
            button("Verify").click()
            wait_for(lambda: "Everything is right: 20000 records" in page.find(".job .outcome").text, "it is right")


@test("The details of a task have its history: who changed what, and when, also while it changes [N-9]")
def history(browser):
    with store() as kept, Server(kept) as server:
        identity = kept.add("Buy milk", "--on", "today")
        page = Page(browser, server)
        page.row("Buy milk").find_element("css selector", ".open").click()
        wait_for(lambda: page.all("#task-history summary"), "the details")
        page.find("#task-history summary").click()
        shown = lambda: page.find("#task-history").text
        wait_for(lambda: "created" in shown() and "by" in shown(), "its creation")
        kept.run("edit", identity, "--text", "Buy oat milk")
        wait_for(lambda: "text was\nBuy milk" in shown(), f"what it was before: {shown()}")
        page.find("#task-history a").click()
        wait_for(lambda: page.script("return location.hash").startswith("#/store/"), "the store's inside")


@test("Names of indexes and fields stay whole, on a phone and on a desktop [L-NFR17]")
def names(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk #home", "--parse", "--on", "today")
        page = Page(browser, server, width=390, height=800)
        page.script("location.hash = '#/store/collections'")
        wait_for(lambda: page.all(".inside details"), "the collections")
        page.script("for (const one of document.querySelectorAll('.inside details')) one.open = true")
        assert page.script("return document.querySelectorAll('.inside dt').length") > 20
        for width in [1280, 390]:
            page.size(width, 800)
            assert page.script(BROKEN) == []
        page.script("location.hash = '#/store/collections/tasks'")
        wait_for(lambda: page.all(".inside tbody th a"), "the records")
        assert page.script(BROKEN) == []
        page.find(".inside tbody th a").click()
        wait_for(lambda: len(page.all(".inside table")) == 2, "the record")
        assert page.script(BROKEN) == []


@test("A folder of snapshots that cannot be read can be changed for another one [N-9]")
def folders(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk", "--on", "today")
        os.mkdir(f"{kept.folder}-snapshots")
        kept.run("snapshot", "create", f"{kept.folder}-snapshots")
        page = Page(browser, server)
        page.script("location.hash = '#/store/snapshots'")
        def choose(folder):
            field = wait_for(lambda: page.find("#inside-folder"), "the folder")
            page.script("arguments[0].value = arguments[1]", field, folder)
            next(one for one in page.all("#main button") if one.text == "Show").click()
        wait_for(lambda: page.all("[aria-label='Snapshots'] tbody tr"), "the snapshots")
        choose(f"{kept.folder}/data.mdb")
        wait_for(lambda: page.all(".inside-problem"), "what is wrong")
        choose(f"{kept.folder}-snapshots")
        wait_for(lambda: page.all("[aria-label='Snapshots'] tbody tr"), "the snapshots again")
