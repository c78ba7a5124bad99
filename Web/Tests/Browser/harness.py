"""Servers, stores and pages for the tests in a real browser. Nothing here sleeps: everything waits for a condition."""

import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import contextmanager

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from stores import BIN, Store

# Long enough for a machine that builds something else meanwhile: only a test that fails takes it.
TIMEOUT = 60
tests = []


def test(title):
    """Registers a function as a test. Its title ends with the ids of the requirements that it checks."""
    def register(function):
        tests.append((title, function))
        return function
    return register


def wait_for(condition, what="the condition"):
    """Waits until a condition holds, and returns what it returned."""
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            result = condition()
            if result:
                return result
        except (StaleElementReferenceException, WebDriverException, AssertionError):
            pass
        if time.monotonic() > end:
            raise AssertionError(f"Not within {TIMEOUT} s: {what}")
        time.sleep(0.01)


class Server:
    """A server of a store: `with Server(store) as server`."""

    def __init__(self, store, *arguments, port=0, prefix=()):
        self.store, self.arguments, self.port, self.prefix = store, arguments, port, prefix

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        arguments = [*self.prefix, f"{BIN}/daybook-web", "--store", self.store.folder, "--port", str(self.port), *self.arguments]
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Open http"), line + self.process.stdout.read()
        self.address = line.split()[1]
        self.port = int(re.search(r":(\d+)/", self.address).group(1))
        self.token = self.address.split("token=")[1]
        self.process.stdout.readline()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()

    def request(self, method="GET", path="/", body=None, **headers):
        """A request as any program can send it: status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT)
        named = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        connection.putrequest(method, path, skip_host="Host" in named)
        for name, value in named.items():
            connection.putheader(name, value)
        content = body.encode() if body is not None else b""
        if method == "POST":
            connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content or None)
        answer = connection.getresponse()
        text = answer.read().decode() if answer.getheader("Content-Type") != "text/event-stream" else ""
        connection.close()
        return answer.status, answer.headers, text

    def cookie(self):
        status, headers, _ = self.request("GET", f"/?token={self.token}")
        assert status == 303, status
        return headers["Set-Cookie"].split(";")[0]


class Page:
    """A page in a browser window of its own."""

    def __init__(self, browser, server, width=1280, height=900, dark=False):
        self.browser, self.server = browser, server
        browser.switch_to.new_window("tab")
        self.window = browser.current_window_handle
        self.size(width, height, dark)
        browser.get(server.address)
        self.ready()

    def size(self, width, height, dark=False):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", dict(
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dict(features=[
            dict(name="prefers-color-scheme", value="dark" if dark else "light"),
            dict(name="prefers-reduced-motion", value="reduce")]))

    def ready(self):
        wait_for(lambda: self.find("#status").text and self.script("return document.body.dataset.keys"), "the page is connected")

    def use(self):
        if self.browser.current_window_handle != self.window:
            self.browser.switch_to.window(self.window)
        return self

    def close(self):
        self.use().browser.close()
        self.browser.switch_to.window(self.browser.window_handles[0])

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def tab(self, name):
        self.script("location.hash = arguments[0]", f"#/{name}")
        wait_for(lambda: self.script("return document.getElementById('main').dataset.screen") == name.split("/")[0], f"the tab {name}")

    def texts(self):
        """The texts of the rows, and headings in brackets, from the top."""
        return self.script("""return [...document.querySelectorAll('#main .rows > *')].sort((a, b) => a.dataset.index - b.dataset.index)
            .map((row) => row.matches('.row') ? row.querySelector('.text').textContent : `[${row.querySelector('.words').textContent}]`)""")

    def shows(self, *texts):
        wait_for(lambda: self.texts() == list(texts), f"{list(texts)} is shown, not {self.texts()}")

    def row(self, text):
        return wait_for(lambda: next((row for row in self.all("#main .row") if row.find_element(By.CSS_SELECTOR, ".text").text == text), None), f"a row {text!r}")

    def type(self, text):
        field = self.find("#new")
        field.send_keys(text + Keys.ENTER)

    def keys(self, *keys):
        webdriver.ActionChains(self.browser).send_keys(*keys).perform()

    def notice(self):
        return self.script("const shown = [...document.querySelectorAll('.notice:not([hidden])')]; return shown.map((one) => one.textContent).join('\\n')")

    def says(self, text):
        wait_for(lambda: text in self.notice(), f"a notice {text!r}, not {self.notice()!r}")

    def drag(self, row, to, x=None, y=None, rest=None):
        """Drags a row to a place in an element, in steps as a hand does."""
        box = lambda element: self.script("const box = arguments[0].getBoundingClientRect(); return [box.left, box.top, box.width, box.height]", element)
        left, top, width, height = box(row)
        pointer = ActionBuilder(self.browser, duration=10)
        action = pointer.pointer_action
        action.move_to_location(int(left + 120), int(top + height / 2)).pointer_down()
        action.move_to_location(int(left + 130), int(top + height / 2 + 8))
        pointer.perform()
        left, top, width, height = box(to)
        end = (int(left + (x if x is not None else width / 2)), int(top + (y if y is not None else height / 2)))
        pointer = ActionBuilder(self.browser, duration=10)
        pointer.pointer_action.move_to_location(*end)
        pointer.perform()
        if rest:
            rest()
        pointer = ActionBuilder(self.browser, duration=10)
        pointer.pointer_action.pointer_up()
        pointer.perform()


@contextmanager
def browser():
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    shown = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    try:
        yield shown
    finally:
        shown.quit()


@contextmanager
def store(now=None):
    folder = tempfile.mkdtemp(prefix="daybook-page-")
    made = Store(f"{folder}/store")
    if now:
        made.environment = ["--now", now]
    try:
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(chosen):
    """Runs the tests whose title has one of the words, and prints each with its time."""
    began, failed, count = time.monotonic(), 0, 0
    with browser() as shown:
        for title, function in tests:
            if chosen and not any(word in title or word == function.__name__ for word in chosen):
                continue
            start, count = time.monotonic(), count + 1
            try:
                function(shown)
                problem = None
                # What the browser complains about is a failure of the page, unless a server was stopped on purpose.
                wrong = [entry["message"] for entry in shown.get_log("browser")
                         if entry["level"] == "SEVERE" and "net::ERR" not in entry["message"] and "403" not in entry["message"]]
                assert not wrong, wrong
            except Exception:
                problem = traceback.format_exc()
                failed += 1
                shown.save_screenshot(f"{tempfile.gettempdir()}/daybook-page-{function.__name__}.png")
            print(f"{'✘' if problem else '✔'} {time.monotonic() - start:5.1f} s  {title}", flush=True)
            if problem:
                print(problem, flush=True)
            while len(shown.window_handles) > 1:
                shown.switch_to.window(shown.window_handles[-1])
                shown.close()
            shown.switch_to.window(shown.window_handles[0])
            # What nobody reads of this log slows the driver down.
            shown.get_log("performance")
    seconds = time.monotonic() - began
    print(f"{'✘' if failed else '✔'} {count - failed} of {count} browser tests passed in {seconds:.0f} s")
    sys.exit(1 if failed or not count else 0)
