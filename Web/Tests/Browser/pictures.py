"""Draws the pictures of the documentation: `Scripts/web --pictures`."""

import os
import sys

from harness import Page, Server, browser, store, wait_for
from sample import seed

FOLDER = "Documentation/Pictures"
NOW = "2026-02-10T09:15:00Z"
LARGEST = 200_000


def picture(page, name):
    path = f"{FOLDER}/{name}.png"
    page.browser.save_screenshot(path)
    size = os.path.getsize(path)
    print(f"{path}: {size} bytes")
    if size > LARGEST:
        sys.exit(f"{path} is larger than {LARGEST} bytes. Make the window smaller.")


with browser() as shown, store(now=NOW) as kept:
    kept.environment += ["--zone", "Europe/Berlin"]
    seed(kept)
    with Server(kept, "--now", NOW, "--zone", "Europe/Berlin") as server:
        page = Page(shown, server, width=1200, height=700)
        page.tab("today")
        wait_for(lambda: len(page.texts()) >= 6, "the tasks of today")
        picture(page, "page-today")
        page.tab("plan")
        wait_for(lambda: "Review chapter 3" in page.find("#main").text, "the plan")
        picture(page, "page-plan")
        for name, what, count in [("statistics", ".chart", 4), ("store", ".inside table", 1)]:
            page.tab(name)
            wait_for(lambda: len(page.all(f"#main {what}")) == count, name)
            picture(page, f"page-{name}")
        page.size(390, 760, dark=True)
        page.tab("upcoming")
        wait_for(lambda: page.texts(), "the days to come")
        picture(page, "page-phone")
