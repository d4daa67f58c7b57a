#!/usr/bin/env python3
"""Chats in a Diffroom room: sends the lines of standard input, prints what happens there.

Written from docs/protocol-reference.md; needs nothing but `pip install websockets`. Prints a line per change: + a message came,
- it was deleted, ~ its text was replaced, or has grown to its end, * its reactions or its thread changed; … stands for those that are not loaded, when too many
came while it was away. An @ before a name mentions that person, and @room everybody, if one may. At the end of the input it waits until the server has taken everything, and exits 0; 1 if the
server refused something or put the user out of the room."""

import argparse
import asyncio
import json
import os
import random
import ssl
import sys
import unicodedata
import uuid

from entered import can_be_seen, entered
from mentions import mentions, mentions_everyone
from replica import Replica, Resync
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus, WebSocketException

FINAL = 1003, 1007, 1009  # close codes about what was said: to say it again would not help


def reason(wrong):
    """Returns the reason for people why there is no connection."""
    if isinstance(wrong, InvalidStatus) and wrong.response.body:
        return f"{wrong}: {wrong.response.body.decode(errors='replace').strip()}"
    if isinstance(wrong, ssl.SSLError) and not isinstance(wrong, ssl.SSLCertVerificationError):
        return f"{wrong}: a server without TLS has an address with ws://"
    return wrong


