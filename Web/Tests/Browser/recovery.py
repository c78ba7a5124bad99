"""What happens around an open page: other programs, midnight, a server that ends, a store that is replaced."""

import os
import shutil
import signal
import tempfile
import time

from harness import Page, Server, store, test, wait_for


@test("A change by the command line is on the page within a second, and on two pages at once [N-9]")
def others(browser):
    with store() as kept, Server(kept) as server:
        first = Page(browser, server)
        second = Page(browser, server)
        second.tab("today")
        first.use().tab("today")
        # The fastest of three, since other processes of a busy machine slow some down.
        texts, took = ["From the terminal", "Once more", "A third time"], []
        for number, text in enumerate(texts, 1):
            kept.add(text, "--on", "today")
            began = time.monotonic()
            first.shows(*texts[:number])
            took.append(time.monotonic() - began)
        assert min(took) < 1, took
        second.use().shows(*texts)
        first.use().row("From the terminal").find_element("css selector", ".state").click()
        second.use()
        wait_for(lambda: "doing" in second.row("From the terminal").get_attribute("class"), "the other page follows")


@test("At midnight the day changes on the page without a reload, by a clock that runs [C-AD7]")
def midnight(browser):
    with store(now="2026-02-10T23:59:30Z") as kept:
        kept.environment += ["--zone", "UTC"]
        kept.add("Tomorrow's", "--on", "2026-02-11")
        with Server(kept, "--now", "2026-02-10T23:59:46Z", "--zone", "UTC") as server:
            page = Page(browser, server)
            page.tab("today")
            wait_for(lambda: "Tue 10 Feb 2026" in page.find("#status").text, "the day before")
            page.shows("Tomorrow's")
            assert "Wed 11 Feb 2026" in page.find("#status").text


@test("When the machine's zone changes, its day and its times are on the page without a reload [C-AD7]")
def zone(browser):
    with store() as kept, tempfile.TemporaryDirectory() as etc:
        def use(name):
            os.symlink(f"/usr/share/zoneinfo/{name}", f"{etc}/new")
            os.replace(f"{etc}/new", f"{etc}/localtime")
        use("UTC")
        kept.environment += ["--now", "2026-02-10T18:00:00Z", "--zone", "UTC"]
        kept.add("Call Ada today 19:30", "--parse")
        kept.add("Wednesday's", "--on", "2026-02-11")
        # The server's own /etc: that of the machine stays as it is.
        enter = ["unshare", "--mount" if os.geteuid() == 0 else "-rm", "sh", "-c", 'mount --bind "$0" /etc && exec "$@"', etc, "env", "-u", "TZ"]
        with Server(kept, "--now", "2026-02-10T18:00:00Z", prefix=enter) as server:
            page = Page(browser, server)
            page.tab("today")
            page.shows("Call Ada")
            wait_for(lambda: "Tue 10 Feb 2026 · UTC" in page.find("#status").text, "the zone")
            assert "19:30" in page.row("Call Ada").text
            # On the same day, an hour is another.
            use("Europe/Berlin")
            wait_for(lambda: "Tue 10 Feb 2026 · Europe/Berlin" in page.find("#status").text, "the zone")
            wait_for(lambda: "20:30" in page.row("Call Ada").text, "the hour in this zone")
            # A zone in which it is the next day already.
            use("Pacific/Auckland")
            page.shows("Wednesday's")
            wait_for(lambda: "Wed 11 Feb 2026 · Pacific/Auckland" in page.find("#status").text, "the day")


@test("When the server ends the page says so, and a later server at the same address is not taken for it [N-9]")
def restart(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk", "--on", "today")
        page = Page(browser, server)
        page.shows("Buy milk")
        server.stop(signal.SIGKILL)
        page.says("does not answer")
        with Server(kept, port=server.port) as again:
            page.says("Open the address")
            browser.get(again.address)
            page.ready()
            page.shows("Buy milk")
        server.start()


@test("A stopped server is waited for, and nothing that was typed is lost [N-9]")
def paused(browser):
    with store() as kept, Server(kept) as server:
        page = Page(browser, server)
        page.tab("today")
        os.kill(server.process.pid, signal.SIGSTOP)
        page.type("While it sleeps")
        os.kill(server.process.pid, signal.SIGCONT)
        page.shows("While it sleeps")


@test("A store that is removed and restored under the page is shown as it is then; while it is open, nothing replaces it [N-9]")
def replaced(browser):
    with store() as kept, tempfile.TemporaryDirectory() as backups:
        kept.add("In the backup", "--on", "today")
        snapshot = kept.run("snapshot", "create", backups).split(":")[0]
        kept.add("Afterwards", "--on", "today")
        with Server(kept) as server:
            page = Page(browser, server)
            page.shows("In the backup", "Afterwards")
            restore = ["snapshot", "restore", snapshot, "--to", kept.folder, "--force"]
            # The programs refuse what would pull the store away under a page.
            for command in [restore, ["wipe", "--yes"]]:
                refused = kept.process(*command)
                assert refused.returncode == 3 and "busy" in refused.stderr, refused
            # Whoever removes the folder by hand is not asked.
            shutil.rmtree(kept.folder)
            page.says("removed or replaced")
            kept.run(*restore)
            page.shows("In the backup")
            page.type("A new beginning")
            page.shows("In the backup", "A new beginning")
            assert kept.texts("today") == ["In the backup", "A new beginning"]


@test("What fails says what can be done, with a button or a link that does it [N-9]")
def remedies(browser):
    with store() as kept, Server(kept) as server:
        page = Page(browser, server)
        page.tab("today")
        page.shows()
        online = lambda is_online: browser.execute_cdp_cmd("Network.emulateNetworkConditions", dict(offline=not is_online, latency=0, downloadThroughput=-1, uploadThroughput=-1))
        browser.execute_cdp_cmd("Network.enable", {})
        online(False)
        page.type("Buy milk")
        page.says("Try again")
        assert page.find("#new").get_attribute("value") == "Buy milk"
        online(True)
        page.find(".notice.problem .remedy").click()
        page.shows("Buy milk")
        assert page.find("#new").get_attribute("value") == "" and kept.texts("today") == ["Buy milk"]
        wait_for(lambda: not page.find(".notice.problem").is_displayed(), "the notice is gone")
        show = "import('/app.js').then(({ complain }) => complain({ code: '', text: 'It failed.', remedy: arguments[0] }))"
        for remedy, address in [("restore", "#/store/snapshots"), ("unlock", "#/journals")]:
            page.script(show, remedy)
            page.says("It failed.")
            page.find(".notice.problem a").click()
            assert page.script("return location.hash") == address
            wait_for(lambda: page.script("return document.getElementById('main').dataset.screen") == address.split("/")[1], "it is shown")
            assert not page.find(".notice.problem").is_displayed()
        page.script(show, "freeSpace")
        page.says("Free some space on the disk.")


@test("A change that cannot be saved is taken back on the page, which says why [N-9]")
def failure(browser):
    with store() as kept, Server(kept) as server:
        identity = kept.add("Buy milk", "--on", "today")
        page = Page(browser, server)
        page.shows("Buy milk")
        kept.run("delete", identity)
        page.shows()
        page.script("import('/wire.js').then(({ wire }) => import('/app.js').then(({ attempt }) => attempt(() => wire.do('cycle', { ids: [arguments[0]] }))))", identity)
        wait_for(lambda: page.find(".notice.problem").is_displayed(), "the reason")
