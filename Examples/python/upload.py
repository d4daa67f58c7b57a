#!/usr/bin/env python3
"""Sends a file to a Diffroom room, and prints an address from which everybody can download it for an hour.

usage: upload.py ws://HOST:PORT ROOM USER FILE [TEXT]      such as: upload.py ws://127.0.0.1:8080 lobby ann cat.png 'look at her'

Needs websockets from PyPI. Exit status: 0 the message is in the room, 1 the server refuses it.
"""

import asyncio
import hashlib
import json
import mimetypes
import os
import sys
import time
import uuid
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

from chat import Chat

ATTEMPTS = 10


def describe(path):
    """Returns what the server is told of a file before it is uploaded."""
    with open(path, "rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    media = mimetypes.guess_type(path)[0] or "application/octet-stream"
    return {"name": os.path.basename(path), "media": media, "size": os.path.getsize(path), "sha256": sha256}


def put(url, path, offset, headers):
    """Sends the bytes of a file from an offset on. Returns the content of the answer."""
    size = os.path.getsize(path)
    headers = {"Content-Type": "application/octet-stream", **headers, "Content-Length": str(size - offset)}
    if offset:
        headers["Content-Range"] = f"bytes {offset}-{size - 1}/{size}"
    with open(path, "rb") as file:
        file.seek(offset)
        with urlopen(Request(url, data=file, method="PUT", headers=headers)) as answer:
            return answer.read()


def deliver(permit, path, offset):
    """Sends a file as a permit says. Returns the file as its message is to name it."""
    answer = put(permit["url"], path, offset, permit.get("headers", {}))
    return json.loads(answer) if "confirm" not in permit else confirm(permit)


def confirm(permit):
    """Has the server check the file that is in its store. Returns the file as its message is to name it."""
    with urlopen(Request(permit["confirm"], data=b"", method="POST")) as answer:
        return json.load(answer)


def reached(permit, path):
    """Returns the number of bytes that need not be sent again; all of a file go to a store at once."""
    if "confirm" in permit:
        return 0
    with urlopen(Request(permit["url"], method="HEAD")) as answer:
        # The last byte is sent again where the server has all of them: it answers as before.
        return min(int(answer.headers["upload-offset"]), os.path.getsize(path) - 1)


def why(refusal):
    """Returns the message of a refusal: in JSON of the server, in XML of a store."""
    text = refusal.read().decode(errors="replace")
    try:
        return json.loads(text)["message"]
    except ValueError:
        return f"{refusal}: {text}"


def upload(permit, path):
    """Sends a file, and goes on where the server is when the connection breaks."""
    offset = 0
    for _ in range(ATTEMPTS):
        try:
            return deliver(permit, path, offset)
        except HTTPError as refusal:
            if refusal.code not in (409, 503):  # not now, or not from there
                raise SystemExit(why(refusal)) from refusal
            time.sleep(1)
        except OSError as broken:
            print(f"cut: {broken}", file=sys.stderr)
            time.sleep(1)
        try:
            offset = reached(permit, path)
        except OSError as broken:
            print(f"cut: {broken}", file=sys.stderr)
    raise SystemExit("the file could not be sent")


class Upload(Chat):
    """A chat that sends one message with a file."""

    def __init__(self, url, room, user, path, text):
        super().__init__(url, room, user)
        self.path, self.text, self.message = path, text, str(uuid.uuid4())
        self.web = url.replace("ws", "http", 1)
        self.file = self.address = None

    async def handle(self, frame):
        await super().handle(frame)
        if self.was_refused:
            raise SystemExit(1)
        match frame["type"]:
            case "welcome" if not self.file:
                await self.request("upload", room=self.room, message=self.message, **describe(self.path))
            case "uploading" if not self.file:
                addresses = {name: urljoin(self.web, frame[name]) for name in ("url", "confirm") if name in frame}
                self.file = await asyncio.to_thread(upload, frame | addresses, self.path)
                self.outbox[self.message] = {"text": self.text or self.file["name"], "files": [self.file]}
                await self.flush()
            case "ok" | "welcome" if self.file and not self.outbox:
                place = {"message": self.message, "id": self.file["id"]}
                await self.request("links", room=self.room, files=[place])
            case "links":
                self.address, self.has_ended = urljoin(self.web, frame["urls"][0]), True

    def show(self, changes):
        """Prints no messages."""


async def main(url, room, user, path, text=""):
    if not os.path.isfile(path):
        raise SystemExit(f"there is no file {path}")
    chat = Upload(url, room, user, path, text)
    await chat.run()
    print(chat.address)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
