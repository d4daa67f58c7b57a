#!/usr/bin/env python3
"""Chats in a Diffroom room: sends the lines of standard input, prints what happens there.

Written from docs/protocol.md; needs nothing but `pip install websockets`. Prints a line per change: + a message came,
- it was deleted, ~ its text was replaced, * its reactions changed. At the end of the input it waits until the server has
taken everything, and exits 0; 1 if the server refused something."""

import argparse
import asyncio
import contextlib
import json
import random
import sys
import uuid

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException


class Resync(Exception):
    """What is held cannot go on: (why, whether the server can go on from it)."""


def digest(rows):
    total = 0
    for row in rows:
        value = 2166136261
        for byte in uuid.UUID(row["id"]).bytes + row["sort"].to_bytes(8, "big") + row["rev"].to_bytes(8, "big"):
            value = (value ^ byte) * 16777619 % 2**32
        total += value
    return total % 2**32


class Replica:
    """What is held of one list: `rows` by id, as of `revision`."""

    def __init__(self, snapshot):
        self.epoch, self.joined, self.more = snapshot["epoch"], snapshot["joined"], snapshot["more"]
        rows = {row["id"]: row | {"section": part["id"]} for part in snapshot["sections"] for row in part["rows"]}
        self.take_over(rows, snapshot["revision"], snapshot)

    def apply(self, diff):
        """Applies a diff whole or not at all; returns what changed, as (sign, row)."""
        operations = {key: value for key, value in diff.items() if isinstance(value, list)}
        if diff["epoch"] == self.epoch and diff["to"] <= self.revision:
            return []
        if diff["epoch"] != self.epoch or diff["from"] != self.revision:
            raise Resync("a diff is missing", True)
        gone = set(operations.pop("del", []))
        rows = {id: row for id, row in self.rows.items() if id not in gone}
        changes = [("-", self.rows[id]) for id in gone & self.rows.keys()]
        for name, sign in ("mov", ">"), ("ins", "+"), ("rel", "~"), ("cfg", "*"):
            for new in operations.pop(name, []):
                held = rows.get(new["id"])
                if held is None and name != "ins":
                    continue  # it stands before all that is held
                if held and new["rev"] <= self.rows[new["id"]]["rev"]:
                    continue  # it is held as it is, or later
                if name in ("mov", "cfg"):
                    new = held | new
                elif name == "rel":
                    new = new | {"section": held["section"], "sort": held["sort"]}
                rows[new["id"]] = new
                changes.append((sign, new))
        if operations:
            raise Resync(f"operations of a later version: {list(operations)}", False)
        self.take_over(rows, diff["to"], diff)
        return changes

    def take_over(self, rows, revision, proof):
        count = proof["count"]
        right = len(rows) <= count if self.more else len(rows) == count
        if right and len(rows) >= min(32, count):
            right = digest(sorted(rows.values(), key=lambda row: (row["section"], row["sort"]))[-32:]) == proof["digest"]
        if not right:
            raise Resync("the digest is wrong", False)
        self.rows, self.revision = rows, revision


