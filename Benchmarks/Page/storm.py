"""The memory of the page while a room that it shows gets many messages.

usage: Tests/Web/run --storm MESSAGES [--rate NUMBER] DIFFROOMD

By default the messages come at 2,000 a second, ten times as many as in a busy room, in a tenth of the time. The figures are the proportional
set size of the renderer's process, the JavaScript heap after a collection, and the rows in the document.
"""

import time
from pathlib import Path

from browser import Browser
from front import Front
from person import Person
from server import Server, wait_until

BATCHES = 10  # a second
STEPS = 6  # lines of the table


def measure(diffroomd, total, rate):
    server = Server(diffroomd)
    browser = Browser()
    try:
        front = Front(server.port)
        browser.driver.get(f"{front.url}/favicon.svg")
        browser.run("localStorage.setItem('diffroom.name', 'ann')")
        browser.driver.get(f"{front.url}/?room=storm")
        browser.wait("document.body.dataset.state === 'online'", "to be online")
        print("| messages | rows | most rows | heap | process |\n|---|---|---|---|---|")
        print(line(browser, 0, 0), flush=True)
        storm(browser, Person(server.port, "cid", "storm"), total, rate)
    finally:
        browser.quit()
        server.stop()


def storm(browser, person, total, rate):
    started = time.monotonic()
    batch = rate // BATCHES
    most = 0
    for sent in range(0, total, batch):
        person.send_all([f"message {number} {'with some words behind it ' * (number % 7)}" for number in range(sent, sent + batch)])
        time.sleep(max(0, started + (sent + batch) / rate - time.monotonic()))
        most = max(most, rows(browser))
        if (sent // batch + 1) % (total // batch // STEPS) == 0:
            last = f"message {sent + batch - 1} "
            browser.wait(f"[...document.querySelectorAll('.row .text')].at(-1).textContent.startsWith('{last}')", "all of them", 60)
            print(line(browser, sent + batch, most), flush=True)


def line(browser, messages, most):
    browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    browser.driver.execute_cdp_cmd("Performance.enable", {})
    metrics = {metric["name"]: metric["value"] for metric in browser.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    heap = metrics["JSHeapUsedSize"] / 1e6
    return f"| {messages:,} | {rows(browser):,} | {most:,} | {heap:.0f} MB | {memory(browser):.0f} MB |"


def rows(browser):
    return browser.run("return document.querySelectorAll('.row').length")


def memory(browser):
    """Returns the megabytes of the largest renderer of the browser."""
    return max(wait_until(lambda: list(renderers(browser.driver.service.process.pid)), "the renderer"))


def renderers(root):
    parents = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(process.name)] = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue  # it has ended
    for pid in parents:
        above = pid
        while above in parents and above != root:
            above = parents[above]
        if above != root:
            continue
        try:
            if b"--type=renderer" in Path(f"/proc/{pid}/cmdline").read_bytes():
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
                yield next(int(entry.split()[1]) for entry in lines if entry.startswith("Pss:")) / 1024
        except OSError:
            continue
