"""Checks of our own, since axe-core is not at hand: names, roles, contrast, targets, focus, the sizes of windows."""

from harness import Page, Server, store, test, wait_for

NAMES = """
const name = (element) => element.getAttribute('aria-label') ?? (element.labels?.[0]?.textContent || element.textContent || element.placeholder || element.title)
return [...document.querySelectorAll('button, input, select, textarea, a[href], [role=button]')].filter((one) => one.checkVisibility() && !name(one)?.trim()).map((one) => one.outerHTML.slice(0, 120))"""
DUPLICATES = "const ids = [...document.querySelectorAll('[id]')].map((one) => one.id); return ids.filter((id, index) => ids.indexOf(id) !== index)"
WIDE = "return document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
TARGETS = """
return [...document.querySelectorAll('button, input:not([type=checkbox]), select, #tabs a')].filter((one) => one.checkVisibility()).map((one) => [one, one.getBoundingClientRect()])
    .filter(([one, box]) => box.height < 24 || box.width < 24).map(([one, box]) => `${box.width}x${box.height} ${one.outerHTML.slice(0, 100)}`)"""
CONTRAST = """
const number = (text) => { const parts = text.match(/[\\d.]+/g).map(Number); return text.startsWith('color(') ? parts.map((part, index) => index < 3 ? part * 255 : part) : parts }
const light = ([r, g, b]) => { const f = (c) => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b) }
const over = (top, below) => { const alpha = top[3] ?? 1; return top.slice(0, 3).map((c, i) => c * alpha + below[i] * (1 - alpha)) }
const ground = (one) => { const layers = []; for (let at = one; at; at = at.parentElement) layers.push(number(getComputedStyle(at).backgroundColor)); return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]) }
const shown = []
for (const one of document.querySelectorAll('body *')) {
    if (!one.checkVisibility() || ![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || one.closest('.unseen, .skip, [disabled], .row.done')) continue
    const below = ground(one), text = over(number(getComputedStyle(one).color), below)
    const [a, b] = [light(text), light(below)].sort((x, y) => y - x)
    const ratio = (a + .05) / (b + .05)
    if (ratio < 4.5) shown.push(`${ratio.toFixed(2)} ${one.textContent.slice(0, 40)} ${one.className}`)
}
return shown"""


@test("Every control has a name, enough contrast and size, at 390 and 1280 pixels, light and dark [L-NFR16] [L-NFR18] [L-NFR20] [L-FR40] [L-FR41]")
def controls(browser):
    with store() as kept, Server(kept) as server:
        kept.run("list", "add", "Home", "--color", "34C759")
        for text in ["Buy milk today 17:30 #home !high", "Call Ada due yesterday", "Water the plants every week"]:
            kept.add(text, "--parse", "--on", "today", "--list", "Home")
        kept.run("journal", "new", "Garden")
        page = Page(browser, server)
        wrong = []
        for width in [390, 1280]:
            for dark in [False, True]:
                page.size(width, 900, dark)
                for tab in ["inbox", "today", "upcoming", "past", "lists", "plan", "search", "journals", "statistics", "store"]:
                    page.tab(tab)
                    wait_for(lambda: page.find("#main").text.strip() or page.all("#main input"), tab)
                    where = f"{tab} at {width}, {'dark' if dark else 'light'}: "
                    checks = dict(names=NAMES, duplicates=DUPLICATES, targets=TARGETS, contrast=CONTRAST)
                    wrong += [f"{where}{what}: {found}" for what, script in checks.items() if (found := page.script(script))]
                    if page.script(WIDE) > 0:
                        wrong.append(f"{where}wider than the window")
        page.size(1280, 900)
        page.tab("today")
        page.row("Buy milk").find_element("css selector", ".open").click()
        wait_for(lambda: page.all("#field-text"), "the details")
        wrong += [found for script in [NAMES, DUPLICATES, TARGETS, CONTRAST] if (found := page.script(script))]
        assert not wrong, "\n".join(map(str, wrong))


@test("The focus goes through the page in its order, is visible, and comes back from the details [L-NFR16]")
def focus(browser):
    from selenium.webdriver.common.keys import Keys
    with store() as kept, Server(kept) as server:
        for text in ["one", "two"]:
            kept.add(text, "--on", "today")
        page = Page(browser, server)
        page.shows("one", "two")
        page.script("document.activeElement.blur(); document.body.focus()")
        seen = []
        for _ in range(18):
            page.keys(Keys.TAB)
            seen.append(page.script("const one = document.activeElement; return one.id || one.dataset.tab || one.className"))
        assert seen.index("inbox") < seen.index("today") < seen.index("store"), seen
        assert "new" in seen and "state" in seen and "open" in seen, seen
        page.row("two").find_element("css selector", ".open").send_keys(Keys.ENTER)
        wait_for(lambda: page.all("#field-text"), "the details")
        page.keys(Keys.ESCAPE)
        page.keys(Keys.ESCAPE)
        wait_for(lambda: page.script("return document.activeElement.closest('.row')?.textContent.includes('two')"), "the focus is back")


@test("Texts grow with the browser's size, and nothing moves where motion is not wanted [L-NFR17] [L-NFR19]")
def sizes(browser):
    with store() as kept, Server(kept) as server:
        kept.add("Buy milk", "--on", "today")
        page = Page(browser, server)
        page.shows("Buy milk")
        assert page.script("return getComputedStyle(document.querySelector('.state'), '::before').transitionDuration") in ["0s", "1e-05s"]
        page.script("document.documentElement.style.fontSize = '150%'")
        assert page.script("return parseFloat(getComputedStyle(document.querySelector('.row .text')).fontSize)") >= 24
        assert page.script(WIDE) <= 0
