#!/usr/bin/env python3
"""Prints the Diffroom rooms that one is invited to and those that one is a member of, newest last, with what is unread and,
as @2, how often one is mentioned there; joins, leaves and reads rooms. To join where one is invited is to accept.
Pins rooms, which stand in front of the others, one behind the other; mutes, archives and marks them as unread.

Written from docs/protocol-reference.md; needs nothing but `pip install websockets`. Exit status: 1 if the server refused something.
With --mentions it prints the newest messages that mention one instead, with --all also the older ones, the newest last:
* those that are unread.
With --called it prints what some people are called instead.
With --follow it stays, also when the connection ends, and prints each room that changes: + joined, - left, * something
was said, edited, deleted or read, or somebody comes, goes or is typing."""

import argparse
import asyncio
import json
import os
import sys
import unicodedata
import uuid

from replica import Replica, Resync
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

STEP = 2**20  # between two rooms that are pinned one after the other
SETTINGS = {
    "unpin": {"pinned": False},
    "mute": {"muted": True},
    "unmute": {"muted": False},
    "archive": {"archived": True},
    "unarchive": {"archived": False},
    "mark_unread": {"marked": True},
}


class Rooms:
    def __init__(self):
        self.socket, self.refs, self.list = None, 0, None
        self.answers = {}  # by ref, those that came while a later request was awaited

    async def request(self, type, **fields):
        """Returns the answer to a request; news that comes before it is applied, which may ask for something itself."""
        self.refs += 1
        ref = self.refs
        await self.socket.send(json.dumps({"type": type, "ref": ref} | fields))
        while ref not in self.answers:
            frame = json.loads(await self.socket.recv())
            if "ref" in frame:
                self.answers[frame["ref"]] = frame
            else:
                await self.handle(frame)
        frame = self.answers.pop(ref)
        if frame["type"] == "error":
            raise SystemExit(f"{frame['error']}: {frame['message']}")
        return frame

    async def subscribe(self, resume=None):
        await self.handle(await self.request("subscribe", list="me/rooms", limit=5000, resume=resume))

    async def handle(self, frame):
        """Applies a frame of the list, and returns its changes."""
        if frame.get("list") != "me/rooms":
            return []
        if frame["type"] == "snapshot":
            self.list = Replica(frame)
        try:
            return self.list.apply(frame) if frame["type"] == "diff" else []
        except Resync as wrong:
            await self.subscribe(self.place() if wrong.args[1] else None)
            return []

    async def called(self, names):
        """Returns the profiles of those of these people who have one."""
        await self.request("people", names=names)
        return Replica(await self.request("subscribe", list="me/people")).rows

    async def mentions(self, all=False):
        """Returns the rows of the newest messages that mention one, or of all."""
        rows = Replica(await self.request("subscribe", list="me/mentions")).ordered()
        more = all and rows
        while more:
            place = {name: rows[0][name] for name in ("id", "time")}
            page = await self.request("page", list="me/mentions", before=place, limit=500)
            rows, more = page["rows"] + rows, page["more"]
        return rows

    async def read(self, rooms):
        """Marks all that is in these rooms as read, at most 200, and waits until the list shows it."""
        for one in (await self.request("read", rooms=rooms))["rooms"]:
            if "error" in one:
                raise SystemExit(f"{one['error']}: {one['message']}")
            await self.shows(one["room"], lambda row, revision=one["revision"]: row["read"] >= revision)

    async def set(self, room, **settings):
        """Changes one's settings of a room, and waits until the list shows them."""
        await self.request("settings", room=room, command=str(uuid.uuid4()), **settings)
        await self.shows(room, lambda row: all(has(row, *setting) for setting in settings.items()))

    async def pin(self, room):
        """Pins a room behind the pinned ones, with numbers between them for rooms that are to come there."""
        places = [row["sort"] for row in self.list.rows.values() if row["section"] == "pinned"]
        await self.set(room, pinned=max(places, default=0) + STEP)

    async def shows(self, room, is_right):
        while room not in self.list.rows or not is_right(self.list.rows[room]):
            await self.handle(json.loads(await self.socket.recv()))

    def place(self):
        return self.list and {"epoch": self.list.epoch, "revision": self.list.revision, "joined": self.list.joined}

    async def follow(self):
        while True:
            changes = await self.handle(json.loads(await self.socket.recv()))
            for sign, row in {row["id"]: (sign, row) for sign, row in changes}.values():
                print({"+": "+", "-": "-"}.get(sign, "*"), line(row), flush=True)

    async def come_back(self):
        """Subscribes on a new connection, and prints what changed meanwhile."""
        before = self.list.rows
        await self.subscribe(self.place())
        after = self.list.rows
        for id in sorted(before.keys() | after.keys(), key=lambda id: (after.get(id) or before[id])["sort"]):
            if before.get(id) != after.get(id):
                print("-" if id not in after else "*" if id in before else "+", line(after.get(id) or before[id]), flush=True)


