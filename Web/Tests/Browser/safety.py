"""Who may ask, and what a hostile text can do."""

import json

from harness import Page, Server, store, test, wait_for


@test("Requests without cookie, token, or with another host or origin are refused, whatever they ask for [N-9]")
def refusals(_):
    with store() as kept, Server(kept) as server:
        kept.add("Secret")
        cookie = server.cookie()
        own = f"127.0.0.1:{server.port}"
        assert server.request(Cookie=cookie)[0] == 200
        for path in ["/", "/events", "/app.js", "/store/overview", "/statistics/numbers.json"]:
            for headers in [dict(), dict(Cookie="daybook=1"), dict(Cookie=cookie, Host="evil.example"),
                            dict(Cookie=cookie, Host=f"evil.example:{server.port}"), dict(Cookie=cookie, Origin="http://evil.example"),
                            dict(Cookie=cookie, Origin="null")]:
                status, _, text = server.request("GET", path, **headers)
                assert status == 403, (path, headers, status)
                assert "Secret" not in text and server.token not in text
        for headers in [dict(), dict(X_Daybook="wrong"), dict(X_Daybook=server.token)]:
            for path in ["/do/create", "/show", "/store/jobs/verify"]:
                assert server.request("POST", path, "{}", Cookie=cookie, Origin=f"http://{own}", **headers)[0] == 403
        assert server.request("GET", "/?token=wrong")[0] == 403
        assert server.request("PUT", "/", "", Cookie=cookie)[0] == 403
        # A simple form of another site, which sends no preflight.
        assert server.request("POST", "/do/create", '{"text": "x"}', Cookie=cookie, Origin="http://evil.example", Content_Type="text/plain")[0] == 403
        assert kept.texts("inbox") == ["Secret"]


@test("The cookie cannot be read or sent by other sites, and the page runs only its own scripts [N-9]")
def headers(_):
    with store() as kept, Server(kept) as server:
        _, found, _ = server.request("GET", f"/?token={server.token}")
        assert "HttpOnly" in found["Set-Cookie"] and "SameSite=Strict" in found["Set-Cookie"]
        _, found, page = server.request(Cookie=server.cookie())
        assert found["Content-Security-Policy"].startswith("default-src 'self'") and "unsafe" not in found["Content-Security-Policy"]
        assert found["X-Content-Type-Options"] == "nosniff" and found["Cache-Control"] == "no-store"
        assert "style=" not in page and "<script>" not in page and "onclick" not in page
        assert server.request("GET", "/../Package.swift", Cookie=server.cookie())[0] == 404
        assert server.request("GET", "/%2e%2e%2fPackage.swift", Cookie=server.cookie())[0] == 404


@test("Texts with markup, right-to-left marks, control characters and 100,000 letters are shown as text and break nothing [N-9]")
def hostile(browser):
    texts = [
        "<img src=x onerror=\"document.title='owned'\">", "<script>document.title='owned'</script>", "\u202Eevil \u2066text", "javascript:alert(1)",
        "a\u0007b\u001b[31mc", "&lt;b&gt;", "'; DROP TABLE tasks; --", "שלום עולם", "👩‍👩‍👧‍👦" * 40, "w" * 100_000,
    ]
    with store() as kept, Server(kept) as server:
        for text in texts:
            kept.add(text)
        kept.run("list", "add", "<b>List</b>")
        page = Page(browser, server)
        page.tab("inbox")
        wait_for(lambda: len(page.texts()) == len(texts), "all texts are shown")
        shown = page.texts()
        assert shown[0] == texts[0] and shown[1] == texts[1] and shown[5] == "&lt;b&gt;"
        assert "\u2407" in shown[4] and "\u001b" not in shown[4]
        for width in [390, 1280]:
            page.size(width, 800)
            assert page.script("return document.scrollingElement.scrollWidth <= document.scrollingElement.clientWidth"), width
        heights = page.script("return [...document.querySelectorAll('.row')].map((row) => row.offsetHeight)")
        assert len(set(heights)) == 1, heights
        assert page.script("return getComputedStyle(document.querySelector('.row .words')).unicodeBidi") == "isolate"
        assert page.script("return document.title") != "owned" and not page.all("#main img, #main script, #main b")
        page.tab("lists")
        wait_for(lambda: "<b>List</b>" in page.find("#main").text, "the list's name")
        # The details have the whole text.
        page.tab("inbox")
        page.row("&lt;b&gt;").find_element("css selector", ".open").click()
        wait_for(lambda: page.find("#field-text").get_attribute("value") == "&lt;b&gt;", "the details")


@test("The page asks for nothing but its own server [N-9]")
def loopback(browser):
    with store() as kept, Server(kept) as server:
        browser.get_log("performance")
        page = Page(browser, server)
        for tab in ["inbox", "lists", "plan", "search", "journals", "statistics", "store", "today"]:
            page.tab(tab)
        for entry in browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                assert url.startswith((f"http://127.0.0.1:{server.port}/", "data:", "chrome", "about:")), url


@test("A page that only shows offers nothing that changes, and the server refuses it [N-9]")
def read_only(browser):
    with store() as kept:
        kept.add("Buy milk", "--on", "today")
        with Server(kept, "--read-only") as server:
            page = Page(browser, server)
            page.tab("today")
            page.shows("Buy milk")
            assert not page.find("#entry").is_displayed()
            assert not page.find(".row .state").is_enabled()
            assert "read-only" in page.find("#status").text
            # What another program adds is shown all the same.
            kept.add("Call Ada", "--on", "today")
            page.shows("Buy milk", "Call Ada")