class Chat:
    def __init__(self, arguments):
        self.arguments, self.list = arguments, f"room/{arguments.room}/messages"
        self.outbox = {}  # texts by id, until the server has them
        self.asked = {}  # requests by ref, until they are answered
        self.socket = self.replica = None
        self.live = self.ended = self.refused = False
        self.refs = self.due = self.retry_after = 0

    async def request(self, type, **fields):
        self.refs += 1
        self.asked[self.refs] = frame = {"type": type, "ref": self.refs} | fields
        await self.socket.send(json.dumps(frame))

    async def subscribe(self, resume=True):
        names = ("epoch", "revision", "joined") if self.replica and resume else ()
        held = {name: getattr(self.replica, name) for name in names}
        await self.request("subscribe", list=self.list, resume=held or None)

    async def send(self, id):
        with contextlib.suppress(WebSocketException):  # what is cut off is sent again, with the same id
            await self.request("send", room=self.arguments.room, id=id, text=self.outbox[id])

    async def take(self, frame):
        request = self.asked.pop(frame.get("ref"), {})
        match frame["type"]:
            case "welcome":
                self.live = True
                await self.subscribe()
                for id in list(self.outbox):
                    await self.send(id)
            case "snapshot":
                known = self.replica.rows if self.replica else {}
                self.replica = Replica(frame)
                self.show([("+", row) for id, row in self.replica.rows.items() if id not in known])
            case "diff" if self.replica:
                self.show(self.replica.apply(frame))
            case "ok" if request.get("type") == "send":
                del self.outbox[request["id"]]
                self.due = max(self.due, frame["revision"])
            case "error":
                await self.fail(request, frame)
            case "bye":
                self.retry_after = frame.get("retryAfter", 0) / 1000

    async def fail(self, request, error):
        if error["error"] in ("rate_limited", "unavailable"):
            await asyncio.sleep(error.get("retryAfter", 1000) / 1000)
            return await self.request(**{key: value for key, value in request.items() if key != "ref"})
        print(f"{error['error']}: {error['message']}", file=sys.stderr)
        if request.get("type") != "send":
            raise SystemExit(1)
        del self.outbox[request["id"]]
        self.refused = True

    def show(self, changes):
        for sign, row in changes:
            text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in row["text"])
            likes = "".join(f" {r['emoji']}{len(r['users'])}" for r in row.get("reactions", []))
            print(f"{sign} {row['author']}: {text}{likes}", flush=True)

    def is_done(self):
        return self.ended and not self.outbox and self.replica and self.replica.revision >= self.due

    async def read_input(self):
        while line := await asyncio.to_thread(sys.stdin.readline):
            if text := line.rstrip("\r\n"):
                self.outbox[id := str(uuid.uuid4())] = text
                if self.live:
                    await self.send(id)
        self.ended = not self.arguments.follow
        if self.is_done():
            await self.socket.close()

    async def connection(self):
        async with connect(self.arguments.url, subprotocols=["diffroom.v1.json"], max_size=None) as self.socket:
            self.asked.clear()
            await self.request("hello", user=self.arguments.user)
            async for text in self.socket:
                frame = json.loads(text)
                try:
                    await self.take(frame)
                except Resync as wrong:
                    if frame["type"] == "snapshot":  # there is nothing else to start from
                        raise WebSocketException(wrong.args[0]) from wrong
                    print(f"subscribing again: {wrong.args[0]}", file=sys.stderr)
                    await self.subscribe(resume=wrong.args[1])
                if self.is_done():
                    return

    async def run(self):
        reading, attempt, clock = asyncio.create_task(self.read_input()), 0, asyncio.get_running_loop().time
        while not self.is_done():
            start = clock()
            try:
                await self.connection()
            except (OSError, WebSocketException) as wrong:
                print(f"cut: {wrong}", file=sys.stderr)
            code, self.live = self.socket and self.socket.close_code, False
            if code and 4500 <= code <= 4999:
                raise SystemExit(f"sent away: {code} {self.socket.close_reason}")
            if not self.is_done():
                attempt = 0 if clock() - start > 5 else attempt
                await asyncio.sleep(self.retry_after + random.uniform(0, min(30, 0.5 * 2**attempt)))
                attempt, self.retry_after = attempt + 1, 0
        await reading
        return int(self.refused)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="such as ws://127.0.0.1:8080")
    parser.add_argument("--room", default="lobby", help="which room (default: lobby)")
    parser.add_argument("--user", required=True, help="your name")
    parser.add_argument("--follow", action="store_true", help="stay at the end of the input")
    try:
        sys.exit(asyncio.run(Chat(parser.parse_args()).run()))
    except KeyboardInterrupt:
        sys.exit(130)
