#!/usr/bin/env python3
"""Prints the threads of a room, or one thread, to which it adds a reply.

usage: threads.py ws://HOST:PORT USER ROOM [ID [REPLY]]

Without ID it prints the room's last messages that have replies, each with its id. ID is the message that a thread answers. Needs
websockets from PyPI. Exit status: 0 done, 1 the server refused something.
"""

import itertools
import json
import sys
import uuid

from websockets.sync.client import connect

REFS = itertools.count(1)


def ask(server, type, **fields):
    """Returns the answer to a request. Everything else that comes is news."""
    ref = next(REFS)
    server.send(json.dumps({"type": type, "ref": ref} | fields))
    while (answer := json.loads(server.recv())).get("ref") != ref:
        pass
    if answer["type"] == "error":
        sys.exit(answer["message"])
    return answer


def last_messages(server, room):
    """Returns the last messages of a room, or of a thread: to a client it is a room as the others."""
    snapshot = ask(server, "subscribe", list=f"room/{room}/messages", limit=500)
    return [row for section in snapshot["sections"] for row in section["rows"]]


def main(url, user, room, id=None, reply=None):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:
        ask(server, "hello", user=user)
        if id is None:
            for row in last_messages(server, room):
                if thread := row.get("thread"):
                    print(f"{row['id']} {row['author']}: {row['text']} ({thread['count']}, last {', '.join(thread['people'])})")
            return
        thread = f"{room}/thread/{id}"
        if reply:
            ask(server, "send", room=thread, id=str(uuid.uuid4()), text=reply)
        for row in last_messages(server, thread):
            print(f"{row['author']}: {row['text']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