class Chat:
    def __init__(self, url, room, user, token_file=None):
        self.url, self.room, self.token_file = url, room, token_file
        self.user = user and unicodedata.normalize("NFC", user)
        self.outbox = {}  # texts to send, by id, in order, until the server has them
        self.replica = None
        self.hello = None  # the answer to it, while connected
        self.role = "write"  # in the room
        self.pause = None  # runs while the server has asked for a pause
        self.refs = self.due = self.retry_after = 0
        self.has_ended = self.was_refused = False
        self.is_wary = False  # one at a time, until it is found which text ends the connection

    async def request(self, type, **fields):
        self.refs += 1
        self.requests[self.refs] = {"type": type} | fields
        await self.socket.send(json.dumps({"type": type, "ref": self.refs} | fields))

    async def subscribe(self, resume=True):
        held = self.replica if resume else None
        await self.request("subscribe", list=f"room/{self.room}/messages", resume=held and held.resume())

    def who(self):
        """Returns the credential. A token is read anew each time, because it ends."""
        if self.token_file:
            with open(self.token_file) as file:
                return {"token": file.read().strip()}
        token = os.environ.get("DIFFROOM_TOKEN")
        return {"token": token} if token else {"user": unicodedata.normalize("NFC", self.user)}

    def understand(self, line, number):
        """Returns the text of a line of input, as it is stored; nothing if there is none."""
        try:
            text, is_reduced = entered(line.decode().rstrip("\r\n"))
        except UnicodeDecodeError:
            print(f"line {number} is not UTF-8: convert the input before, as with iconv -f latin1 -t utf-8", file=sys.stderr)
            self.was_refused = True
            return None
        if is_reduced:
            print(f"line {number}: left out control characters, which no message can have", file=sys.stderr)
        if text.strip() and not can_be_seen(text):
            print(f"line {number}: nothing of it can be seen", file=sys.stderr)
            self.was_refused = True
        return text if can_be_seen(text) else None

    async def send(self, text):
        people = {row["author"] for row in self.replica.rows.values() if "author" in row} if self.replica else ()
        called = mentions(text, people)  # now and not when it is sent: a repeat with other content would be refused
        everyone = self.may_mention_everyone() and mentions_everyone(text, people)
        said = {"text": text} | ({"mentions": called} if called else {}) | ({"everyone": True} if everyone else {})
        self.outbox[str(uuid.uuid4())] = said
        await self.flush()

    def may_mention_everyone(self):
        return self.role in ("moderate", "own") or (self.role == "write" and self.room[0] in "~@")

    async def flush(self):
        """Sends the texts that are neither accepted nor under way, in order."""
        for id, said in list(self.outbox.items()):
            if not self.hello or self.pause or len(self.requests) >= self.hello["limits"]["pending"]:
                return
            if self.is_wary and self.under_way():
                return
            size, limit = len(said["text"].encode()), self.hello["limits"]["text"]
            if size > limit:
                self.refuse(id, "too_large", f"the text has {size} bytes, at most {limit} are taken")
            elif id in self.outbox and id not in self.under_way():
                await self.request("send", room=self.room, id=id, **said)

    def under_way(self):
        """Returns the ids of the messages that wait for their answers."""
        return [request["id"] for request in self.requests.values() if request["type"] == "send"]

    def refuse(self, id, error, why):
        """Removes a refused text from the outbox, and reports it."""
        if self.outbox.pop(id, None) is not None:
            print(f"{error}: {why}", file=sys.stderr)
            self.was_refused = True

    def suspect(self, code):
        """Handles an end with one of FINAL: if only one text was under way, that one caused it."""
        under_way = self.under_way()
        if not self.hello:
            raise SystemExit(f"sent away: {code} {self.socket.close_reason}")
        if self.is_wary and under_way:
            self.refuse(under_way[0], "too_large", f"the connection ends of it: {code}")
        self.is_wary = bool(self.outbox)

    async def wait(self, seconds):
        """Sends refused texts again later: all of them, because those under way were refused as well."""
        await asyncio.sleep(seconds)
        self.pause = None
        try:
            await self.flush()
        except WebSocketException:
            pass  # it is said again on the next connection

    async def handle(self, frame):
        request = self.requests.pop(frame.get("ref"), {})
        match frame["type"]:
            case "welcome":
                self.hello, self.role = frame, "write"  # unless the server says otherwise
                await self.subscribe()
            case "snapshot":
                before, self.replica = self.replica, Replica(frame)
                self.show(("+", row) for id, row in self.replica.rows.items() if not before or id not in before.rows)
            case "diff" if self.replica:
                gaps = self.replica.gaps()
                changes = self.replica.apply(frame)
                for after, before in self.replica.gaps():
                    if (after, before) not in gaps:
                        print(f"… from {after + 1} to {before - 1}", flush=True)
                self.show(changes)
            case "ok" if request.get("type") == "send":
                del self.outbox[request["id"]]
                self.due = max(self.due, frame["revision"])
            case "error" if frame["error"] in ("rate_limited", "unavailable") and request.get("type") == "send":
                if self.pause:
                    self.pause.cancel()
                self.pause = asyncio.create_task(self.wait(frame.get("retryAfter", 1000) / 1000))
            case "error" if frame["error"] in ("rate_limited", "unavailable"):
                await asyncio.sleep(frame.get("retryAfter", 1000) / 1000)
                await self.request(**request)
            case "error":
                if request.get("type") != "send":
                    raise SystemExit(f"{frame['error']}: {frame['message']}")
                self.refuse(request["id"], frame["error"], frame["message"])
            case "ended":  # to come back is the user's decision
                raise SystemExit(f"{frame['why']}: {frame['message']}")
            case "standing":
                self.role = frame["role"]
            case "expiring":
                await self.request("token", **self.who())
            case "bye":
                self.retry_after = frame.get("retryAfter", 0) / 1000
        if request:
            await self.flush()  # there is room for one more

    def show(self, changes):
        for sign, row in changes:
            if row.get("open") and sign != "-":
                continue  # it is shown at the end of its growth
            said = "This message is damaged" if "damaged" in row else row["text"]
            text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in said)
            likes = "".join(f" {r['emoji']}{len(r['users'])}" for r in row.get("reactions", []))
            ended = f" ({row['ended']})" if "ended" in row else ""
            replies = f" ({row['thread']['count']} in thread)" if "thread" in row else ""
            print(f"{sign} {row.get('author', '?')}: {text}{ended}{likes}{replies}", flush=True)

    def is_done(self):
        return self.has_ended and not self.outbox and self.replica and self.replica.revision >= self.due

    async def converse(self):
        """Runs one connection, to its end."""
        async with connect(self.url, subprotocols=["diffroom.v1.json"], max_size=None) as self.socket:
            self.requests = {}  # requests by ref, until they are answered
            await self.request("hello", **self.who())
            while not self.is_done():
                frame = json.loads(await self.socket.recv())
                try:
                    await self.handle(frame)
                except Resync as wrong:
                    print(f"subscribing again: {wrong.args[0]}", file=sys.stderr)
                    await self.subscribe(resume=wrong.args[1])

    async def run(self):
        """Runs until everything is sent and seen, through every loss of the connection."""
        attempt, clock = 0, asyncio.get_running_loop().time
        while not self.is_done():
            start, self.socket = clock(), None
            try:
                await self.converse()
            except (OSError, WebSocketException, json.JSONDecodeError) as wrong:
                if not self.is_done():
                    print(f"cut: {reason(wrong)}", file=sys.stderr)
            if self.socket and self.socket.close_code in FINAL:
                self.suspect(self.socket.close_code)
            self.hello = None
            if self.pause:
                self.pause.cancel()
            self.pause = None
            if self.socket and 4500 <= (self.socket.close_code or 0) <= 4999:
                raise SystemExit(f"sent away: {self.socket.close_code} {self.socket.close_reason}")
            if not self.is_done():
                attempt = 0 if clock() - start > 5 else attempt
                await asyncio.sleep(self.retry_after + random.uniform(0, min(30, 0.5 * 2**attempt)))
                attempt, self.retry_after = attempt + 1, 0


async def main(arguments):
    chat = Chat(arguments.url, arguments.room, arguments.user, arguments.token_file)

    async def read_input():
        number = 0
        while line := await asyncio.to_thread(sys.stdin.buffer.readline):
            number += 1
            try:
                if text := chat.understand(line, number):
                    await chat.send(text)
            except WebSocketException:
                pass  # it is said again, with the same id
        chat.has_ended = not arguments.follow
        if chat.is_done():
            await chat.socket.close()

    await asyncio.gather(chat.run(), read_input())
    return int(chat.was_refused)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="such as ws://127.0.0.1:8080")
    parser.add_argument("--room", default="lobby", help="which room (default: lobby)")
    parser.add_argument("--user", help="your name, for a server without keys")
    parser.add_argument("--token-file", help="a file with a token, for a server with keys; or DIFFROOM_TOKEN")
    parser.add_argument("--follow", action="store_true", help="stay at the end of the input")
    arguments = parser.parse_args()
    if not (arguments.user or arguments.token_file or os.environ.get("DIFFROOM_TOKEN")):
        parser.error("say who you are: --user, --token-file or DIFFROOM_TOKEN")
    try:
        sys.exit(asyncio.run(main(arguments)))
    except KeyboardInterrupt:
        sys.exit(130)
