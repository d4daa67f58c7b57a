"""What somebody well-behaved waits for, alone and beside a thousand who ask for much and read nothing of it.
usage: greedy.py FOLDER-OF-PROGRAMS [CONNECTIONS [SECONDS [FLAG…]]]; the flags are diffroomd's."""

import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, resident

ROWS, ROW = 500, 8_000  # of the room that is asked for: 4 MB for whoever subscribes
EACH = 1.0  # seconds from one burst of a greedy connection to its next
USERS = 10
BUDGET, CONSTANT = 512 << 20, 64 << 20
LOBBY = "room/lobby/messages"
OWN = "me/rooms", "me/mentions", "me/people"


def limits(number, turn):
    return [("subscribe", {"list": LOBBY, "limit": ROWS - (turn + step) % 400}) for step in range(16)]


def ranges(number, turn):
    resume = {"epoch": "another", "revision": ROWS, "joined": 0, "ranges": [[0, 40], [80, 120], [200, ROWS]], "at": 90}
    return [("subscribe", {"list": LOBBY, "limit": ROWS - step, "resume": resume}) for step in range(16)]


def rooms(number, turn):
    return [("subscribe", {"list": f"room/room-{number}-{turn}-{step}/{kind}"})
            for step in range(8) for kind in ("messages", "members")]


def rows(number, turn):
    held = [[f"room-{place}", str(uuid.UUID(int=place, version=4))] for place in range(500)]
    return [("subscribe", {"list": list, "resume": {"epoch": "another", "revision": 9, "joined": 0, "rows": held}})
            for list in OWN]


def people(number, turn):
    names = [f"somebody-{number % USERS}-{turn}-{place}" for place in range(200)]
    return [("people", {"names": names}), ("subscribe", {"list": "me/people"})]


def pages(number, turn):
    places = {"before": 1 << 40}, {"after": 0}, {"around": {"revision": 250}}
    asked = [("page", {"list": LOBBY, "limit": ROWS, **place}) for place in places]
    return asked + [("subscribe", {"list": "me/mentions"}), ("audit", {"room": "lobby", "before": 1 << 40})]


def commands(number, turn):
    room = f"room-of-{number}"
    return [("join", {"room": room}), ("send", Talker.message(room) | {"text": "y" * ROW}), ("read", {"room": room}),
            ("leave", {"room": room}), ("typing", {"room": room, "on": True}), ("ping", {})]


def operations(number, turn):
    """Every other command, each with an id of its own."""
    room, said, command = f"room-of-{number}", Talker.message(f"room-of-{number}"), lambda: str(uuid.uuid4())
    about = {"room": room, "id": said["id"]}
    return [("create", {"command": command(), "kind": "open", "room": f"{room}-{turn}"}), ("join", {"room": room}), ("send", said),
            ("edit", about | {"command": command(), "text": "z" * ROW}),
            ("react", about | {"command": command(), "emoji": "\N{THUMBS UP SIGN}", "on": True}),
            ("settings", {"room": room, "command": command(), "muted": turn % 2 == 0}),
            ("moderate", {"room": room, "command": command(), "action": "mute", "user": f"somebody-{turn}", "for": 1_000}),
            ("delete", about | {"command": command()}), ("read", {"rooms": [room, "lobby"]}), ("token", {"token": "x" * 4_000}),
            ("hello", {"user": "another"})]


def changes(number, turn):
    return [(type, {"list": list}) for list in (LOBBY, *OWN) for type in ("subscribe", "unsubscribe")]


FORMS = [limits, ranges, rooms, rows, people, pages, commands, operations, changes]


