"""What it costs a server that somebody comes back: after few messages and after many, and with several ranges.
usage: resume.py FOLDER-OF-PROGRAMS

A room of MESSAGES messages, of which a reader holds HELD rows from before it left. CPU is the server's, user and system,
by the kernel's account, for each of RESUMES resumes; medians of RUNS turns, which go through all cases one after the
other. Bytes and rows are those of the answers."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, processor

MESSAGES, HELD, RESUMES, RUNS = 110_000, 50, 400, 5
LIST = "room/room-0/messages"
UNLIMITED = "--send-rate", "0", "--command-rate", "0", "--page-rate", "0", "--max-per-user", "0"


def come_back(talker, server, position):
    """Returns microseconds of the server's, bytes of the answer and its rows."""
    before = processor(server.pid)
    for _ in range(RESUMES):
        answer = talker.ask("subscribe", list=LIST, limit=50, resume=position)
    spent = (processor(server.pid) - before) / RESUMES * 1e6
    if answer["type"] != "diff":
        raise SystemExit(f"a resume was answered by a {answer['type']}: {answer.get('why')}")
    rows = sum(len(answer.get(kind, [])) for kind in ("ins", "rel", "cfg", "del"))
    return spent, len(json.dumps(answer, separators=(",", ":"))), rows


def cases(talker):
    """The positions of readers who come back, by what they missed."""
    fresh = talker.ask("subscribe", list=LIST, limit=50)
    epoch, head = fresh["epoch"], fresh["revision"]

    def at(revision, ranges):
        return {"epoch": epoch, "revision": revision, "joined": revision, "ranges": ranges}

    for missed in (10, 1_000, 100_000):
        last = head - missed
        yield f"{missed:,} messages missed, {HELD} rows held", at(last, [[last - HELD + 1, last]])
    yield "5 ranges of 200 rows, 100 of them edited since", edited(talker, at)


def edited(talker, at):
    last = talker.ask("subscribe", list=LIST, limit=50)["revision"]
    ranges = [[first, first + 199] for first in range(10_000, 90_000, 20_000)] + [[last - 199, last]]
    for first, _ in ranges:
        page = talker.ask("page", list=LIST, after=first - 1, limit=200)
        for row in page["rows"][::10]:
            command = {"room": "room-0", "command": Talker.message("")["id"], "id": row["id"], "emoji": "👍", "on": True}
            talker.ask("react", **command)
    return at(last, ranges)


def main():
    programs = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        data = f"{folder}/rooms.db"
        subprocess.run([f"{programs}/StoreBenchmark", "fill", data, str(MESSAGES)], check=True)
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", data, "--log-level", "error", *UNLIMITED],
            stdout=subprocess.PIPE, text=True)
        try:
            talker = Talker(server.stdout.readline().split()[-1], "ann")
            positions = list(cases(talker))
            runs = [[come_back(talker, server, position) for _, position in positions] for _ in range(RUNS)]
        finally:
            server.terminate()
            server.wait()
    print(f"{'a reader comes back: SQLite':48} {'CPU µs':>8} {'bytes':>8} {'rows':>6}")
    for (title, _), taken in zip(positions, zip(*runs)):
        spent, size, rows = (statistics.median(column) for column in zip(*taken))
        print(f"{title:48} {spent:8.0f} {size:8.0f} {rows:6.0f}")


if __name__ == "__main__":
    main()
