"""A headless Chromium for the tests of pages, by WebDriver (Debian: chromium-driver, python3-selenium)."""

import functools
import http.server
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# Seconds for which something on a page is waited for.
PATIENCE = 60


class Browser:
    """One window. `idle_milliseconds` bounds every timer of its pages, so that long ones can be tried."""

    def __init__(self, language="en", is_dark=False, width=1280, idle_milliseconds=None, downloads=None):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         f"--lang={'zh-CN' if language == 'zh' else 'en-US'}", f"--accept-lang={language}"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {
            "intl.accept_languages": "zh-CN,zh" if language == "zh" else "en-US,en",
            "download.default_directory": str(downloads or "/nonexistent"), "download.prompt_for_download": False,
        })
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.width = width
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        if idle_milliseconds:
            source = f"{{const late = setTimeout; window.setTimeout = (f, ms, ...a) => late(f, Math.min(ms, {idle_milliseconds}), ...a)}}"
            self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, what, said):
        """What a function gives once it is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                found = what()
            except StaleElementReferenceException:
                # The page was drawn anew in between.
                found = None
            if found:
                return found
            time.sleep(0.05)
        raise AssertionError(f"waited for {said}; the page shows {self.text()[:600]!r}")

    def one(self, selector):
        return self.wait(lambda: self.all(selector), selector)[0]

    def text(self):
        return self.driver.execute_script("return document.body.innerText")

    def press(self, text, within="button"):
        """Clicks on the first button that says just this."""
        def click():
            for one in self.all(within):
                if one.text.split("\n")[0] == text and one.is_displayed():
                    one.click()
                    return True
            return False
        self.wait(click, f"a button '{text}'")

    def complaints(self):
        """What the console has of errors: scripts that ran wild, and what the page was refused."""
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]

    def has_dialog(self):
        try:
            self.driver.switch_to.alert.dismiss()
        except NoAlertPresentException:
            return False
        return True

    def picture(self, path):
        self.driver.save_screenshot(str(path))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and counts what is asked for."""

    def log_message(self, *_):
        self.server.asked.append(self.path)


def serve(folder):
    """A server of a folder on this machine, which runs until the program ends."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
