#!/usr/bin/env python3
"""Says every kind of request to a server that keeps files, right and wrong, and prints all frames for check.py to read.

usage: record.py URL [ROOM]     `> {...}` from us, `< {...}` from the server; the default room is a new one

Needs websockets from PyPI. Exit status: 0 each request was answered as it should be, 1 one was not.
"""

import asyncio
import json
import sys
import time
import uuid

from websockets.asyncio.client import connect


class Session:
    problems = 0  # of all sessions

    def __init__(self, socket):
        self.socket, self.refs = socket, 0

    async def ask(self, expected, type, **fields):
        """Returns the answer, which must be an `expected`: the type of a frame, or an error."""
        self.refs += 1
        frame = {"type": type, "ref": self.refs} | fields
        await self.socket.send(json.dumps(frame))
        print(("> " if expected not in ("bad_request", "too_large") else "# ") + json.dumps(frame, ensure_ascii=False))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), 10))
            print("< " + json.dumps(answer, ensure_ascii=False))
            if answer.get("ref") == self.refs:
                break
        if answer.get("error", answer["type"]) != expected:
            print(f"{type} was answered with {answer.get('error', answer['type'])}, not {expected}", file=sys.stderr)
            Session.problems += 1
        return answer


async def talk_of_files(ask, room):
    message, digest = str(uuid.uuid4()), "0a" * 32
    file = {"name": "a.png", "media": "image/png", "size": 7, "sha256": digest}
    permit = await ask("uploading", "upload", room=room, message=message, **file)
    await ask("bad_request", "upload", room=room, message=message, **file | {"sha256": digest.upper()})
    await ask("too_large", "upload", room=room, message=message, **file | {"size": 2**40})
    sent = file | {"id": permit["file"], "proof": "p"}
    await ask("not_found", "send", room=room, id=message, text="a.png", files=[sent])
    links = await ask("links", "links", room=room, files=[{"message": message, "id": permit["file"]}])
    assert len(links["urls"]) == 1, links
    await ask("bad_request", "links", room=room, files=[])


async def talk_of_growth(ask, room):
    message = {"room": room, "id": str(uuid.uuid4())}

    async def command(expected, type, **fields):
        return await ask(expected, type, command=str(uuid.uuid4()), **message, **fields)

    await ask("bad_request", "send", **message, text="")
    await ask("ok", "send", **message, text="", open=True)
    await command("ok", "append", at=0, text="Grüße")
    await command("conflict", "append", at=5, text=", all")
    await command("bad_request", "append", at=7, text="")
    await command("ok", "append", at=7, text="\n\n")
    await command("ok", "react", emoji="👍", on=True)
    await command("ok", "edit", text="Hello")
    await command("ok", "append", at=5, text=", all")
    await command("too_large", "append", at=10, text="x" * 8192)
    await command("bad_request", "close", ended="complete")
    await command("ok", "close", ended="stopped")
    await command("conflict", "append", at=10, text="!")
    await command("conflict", "close")


async def talk_of_members(ask, room):
    members = f"room/{room}/members"
    held = await ask("snapshot", "subscribe", list=members, limit=32)
    await ask("ok", "typing", room=room, on=True)
    await ask("ok", "typing", room=room, on=False)
    await ask("ok", "read", room=room, revision=2)
    await ask("bad_request", "read", room=room, revision=2**53 - 1)
    await ask("bad_request", "page", list=members, before=9)
    await asyncio.sleep(1.5)  # the tick's news, and they come before the next answer
    await ask("pong", "ping")
    await ask("ok", "unsubscribe", list=members)
    await ask("found", "search", query="from:ann", room=room)
    await ask("bad_request", "search", query='"open', room=room)
    resume = {name: held[name] for name in ("epoch", "revision", "joined")}
    await ask("diff", "subscribe", list=members, resume=resume)
    await ask("snapshot", "subscribe", list=members, resume=resume | {"epoch": "other"})
    await ask("ok", "unsubscribe", list=f"room/{room}/messages")
    await ask("not_found", "typing", room=room, on=True)


