#!/usr/bin/env python3
"""Prints the threads that a user follows, the threads of a room, or one thread, which it follows or to which it adds a reply.

usage: threads.py ws://HOST:PORT USER [ROOM [ID [REPLY]]]
       threads.py ws://HOST:PORT USER --follow ROOM ID

Without ROOM it prints the threads that the user follows, with their unread replies. Without ID it prints the room's last messages that
have replies, each with its id. ID is the message that a thread answers. The author of a reply follows the thread. Needs websockets from PyPI.
Exit status: 0 done, 1 the server refused something.
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


def print_followed(server):
    """Prints the rows of `me/threads`. Without `root` the message that the thread answers is deleted."""
    for section in ask(server, "subscribe", list="me/threads", limit=100)["sections"]:
        for row in section["rows"]:
            root = row.get("root", {"text": "a deleted message"})
            print(f"{row['id']} {root.get('text', 'a damaged message')} ({row['unread']} unread, {row['mentions']} mentioning the user)")


def print_threads(server, room):
    for row in last_messages(server, room):
        if thread := row.get("thread"):
            print(f"{row['id']} {row['author']}: {row['text']} ({thread['count']}, last {', '.join(thread['people'])})")


def print_replies(server, thread):
    for row in last_messages(server, thread):
        print(f"{row['author']}: {row['text']}")


def main(url, user, *words):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:
        ask(server, "hello", user=user)
        match words:
            case ():
                print_followed(server)
            case ("--follow", room, id):
                ask(server, "join", room=f"{room}/thread/{id}", command=str(uuid.uuid4()))
            case (room,):
                print_threads(server, room)
            case (room, id):
                print_replies(server, f"{room}/thread/{id}")
            case (room, id, reply):
                ask(server, "send", room=f"{room}/thread/{id}", id=str(uuid.uuid4()), text=reply)
                print_replies(server, f"{room}/thread/{id}")


if __name__ == "__main__":
    main(*sys.argv[1:])
