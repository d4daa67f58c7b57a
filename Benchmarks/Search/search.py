"""The time of a search of many messages, and what the index costs while they are sent. Exits with 1 if a goal is missed.
usage: search.py FOLDER-OF-PROGRAMS [MESSAGES]"""

import itertools
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker, processor

ROOMS = 20
WORDS = 20_000
BATCH = 200  # messages of each person that are under way
SEARCHES = 200
GOAL = 0.050  # seconds, of 95 in 100 searches


def vocabulary():
    """Words with the frequencies of a language: the word of rank r comes 1 / r as often as the first."""
    words = [f"{random.choice('bdfgklmnprst')}{random.choice('aeiou')}{number:x}{random.choice(('', 'en', 'ung', 's'))}" for number in range(WORDS)]
    return words, list(itertools.accumulate(1 / rank for rank in range(1, WORDS + 1)))


def send(people, count, words, sums):
    """Sends the messages, each person in a room of their own; returns the seconds."""
    begin = time.monotonic()
    for _ in range(count // (BATCH * len(people))):
        refs = []
        for number, person in enumerate(people):
            frames = b""
            for _ in range(BATCH):
                text = " ".join(random.choices(words, cum_weights=sums, k=12))
                frames += person.request("send", **Talker.message(f"room-{number}") | {"text": text})
            person.socket.sendall(frames)
            refs.append(person.ref)
        for person, ref in zip(people, refs):
            person.answer(ref)
    return time.monotonic() - begin


def searches(reader, queries):
    """Returns the seconds of each search, ascending, and the results of all."""
    times, found = [], 0
    for query in queries:
        begin = time.monotonic()
        answer = reader.ask("search", query=query, limit=20)
        times.append(time.monotonic() - begin)
        found += len(answer["results"])
    return sorted(times), found


def until_indexed(process):
    """Waits until the server has nothing to do."""
    while True:
        before = processor(process)
        time.sleep(2)
        if processor(process) - before < 0.02:
            return


def main(programs, count):
    random.seed(1)
    words, sums = vocabulary()
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             "--send-rate", "0", "--command-rate", "0", "--page-rate", "0", "--user-bytes", "0", "--room-bytes", "0", "--heartbeat", "600"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            people = [Talker(url, f"person-{number}") for number in range(ROOMS)]
            reader = Talker(url, "reader")
            for number in range(ROOMS):
                reader.ask("join", room=f"room-{number}", command=Talker.message("")["id"])
            seconds = send(people, count, words, sums)
            sent = processor(server.pid)
            until_indexed(server.pid)
            indexed = processor(server.pid)
            size = os.path.getsize(f"{folder}/rooms.db-search") / os.path.getsize(f"{folder}/rooms.db")
            print(f"{count:,} messages of 12 words in {ROOMS} rooms: {count / seconds:,.0f} a second, {sent / count * 1e6:.0f} µs of the processor each;")
            print(f"what was not indexed meanwhile: {indexed - sent:.0f} s; the index has {size:.2f} of the bytes of the data")
            missed = False
            for title, ranks in (("two frequent words", range(100)), ("two words", range(100, 2_000)), ("two rare words", range(2_000, WORDS))):
                queries = [" ".join(words[rank] for rank in random.sample(ranks, 2)) for _ in range(SEARCHES)]
                times, found = searches(reader, queries)
                p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
                missed = missed or p95 > GOAL
                print(f"{title:20} p50 {p50 * 1000:7.1f} ms, p95 {p95 * 1000:7.1f} ms, {found / len(queries):4.1f} results")
        finally:
            server.terminate()
            server.wait()
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000))