async def talk_of_later(ask):
    """Schedules a message, has a reminder become due, and cancels both."""
    scheduled, reminder = ({"id": str(uuid.uuid4()), "room": "lobby"} for _ in range(2))
    hence = time.time_ns() // 1_000_000 + 86_400_000
    await ask("ok", "later", **scheduled, at=hence, text="good morning", mentions=["bob"], data={"kind": "note"})
    await ask("ok", "later", **scheduled, at=hence + 60_000, text="good day")
    await ask("bad_request", "later", **scheduled, at=hence, text=" ")
    await ask("bad_request", "later", **scheduled, at=hence + 400 * 86_400_000, text="next year")
    await ask("ok", "later", **reminder, at=0, message=str(uuid.uuid4()))
    held = await ask("snapshot", "subscribe", list="me/later")
    while [len(section["rows"]) for section in held["sections"]] != [1, 1]:
        held = await ask("snapshot", "subscribe", list="me/later")
    await ask("ok", "later", id=scheduled["id"])
    await ask("ok", "later", id=reminder["id"])
    await ask("not_found", "later", id=reminder["id"])
    await ask("ok", "unsubscribe", list="me/later")


async def talk_of_blocks(ask):
    """Blocks two users, and unblocks one of them."""
    await ask("ok", "block", user="eve", on=True)
    await ask("ok", "block", user="Åse 日本", on=True)
    await ask("ok", "block", user="eve", on=True)
    await ask("bad_request", "block", user="ann", on=True)
    await ask("bad_request", "block", user="", on=True)
    held = await ask("snapshot", "subscribe", list="me/blocked")
    while len(held["sections"][0]["rows"]) != 2:
        held = await ask("snapshot", "subscribe", list="me/blocked")
    await ask("bad_request", "page", list="me/blocked", before=9)
    await ask("ok", "block", user="eve", on=False)
    await ask("ok", "block", user="eve", on=False)
    await asyncio.sleep(1.5)  # the tick's news
    await ask("pong", "ping")
    await ask("ok", "unsubscribe", list="me/blocked")
    resume = {name: held[name] for name in ("epoch", "revision", "joined")} | {"rows": [[row["id"], row["tag"]] for row in held["sections"][0]["rows"]]}
    await ask("diff", "subscribe", list="me/blocked", resume=resume)
    await ask("ok", "unsubscribe", list="me/blocked")
    await ask("ok", "block", user="Åse 日本", on=False)


async def talk_of_rooms(ask, room, url):
    held = await ask("snapshot", "subscribe", list="me/rooms", limit=32)
    await ask("ok", "join", room=room)
    await ask("ok", "join", room=room)
    await ask("ok", "send", room=room, id=str(uuid.uuid4()), text="é" * 150)
    async with connect(url, subprotocols=["diffroom.v1.json"]) as socket:
        bob = Session(socket).ask
        await bob("welcome", "hello", user="bob")
        await bob("ok", "send", room=room, id=str(uuid.uuid4()), text="@ann?", mentions=["ann"])
    called = await ask("snapshot", "subscribe", list="me/mentions")
    assert [row["text"] for row in called["sections"][0]["rows"]] == ["@ann?"], called
    mention = {name: called["sections"][0]["rows"][0][name] for name in ("id", "time")}
    await ask("bad_request", "page", list="me/mentions", before=9)
    page = await ask("page", "page", list="me/mentions", before=mention, limit=32)
    assert (page["rows"], page["more"]) == ([], False), page
    page = await ask("page", "page", list="me/mentions", before=mention | {"time": mention["time"] + 60_000, "id": f"a/{uuid.uuid4()}"})
    assert [row["id"] for row in page["rows"]] == [mention["id"]], page
    await ask("ok", "people", names=["bob", "Åse 日本"])
    await ask("bad_request", "people", names=[])
    called = await ask("snapshot", "subscribe", list="me/people")
    await ask("ok", "unsubscribe", list="me/people")
    position = {name: called[name] for name in ("epoch", "revision", "joined")} | {"rows": [["bob", str(uuid.uuid4())]]}
    gone = await ask("diff", "subscribe", list="me/people", resume=position | {"revision": 9})
    assert (gone["from"], gone["kept"], gone["del"]) == (9, called["revision"], ["bob"]), gone
    await ask("ok", "unsubscribe", list="me/people")
    await ask("ok", "draft", room="lobby", text="see you th", mentions=["bob"], data={"kind": "note"})
    await ask("bad_request", "draft", room="lobby", text=" ")
    called = await ask("snapshot", "subscribe", list="me/drafts")
    assert [row["text"] for row in called["sections"][0]["rows"]] == ["see you th"], called
    await ask("ok", "unsubscribe", list="me/drafts")
    await ask("ok", "draft", room="lobby")
    await talk_of_later(ask)
    await talk_of_blocks(ask)
    await ask("ok", "unsubscribe", list="me/mentions")
    await ask("not_found", "page", list="me/mentions", before=mention)
    await ask("bad_request", "join", room="..")
    await ask("bad_request", "page", list="me/rooms", before=9)
    await asyncio.sleep(1.5)  # the tick's news, and they come before the next answer
    await ask("pong", "ping")
    await ask("ok", "unsubscribe", list="me/rooms")
    resume = {name: held[name] for name in ("epoch", "revision", "joined")}
    await ask("diff", "subscribe", list="me/rooms", resume=resume)
    await ask("snapshot", "subscribe", list="me/rooms", resume=resume | {"epoch": "other"})
    await talk_of_settings(ask, room)
    await ask("ok", "leave", room=room)
    await ask("ok", "leave", room=room)
    await ask("not_found", "settings", room=room, muted=True)
    await ask("not_found", "read", room=room)


