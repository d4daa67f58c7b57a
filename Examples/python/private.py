#!/usr/bin/env python3
"""Rooms of Diffroom: makes private, open and direct ones, invites people, answers invitations.

    private.py URL --user ann create bob cid --title Plans     makes a private room, and prints its name
    private.py URL --user ann open tea --title Tea             makes an open room of that name, if it is free
    private.py URL --user ann invite ROOM dan                  as its owner; also: uninvite ROOM dan, title ROOM TEXT,
                                                               topic ROOM TEXT, picture ROOM https://…
    private.py URL --user bob invitations                      prints a line for each: its room's name and title, and by whom
    private.py URL --user bob accept ROOM                      or decline ROOM, which is also how to leave it
    private.py URL --user bob direct ann                       prints the name of the room that is for these two
    private.py URL --user ann pin ROOM MESSAGE                 as a moderator, by the message's id; also: unpin ROOM MESSAGE, and
                                                               pin ROOM MESSAGE --before OTHER or --after OTHER, which moves it
    private.py URL --user bob pins ROOM                        prints a line for each pinned message: its id, author and text

Written from docs/protocol-reference.md; needs nothing but `pip install websockets`. A request that gets no answer, because the
connection or the server ends, is made again with the same id, so it takes effect once. Exit status: 1 if the server
refused something."""

import argparse
import asyncio
import json
import os
import sys
import unicodedata
import uuid

from replica import Replica
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

NOT_NOW = "rate_limited", "unavailable"


async def answer(url, who, request):
    """Returns the answer to a request, over as many connections as it takes."""
    async for socket in connect(url, subprotocols=["diffroom.v1.json"], max_size=None):
        try:
            welcome = await ask(socket, {"type": "hello", "ref": 1} | who)
            return welcome if welcome["type"] == "error" else await ask(socket, request | {"ref": 2})
        except ConnectionClosed as end:
            if end.rcvd and 4500 <= end.rcvd.code <= 4999:
                return {"type": "error", "error": "the connection ended", "message": str(end)}


async def ask(socket, request):
    """Returns the answer on this connection. What is refused for a while only is asked for again."""
    while True:
        await socket.send(json.dumps(request))
        frame = json.loads(await socket.recv())
        while frame.get("ref") != request["ref"]:
            frame = json.loads(await socket.recv())
        if frame["type"] != "error" or frame["error"] not in NOT_NOW:
            return frame
        await asyncio.sleep(frame.get("retryAfter", 1000) / 1000)
        request = request | {"ref": request["ref"] + 1}


def request(arguments):
    """Returns the frame that does what the command line says."""
    names = [unicodedata.normalize("NFC", name) for name in getattr(arguments, "people", [])]
    match arguments.action:
        case "create":
            title = {"title": arguments.title} if arguments.title else {}
            return {"type": "create", "kind": "private", "command": arguments.command, "people": names} | title
        case "open":
            title = {"title": arguments.title} if arguments.title else {}
            return {"type": "create", "kind": "open", "command": arguments.command, "room": arguments.room} | title
        case "direct":
            return {"type": "create", "kind": "direct", "command": arguments.command, "people": names}
        case "invite":
            return moderate(arguments, "invite", user=names[0])
        case "uninvite":
            return moderate(arguments, "appoint", user=names[0], role="none")
        case "title" | "topic":
            return moderate(arguments, arguments.action, text=arguments.text)
        case "picture":
            return moderate(arguments, "picture", url=arguments.text)
        case "pin":
            place = {key: getattr(arguments, key) for key in ("before", "after") if getattr(arguments, key)}
            return moderate(arguments, "pin", message=arguments.message, **place)
        case "unpin":
            return moderate(arguments, "unpin", message=arguments.message)
        case "pins":
            return {"type": "subscribe", "list": f"room/{arguments.room}/pins"}
        case "accept":
            return {"type": "join", "room": arguments.room, "command": arguments.command}
        case "decline":
            return {"type": "leave", "room": arguments.room, "command": arguments.command}
        case "invitations":
            return {"type": "subscribe", "list": "me/rooms", "limit": 5000}


def moderate(arguments, action, **fields):
    return {"type": "moderate", "room": arguments.room, "command": arguments.command, "action": action} | fields


def printable(text):
    return "".join(c if c.isprintable() else " " for c in text)


async def main(arguments):
    token = os.environ.get("DIFFROOM_TOKEN")
    who = {"token": token} if token else {"user": unicodedata.normalize("NFC", arguments.user)}
    frame = await answer(arguments.url, who, request(arguments))
    if frame["type"] == "error":
        return f"{frame['error']}: {frame['message']}"  # sys.exit prints it
    if arguments.action in ("create", "open", "direct"):
        print(frame["list"].split("/")[1])
    if arguments.action == "pins":
        for row in Replica(frame).ordered():
            print(row["id"], row["author"], printable(row["text"]))
    if arguments.action == "invitations":
        for row in Replica(frame).ordered():
            if row["section"] == "invited":
                print(row["id"], printable(row.get("title", "")), printable(f"by {row['by']}" if "by" in row else ""))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="such as ws://127.0.0.1:8080")
    parser.add_argument("--user", help="your name, for a server without keys; else DIFFROOM_TOKEN is your token")
    parser.add_argument("--command", default=str(uuid.uuid4()), metavar="UUID", help="the id of what is done; else a new one")
    actions = parser.add_subparsers(dest="action", required=True)
    create, direct = actions.add_parser("create"), actions.add_parser("direct")
    create.add_argument("people", nargs="*")
    open_room = actions.add_parser("open")
    open_room.add_argument("room")
    for action in create, open_room:
        action.add_argument("--title")
    direct.add_argument("people", nargs="+")
    for name in "invite", "uninvite", "title", "topic", "picture", "accept", "decline":
        action = actions.add_parser(name)
        action.add_argument("room")
        if name in ("invite", "uninvite"):
            action.add_argument("people", nargs=1, metavar="NAME")
        if name in ("title", "topic", "picture"):
            action.add_argument("text")
    for name in "pin", "unpin":
        action = actions.add_parser(name)
        action.add_argument("room")
        action.add_argument("message", metavar="MESSAGE")
        if name == "pin":
            places = action.add_mutually_exclusive_group()
            for place in "before", "after":
                places.add_argument(f"--{place}", metavar="OTHER")
    actions.add_parser("pins").add_argument("room")
    actions.add_parser("invitations")
    arguments = parser.parse_args()
    if not (arguments.user or os.environ.get("DIFFROOM_TOKEN")):
        parser.error("say who you are: --user or DIFFROOM_TOKEN")
    try:
        sys.exit(asyncio.run(main(arguments)))
    except KeyboardInterrupt:
        sys.exit(130)
