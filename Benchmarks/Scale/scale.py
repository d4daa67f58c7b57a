"""What a delivery, a connection and a room cost as there are more of them: real servers, loaded and verified by
diffroom-load. usage: scale.py FOLDER-OF-PROGRAMS FOLDER-OF-PICTURES

Each figure is the median of RUNS runs (default 3), each on a server of its own. CPU is the server's, user and system, by
the kernel's account. Prints a table; draws what a delivery costs (scale.svg) and when it is seen (latency.svg)."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from picture import Picture
from talker import Talker, resident

RUNS = int(os.environ.get("RUNS", "3"))
SECONDS = 5
UNLIMITED = [
    word for limit in ("send-rate", "command-rate", "max-per-user", "room-rate", "user-bytes", "room-bytes")
    for word in (f"--{limit}", "0")]


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
                stdout=subprocess.PIPE, text=True, check=False)
            summary = json.loads(done.stdout)
            if not summary["allIsRight"]:
                raise SystemExit(f"{flags}: not all is right: {summary['complaints']}")
            return summary
        finally:
            server.terminate()
            server.wait()


def medians(programs, keys, *flags, **more):
    """The medians of some figures of the same runs."""
    runs = [load(programs, *flags, **more) for _ in range(RUNS)]
    return [statistics.median(key(run) for run in runs) for key in keys]


def median(programs, key, *flags, **more):
    return medians(programs, [lambda run: run[key]], *flags, **more)[0]


def seen(percentile):
    """Milliseconds from when a message was sent until a reader's replica has it."""
    return lambda run: run["sendToSeen"][percentile] / 1000


def delivery(programs, rooms, readers, rate, **more):
    """Microseconds of the server's CPU for each delivery."""
    return median(
        programs, "serverMicrosecondsPerDelivery", "--rooms", rooms, "--subscribers", readers, "--rate", rate,
        "--duration", SECONDS, "--prefix", "room", **more)


def curves(programs):
    """Returns curves, each a name, the label of the x axis, and (x, µs) points with equal deliveries a second."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 1_000
    yield "readers in one room, 20,000 deliveries/s", [
        (n, delivery(programs, 1, n, 20_000 // n)) for n in (100, 300, 1_000, 3_000, 10_000) if n < most]
    yield "rooms of 10 readers, 5,000 deliveries/s", [
        (n, delivery(programs, n, 10, 500)) for n in (10, 30, 100, 300, 1_000) if 11 * n < most]
    yield "messages stored, 100 readers, 5,000 deliveries/s", [
        (n, delivery(programs, 1, 100, 50, messages=n)) for n in (100, 1_000, 10_000, 100_000, 1_000_000)]


def waits(programs):
    """Two curves of (deliveries a second, ms) in a room of 100 readers: half, and 99 %, have seen a message by then."""
    rates = 1_000, 3_000, 10_000, 20_000, 50_000
    found = [
        medians(programs, [seen("p50"), seen("p99")], "--rooms", 1, "--subscribers", 100, "--rate", rate // 100,
                "--duration", SECONDS)
        for rate in rates]
    return [(f"{share} have seen a message", list(zip(rates, column)))
            for share, column in zip(("half", "99 %"), zip(*found))]


def stalls(programs, seconds=60):
    """Returns (name, value) of a room of 1,000 with and without 100 stalled readers, at 20,000 deliveries/s."""
    stalled = "--stall", 10, "--stall-time", 25
    for what, more in ("all reading", ()), ("100 of them stalled for 25 s at a time", stalled):
        run = load(programs, "--rooms", 1, "--subscribers", 1_000, "--rate", 20, "--duration", seconds, *more)
        yield (f"1,000 readers for {seconds} s, {what}",
               f"{run['serverMemory'] / 2**20:.0f} MiB, p99 {seen('p99')(run):.1f} ms of those who read")


def sizes(programs):
    """Returns (name, value) of memory, joins and herds."""
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
    # For a moment the cut connections and the new ones are open side by side.
    most = min(10_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] // 2 - 500)
    back = median(
        programs, "herdSeconds", "--rooms", 1, "--subscribers", most, "--rate", 2, "--duration", 8, "--herd", 2)
    yield f"{most:,} readers cut at once and all back", f"{back:.2f} s"


def left_room(programs, waves=6, rooms=2_000):
    """Returns the server's growth in bytes for each room that was read, written to and left, after a first wave."""
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
    """Reads both lists of each room, sends a message there, and leaves."""
    lists = [f"room/{room}/{list}" for room in rooms for list in ("messages", "members")]
    for list in lists:
        ann.answer(ann.say("subscribe", list=list))
    for room in rooms:
        ann.answer(ann.send(room))
    for list in lists:
        ann.answer(ann.say("unsubscribe", list=list))


def show(curves, unit):
    for name, points in curves:
        for x, y in points:
            print(f"{name + ', ' + format(x, ','):62}  {y:.1f} {unit}", flush=True)
    return curves


def draw(path, *picture):
    with open(path, "w") as file:
        file.write(Picture(*picture).svg())


def main(programs, pictures):
    costs = show(list(curves(programs)), "µs a delivery")
    draw(f"{pictures}/scale.svg", "µs of server CPU for each delivery, verified", costs, range(1, 7))
    late = show(waits(programs), "ms")
    draw(f"{pictures}/latency.svg", "ms until seen, by deliveries a second to 100 readers", late, range(3, 6))
    for what, value in [*sizes(programs), *stalls(programs)]:
        print(f"{what:62}  {value}", flush=True)


main(*sys.argv[1:])