async def talk_of_settings(ask, room):
    await ask("ok", "settings", room=room, pinned=2**20, muted=True)
    await asyncio.sleep(1)  # the tick's news
    await ask("ok", "settings", room=room, pinned=2**50, marked=True)
    await asyncio.sleep(1)
    await ask("ok", "settings", room=room, archived=True, pinned=False)
    await ask("ok", "settings", room=room, archived=True)
    await ask("ok", "read", room=room)
    await ask("ok", "settings", room=room, marked=1)
    await ask("bad_request", "settings", room=room)
    await ask("bad_request", "settings", room=room, pinned=0)
    await asyncio.sleep(1.5)  # the tick's news, and they come before the next answer
    await ask("pong", "ping")


async def talk_of_private_rooms(ask, url):
    command = str(uuid.uuid4())
    plans, other = f"~{command}", f"~{uuid.uuid4()}"
    held = await ask("snapshot", "subscribe", list="me/rooms")
    await ask("ok", "create", kind="private", command=command, people=["bob"], title="Plans")
    await ask("ok", "create", kind="private", command=command, people=["bob"], title="Plans")
    await ask("conflict", "create", kind="private", command=command)
    direct = (await ask("ok", "create", kind="direct", command=str(uuid.uuid4()), people=["bob", "Åse"]))["list"].split("/")[1]
    await ask("bad_request", "create", kind="direct", command=str(uuid.uuid4()), people=["ann"])
    await ask("bad_request", "leave", room=direct)
    tea = f"tea-{uuid.uuid4()}"
    await ask("ok", "create", kind="open", command=str(uuid.uuid4()), room=tea, title="Tea")
    await ask("conflict", "create", kind="open", command=str(uuid.uuid4()), room=tea)
    await ask("snapshot", "subscribe", list=f"room/{plans}/messages")
    await ask("ok", "moderate", room=plans, command=str(uuid.uuid4()), action="title", text="Tea")
    await ask("ok", "moderate", room=plans, command=str(uuid.uuid4()), action="topic", text="What we drink")
    await ask("ok", "moderate", room=plans, command=str(uuid.uuid4()), action="picture", url="https://chat.example/tea.png")
    await ask("bad_request", "moderate", room=plans, command=str(uuid.uuid4()), action="picture", url="tea.png")
    await ask("ok", "moderate", room=plans, command=str(uuid.uuid4()), action="appoint", user="cid", role="read")
    await ask("ok", "moderate", room=plans, command=str(uuid.uuid4()), action="invite", user="cid")
    await ask("bad_request", "moderate", room=plans, command=str(uuid.uuid4()), action="invite", user="ann")
    await ask("audit", "audit", room=plans)
    async with connect(url, subprotocols=["diffroom.v1.json"]) as socket:
        bob = Session(socket).ask
        await bob("welcome", "hello", user="bob")
        await bob("snapshot", "subscribe", list="me/rooms")
        await bob("ok", "join", room=plans)
        await asyncio.sleep(1.5)  # the tick's news, and they come before the next answer
        await bob("pong", "ping")
        await bob("ok", "leave", room=plans)
        for room in plans, other:
            await bob("forbidden", "join", room=room)
    await ask("ok", "unsubscribe", list="me/rooms")
    resume = {name: held[name] for name in ("epoch", "revision", "joined")}
    await ask("diff", "subscribe", list="me/rooms", resume=resume)


