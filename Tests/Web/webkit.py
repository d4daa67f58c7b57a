"""WebKitGTK's own browser on a screen of its own, driven over WebDriver. It has the functions of `Page` that the laws of the reader's place need."""

import os
import subprocess

from engines import results_in
from page import Page
from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

BROWSERS = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser"
SCREEN = "1400x1000x24"
LEAST = 447  # px of the browser's width


class WebKitPage(Page):
    def __init__(self, stage, width=1180, height=760):
        self.stage = stage
        self._screen = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", SCREEN], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        display = f":{self._screen.stdout.readline().strip()}"
        options = Options()
        options.binary_location = next(browser for browser in BROWSERS if os.path.exists(browser))
        options.add_argument("--automation")
        self.driver = webdriver.WebKitGTK(options=options, service=Service("/usr/bin/WebKitWebDriver", env={**os.environ, "DISPLAY": display}))
        self.driver.set_script_timeout(120)
        quit = self.driver.quit
        self.driver.quit = lambda: (quit(), self._screen.terminate(), self._screen.wait())
        self.driver.get("about:blank")
        self._bars = self.driver.get_window_size()["height"] - self.run("return innerHeight")
        self.resize(width, height)

    def resize(self, width, height, scale=1, phone=False):
        """Gives the page this size; the browser has a least width."""
        self.driver.set_window_rect(0, 0, width, height + self._bars)
        self.wait(f"innerWidth === {max(width, LEAST)} && innerHeight === {height}", "the window's size")


def results(options):
    return results_in(options, "webkit", WebKitPage)