class Greedy:
    """A client that asks in every form that the protocol has, and reads nothing."""

    def __init__(self, host, port, number):
        self.where, self.number, self.turn = (host, port), number, 0
        self.name = f"greedy-{number % USERS}"
        self.connect()

    def connect(self):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.connect(self.where)
        self.socket.setblocking(False)
        self.ref = 0
        self.socket.send(
            f"GET / HTTP/1.1\r\nHost: {self.where[0]}:{self.where[1]}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())

    def ask(self):
        """Says hello at first, and comes back after it was closed."""
        self.turn += 1
        try:
            if self.ref == 0:
                self.socket.send(Talker.request(self, "hello", user=self.name))
            form = FORMS[(self.number + self.turn) % len(FORMS)]
            for type, fields in form(self.number, self.turn):
                self.socket.send(Talker.request(self, type, **fields))
        except BlockingIOError:
            pass
        except OSError:
            self.socket.close()
            self.connect()


def be_greedy(host, port, count, ready):
    connections = [Greedy(host, port, number) for number in range(count)]
    ready.set()
    turn = 0
    while True:
        start = time.monotonic()
        for part in range(100):
            for connection in connections[part::100]:
                connection.ask()
            time.sleep(max(0, start + (part + 1) * EACH / 100 - time.monotonic()))
        turn += 1


def wait(seconds, url, ann):
    """Returns (answers, joins) in milliseconds, of a sender and of a guest who joins and reads a small room."""
    answers, joins = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(10):
            start = time.perf_counter()
            ann.answer(ann.send("quiet"))
            answers.append((time.perf_counter() - start) * 1000)
            time.sleep(0.002)
        start = time.perf_counter()
        guest = Talker(url, "guest")
        guest.ask("subscribe", list="room/quiet/messages")
        joins.append((time.perf_counter() - start) * 1000)
        guest.socket.close()
    return answers, joins


class Peak:
    """The highest memory of a process since the start of this, looked at a hundred times a second."""

    def __init__(self, process):
        self.most = 0
        threading.Thread(target=self.look, args=(process,), daemon=True).start()

    def look(self, process):
        while True:
            try:
                self.most = max(self.most, resident(process))
            except OSError:
                return
            time.sleep(0.01)


def row(name, taken):
    taken = sorted(taken)
    middle, late = taken[len(taken) // 2], taken[len(taken) * 99 // 100]
    print(f"    {name:24} median {middle:7.2f} ms   p99 {late:7.2f} ms   of {len(taken)}")
    return late


def main(programs, count=1_000, seconds=10, *flags):
    cores = sorted(os.sched_getaffinity(0))
    folder = tempfile.TemporaryDirectory()
    server = subprocess.Popen(
        ["taskset", "-c", str(cores[0]), f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data",
         f"{folder.name}/rooms.db", "--log-level", "error", "--send-rate", "0", *flags],
        stdout=subprocess.PIPE, text=True)
    os.sched_setaffinity(0, set(cores[1:]) or set(cores))
    greedy = None
    try:
        url = server.stdout.readline().split()[-1]
        host, port = url.removeprefix("ws://").rstrip("/").rsplit(":", 1)
        ann = Talker(url, "ann")
        for _ in range(ROWS):
            ann.ask("send", **(ann.message("lobby") | {"text": "x" * ROW}))
        alone = [row(*taken) for taken in zip(("an answer, alone", "a join, alone"), wait(seconds, url, ann))]
        ready = multiprocessing.Event()
        greedy = multiprocessing.Process(target=be_greedy, args=(host, int(port), count, ready), daemon=True)
        greedy.start()
        ready.wait()
        peak = Peak(server.pid)
        names = f"an answer, beside {count}", f"a join, beside {count}"
        beside = [row(*taken) for taken in zip(names, wait(seconds, url, ann))]
        times = [late / first for late, first in zip(beside, alone)]
        print(f"    p99 beside them is {times[0]:.1f} times that of an answer alone, {times[1]:.1f} times a join's; "
              f"{peak.most >> 20} MB resident at most, of {(BUDGET + CONSTANT) >> 20} MB: the budget and a constant")
        if peak.most > BUDGET + CONSTANT or max(times) > 3:
            sys.exit("    more than the budget and its constant, or others waited for more than 3 times as long")
    finally:
        if greedy:
            greedy.kill()
        server.terminate()
        server.wait()
        folder.cleanup()


main(sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:])
