"""What a page's main thread does for each frame, in processor time: other processes on the machine do not count."""

import bisect
import json
import urllib.request
from collections import Counter
from contextlib import contextmanager

from websockets.sync.client import connect

CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-thread_time"]


@contextmanager
def traced(browser):
    """Yields a list that afterwards holds, for each frame, the milliseconds from the first to it, and those that it took."""
    address = browser.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
    with urllib.request.urlopen(f"http://{address}/json/version") as answer:
        url = json.load(answer)["webSocketDebuggerUrl"]
    frames = []
    with connect(url, max_size=None) as devtools:
        ask(devtools, "Tracing.start", transferMode="ReportEvents", traceConfig={"includedCategories": CATEGORIES})
        yield frames
        ask(devtools, "Tracing.end")
        frames += per_frame(list(events(devtools)))


def ask(devtools, method, **parameters):
    devtools.send(json.dumps({"id": 1, "method": method, "params": parameters}))
    while "id" not in json.loads(devtools.recv()):
        pass


def events(devtools):
    while True:
        said = json.loads(devtools.recv())
        if said["method"] == "Tracing.dataCollected":
            yield from said["params"]["value"]
        elif said["method"] == "Tracing.tracingComplete":
            return


def per_frame(traced):
    """The processor time of all tasks from the one that begins a frame up to the next such.

    Chromium leaves it out of some tasks: for them the time by the clock counts, which is not less.
    """
    main = Counter(thread(event) for event in traced if event["name"] == "FireAnimationFrame").most_common(1)[0][0]
    of_main = [event for event in traced if event.get("ph") == "X" and thread(event) == main]
    begins = sorted(event["ts"] for event in of_main if event["name"] == "FireAnimationFrame")
    tasks = [event for event in of_main if event["name"].endswith("::RunTask")]
    times = [0.0] * (len(begins) + 1)
    for task in tasks:
        times[bisect.bisect_right(begins, task["ts"] + task["dur"])] += task.get("tdur", task["dur"]) / 1000
    return [((begin - begins[0]) / 1000, time) for begin, time in zip(begins, times[1:-1])]


def thread(event):
    return event["pid"], event["tid"]