async def talk_of_pins(ask):
    """Pins messages in a room of one's own, moves and unpins them, and resumes their list."""
    plans = (await ask("ok", "create", kind="private", command=str(uuid.uuid4())))["list"].split("/")[1]
    first, second, gone = [str(uuid.uuid4()) for _ in range(3)]
    pins = f"room/{plans}/pins"

    async def moderate(answer, action, **what):
        await ask(answer, "moderate", room=plans, command=str(uuid.uuid4()), action=action, **what)

    await ask("ok", "send", room=plans, id=first, text="first, @bob", mentions=["bob"], data={"kind": "poll"})
    await ask("ok", "send", room=plans, id=second, text="second", replyTo=first)
    await moderate("ok", "pin", message=first)
    held = await ask("snapshot", "subscribe", list=pins)
    await moderate("ok", "pin", message=second, before=first)
    await moderate("ok", "pin", message=second, after=first)
    await ask("ok", "edit", room=plans, command=str(uuid.uuid4()), id=first, text="better")
    await moderate("not_found", "pin", message=gone)
    await moderate("not_found", "pin", message=first, before=gone)
    await moderate("bad_request", "pin", message=first, before=first)
    await moderate("ok", "unpin", message=first)
    await moderate("ok", "unpin", message=gone)
    await asyncio.sleep(1)  # the diffs come before the next answer
    await ask("pong", "ping")
    await ask("bad_request", "page", list=pins, before=9)
    await ask("ok", "unsubscribe", list=pins)
    resume = {name: held[name] for name in ("epoch", "revision", "joined")}
    rows = [[row["id"], row["tag"]] for row in held["sections"][0]["rows"]]
    await ask("diff", "subscribe", list=pins, resume=resume | {"rows": rows})
    await ask("audit", "audit", room=plans)


async def talk_of_threads(ask, room, url):
    """Follows a thread, has it in `me/threads` while its message is edited and deleted, and unfollows it."""
    root = str(uuid.uuid4())
    thread, other = f"{room}/thread/{root}", f"{room}/thread/{uuid.uuid4()}"
    news = 1.5  # seconds: the tick's news, which comes before the next answer

    def command():
        return {"command": str(uuid.uuid4())}

    await ask("ok", "send", room=room, id=root, text="Friday?")
    held = await ask("snapshot", "subscribe", list="me/threads", limit=32)
    await ask("not_found", "settings", room=thread, muted=True, **command())
    await ask("ok", "join", room=thread, **command())
    await ask("ok", "join", room=thread, **command())
    await ask("not_found", "join", room=other, **command())
    await ask("forbidden", "moderate", room=thread, action="slow", **{"for": 1000}, **command())
    async with connect(url, subprotocols=["diffroom.v1.json"]) as socket:
        bob = Session(socket).ask
        await bob("welcome", "hello", user="bob")
        await bob("ok", "send", room=thread, id=str(uuid.uuid4()), text="@ann, at ten", mentions=["ann"])
    called = await ask("snapshot", "subscribe", list="me/mentions")
    assert called["sections"][0]["rows"][-1]["room"] == thread, called
    await ask("ok", "unsubscribe", list="me/mentions")
    await ask("ok", "edit", room=room, id=root, text="Monday?", **command())
    await asyncio.sleep(news)
    await ask("ok", "read", room=thread)
    await ask("ok", "settings", room=thread, muted=True, pinned=2**20, **command())
    await ask("ok", "delete", room=room, id=root, **command())
    await asyncio.sleep(news)
    await ask("ok", "settings", room=thread, archived=True, pinned=False, **command())
    await asyncio.sleep(news)
    await ask("pong", "ping")
    await ask("ok", "unsubscribe", list="me/threads")
    kept = await ask("snapshot", "subscribe", list="me/threads")
    rows = [[row["id"], row["tag"]] for section in kept["sections"] for row in section["rows"]]
    assert [id for id, _ in rows] == [thread], kept
    await ask("ok", "unsubscribe", list="me/threads")
    await ask("diff", "subscribe", list="me/threads", resume={name: held[name] for name in ("epoch", "revision", "joined")} | {"rows": rows})
    await ask("ok", "leave", room=thread, **command())
    await ask("ok", "leave", room=thread, **command())
    await ask("not_found", "join", room=thread, **command())


