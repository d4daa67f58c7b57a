#!/usr/bin/env python3
"""Cuts the power at thousands of moments of a recorded run, and has the store open what is left each time.

usage: replay.py RECORD PROGRAM POINTS SEED [--ignore-half-of-the-syncs]

RECORD is what record.c wrote of `StoreFixture power`; PROGRAM is StoreFixture. What was synchronised is there after the
cut. Of what was not, any subset is: whole writes, or blocks of 512 or of 4,096 bytes of each. Names appear and disappear
with the folder's own synchronisation at the latest. Everything that was acknowledged must be found, in the epoch that it
was acknowledged in. With half of the synchronisations ignored something must be missing, or the whole tests nothing.
"""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

OPENED, WRITTEN, TRUNCATED, SYNCHRONISED, UNLINKED, SAID, FOLDER_SYNCHRONISED = range(1, 8)
ROOMS = ("lobby", "kitchen")


def events(path):
    with open(path, "rb") as file:
        while header := file.read(24):
            kind, number, offset, length = struct.unpack("<IIQQ", header)
            yield kind, number, offset, file.read(length) if kind in (OPENED, WRITTEN, SAID) else b""


class File:
    """One file: what is on the disk for certain, and what was done since."""

    def __init__(self):
        self.durable = bytearray()
        self.pending = []

    def synchronise(self):
        for change in self.pending:
            apply(self.durable, *change)
        self.pending = []

    def left(self, chance):
        """What a cut leaves."""
        content = bytearray(self.durable)
        kind = chance.choice(("all", "none", "writes", 512, 4096))
        keep = chance.choice((0.1, 0.5, 0.9))
        for offset, data in self.pending:
            if kind == "none" or ((kind == "writes" or data is None) and kind != "all" and chance.random() > keep):
                continue
            if data is None or kind in ("all", "writes"):
                apply(content, offset, data)
                continue
            for start in range(offset - offset % kind, offset + len(data), kind):
                if chance.random() <= keep:
                    first = max(start, offset)
                    apply(content, first, data[first - offset : start + kind - offset])
        return content


def apply(content, offset, data):
    if data is None:
        del content[offset:]
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    if data is not None:
        content[offset : offset + len(data)] = data


class Disk:
    def __init__(self):
        self.files = {}
        self.durable = {}
        self.changes = []

    def take(self, kind, number, offset, data):
        if kind == OPENED:
            self.files[number] = File()
            self.changes.append((data.decode(), number))
        elif kind == WRITTEN:
            self.files[number].pending.append((offset, data))
        elif kind == TRUNCATED:
            self.files[number].pending.append((offset, None))
        elif kind == SYNCHRONISED:
            self.files[number].synchronise()
        elif kind == UNLINKED:
            self.changes.append((next(name for name, file in self.names(self.changes).items() if file == number), None))
        elif kind == FOLDER_SYNCHRONISED:
            self.durable = self.names(self.changes)
            self.changes = []

    def names(self, changes):
        names = self.durable | dict(changes)
        return {name: number for name, number in names.items() if number}

    def left(self, chance):
        """The files that a cut leaves, by their names."""
        done = self.changes[: chance.randint(0, len(self.changes))]
        return {name: self.files[number].left(chance) for name, number in self.names(done).items()}


class Acknowledged:
    """What was said up to a moment: the epoch, and for each room the commands by their revisions."""

    def __init__(self):
        self.text = b""
        self.epoch = None
        self.commands = {room: [] for room in ROOMS}

    def hear(self, data):
        *lines, self.text = (self.text + data).split(b"\n")
        for line in lines:
            words = line.decode().split()
            if words[0] == "epoch":
                if self.epoch not in (None, words[1]):
                    sys.exit(f"the run itself began another epoch: {line.decode()}")
                self.epoch = words[1]
            else:
                commands = self.commands[words[0]]
                if len(commands) + 1 != int(words[1]):
                    sys.exit(f"the run itself left a gap: {line.decode()}")
                commands.append(int(words[2]))

    @property
    def counts(self):
        return tuple(len(commands) for commands in self.commands.values())


