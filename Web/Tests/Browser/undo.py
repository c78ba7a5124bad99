"""The offer to undo: for how long, and on which pages."""

import time

from harness import Page, Server, store, test, wait_for


@test("The offer to undo ends after its three seconds, and the change stays [C-S3.11]")
def expiry(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk", "--on", "today")
        page = Page(browser, server)
        page.shows("Buy milk")
        # From before the keys: a busy machine makes it longer, never shorter.
        began = time.monotonic()
        page.keys("j", "m")
        page.says("Moved to")
        wait_for(lambda: not page.all("#undo") or not page.find("#undo").is_displayed(), "the offer ends")
        assert 2.9 < time.monotonic() - began < 20, time.monotonic() - began
        assert kept.texts("today") == []


@test("What one page offers to undo, another takes back, and both show it [C-S3.11] [S-6]")
def shared(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk", "--on", "today")
        first = Page(browser, server)
        second = Page(browser, server)
        second.shows("Buy milk")
        first.use().keys("j", "i")
        first.says("Moved to Inbox")
        second.use().shows()
        second.find("#undo").click()
        second.shows("Buy milk")
        first.use().shows("Buy milk")
        assert kept.texts("today") == ["Buy milk"]
