"""What somebody well-behaved waits for, alone and beside a thousand who ask for much and read nothing of it.
usage: greedy.py FOLDER-OF-PROGRAMS [CONNECTIONS [SECONDS [FLAG…]]]; the flags are diffroomd's."""

import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, resident

ROWS, ROW = 250, 8_000  # of the room that is asked for: 2 MB for whoever subscribes
EACH = 1.0  # seconds from one question of a greedy connection to its next


class Greedy:
    """A client that asks for the whole lobby and reads nothing."""

    def __init__(self, host, port, number):
        self.where, self.name = (host, port), f"greedy-{number}"
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
        try:
            if self.ref == 0:
                self.socket.send(Talker.request(self, "hello", user=self.name))
            list = "room/lobby/messages"
            self.socket.send(Talker.request(self, "subscribe", list=list, limit=ROWS))
            if self.ref % 10 == 0:
                self.socket.send(Talker.request(self, "page", list=list, before=1 << 40, limit=ROWS))
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
         f"{folder.name}/rooms.db", "--log-level", "error", "--send-rate", "0", "--command-rate", "0",
         *flags],
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
        names = f"an answer, beside {count}", f"a join, beside {count}"
        beside = [row(*taken) for taken in zip(names, wait(seconds, url, ann))]
        times = [late / first for late, first in zip(beside, alone)]
        print(f"    p99 beside them is {times[0]:.1f} times that of an answer alone, {times[1]:.1f} times a join's; "
              f"{resident(server.pid) >> 20} MB resident")
    finally:
        if greedy:
            greedy.kill()
        server.terminate()
        server.wait()
        folder.cleanup()


main(sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:])
