"""The bytes that one reader gets of the reactions of many people to one message. Exits with 1 if a goal is missed.
usage: reactions.py FOLDER-OF-PROGRAMS [PEOPLE]"""

import json
import os
import subprocess
import sys
import tempfile
import uuid

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker

LOBBY = "room/lobby/messages"
EMOJIS = ["👍", "🎉", "🚀", "👀", "💯", "🔥", "🙏", "👏", "🤝", "🍀", "🌈", "⭐", "🎈", "🍕", "🏆", "🎸", "🐙", "🌵", "🧊", "🪁"]
GOAL = 250  # bytes of a reader for each person who reacts once, each in a commit of its own


def react(person, message, emoji):
    return person.request("react", room="lobby", command=str(uuid.uuid4()), id=message, emoji=emoji, on=True)


def until(reader, revision):
    """Reads frames up to a revision; returns their sizes."""
    sizes, reached = [], 0
    while reached < revision:
        text = reader.frame()
        sizes.append(len(text))
        reached = json.loads(text).get("to", 0)
    return sizes


def row(url, message):
    """Returns the message as a newcomer gets it."""
    frame = Talker(url, "newcomer").ask("subscribe", list=LOBBY)
    return next(row for section in frame["sections"] for row in section["rows"] if row["id"] == message)


def measure(url, reader, people, emojis, in_turn):
    """Lets each of the people react with each emoji to a new message; returns the sizes of a reader's frames.

    `in_turn`: each when the one before was answered, so that each reaction has a commit and a frame of its own."""
    fields = Talker.message("lobby")
    revision = reader.ask("send", **fields)["revision"]
    sizes = until(reader, revision)[:0]
    for emoji in emojis:
        for person in people:
            person.socket.sendall(react(person, fields["id"], emoji))
            if in_turn:
                revision = person.answer(person.ref)["revision"]
        if not in_turn:
            revision = max(person.answer(person.ref)["revision"] for person in people)
        sizes += until(reader, revision)
    names = sum(len(reaction["users"]) for reaction in row(url, fields["id"])["reactions"])
    if names != len(people) * len(emojis):
        raise SystemExit(f"{names} reactions are there, {len(people) * len(emojis)} were sent")
    return sizes


def report(title, sizes, count):
    print(f"{title:52} {sum(sizes):>10,} bytes in {len(sizes):>5,} frames, {sum(sizes) / count:>6,.0f} for each, the largest {max(sizes):>6,}")


def main(programs, count):
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             "--send-rate", "0", "--command-rate", "0", "--heartbeat", "600"],
            stdout=subprocess.PIPE, text=True)
        try:
            url = server.stdout.readline().split()[-1]
            reader = Talker(url, "reader")
            reader.ask("subscribe", list=LOBBY)
            people = [Talker(url, f"person-{number}") for number in range(count)]
            report(f"{count:,} people react once each, at once", measure(url, reader, people, EMOJIS[:1], False), count)
            once = measure(url, reader, people, EMOJIS[:1], True)
            report(f"{count:,} people react once each, in turn", once, count)
            few = people[:40]  # as many as 16 KB of names have room for
            all = measure(url, reader, few, EMOJIS, True)
            report(f"{len(few)} people react with each of {len(EMOJIS)} emojis, in turn", all, len(few) * len(EMOJIS))
        finally:
            server.terminate()
            server.wait()
    return sum(once) > GOAL * count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000))
