"""What a delivery, a connection and a room cost as there are more of them: real servers, loaded and verified by
diffroom-load. usage: scale.py FOLDER-OF-PROGRAMS PICTURE

Each figure is the median of RUNS runs (default 5), each on a server of its own. CPU is the server's, user and system, by
the kernel's account. Prints a table; draws the curves of CPU per delivery as an SVG."""

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, resident

RUNS = int(os.environ.get("RUNS", 5))
SECONDS = 5
UNLIMITED = "--send-rate", "0", "--command-rate", "0", "--max-per-user", "0"


def load(programs, *flags, messages=0):
    """One run: diffroom-load's summary."""
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        if messages:
            subprocess.run([f"{programs}/StoreBenchmark", "fill", f"{folder}/rooms.db", str(messages)], check=True)
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             *UNLIMITED],
            stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            done = subprocess.run(
                [f"{programs}/diffroom-load", "--json", "--pid", str(server.pid), *map(str, flags), url],
                stdout=subprocess.PIPE, text=True)
            summary = json.loads(done.stdout)
            if not summary["allIsRight"]:
                raise SystemExit(f"{flags}: not all is right: {summary['complaints']}")
            return summary
        finally:
            server.terminate()
            server.wait()


def median(programs, key, *flags, **more):
    return statistics.median(load(programs, *flags, **more)[key] for _ in range(RUNS))


def delivery(programs, rooms, readers, rate, **more):
    """Microseconds of the server's CPU for each delivery."""
    return median(
        programs, "serverMicrosecondsPerDelivery", "--rooms", rooms, "--subscribers", readers, "--rate", rate,
        "--duration", SECONDS, "--prefix", "room", **more)


def curves(programs):
    """Each a name, what the x axis counts, and (x, µs) points. A curve has the same deliveries a second everywhere."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 1_000
    yield "readers in one room, 20,000 deliveries/s", [
        (n, delivery(programs, 1, n, 20_000 // n)) for n in (100, 300, 1_000, 3_000, 10_000) if n < most]
    yield "rooms of 10 readers, 5,000 deliveries/s", [
        (n, delivery(programs, n, 10, 500)) for n in (10, 30, 100, 300, 1_000) if 11 * n < most]
    yield "messages stored, 100 readers, 5,000 deliveries/s", [
        (n, delivery(programs, 1, 100, 50, messages=n)) for n in (100, 1_000, 10_000, 100_000, 1_000_000)]


def sizes(programs):
    """(what, value) of memory, joins and herds."""
    most = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 2_000)
    idle = "--publishers", 0, "--rate", 0, "--duration", 1
    crowd = median(programs, "memoryPerConnection", "--rooms", 1, "--subscribers", most, *idle)
    alone = median(programs, "memoryPerConnection", "--rooms", most, "--subscribers", 1, *idle)
    yield f"memory of a connection, {most:,} in one room", f"{crowd / 1000:.1f} kB"
    yield f"memory of a room, {most:,} rooms of one reader", f"{(alone - crowd) / 1000:.1f} kB"
    yield "memory of a room that nobody is in any more", f"{left_room(programs) / 1000:.1f} kB"
    join = median(programs, "serverMicrosecondsPerJoin", "--rooms", 1, "--subscribers", most, *idle, "--prefix", "room",
                  messages=1_000)
    yield f"a join with 50 rows, {most:,} at once", f"{join:.0f} µs of CPU: {1e6 / join:,.0f} a second on a core"
    # Those that are cut and those that come back are open for a moment side by side.
    most = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 2 - 500)
    back = median(
        programs, "herdSeconds", "--rooms", 1, "--subscribers", most, "--rate", 2, "--duration", 8, "--herd", 2)
    yield f"{most:,} readers cut at once and all back", f"{back:.2f} s"


def left_room(programs, waves=6, rooms=2_000):
    """Bytes that the server grows by for each room that was read, written to and left, after the first wave of them."""
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             *UNLIMITED],
            stdout=subprocess.PIPE, text=True)
        ann = Talker(server.stdout.readline().split()[-1], "ann")
        grown = []
        for wave in range(waves):
            for first in range(0, rooms, 20):
                visit(ann, [f"{wave}-{number}" for number in range(first, first + 20)])
            time.sleep(7)  # until nobody counts as there any more
            grown.append(resident(server.pid))
        server.terminate()
        server.wait()
        return (grown[-1] - grown[0]) / ((waves - 1) * rooms)


def visit(ann, rooms):
    """Reads both lists of each room, says something there, and leaves."""
    lists = [f"room/{room}/{list}" for room in rooms for list in ("messages", "members")]
    for list in lists:
        ann.answer(ann.say("subscribe", list=list))
    for room in rooms:
        ann.answer(ann.send(room))
    for list in lists:
        ann.answer(ann.say("unsubscribe", list=list))


class Picture:
    """Curves over a logarithmic x axis from 10 to 1,000,000, as SVG."""

    WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 340, 56, 44, 40, 100
    COLOURS = "#0b6bcb", "#c2410c", "#15803d"

    def __init__(self, curves):
        self.curves = curves
        self.highest = 5 * math.ceil(max(y for _, points in curves for _, y in points) / 5)
        self.parts = []

    def x(self, value):
        return self.LEFT + (math.log10(value) - 1) / 5 * (self.WIDTH - self.LEFT - self.RIGHT)

    def y(self, value):
        return self.TOP + (1 - value / self.highest) * (self.HEIGHT - self.TOP - self.BOTTOM)

    def text(self, x, y, words, anchor="middle", fill="#444"):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{words}</text>')

    def line(self, points, colour, width):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def axes(self):
        self.text(self.LEFT - 40, 20, "µs of server CPU for each delivery, verified", "start", "#111")
        for value in range(0, self.highest + 1, max(1, self.highest // 5)):
            self.line([(self.LEFT, self.y(value)), (self.WIDTH - self.RIGHT, self.y(value))], "#ddd", 1)
            self.text(self.LEFT - 8, self.y(value) + 4, value, "end")
        for power in range(1, 7):
            self.text(self.x(10**power), self.y(0) + 18, f"{10**power:,}")

    def svg(self):
        self.axes()
        for index, (name, points) in enumerate(self.curves):
            colour = self.COLOURS[index]
            self.line([(self.x(x), self.y(y)) for x, y in points], colour, 2)
            for x, y in points:
                self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{colour}"/>')
            below = self.y(0) + 42 + 18 * index
            self.line([(self.LEFT, below - 4), (self.LEFT + 24, below - 4)], colour, 2)
            self.text(self.LEFT + 32, below, name, "start", "#111")
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {self.HEIGHT}" '
            'font-family="system-ui, sans-serif" font-size="12">',
            '<rect width="100%" height="100%" fill="#fff"/>', *self.parts, "</svg>", ""])


def main(programs, picture):
    found = []
    for name, points in curves(programs):
        found.append((name, points))
        for x, y in points:
            print(f"{name:52} {x:>9,}  {y:6.1f} µs a delivery", flush=True)
    for what, value in sizes(programs):
        print(f"{what:52} {value}", flush=True)
    with open(picture, "w") as file:
        file.write(Picture(found).svg())


main(*sys.argv[1:])
