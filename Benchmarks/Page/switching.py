"""The cost of the page beside many rooms: of going from one to another, and of a key press.

usage: Tests/Web/run --switching ROOMS,ROOMS… DIFFROOMD

The figures are the main thread's work, as Chromium counts it (TaskDuration without DevToolsCommandDuration), layout and
painting included. With one room they are what measuring costs.
"""

import statistics

from browser import Browser
from front import Front
from person import Person
from selenium.webdriver.common.by import By
from server import Server

SWITCHES = 12
KEYS = 20
# Waits until the page has drawn what is asked of it, and nothing is left to do.
SETTLE = "await new Promise(requestAnimationFrame); await new Promise((done) => setTimeout(done, 150));"


def measure(diffroomd, counts):
    for count in counts:
        server = Server(diffroomd)
        browser = Browser()
        try:
            switches, keys = work(server, browser, count)
        finally:
            browser.quit()
            server.stop()
        print(f"{count} rooms: a switch {shown(switches)}, a key {shown(keys)}")


def shown(costs):
    return f"{statistics.median(costs):.1f} ms (median of {len(costs)}; most {max(costs):.1f})"


def work(server, browser, count):
    """Returns the milliseconds of work for each switch between two rooms, and for each letter typed into the field."""
    names = [f"room-{number:04}" for number in range(count)]
    person = Person(server.port, "ann", names[0])
    for name in names:
        assert person.ask(type="join", room=name)["type"] == "ok"
    for name in (names[0], names[-1]):
        person.room = name
        person.send_all([f"message {number} in {name}" for number in range(50)])
    front = Front(server.port)
    browser.driver.get(f"{front.url}/favicon.svg")
    browser.run("localStorage.setItem('diffroom.name', 'ann')")
    browser.driver.get(f"{front.url}/?room={names[0]}")
    browser.wait("document.body.dataset.state === 'online'", "to be online")
    rows = "[...document.querySelectorAll('#sidebar ul')].reduce((sum, list) => sum + Number(list.firstElementChild?.ariaSetSize ?? 0), 0)"
    browser.wait(f"{rows} >= {min(count, 100)}", "the newest rooms")
    # Whoever looks for a room gets the rows of all.
    browser.run("document.getElementById('find').click()")
    browser.driver.find_element(By.ID, "switcher-input").send_keys("room")
    browser.wait(f"{rows} >= {count}", "all rooms", 120)
    browser.run("document.getElementById('switcher').close()")
    return switching(browser, names[0], names[-1]), typing(browser)


def switching(browser, *rooms):
    costs = []
    for turn in range(SWITCHES):
        room = rooms[(turn + 1) % 2]
        costs.append(spent(browser, lambda: browser.run_async(
            f"document.querySelector('#sidebar a[data-room=\"{room}\"]').click(); {SETTLE}")))  # noqa: B023, called at once
    return costs[2:]  # the first ones make the rows


def typing(browser):
    field = browser.driver.find_element(By.ID, "text")
    return [spent(browser, lambda: (field.send_keys("a"), browser.run_async(SETTLE))) for _ in range(KEYS)]


def spent(browser, act):
    before = busy(browser)
    act()
    return (busy(browser) - before) * 1_000


def busy(browser):
    browser.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    metrics = browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    values = {metric["name"]: metric["value"] for metric in metrics}
    return values["TaskDuration"] - values["DevToolsCommandDuration"]
