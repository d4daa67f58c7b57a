#!/usr/bin/env python3
"""Writes standard input as one message that grows, such as the answer of a language model.

usage: some-llm | stream.py [--url ws://HOST:PORT] [--room ROOM] [--user USER]     DIFFROOM_TOKEN may have a token

Needs websockets from PyPI. The first words are sent at once, and all that is read until the answer comes is the next piece.
After a lost connection it goes on where it was. Ctrl-C ends the message as stopped. Exit status: 0 the message is closed,
1 the input is not UTF-8, or the server refused something.
"""

import argparse
import codecs
import itertools
import json
import os
import queue
import random
import signal
import sys
import threading
import time
import uuid

from entered import entered
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

REFS = itertools.count(1)
FINAL = 1003, 1007, 1009, *range(4500, 5000)  # close codes after which a client stays away


class Refused(Exception):
    """The server's error."""


class Input:
    """Standard input. At its end `ended` is "stopped" or "failed", or None for a text that is complete."""

    def __init__(self):
        self.coming, self.unsent, self.has_ended, self.ended = queue.SimpleQueue(), "", False, None
        signal.signal(signal.SIGINT, lambda *_: self.coming.put(("", True, "stopped")))
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        decoder, ended = codecs.getincrementaldecoder("utf-8")(), None
        try:
            while data := os.read(sys.stdin.fileno(), 65536):
                self.coming.put((decoder.decode(data), False, None))
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            ended = "failed"
        self.coming.put(("", True, ended))

    def piece(self):
        """Waits for text, and returns all that is there, as it will be stored; nothing at the end."""
        text = ""
        while not text and not self.has_ended:
            coming = [self.coming.get()]
            while not self.coming.empty():
                coming.append(self.coming.get())
            for come, self.has_ended, self.ended in coming:
                self.unsent += come
                if self.has_ended:
                    break
            held = "\r" if self.unsent.endswith("\r") and not self.has_ended else ""  # a line feed may follow
            text, self.unsent = entered(self.unsent.removesuffix(held))[0], held
        return text


def commands(text, room):
    """Yields the commands of a message. The server has each before the next one is asked for, or has refused it."""
    message = {"room": room, "id": str(uuid.uuid4())}

    def command(type, **fields):
        return {"type": type, "command": str(uuid.uuid4())} | message | fields

    if not (piece := text.piece()):
        return
    yield {"type": "send", "text": piece, "open": True} | message
    try:
        size = len(piece.encode())
        while piece := text.piece():
            yield command("append", at=size, text=piece)
            size += len(piece.encode())
    except Refused:
        yield command("close", ended="failed")
        raise
    yield command("close", **({"ended": text.ended} if text.ended else {}))


def ask(socket, request):
    """Sends a request, and waits for the answer. Everything else that comes is news."""
    ref = next(REFS)
    socket.send(json.dumps(request | {"ref": ref}))
    while (answer := json.loads(socket.recv())).get("ref") != ref:
        pass
    if answer["type"] == "error" and answer["error"] in ("rate_limited", "unavailable"):
        time.sleep(answer.get("retryAfter", 1000) / 1000)
        ask(socket, request)
    elif answer["type"] == "error":
        raise Refused(f"{answer['error']}: {answer['message']}")


def perform(steps, url, who):
    """Sends one command after the other, and each again after a lost connection: the server knows a repeat by its id."""
    command, attempt = next(steps, None), 0
    while command:
        socket = None
        try:
            with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as socket:
                ask(socket, {"type": "hello"} | who)
                while command:
                    try:
                        ask(socket, command)
                        command, attempt = next(steps, None), 0
                    except Refused as refused:
                        command = steps.throw(refused)
        except (OSError, WebSocketException) as lost:
            if socket and socket.close_code in FINAL:
                raise Refused(f"the connection has ended for good: {lost}") from None
            print(f"cut: {lost}", file=sys.stderr)
            time.sleep(random.uniform(0, min(30, 0.5 * 2**attempt)))
            attempt += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="ws://127.0.0.1:8080")
    parser.add_argument("--room", default="lobby")
    parser.add_argument("--user", default="assistant", help="for a server without keys")
    options = parser.parse_args()
    token, text = os.environ.get("DIFFROOM_TOKEN"), Input()
    try:
        perform(commands(text, options.room), options.url, {"token": token} if token else {"user": options.user})
    except Refused as refused:
        sys.exit(str(refused))
    if text.ended == "failed":
        sys.exit("the input is not UTF-8")


if __name__ == "__main__":
    main()
