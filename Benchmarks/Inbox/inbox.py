"""What it costs that people have lists of their rooms, and whether the lists are right.
usage: inbox.py FOLDER-OF-PROGRAMS [SECONDS]

First a room with MEMBERS members, of whom FOLLOWERS are connected and follow `me/rooms`, but not the room, while SENDERS
write RATE messages a second in it for SECONDS; beside the same room without them. Then somebody in some or in many rooms
(ROOMS), who comes, and who comes back after something was said in CHANGED of them; asking for the newest rooms, and for
all. CPU is the server's, user and system, by the kernel's account. Medians of RUNS rounds, which go through all cases one
after the other. With SECONDS 0 there is only somebody in rooms. At the end each figure that has a goal stands beside it;
the status is 1 unless all goals hold."""

import json
import os
import random
import select
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from file import File
from talker import Talker, processor

RUNS = int(os.environ.get("RUNS", "3"))
MEMBERS, FOLLOWERS, RATE, SENDERS = 100_000, 1_000, 50, 4
ROOM, LIST, PATIENCE = "room-0", "me/rooms", 30
ROOMS, PEOPLE, CHANGED = (500, 5_000), 20, 100  # a server takes no more than 5,000 rooms of one person
COMES, COMES_BACK, ALL = "comes", f"comes back, {CHANGED} rooms have changed", ", all rooms"
TICK = 0.5  # seconds between two diffs of a list
# Followers say nothing for as long as it takes.
UNLIMITED = ["--heartbeat", "300"] + [
    word for limit in ("send-rate", "command-rate", "max-per-user", "room-rate", "user-bytes", "room-bytes")
    for word in (f"--{limit}", "0")]


class Goal:
    """A figure, and the most that it may be."""

    def __init__(self, what, figure, most, unit=""):
        self.what, self.figure, self.most, self.unit = what, figure, most, unit

    @property
    def holds(self):
        return self.figure <= self.most

    def __str__(self):
        figure, most = (f"{number:,.2f}".rstrip("0").rstrip(".") + self.unit for number in (self.figure, self.most))
        return f"{self.what:62} {figure:>9}  at most {most:>8}  {'holds' if self.holds else 'DOES NOT HOLD'}"


