"""What people cost the database who only look at their lists: called by `scripts/cluster FOLDER idle`, which starts one
server on a database with pg_stat_statements.

PEOPLE people are each in ROOMS of as many rooms as there are people, 20 at least, and follow `me/rooms`, `me/mentions` and
`me/people`. Nobody writes. The figures are of SECONDS, before they come and while they are there.
"""

import glob
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker

folder, people, rooms, seconds = sys.argv[1], *map(int, sys.argv[2:5])
TICKS = os.sysconf("SC_CLK_TCK")


def saved(name):
    with open(f"{folder}/{name}") as file:
        return file.read().strip()


def query(sql):
    words = ["psql", "-h", f"{folder}/primary", "-U", "diffroom", "-d", "postgres", "-XqAt", "-c", sql + " /* probe */"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def cpu(process):
    """Returns the CPU seconds of a process and of its children that have ended, and its parent."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return 0, 0
    return sum(map(int, fields[11:15])) / TICKS, int(fields[1])


def database_cpu():
    first = int(saved("primary/data/postmaster.pid").split()[0])
    processes = [int(path.split("/")[2]) for path in glob.glob("/proc/[0-9]*/stat")]
    return sum(used for used, parent in map(cpu, processes) if parent == first) + cpu(first)[0]


def measure(what):
    query("SELECT pg_stat_statements_reset()")
    server = int(saved("server1.pid"))
    start, before = time.monotonic(), (database_cpu(), cpu(server)[0])
    time.sleep(seconds)
    time_passed, after = time.monotonic() - start, (database_cpu(), cpu(server)[0])
    calls = int(query("SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '%probe%'"))
    shares = [f"{(late - early) / time_passed * 100:.1f} %" for early, late in zip(before, after)]
    print(f"| {what} | {calls / time_passed:,.0f} | {shares[0]} | {shares[1]} |", flush=True)


def come(number, names):
    connection = Talker("ws://127.0.0.1:" + saved("server1.port"), f"person{number}")
    refs = [connection.say("join", room=name) for name in names]
    refs.append(connection.say("people", names=["person0", "person1"]))
    refs += [connection.say("subscribe", list=name) for name in ("me/rooms", "me/mentions", "me/people")]
    waiting = set(refs)
    while waiting:
        frame = json.loads(connection.frame())
        if frame["type"] == "error":
            raise SystemExit(f"the server answered: {frame}")
        waiting.discard(frame.get("ref"))
    return connection


query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
print("| | statements a second | CPU of PostgreSQL | CPU of the server |\n|---|---|---|---|")
measure("without people")
count = max(people, 20)
connections = [come(number, [f"room{(number + place) % count}" for place in range(rooms)]) for number in range(people)]
time.sleep(10)  # the last joins are known everywhere
measure(f"{people:,} people with {rooms} rooms each")