async def talk(url, room):
    messages, first, second = f"room/{room}/messages", str(uuid.uuid4()), str(uuid.uuid4())

    def command():
        return {"room": room, "command": str(uuid.uuid4()), "id": first}

    async with connect(url, subprotocols=["diffroom.v1.json"]) as socket:
        ask = Session(socket).ask
        await ask("unauthorized", "subscribe", list=messages)
        await ask("bad_request", "hello")
        await ask("unauthorized", "hello", token="a.b.c")
        await ask("welcome", "hello", user="ann")
        await ask("unauthorized", "token", token="a.b.c")
        await ask("bad_request", "hello", user="ann")
        await ask("pong", "ping")
        held = await ask("snapshot", "subscribe", list=messages, limit=32)
        await ask("ok", "send", room=room, id=first, text="one\n\"two\" \\ 👍")
        await ask("ok", "send", room=room, id=second, text="three, @bob", replyTo=first, mentions=["bob"])
        await ask("conflict", "send", room=room, id=second, text="another")
        await ask("too_large", "send", room=room, id=str(uuid.uuid4()), text="x" * 9000)
        await ask("too_large", "send", room=room, id=str(uuid.uuid4()), text="x" * 900000)
        await ask("ok", "edit", **command(), text="better, @cid and @Åse", mentions=["cid", "Åse"])
        await ask("ok", "edit", **command(), text="better, @cid", mentions=["cid"])
        await ask("bad_request", "edit", **command(), text="@cid @cid", mentions=["cid", "cid"])
        await ask("forbidden", "edit", **command(), text="@room", everyone=True)
        await ask("too_large", "edit", **command(), text="@all", mentions=[f"p{n}" for n in range(51)])
        await ask("ok", "edit", **command(), data={"kind": "poll", "choices": ["tea", "é"]})
        await ask("ok", "edit", **command(), text="better", data={})
        await ask("bad_request", "edit", **command(), data=["tea"])
        await ask("bad_request", "edit", **command())
        await ask("too_large", "edit", **command(), data={"kind": "x" * 4096})
        await ask("ok", "react", **command(), emoji="👍", on=True)
        await ask("ok", "react", **command(), emoji="👍", on=False)
        await ask("ok", "delete", **command())
        await ask("not_found", "delete", **command())
        await ask("page", "page", list=messages, before=9, limit=32)
        await ask("page", "page", list=messages, after=0)
        await ask("page", "page", list=messages, after=1, before=3)
        await ask("page", "page", list=messages, around={"id": second})
        await ask("page", "page", list=messages, around={"revision": 2})
        await ask("page", "page", list=messages, around={"time": 1700000000000})
        await ask("not_found", "page", list=messages, around={"id": str(uuid.uuid4())})
        await ask("bad_request", "page", list=messages)
        await ask("ok", "unsubscribe", list=messages)
        await ask("not_found", "unsubscribe", list=messages)
        resume = {name: held[name] for name in ("epoch", "revision", "joined")}
        await ask("diff", "subscribe", list=messages, resume=resume)
        await ask("diff", "subscribe", list=messages, resume=resume | {"ranges": [[0, held["revision"]]], "at": 0})
        await ask("bad_request", "subscribe", list=messages, resume=resume | {"ranges": []})
        await ask("snapshot", "subscribe", list=messages, resume=resume | {"epoch": "other"})
        await ask("snapshot", "subscribe", list=messages, resume=resume | {"revision": 2**53 - 1})
        await talk_of_growth(ask, room)
        bob = {"room": room, "command": str(uuid.uuid4()), "user": "bob"}
        await ask("forbidden", "moderate", action="kick", **bob)
        await ask("bad_request", "moderate", action="praise", **bob)
        await ask("forbidden", "audit", room=room)
        await ask("bad_request", "sned")
        await talk_of_members(ask, room)
        await talk_of_rooms(ask, room, url)
        await ask("ok", "unsubscribe", list="me/rooms")
        await talk_of_private_rooms(ask, url)
        await talk_of_pins(ask)
        await talk_of_threads(ask, room, url)
        await talk_of_files(ask, room)
    return 1 if Session.problems else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    sys.exit(asyncio.run(talk(sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else f"record-{uuid.uuid4().hex[:8]}")))