class Server:
    """A server with a copy of a file of rooms."""

    def __init__(self, programs, filled):
        self.programs, self.filled = programs, filled

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(dir=".build")
        self.file = File(self.filled, f"{self.folder.name}/rooms.db")
        self.process = subprocess.Popen(
            [f"{self.programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", self.file.path, "--log-level", "error",
             *UNLIMITED], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    @property
    def cpu(self):
        return processor(self.process.pid)

    @property
    def written(self):
        """The bytes that it has written to the disk."""
        with open(f"/proc/{self.process.pid}/io") as file:
            return int(next(line for line in file if line.startswith("write_bytes")).split()[1])


class Sender(Talker):
    """Writes, and counts the answers that are missing."""

    def __init__(self, url, user):
        super().__init__(url, user)
        self.unanswered = 0

    def order(self, type, **fields):
        self.unanswered += 1
        self.say(type, **fields)

    def take(self, frame, now):
        if frame["type"] == "error":
            raise SystemExit(f"the server answered: {frame}")
        self.unanswered -= "ref" in frame


class Reader(Sender):
    """Reads the room, and notes how late a message came at most."""

    def __init__(self, url, number, sent):
        super().__init__(url, f"member-{number}")
        self.sent, self.count, self.delay = sent, 0, 0
        self.begin()

    def begin(self):
        self.ask("subscribe", list=f"room/{ROOM}/messages")

    def take(self, frame, now):
        super().take(frame, now)
        self.counted(self.count + len(frame.get("ins", [])), now)

    def counted(self, count, now):
        if count > self.count:
            self.delay = max(self.delay, now - self.sent[self.count])
            self.count = count


class Follower(Reader):
    """Follows the rooms of a person, who is in no other one."""

    def begin(self):
        sections = self.ask("subscribe", list=LIST)["sections"]
        self.row, = (row for section in sections for row in section["rows"])

    def take(self, frame, now):
        Sender.take(self, frame, now)
        if frame.get("list") == LIST:
            for changed in frame.get("cfg", []):
                self.row = changed
        self.counted(self.row["unread"], now)

    @property
    def shown(self):
        return self.row["read"], self.row["unread"], self.row["last"]["id"], self.row["last"]["text"]


class Talk:
    """Some write in a room; others look on, or nobody."""

    def __init__(self, server, kind):
        self.server, self.kind, self.sent, self.messages = server, kind, [], []
        self.senders = [Sender(server.url, f"sender-{number}") for number in range(SENDERS)]
        self.others = [kind(server.url, number, self.sent) for number in range(FOLLOWERS)] if kind else []
        self.connections = {one.socket.fileno(): one for one in self.senders + self.others}
        self.poll = select.epoll()
        for number, one in self.connections.items():
            one.socket.setblocking(False)
            self.poll.register(number, select.EPOLLIN)

    def read(self, end):
        """Reads what comes until a time."""
        while (left := end - time.monotonic()) > 0:
            ready = self.poll.poll(left)
            now = time.monotonic()
            for number, _ in ready:
                try:
                    while True:
                        self.connections[number].take(json.loads(self.connections[number].frame()), now)
                except BlockingIOError:
                    pass

    def read_until(self, true, what):
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise SystemExit(f"within {PATIENCE} s not {what}")
            self.read(time.monotonic() + 0.05)

    def settle(self):
        self.read_until(lambda: not any(one.unanswered for one in self.connections.values()), "all answers came")

    def write(self, seconds):
        """Returns microseconds of the server's, rows and kB written, for each message; and the largest delay in ms."""
        self.read(time.monotonic() + 2)
        server, count = self.server, seconds * RATE
        rows, written, cpu, start = server.file.rows(), server.written, server.cpu, time.monotonic()
        for number in range(count):
            self.read(start + number / RATE)
            sender, message = self.senders[number % SENDERS], Talker.message(ROOM)
            self.sent.append(time.monotonic())
            sender.order("send", room=ROOM, id=message["id"], text=f"{message['text']}, number {number}")
            self.messages.append((sender, message["id"]))
        self.settle()
        self.read_until(lambda: all(one.count == count for one in self.others), "everybody has everything")
        cpu, written = server.cpu - cpu, server.written - written
        delay = max((one.delay for one in self.others), default=0)
        return cpu / count * 1e6, (server.file.rows() - rows) / count, written / count / 1_024, delay * 1_000

    def wrong(self):
        """Returns how many of the lists are not what a recount gives."""
        members = self.server.file.recount(ROOM)
        return sum(one.shown != members[f"member-{number}"] for number, one in enumerate(self.others))

    def stir(self):
        """Deletes the last message and a tenth of the others, edits one, and has half of the people read some; returns
        the time until all lists are right."""
        for sender, id in random.sample(self.messages[:-2], len(self.messages) // 10) + self.messages[-1:]:
            sender.order("delete", room=ROOM, command=Talker.message("")["id"], id=id)
        sender, id = self.messages[-2]
        sender.order("edit", room=ROOM, command=Talker.message("")["id"], id=id, text="edited")
        for one in self.others[::2]:
            one.order("subscribe", list=f"room/{ROOM}/messages")
        self.settle()
        for one in self.others[::2]:
            one.order("read", room=ROOM, revision=random.randrange(one.row["read"], one.row["read"] + len(self.messages)))
        self.settle()
        start = time.monotonic()
        self.read_until(lambda: not self.wrong(), "every list is right")
        return time.monotonic() - start


CASES = [
    ("no members, nobody looks on", 0, None),
    (f"{MEMBERS:,} members, nobody looks on", MEMBERS, None),
    (f"{MEMBERS:,} members, {FOLLOWERS:,} follow their rooms", MEMBERS, Follower),
    (f"no members, {FOLLOWERS:,} read the room", 0, Reader),
]


def one_room(programs, folder, seconds):
    """Returns the goals."""
    files = {count: fill(programs, f"{folder}/{count}.db", 1, count) for count in (0, MEMBERS)}
    rounds, ends = [], []
    for _ in range(RUNS):
        rounds.append([])
        for title, members, kind in CASES:
            with Server(programs, files[members]) as server:
                talk = Talk(server, kind)
                rounds[-1].append(talk.write(seconds))
                changed = server.file.changes("memberships", files[members])
                if changed:
                    raise SystemExit(f"{title}: {changed} memberships were written")
                if kind is Follower:
                    ends.append((talk.wrong(), talk.stir()))
    print(f"{f'one room, {RATE} messages a second':50} {'CPU µs':>8} {'times':>6} {'rows':>6} {'kB':>6} {'delay ms':>9}")
    figures = [[statistics.median(column) for column in zip(*taken)] for taken in zip(*rounds)]
    for (title, _, _), (cpu, rows, written, delay) in zip(CASES, figures):
        print(f"{title:50} {cpu:8.0f} {cpu / figures[0][0]:6.1f} {rows:6.2f} {written:6.1f} {delay:9.0f}")
    wrong, took = sum(end[0] for end in ends), max(end[1] for end in ends)
    print(f"{wrong} of {FOLLOWERS * RUNS:,} lists wrong after the last message; all right {took:.1f} s after deletions and "
          "read marks")
    alone, unseen, followed, _ = figures
    return [
        Goal("rows for a message, beyond those without members", round(max(unseen[1], followed[1]) - alone[1], 2), 0),
        Goal("from a message's departure to the last list that counts it", followed[3], 2 * TICK * 1_000, " ms"),
        Goal("lists that are wrong after that", wrong, 0),
        Goal("server CPU for a message, as often as if nobody looks on", followed[0] / unseen[0], 3),
    ]


def arrive(talker, server, **more):
    """Returns microseconds of the server's, and the answer."""
    cpu = server.cpu
    answer = talker.ask("subscribe", list=LIST, **more)
    return (server.cpu - cpu) * 1e6, answer


def many_rooms(programs, folder):
    """Returns the goals, which are for the highest number of rooms."""
    figures = {}
    for rooms in ROOMS:
        filled = fill(programs, f"{folder}/{rooms}.db", rooms, PEOPLE)
        print(f"\n{f'somebody in {rooms:,} rooms':50} {'CPU µs':>8} {'bytes':>8} {'rows':>6}")
        for what, limit in (("", {}), (ALL, {"limit": rooms})):
            for title, taken in somebody(programs, filled, limit):
                cpu, size, rows_sent = (statistics.median(column) for column in zip(*(measured(*one) for one in taken)))
                print(f"{title + what:50} {cpu:8.0f} {size:8.0f} {rows_sent:6.0f}")
                figures[title + what] = cpu, rows_sent
    comes, back = f"somebody in {ROOMS[-1]:,} rooms comes", f"rows for who comes back, {CHANGED} rooms have changed"
    most = CHANGED * 11 / 10
    return [
        Goal(f"{comes}: server CPU", figures[COMES][0] / 1_000, 20, " ms"),
        Goal(back, figures[COMES_BACK][1], most),
        Goal(f"{back}, all rooms", figures[COMES_BACK + ALL][1], most),
    ]


def somebody(programs, filled, limit):
    """Returns what the arrivals of each kind took."""
    with Server(programs, filled) as server:
        sender = Talker(server.url, "sender")
        people = [Talker(server.url, f"member-{number}") for number in range(PEOPLE)]
        fresh = [arrive(one, server, **limit) for one in people]
        again = [arrive(one, server, **limit) for one in people]
        for one in people:
            one.ask("unsubscribe", list=LIST)
        for number in range(CHANGED):
            sender.answer(sender.send(f"room-{number}"))
        time.sleep(2 * TICK)  # the lists of who is away wait for the tick, too
        back = [arrive(one, server, resume={key: answer[key] for key in ("epoch", "revision", "joined")}, **limit)
                for one, (_, answer) in zip(people, fresh)]
    return (COMES, fresh), ("comes beside another device", again), (COMES_BACK, back)


def measured(cpu, answer):
    kinds = [answer.get(kind, []) for kind in ("ins", "rel", "cfg")]
    rows = sum(map(len, kinds)) + sum(len(section["rows"]) for section in answer.get("sections", []))
    return cpu, len(json.dumps(answer, separators=(",", ":"))), rows


def fill(programs, path, rooms, members):
    subprocess.run([f"{programs}/StoreBenchmark", "members", path, str(rooms), str(members)], check=True)
    return path


def main(programs, seconds=20):
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        goals = one_room(programs, folder, int(seconds)) if int(seconds) else []
        goals += many_rooms(programs, folder)
    print("", *goals, sep="\n")
    if not all(goal.holds for goal in goals):
        sys.exit(1)


main(*sys.argv[1:])