def has(row, setting, value):
    """Returns whether a room's row shows a setting. An archived room does not show its place."""
    if setting == "pinned":
        return row["section"] == "archived" or (row["section"] == "pinned") == (value is not False)
    if setting == "archived":
        return (row["section"] == "archived") == value
    return row.get(setting, False) == bool(value)  # the row of a room says that it is marked, and not from where on


def line(row):
    said = row.get("last")
    last = f"{said.get('author', '?')}: {said.get('text', 'This message is damaged')}" if said else "nothing was said"
    text = "".join(c if c.isprintable() else " " for c in last)
    called = f" @{row['mentions']}" if row["mentions"] else ""
    by = f" by {row['by']}" if "by" in row else ""
    signs = [row["section"] + by] if row["section"] != "rooms" else []
    signs += [setting for setting in ("muted", "marked", "typing", "here") if row.get(setting)]
    return f"{', '.join(signs) + ': ' if signs else ''}{label(row)} ({row['unread']} unread{called}) {text}"


def mention(row):
    text = "".join(c if c.isprintable() else " " for c in row["text"])
    return f"{' ' if row['read'] else '*'} {row['room']} {row['author']}: {text} [{row['message']}]"


def label(row):
    """Returns what people call a room, and its name."""
    called = row.get("title") or ", ".join(row.get("people", []))
    return "".join(c if c.isprintable() else " " for c in called) + f" [{row['id']}]" if called else row["id"]


async def main(arguments):
    token = os.environ.get("DIFFROOM_TOKEN")
    who = {"token": token} if token else {"user": unicodedata.normalize("NFC", arguments.user)}
    rooms = Rooms()
    async for rooms.socket in connect(arguments.url, subprotocols=["diffroom.v1.json"], max_size=None):
        try:
            await rooms.request("hello", **who)
            if rooms.list:
                await rooms.come_back()
            else:
                for type in ("join", "leave"):
                    for room in getattr(arguments, type):
                        await rooms.request(type, room=room, command=str(uuid.uuid4()))
                if arguments.called:
                    names = [unicodedata.normalize("NFC", name) for name in arguments.called]
                    known = await rooms.called(names)
                    print("".join(f"{known.get(name, {}).get('name', '-')} ({name})\n" for name in names), end="")
                    return
                if arguments.mentions:
                    print("".join(mention(row) + "\n" for row in await rooms.mentions(arguments.all)), end="")
                    return
                await rooms.subscribe()
                for room in arguments.pin:
                    await rooms.pin(room)
                for option, settings in SETTINGS.items():
                    for room in getattr(arguments, option):
                        await rooms.set(room, **settings)
                for room, sort in arguments.unread_from:
                    await rooms.set(room, marked=int(sort))
                if arguments.read:
                    await rooms.read(list(dict.fromkeys(arguments.read)))
                for row in rooms.list.ordered():
                    print(line(row), flush=True)
                if rooms.list.missing:
                    print("Some rooms cannot be loaded now.", file=sys.stderr)
            if not arguments.follow:
                return
            await rooms.follow()
        except ConnectionClosed as end:
            if not arguments.follow or (end.rcvd and 4500 <= end.rcvd.code <= 4999):
                raise SystemExit(f"the connection ended: {end}") from end


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="such as ws://127.0.0.1:8080")
    parser.add_argument("--user", help="your name, for a server without keys; else DIFFROOM_TOKEN is your token")
    parser.add_argument("--join", action="append", default=[], metavar="ROOM")
    parser.add_argument("--leave", action="append", default=[], metavar="ROOM")
    parser.add_argument("--read", action="append", default=[], metavar="ROOM", help="mark all that is there as read")
    parser.add_argument("--called", nargs="+", metavar="NAME", help="print what these people are called")
    parser.add_argument("--mentions", action="store_true", help="print the newest messages that mention you")
    parser.add_argument("--all", action="store_true", help="with --mentions: also the older ones")
    parser.add_argument("--pin", action="append", default=[], metavar="ROOM", help="put it behind the pinned rooms")
    for option in SETTINGS:
        parser.add_argument(f"--{option.replace('_', '-')}", action="append", default=[], metavar="ROOM")
    parser.add_argument(
        "--unread-from", nargs=2, action="append", default=[], metavar=("ROOM", "SORT"),
        help="mark the message with this sort key as unread, and all behind it")
    parser.add_argument("--follow", action="store_true", help="stay, and print what changes")
    arguments = parser.parse_args()
    if not (arguments.user or os.environ.get("DIFFROOM_TOKEN")):
        parser.error("say who you are: --user or DIFFROOM_TOKEN")
    try:
        sys.exit(asyncio.run(main(arguments)))
    except KeyboardInterrupt:
        sys.exit(130)
