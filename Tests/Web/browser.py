"""A headless Chromium, driven over WebDriver."""

from contextlib import contextmanager

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from server import wait_until

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en"]


class Browser:
    def __init__(self, width=1180, height=760):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for flag in [*FLAGS, f"--window-size={width},{height}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(120)
        self.resize(width, height)

    def resize(self, width, height, scale=1, phone=False):
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def look(self, scheme):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    @contextmanager
    def slowed(self, by):
        """Slows the page down by this factor meanwhile."""
        self.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": by})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": 1})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """Runs the body of an async function."""
        wrapped = f"const done = arguments[arguments.length - 1]; (async (...args) => {{ {script} }})(...arguments)"
        wrapped += ".then(done, (error) => done({thrown: String(error?.stack ?? error)}))"
        value = self.driver.execute_async_script(wrapped, *arguments)
        if isinstance(value, dict) and "thrown" in value:
            raise AssertionError(value["thrown"])
        return value

    def wait(self, script, what, seconds=20):
        try:
            return wait_until(lambda: self.run(f"return {script}"), what, seconds)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; the page shows: {self.run('return document.body.innerText')!r}") from None

    def click(self, element, *arguments):
        """Clicks the element that an expression names, once it is there and enabled."""
        script = f"let it; try {{ it = {element}; }} catch {{}} if (!it || it.disabled) return false; it.click(); return true"
        wait_until(lambda: self.run(script, *arguments), f"{element} to be clicked", 20)

    def complaints(self):
        """Returns the page's new reports: errors, and violations of the content security policy."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def screenshot(self, path):
        self.driver.save_screenshot(str(path))

    def quit(self):
        self.driver.quit()