def fingerprints(commands):
    """FNV-1a/64 of the first n commands, for each n."""
    value, values = 0xCBF29CE484222325, []
    for command in [None, *commands]:
        for byte in b"" if command is None else struct.pack("<Q", command):
            value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
        values.append(value)
    return values


class Judge:
    """A process of the store's own that opens what is left, and says what it finds."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            [program, "verify", "-", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.waiting = None

    def ask(self, path, *known):
        self.process.stdin.write(path + "\n")
        self.process.stdin.flush()
        self.waiting = (path, *known)

    def answer(self):
        return self.process.stdout.readline().split()


def complaint(found, epoch, counts, expected):
    """What is wrong with an answer; None if nothing is."""
    if not found or found[0] != "found":
        return f"it cannot be served: {' '.join(found)}"
    if not any(counts):
        return None
    if found[1] != epoch:
        return f"another epoch begins: {' '.join(found[6:])}"
    for number, room in enumerate(ROOMS):
        count, fingerprint = int(found[2 + 2 * number]), int(found[3 + 2 * number])
        if count < counts[number]:
            return f"{room} has {count} of {counts[number]} that were acknowledged"
        if count >= len(expected[room]) or expected[room][count] != fingerprint:
            return f"{room} holds at {count} what nobody was told"
    return None


def main(record, program, points, seed, ignores):
    trace = list(events(record))
    whole = Acknowledged()
    for kind, _, _, data in trace:
        if kind == SAID:
            whole.hear(data)
    expected = {room: fingerprints(commands) for room, commands in whole.commands.items()}
    changes = [place for place, event in enumerate(trace) if event[0] != SAID]
    each, more = divmod(points, len(changes))
    chance = random.Random(seed)
    extra = set(chance.sample(changes, more))
    work = tempfile.mkdtemp(prefix="diffroom-power-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    judges = [Judge(program) for _ in range(min(2, os.cpu_count() or 1))]
    problems, cuts = [], 0

    def settle(judge):
        if judge.waiting is None:
            return
        path, place, epoch, counts = judge.waiting
        judge.waiting = None
        if problem := complaint(judge.answer(), epoch, counts, expected):
            problems.append(f"cut after call {place}: {problem}")
        shutil.rmtree(os.path.dirname(path), ignore_errors=True)

    try:
        disk, heard = Disk(), Acknowledged()
        for place, event in enumerate(trace):
            if event[0] == SAID:
                heard.hear(event[3])
                continue
            syncs = event[0] in (SYNCHRONISED, FOLDER_SYNCHRONISED)
            if not (ignores and syncs and chance.random() < 0.5):
                disk.take(*event)
            for number in range(each + (place in extra)):
                folder = os.path.join(work, str(cuts))
                os.mkdir(folder)
                for name, content in disk.left(random.Random(f"{seed} {place} {number}")).items():
                    with open(os.path.join(folder, name), "wb") as file:
                        file.write(content)
                judge = judges[cuts % len(judges)]
                settle(judge)
                judge.ask(os.path.join(folder, "rooms.db"), place, heard.epoch, heard.counts)
                cuts += 1
        for judge in judges:
            settle(judge)
    finally:
        for judge in judges:
            judge.process.stdin.close()
            judge.process.wait()
        shutil.rmtree(work)
    # Of the control what is found is what is wanted.
    for problem in [] if ignores else problems[:10]:
        print(problem, file=sys.stderr)
    what = f"{cuts} power cuts in {len(changes)} calls, {sum(whole.counts)} operations acknowledged"
    if ignores:
        print(f"{what}, half of the synchronisations ignored: {len(problems)} found out")
        return 0 if problems else 1
    print(f"{what}: {len(problems) or 'nothing'} lost")
    return 1 if problems else 0


if __name__ == "__main__":
    flags = [word for word in sys.argv[1:] if word.startswith("--")]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(words) != 4 or flags not in ([], ["--ignore-half-of-the-syncs"]):
        sys.exit(__doc__)
    sys.exit(main(words[0], words[1], int(words[2]), int(words[3]), bool(flags)))
