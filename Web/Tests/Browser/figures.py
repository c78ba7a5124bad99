"""Statistics: the numbers are those of the command line, and follow it; every picture has its numbers as a table."""

import json

from harness import Page, Server, store, test, wait_for
from sample import past

NOW = "2026-02-10T09:15:00Z"
NUMBERS = "return [...document.querySelectorAll('.numbers dd')].map((one) => Number(one.textContent))"
MARKS = """
return [...document.querySelectorAll('.chart')].filter((one) => one.getAttribute('role') !== 'img' || one.querySelector('title')?.textContent.length < 10
    || one.querySelector('script, style, [style], foreignObject')).length"""


def numbers(kept):
    found = json.loads(kept.run("stats", "--json"))
    return [found[name] for name in ["today", "week", "month", "lastMonth"]]


@test("Statistics are those of the command line to the digit, and follow it [C-FR26] [C-FR27] [C-FR28] [C-FR29] [C-S6.2]")
def figures(browser):
    with store(now=NOW) as kept:
        kept.environment += ["--zone", "Europe/Berlin"]
        past(kept)
        with Server(kept, "--now", NOW, "--zone", "Europe/Berlin") as server:
            page = Page(browser, server)
            page.tab("statistics")
            wait_for(lambda: len(page.all(".chart")) == 4, "four pictures")
            expected = numbers(kept)
            assert page.script(NUMBERS) == expected and min(expected[2:]) > 0, (page.script(NUMBERS), expected)
            assert page.find(".summary").text == json.loads(kept.run("stats", "--json"))["sentence"]
            assert page.script(MARKS) == 0
            kept.run("done", kept.add("From the terminal"))
            wait_for(lambda: page.script(NUMBERS) == numbers(kept) != expected, "the numbers follow")
            wait_for(lambda: page.find(".picture.month h3").text.endswith(f"{numbers(kept)[2]} tasks"), "the picture follows")


@test("Each picture has its numbers as a table, and a month or a year leads to the one before [C-FR30] [L-NFR16]")
def tables(browser):
    with store(now=NOW) as kept:
        kept.environment += ["--zone", "Europe/Berlin"]
        past(kept)
        with Server(kept, "--now", NOW, "--zone", "Europe/Berlin") as server:
            page = Page(browser, server)
            page.tab("statistics")
            wait_for(lambda: len(page.all(".chart")) == 4, "four pictures")
            for summary in page.all(".picture summary"):
                summary.click()
            wait_for(lambda: len(page.all(".picture table")) == 4, "four tables")
            cells = lambda name: page.script(
                "return [...document.querySelectorAll(`.picture.${arguments[0]} tbody td`)].reduce((sum, cell) => sum + Number(cell.textContent), 0)", name)
            assert cells("month") == numbers(kept)[2]
            later = page.find(".picture.month [aria-label='The month after']")
            assert not later.is_enabled()
            page.find(".picture.month [aria-label='The month before']").click()
            wait_for(lambda: "January 2026" in page.find(".picture.month h3").text, "the month before")
            assert cells("month") == numbers(kept)[3]
            page.find(".picture.year [aria-label='The year before']").click()
            wait_for(lambda: "2025" in page.find(".picture.year h3").text, "the year before")
            assert cells("year") > 100
            page.size(390, 800)
            assert page.script("return document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth")
