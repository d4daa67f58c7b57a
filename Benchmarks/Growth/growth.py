"""A lone sender's answers beside many messages that grow, and what those cost. Exits with 1 if a goal is missed.
usage: growth.py FOLDER-OF-PROGRAMS [STREAMS] [READERS]

STREAMS people (200) each append 20 times a second to a message of theirs, in ten rooms, which READERS (1,000) follow. In
another room somebody sends a message every 10 ms. Writers and readers are processes of their own, on the same machine."""

import os
import selectors
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from multiprocessing import Event, Process, Value

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, processor

ROOMS, RATE, SECONDS = 10, 20, 15
PIECE = "and so on "
GOAL = 2  # times as long as alone
WATCHED = "room/captions-0/messages"


def read(url, readers, ready, over):
    """Follows the rooms, and drops all frames."""
    people = [Talker(url, f"reader-{number}") for number in range(readers)]
    selector = selectors.DefaultSelector()
    for number, person in enumerate(people):
        person.ask("subscribe", list=f"room/captions-{number % ROOMS}/messages")
        person.socket.setblocking(False)
        selector.register(person.socket, selectors.EVENT_READ)
    ready.set()
    while not over.is_set():
        for key, _ in selector.select(0.2):
            key.fileobj.recv(1 << 20)


def write(url, streams, go, over, appended, ready):
    """Appends to a message of each person, at the rate, as long as each piece is answered in time."""
    people = [Talker(url, f"writer-{number}") for number in range(streams)]
    ready.set()
    go.wait()
    messages = []
    for number, person in enumerate(people):
        message = Talker.message(f"captions-{number % ROOMS}") | {"text": "", "open": True}
        person.ask("send", **message)
        messages.append({"room": message["room"], "id": message["id"], "at": 0})
    start, turn = time.monotonic(), 0
    while not over.is_set():
        turn += 1
        for number, (person, message) in enumerate(zip(people, messages)):
            due = start + (turn + number / streams) / RATE
            time.sleep(max(0, due - time.monotonic()))
            if turn > 1:
                person.answer(person.ref)
            person.say("append", command=str(uuid.uuid4()), text=PIECE, **message)
            message["at"] += len(PIECE)
            appended.value += 1


def answers(ann, seconds):
    """Sends a message every 10 ms; returns the milliseconds until each answer, ascending."""
    taken, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.perf_counter()
        ann.answer(ann.send("another"))
        taken.append((time.perf_counter() - start) * 1000)
        time.sleep(0.01)
    return sorted(taken)


def received(url, seconds):
    """Follows one room; returns the bytes of its frames, and those of the texts that they add."""
    reader = Talker(url, "counter")
    reader.ask("subscribe", list=WATCHED)
    frames, bytes, end = 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        text = reader.frame()
        frames, bytes = frames + 1, bytes + len(text)
    return frames, bytes


def report(title, taken):
    print(f"{title:44} median {statistics.median(taken):6.2f} ms   p99 {taken[len(taken) * 99 // 100]:6.2f} ms   of {len(taken):,}")


def measure(url, server, streams, readers):
    go, over, read_ready, write_ready, appended = Event(), Event(), Event(), Event(), Value("L", 0)
    processes = [
        Process(target=read, args=(url, readers, read_ready, over)),
        Process(target=write, args=(url, streams, go, over, appended, write_ready))]
    for process in processes:
        process.start()
    read_ready.wait()
    write_ready.wait()
    ann = Talker(url, "ann")
    ann.ask("subscribe", list="room/another/messages")
    alone = answers(ann, SECONDS)
    report("an answer in another room, alone", alone)
    go.set()
    time.sleep(3)
    pieces, used, start = appended.value, processor(server), time.monotonic()
    beside = answers(ann, SECONDS)
    rate = (appended.value - pieces) / (time.monotonic() - start)
    cost = (processor(server) - used) / (appended.value - pieces) * 1e6
    report(f"beside {rate:,.0f} pieces a second, {readers:,} readers", beside)
    frames, bytes = received(url, 5)
    print(f"server: {cost:.0f} µs of processor for a piece; a reader: {frames / 5:.0f} diffs and {bytes / 5000:.1f} kB a second,"
          f" for {streams / ROOMS * RATE * len(PIECE) / 1000:.1f} kB of text")
    over.set()
    for process in processes:
        process.join()
    return beside[len(beside) * 99 // 100] / alone[len(alone) * 99 // 100]


def main(programs, streams=200, readers=1000):
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             "--send-rate", "0", "--command-rate", "0", "--heartbeat", "600"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            times = measure(url, server.pid, int(streams), int(readers))
        finally:
            server.terminate()
            server.wait()
    print(f"p99 of an answer in another room: {times:.1f} times that of alone, {GOAL} is the goal")
    return 0 if times <= GOAL else 1


sys.exit(main(*sys.argv[1:]))
