#!/usr/bin/env python3
"""Writes the golden vectors beside this file, from docs/protocol-reference.md alone: nothing here is shared with the server.

usage: make-vectors.py [FOLDER]     default: vectors/ beside this file
"""

import hashlib
import json
import sys
import unicodedata
import uuid
from pathlib import Path

EPOCH = "7f1e0c9a"
LIST = "room/lobby/messages"
THREAD = "room/lobby/thread/00000002-0000-4000-8000-000000000000/messages"
MEMBERS = "room/lobby/members"
ROOMS = "me/rooms"
THREADS = "me/threads"
PINS = "room/lobby/pins"
MENTIONS = "me/mentions"
PEOPLE = "me/people"
DRAFTS = "me/drafts"
LATER = "me/later"
BLOCKED = "me/blocked"
WINDOW = 32


def fnv1a(data):
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 % 2**32
    return value


def id_bytes(row):
    return uuid.UUID(row["id"]).bytes if ("author" in row or "damaged" in row or "at" in row) and "/" not in row["id"] else row["id"].encode()


def digest(rows, window=WINDOW):
    """Of the last rows, as many as `window`."""
    def one(row):
        return fnv1a(id_bytes(row) + row["sort"].to_bytes(8, "big") + row["rev"].to_bytes(8, "big"))

    return sum(one(row) for row in (rows[-window:] if window else [])) % 2**32


def name(number):
    return f"{number % 2**32:08x}-0000-4000-8000-000000000000"


def row(number, rev=None, **other):
    made = {"id": name(number), "sort": number, "rev": rev or number, "author": "ann", "time": 1700000000000 + number}
    return made | {"text": f"message {number}"} | other


def proof(rows):
    return {"count": len(rows), "digest": digest(rows)}


def snapshot(rows, revision, joined=None, limit=500, why="fresh"):
    """`rows`: the whole list."""
    joined = revision if joined is None else joined
    tail = rows[-limit:]
    sections = [
        {"id": "history", "rows": [r for r in tail if r["sort"] <= joined]},
        {"id": "socket", "rows": [r for r in tail if r["sort"] > joined]},
    ]
    head = {"type": "snapshot", "list": LIST, "epoch": EPOCH, "revision": revision, "joined": joined, "why": why}
    return head | {"sections": sections, "more": len(rows) > limit} | proof(rows)


def diff(start, to, rows, **operations):
    """`rows`: the whole list as it is at `to`."""
    head = {"type": "diff", "list": LIST, "epoch": EPOCH, "from": start, "to": to}
    for made in operations.get("ins", []):
        made["section"] = "socket"
    return head | operations | proof(rows)


def page(revision, start, end, rows, newer=True):
    """`rows`: all rows of the list from sort key `start` to `end`, as they are at `revision`."""
    head = {"type": "page", "list": LIST, "epoch": EPOCH, "revision": revision, "from": start, "to": end}
    return head | {"rows": rows, "more": start > 0, "newer": newer, "ref": 1}


def liked_by(*users):
    return {"reactions": [{"emoji": "👍", "users": list(users)}] if users else []}


def cfg(number, rev, *users):
    return {"id": name(number), "rev": rev} | liked_by(*users)


def emoji(sign, *users):
    return {"emoji": sign, "users": list(users)}


def rea(number, rev, **change):
    return {"id": name(number), "rev": rev} | change


def app(number, rev, at, text="", **change):
    return {"id": name(number), "rev": rev, "at": at, "text": text} | change


def replies(count, *people):
    return {"thread": {"count": count, "time": 1700000005000 + count, "people": list(people)}}


def mov(number, sort, rev):
    return {"id": name(number), "section": "history", "sort": sort, "rev": rev}


def held(history, socket, revision, spans=None):
    """Returns a reader's state. `spans`: the ranges that it holds; the whole list if none are given."""
    sections = [("history", history), ("socket", socket)]
    rows = [{k: v for k, v in r.items() if k != "section"} | {"section": s} for s, part in sections for r in part]
    spans = spans or [[0]]
    return {"revision": revision, "more": spans[0][0] > 0, "ranges": spans, "rows": rows}


class Case:
    """A reader's life: frames, and its state after each."""

    def __init__(self, title, first, after):
        self.title, self.steps = title, []
        self.applied(first, after)

    def applied(self, frame, after):
        return self.step(frame, "applied", after)

    def ignored(self, frame):
        return self.step(frame, "ignored", self.steps[-1]["after"])

    def refused(self, frame, error):
        return self.step(frame, error, self.steps[-1]["after"])

    def step(self, frame, outcome, after):
        self.steps.append({"frame": frame, "outcome": outcome, "after": after})
        return self


def base():
    return [row(1), row(2), row(3)]


def start(title):
    return Case(title, snapshot(base(), 3), held(base(), [], 3))


def operations():
    one, two, three = base()
    four = row(4)
    edited = row(2, 4, text="better", edited=1700000000004)
    liked = row(2, 4, **liked_by("bob"))
    yield start("a message is sent").applied(
        diff(3, 4, [one, two, three, four], ins=[row(4)]), held(base(), [four], 4))
    yield start("a message is edited").applied(
        diff(3, 4, [one, edited, three], rel=[edited]), held([one, edited, three], [], 4))
    yield start("a reaction comes and goes").applied(
        diff(3, 4, [one, liked, three], cfg=[cfg(2, 4, "bob")]), held([one, liked, three], [], 4)
    ).applied(diff(4, 5, [one, row(2, 5), three], cfg=[cfg(2, 5)]), held([one, row(2, 5), three], [], 5))
    many = row(2, 5, reactions=[emoji("👍", "bob", "cid"), emoji("🎉", "ann")])
    fewer = row(2, 6, reactions=[emoji("👍", "cid"), emoji("🎉", "ann")])
    other = row(2, 9, reactions=[emoji("🎉", "ann", "dan"), emoji("👍", "cid", "bob")])
    yield start("reactions come and go one by one: an emoji goes with its last user, and comes back as the last one").applied(
        diff(3, 4, [one, liked, three], rea=[rea(2, 4, add=[emoji("👍", "bob")], emojis=["👍"])]), held([one, liked, three], [], 4)
    ).applied(diff(4, 5, [one, many, three], rea=[rea(2, 5, add=[emoji("👍", "cid"), emoji("🎉", "ann")], emojis=["👍", "🎉"])]),
              held([one, many, three], [], 5)
    ).applied(diff(5, 6, [one, fewer, three], rea=[{"id": name(9), "rev": 6}, rea(2, 6, **{"del": [emoji("👍", "bob")]})]),
              held([one, fewer, three], [], 6)
    ).applied(diff(6, 9, [one, other, three], rea=[rea(2, 9, add=[emoji("👍", "cid", "bob"), emoji("🎉", "dan")], emojis=["🎉", "👍"])]),
              held([one, other, three], [], 9)
    ).applied(diff(9, 10, [one, row(2, 10), three], rea=[rea(2, 10, **{"del": [emoji("🎉", "ann", "dan"), emoji("👍", "bob", "cid")]}, emojis=[])]),
              held([one, row(2, 10), three], [], 10))
    called = row(2, 4, edited=4, mentions=["bob", "Åse 日本"], everyone=True)
    noted = called | {"rev": 5} | liked_by("cid")
    other = row(2, 6, edited=6, mentions=["cid"], **liked_by("cid"))
    nobody = row(2, 7, edited=7, **liked_by("cid"))
    yield start("people are mentioned: a reaction leaves that as it is, and an edit replaces it, also with nobody").applied(
        diff(3, 4, [one, called, three], rel=[called]), held([one, called, three], [], 4)
    ).applied(diff(4, 5, [one, noted, three], cfg=[cfg(2, 5, "cid")]), held([one, noted, three], [], 5)
    ).applied(diff(5, 6, [one, other, three], rel=[other]), held([one, other, three], [], 6)
    ).applied(diff(6, 7, [one, nobody, three], rel=[nobody]), held([one, nobody, three], [], 7))
    polled = row(2, 4, edited=4, data={"kind": "poll", "choices": ["tea", "\u00e9"]})
    yield start("an application adds data, and takes it back").applied(
        diff(3, 4, [one, polled, three], rel=[polled]), held([one, polled, three], [], 4)
    ).applied(diff(4, 5, [one, row(2, 5, edited=5), three], rel=[row(2, 5, edited=5)]),
              held([one, row(2, 5, edited=5), three], [], 5))
    damaged = {"id": name(2), "sort": 2, "rev": 4, "damaged": True}
    known = damaged | {"author": "ann", "time": 1700000000002}
    yield start("the server's copy of a message is damaged, and is deleted").applied(
        diff(3, 4, [one, damaged, three], rel=[damaged]), held([one, damaged, three], [], 4)
    ).applied(diff(4, 5, [one, three], **{"del": [name(2)]}), held([one, three], [], 5))
    yield Case("of a damaged message the author and the time may be known", snapshot([one, known, three], 4),
               held([one, known, three], [], 4)).applied(
        diff(4, 5, [one, row(2, 5), three], rel=[row(2, 5)]), held([one, row(2, 5), three], [], 5))
    plain = {"name": "notes.txt", "media": "text/plain", "size": 9, "sha256": "0a" * 32}
    picture = {"name": "\u65e5\u672c.png", "media": "image/png", "size": 2**40, "sha256": "9f" * 32, "width": 640, "height": 480, "preview": "AAAA"}
    sound = {"name": "a (1).ogg", "media": "audio/ogg", "size": 1, "sha256": "00" * 32, "duration": 2500}
    files = [{"id": name(90 + place)} | file for place, file in enumerate([picture, plain, sound])]
    sent, reworded = row(4, 4, files=files), row(4, 5, text="see there", edited=5, files=files)
    praised = reworded | {"rev": 6, "reactions": [{"emoji": "\U0001f44d", "users": ["bob"]}]}
    yield start("a message has files, which an edit keeps").applied(
        diff(3, 4, [one, two, three, sent], ins=[sent | {"section": "socket"}]), held([one, two, three], [sent], 4)
    ).applied(diff(4, 5, [one, two, three, reworded], rel=[reworded]), held([one, two, three], [reworded], 5)
    ).applied(diff(5, 6, [one, two, three, praised], cfg=[cfg(4, 6, "bob")]), held([one, two, three], [praised], 6))
    yield start("a message is deleted").applied(
        diff(3, 4, [one, three], **{"del": [name(2)]}), held([one, three], [], 4))
    yield start("everything at once, after a while away").applied(
        diff(3, 9, [edited, row(3, 8, reactions=[{"emoji": "👍", "users": ["bob"]}]), row(5)],
             **{"del": [name(1)]}, ins=[row(5)], rel=[edited], cfg=[cfg(3, 8, "bob")]),
        held([edited, row(3, 8, reactions=[{"emoji": "👍", "users": ["bob"]}])], [row(5)], 9))
    yield start("the list begins later").applied(
        diff(3, 4, [three]) | {"start": 3}, held([three], [], 4)
    ).applied(diff(4, 5, [three, row(5)], ins=[row(5)]) | {"start": 3}, held([three], [row(5)], 5))
    yield start("the list begins after all that is held, and what changed there is gone too").applied(
        diff(3, 6, [row(6)], ins=[row(6)], rel=[edited], **{"del": [name(1)]}) | {"start": 5},
        held([], [row(6)], 6))
    yield start("a list that has lost all its rows").applied(
        diff(3, 4, []) | {"start": 4}, held([], [], 4))
    yield start("a revision in which nothing of the list changed").applied(
        diff(3, 5, base()), held(base(), [], 5))
    yield start("a row moves, and changes").applied(
        diff(3, 4, [two, three, row(1, 4, sort=8, text="new")],
             mov=[mov(1, 8, 4)], rel=[row(1, 4, text="new")]),
        held([two, three, row(1, 4, sort=8, text="new")], [], 4))
    yield start("a field that is not known is ignored").applied(
        diff(3, 4, base()) | {"note": {"x": 1}}, held(base(), [], 4))
    yield Case("a snapshot has what came after joining under socket",
               snapshot(base(), 3, joined=2, why="future"), held([one, two], [three], 3))
    yield start("a snapshot takes the place of what is held").applied(
        snapshot([one, three, row(7)], 9, joined=3), held([one, three], [row(7)], 9))
    yield Case("a list with nothing in it", snapshot([], 0), held([], [], 0)).applied(
        diff(0, 1, [one], ins=[row(1)]), held([], [one], 1))


def growth():
    """Messages whose text is appended to."""
    def life(title, first):
        return Case(title, snapshot([row(1), first], first["rev"]), held([row(1), first], [], first["rev"]))

    def grows(case, rev, now, **operations):
        since = case.steps[-1]["after"]["revision"]
        return case.applied(diff(since, rev, [row(1), now], **operations), held([row(1), now], [], rev))

    def words(rev, text, **fields):
        return row(2, rev, text=text, **fields)

    sent, begun = words(2, "", open=True), words(3, "The tea", open=True)
    case = Case("a message grows from nothing, and is complete", snapshot([row(1)], 1), held([row(1)], [], 1)).applied(
        diff(1, 2, [row(1), sent], ins=[dict(sent)]), held([row(1)], [sent], 2))
    for rev, at, text, whole in [(3, 0, "The tea", "The tea"), (4, 7, " \n\n", "The tea \n\n"), (6, 10, "is ready", "The tea \n\nis ready")]:
        now = words(rev, whole, open=True)
        case.applied(diff(case.steps[-1]["after"]["revision"], rev, [row(1), now], app=[app(2, rev, at, text, open=True)]), held([row(1)], [now], rev))
    done = words(7, "The tea \n\nis ready")
    yield case.applied(diff(6, 7, [row(1), done], app=[app(2, 7, 18)]), held([row(1)], [done], 7))
    for ended in ["stopped", "failed"]:
        over = words(4, "The tea", ended=ended)
        reworded = words(5, "tea", ended=ended, edited=5)
        case = grows(life(f"a message that grows has {ended}, which an edit keeps", begun), 4, over, app=[app(2, 4, 7, ended=ended)])
        yield grows(case, 5, reworded, rel=[reworded])
    last = words(4, "The tea is", ended="stopped")
    yield grows(life("the last words come with the end", begun), 4, last, app=[app(2, 4, 7, " is", ended="stopped")])
    better = words(4, "Tea", open=True, edited=4)
    case = grows(life("a message that grows is edited, and goes on", begun), 4, better, rel=[better])
    yield grows(case, 5, words(5, "Tea is", open=True, edited=4), app=[app(2, 5, 3, " is", open=True)])
    case = life("sizes are bytes of UTF-8", words(2, "Grüße", open=True))
    case = grows(case, 3, words(3, "Grüße, 日本", open=True), app=[app(2, 3, 7, ", 日本", open=True)])
    case = grows(case, 4, words(4, "Grüße, 日本 👩🏽", open=True), app=[app(2, 4, 15, " 👩🏽", open=True)])
    case = grows(case, 5, words(5, "Grüße, 日本 👩🏽\u0301", open=True), app=[app(2, 5, 24, "\u0301", open=True)])
    yield grows(case, 6, words(6, "Grüße, 日本 👩!"), app=[app(2, 6, 20, "!")])
    facts = {"mentions": ["bob"], "data": {"kind": "answer"}, "replyTo": name(1), "reactions": [emoji("👍", "bob")]}
    case = life("growth leaves everything else of a message as it is", words(3, "The tea", open=True, **facts))
    case = grows(case, 4, words(4, "The tea is", open=True, **facts), app=[app(2, 4, 7, " is", open=True)])
    yield grows(case, 5, words(5, "The tea is", **facts), app=[app(2, 5, 10)])
    some, other = {"reactions": [emoji("👍", "bob", "cid")]}, {"reactions": [emoji("🎉", "ann"), emoji("👍", "cid")]}
    case = life("a message grows, and reactions come and go", words(3, "The tea", open=True))
    case = grows(case, 5, words(5, "The tea is", open=True, **some), app=[app(2, 5, 7, " is", open=True, add=[emoji("👍", "bob", "cid")], emojis=["👍"])])
    case = grows(case, 8, words(8, "The tea is", **other),
                 app=[app(2, 8, 10, **{"del": [emoji("👍", "bob")]}, add=[emoji("🎉", "ann")], emojis=["🎉", "👍"])])
    yield case
    both = words(4, "The tea", open=True, reactions=[emoji("👍", "bob")])
    yield grows(life("a message that grows only gets a reaction", begun), 4, both, rea=[rea(2, 4, add=[emoji("👍", "bob")], emojis=["👍"])])
    case = life("two messages grow, one of which is not held", begun)
    yield grows(case, 5, words(5, "The tea!", open=True), app=[app(9, 4, 3, "?"), app(2, 5, 7, "!", open=True)])
    yield life("a message that grows is deleted", begun).applied(diff(3, 4, [row(1)], **{"del": [name(2)]}), held([row(1)], [], 4))


def threads():
    """A message with replies, and the list of these."""
    one, _, three = base()
    liked = liked_by("bob")

    def now(rev, **fields):
        return [one, row(2, rev, **fields), three]

    case = start("replies come to a message, and the last one is deleted")
    for to, fields in enumerate((replies(1, "bob"), replies(2, "cid", "bob"), replies(5, "ann", "dan", "cid"), {}), 4):
        rows = now(to, **fields)
        change = cfg(2, to) | fields
        case = case.applied(diff(to - 1, to, rows, cfg=[change]), held(rows, [], to))
    yield case
    rows, both = now(4, **replies(1, "bob")), now(6, **liked, **replies(1, "bob"))
    case = start("reactions leave the replies as they are, and a reconfigure has both").applied(
        diff(3, 4, rows, cfg=[cfg(2, 4) | replies(1, "bob")]), held(rows, [], 4))
    yield case.applied(diff(4, 6, both, rea=[rea(2, 6, add=[emoji("👍", "bob")], emojis=["👍"])]), held(both, [], 6)).applied(
        diff(6, 7, now(7, **liked), cfg=[cfg(2, 7, "bob")]), held(now(7, **liked), [], 7))
    edited = now(5, text="better", edited=1700000000005, **replies(1, "bob"))
    yield start("a message with replies is edited: a reload has them").applied(
        diff(3, 5, edited, rel=[edited[1]]), held(edited, [], 5))
    begun, grown = now(4, open=True, **replies(1, "bob")), now(5, **replies(1, "bob"))
    grown[1]["text"] += "!"
    yield Case("a message grows, and keeps its replies", snapshot(begun, 4), held(begun, [], 4)).applied(
        diff(4, 5, grown, app=[app(2, 5, 9, "!")]), held(grown, [], 5))
    case = Case("a thread is a list as that of a room, and begins with its first reply", snapshot([], 0) | {"list": THREAD}, held([], [], 0))
    case = case.applied(diff(0, 1, [row(1)], ins=[row(1)]) | {"list": THREAD}, held([], [row(1)], 1))
    yield case.applied(diff(1, 2, [row(1), row(2)], ins=[row(2)]) | {"list": THREAD}, held([], [row(1), row(2)], 2))


def room_names():
    """The names of rooms and threads: the `room` and the `root` of a thread, of a room itself; neither where no room has the name."""
    rooms = ["lobby", "a", "A-Z_0.9", "...", ".a", "x" * 64, "~" + name(1), "@" + "0a" * 16, "thread"]
    for room in rooms:
        yield {"name": room, "room": room}
        yield {"name": f"{room}/thread/{name(171)}", "room": room, "root": name(171)}
    root = name(0xAB)
    for wrong in [
        "", ".", "..", "x" * 65, "a b", "Åse", "~" + root.upper(), "~lobby", "@" + "0" * 31, "@" + "0A" * 16, "lobby/", "/", "lobby/thread", "lobby/thread/",
        f"lobby/thread/{root.upper()}", f"lobby/thread/{root}/", f"lobby/thread/{root[:-1]}", f"lobby/thread/{root.replace('-', '')}", f"lobby/threads/{root}", f"/thread/{root}",
        f"thread/{root}", f"./thread/{root}", f"../thread/{root}", f"lobby//thread/{root}", f"lobby/thread/{root}/thread/{root}", f"lobby/{root}", f"lobby\n/thread/{root}",
    ]:
        yield {"name": wrong}


def overtaken():
    """Appended text, where a page has brought a later state."""
    whole = [row(n) for n in range(1, 41)]
    tail = whole[8:]
    later = row(8, 42, text="The tea is ready", open=True)
    now = row(8, 44, text="The tea is ready, and hot")
    yield Case("a page is ahead of a message that grows", snapshot(whole, 40, limit=32), held(tail, [], 40, [[9]])).applied(
        page(42, 8, 8, [later]), held([later] + tail, [], 40, [[8]])
    ).applied(
        diff(40, 41, whole[:7] + [row(8, 41)] + tail, app=[app(8, 41, 7, " is", open=True)]), held([later] + tail, [], 41, [[8]])
    ).applied(
        diff(41, 42, whole[:7] + [later] + tail, app=[app(8, 42, 10, " ready", open=True)]), held([later] + tail, [], 42, [[8]])
    ).applied(
        diff(42, 44, whole[:7] + [now] + tail, app=[app(8, 44, 16, ", and hot")]), held([now] + tail, [], 44, [[8]]))
    yield Case("appended text begins before the end of what a page has brought", snapshot(whole, 40, limit=32), held(tail, [], 40, [[9]])).applied(
        page(42, 8, 8, [later]), held([later] + tail, [], 40, [[8]])
    ).applied(
        diff(40, 44, whole[:7] + [now] + tail, app=[app(8, 44, 7, " is ready, and hot")]), held([now] + tail, [], 44, [[8]]))


def windows():
    whole = [row(n) for n in range(1, 41)]
    tail = whole[8:]
    part = [[9]]  # the range that `tail` is
    first = (snapshot(whole, 40, limit=32), held(tail, [], 40, part))
    edited = row(3, 41, text="better", edited=1)
    yield Case("operations on rows that are not held are passed over", *first).applied(
        diff(40, 43, whole[1:2] + [edited] + whole[3:4] + [row(5, 42)] + whole[5:],
             **{"del": [name(1)]}, rel=[edited], cfg=[cfg(5, 42)]),
        held(tail, [], 43, part))
    yield Case("older pages go in front, up to the beginning", *first).applied(
        page(40, 5, 8, whole[4:8]), held(whole[4:], [], 40, [[5]])
    ).applied(page(40, 0, 4, whole[:4]), held(whole, [], 40))
    since = (snapshot(whole, 40, joined=6, limit=32), held([], tail, 40, part))
    yield Case("a page goes back to before joining", *since).applied(
        page(40, 5, 8, whole[4:8]), held(whole[4:6], whole[6:], 40, [[5]])
    ).applied(page(40, 0, 4, whole[:4]), held(whole[:6], whole[6:], 40))
    now = [row(1), row(2, 42, text="better")] + whole[3:]
    yield Case("a page is ahead of the diffs", *first).applied(
        page(43, 0, 8, now[:7]), held(now[:7] + tail, [], 40)
    ).applied(
        diff(40, 41, whole[:2] + whole[3:], **{"del": [name(3)]}), held(now, [], 41)
    ).applied(
        diff(41, 42, now, rel=[row(2, 42, text="better")]), held(now, [], 42)
    ).applied(diff(42, 43, now[:8] + now[9:], **{"del": [name(10)]}), held(now[:8] + now[9:], [], 43))
    yield Case("an operation that a page has brought already changes nothing", *first).applied(
        page(42, 8, 8, [row(8, 42, text="second")]), held([row(8, 42, text="second")] + tail, [], 40, [[8]])
    ).applied(
        diff(40, 41, whole[:7] + [row(8, 41)] + tail, rel=[row(8, 41, text="first")]),
        held([row(8, 42, text="second")] + tail, [], 41, [[8]])
    ).applied(
        diff(41, 42, whole[:7] + [row(8, 42)] + tail, rel=[row(8, 42, text="second")]),
        held([row(8, 42, text="second")] + tail, [], 42, [[8]]))
    yield Case("a page that is older than what is held", *first).refused(page(39, 0, 8, whole[:8]), "stale_page")
    yield Case("the list begins later than what is held: there is no more", *first).applied(
        diff(40, 41, tail[4:]) | {"start": 13}, held(tail[4:], [], 41))
    yield Case("the list begins with what is held: there is no more", *first).applied(
        diff(40, 41, tail) | {"start": 9}, held(tail, [], 41))
    yield Case("the list begins later, and still before what is held", *first).applied(
        diff(40, 41, whole[4:]) | {"start": 5}, held(tail, [], 41, part)
    ).applied(page(41, 0, 8, whole[4:8]), held(whole[4:], [], 41))
    yield Case("a page knows that the list begins later ahead of the diffs", *first).applied(
        page(42, 0, 8, whole[6:8]), held(whole[6:], [], 40)
    ).applied(
        diff(40, 41, whole[4:] + [row(41)], ins=[row(41)]) | {"start": 5}, held(whole[6:], [row(41)], 41)
    ).applied(diff(41, 42, whole[6:] + [row(41)]) | {"start": 7}, held(whole[6:], [row(41)], 42))
    loved = row(8, 42, reactions=[emoji("👍", "ann", "cid")])
    both = row(8, 43, reactions=[emoji("👍", "cid", "bob")])
    yield Case("reactions lead to the same from the state that a page has brought", *first).applied(
        page(42, 8, 8, [loved]), held([loved] + tail, [], 40, [[8]])
    ).applied(
        diff(40, 43, whole[:7] + [both] + tail,
             rea=[rea(8, 43, add=[emoji("👍", "cid", "bob")], **{"del": [emoji("👍", "ann")]}, emojis=["👍"])]),
        held([both] + tail, [], 43, [[8]])
    ).ignored(diff(41, 42, whole[:7] + [loved] + tail, rea=[rea(8, 42, add=[emoji("👍", "dan")])]))
    few = [row(1, 73)] + whole[1:8]
    yield Case("a page fills the digest's window ahead of the diffs", *first).applied(
        page(73, 0, 8, few), held(few + tail, [], 40)
    ).applied(
        diff(40, 72, whole[:8], **{"del": [r["id"] for r in tail]}), held(few, [], 72)
    ).applied(diff(72, 73, few, rel=[row(1, 73)]), held(few, [], 73))
    yield Case("what there was before is deleted: there is no more", *first).applied(
        diff(40, 48, tail, **{"del": [r["id"] for r in whole[:8]]}), held(tail, [], 48))


def within(rows, *spans):
    return [r for r in rows if any(s[0] <= r["sort"] and (len(s) == 1 or r["sort"] <= s[1]) for s in spans)]


def holding(rows, revision, *spans):
    """The state of a reader who joined at revision 10 and holds these ranges of the list."""
    inside = within(rows, *spans)
    old, new = [r for r in inside if r["sort"] <= 10], [r for r in inside if r["sort"] > 10]
    return held(old, new, revision, [list(span) for span in spans])


def ranges(rows, *spans):
    """The field of a diff; `rows`: the whole list as it is then."""
    parts = [(span, within(rows, span)) for span in spans]
    return {"ranges": [
        dict(zip(("from", "to"), span)) | {"count": len(part), "digest": digest(part, len(part))} for span, part in parts]}


def unproven(*spans):
    return {"ranges": [dict(zip(("from", "to"), span)) for span in spans]}


def removed(rows, *numbers):
    return [r for r in rows if r["sort"] not in numbers]


def back(title):
    """Somebody held a list of 10 rows, comes back when it has 100, and gets the last 32: the gap is from 11 to 68."""
    whole = [row(n) for n in range(1, 101)]
    return Case(title, snapshot(whole[:10], 10), held(whole[:10], [], 10)).applied(
        diff(10, 100, whole, ins=[dict(r) for r in whole[68:]]) | ranges(whole, [0, 10], [69]),
        holding(whole, 100, [0, 10], [69]))


def resumes():
    """Answers to a `resume`."""
    whole = [row(n) for n in range(1, 101)]
    few = whole[:20]
    yield Case("nothing is between what was held and what came: no gap", snapshot(few[:10], 10), held(few[:10], [], 10)).applied(
        diff(10, 20, few, ins=[dict(r) for r in few[10:]]) | ranges(few, [0]), held(few[:10], few[10:], 20))
    edited = row(3, 101, text="better", edited=1)
    now = [whole[0], edited] + whole[3:4] + [row(5, 102, reactions=[{"emoji": "👍", "users": ["bob"]}])] + whole[5:]
    yield back("what changed in the ranges that were held, and nothing of the gap").applied(
        diff(100, 160, removed(now, 40, 90), **{"del": [name(2), name(90)]}, rel=[edited], cfg=[cfg(5, 102, "bob")])
        | ranges(removed(now, 40, 90), [0, 10], [69]), holding(removed(now, 40, 90), 160, [0, 10], [69]))
    later = [row(n) for n in range(1, 201)]
    new = [dict(r) for r in later[168:]]
    three = holding(later, 200, [0, 10], [69, 100], [169])
    yield back("a second gap: the tail that was held ends where the reader was").applied(
        diff(100, 200, later, ins=new) | ranges(later, [0, 10], [69, 100], [169]), three)
    yield back("a slow reader is brought up: what it holds of these ranges it keeps").applied(
        diff(100, 200, later, ins=new) | unproven([0, 100], [169]), three)
    yield back("a range is let go of").applied(
        diff(100, 200, later, ins=new) | ranges(later, [69, 100], [169]), holding(later, 200, [69, 100], [169]))
    yield back("all ranges are let go of").applied(
        diff(100, 200, later, ins=new) | ranges(later, [169]), holding(later, 200, [169]))
    yield back("a part of a range is let go of").applied(
        diff(100, 200, later, ins=new) | ranges(later, [5, 10], [69, 80], [169]),
        holding(later, 200, [5, 10], [69, 80], [169]))
    grown = whole + [row(n) for n in range(101, 111)]
    yield back("what was deleted is forgotten: only what came since is sure").applied(
        diff(100, 110, grown, ins=[dict(r) for r in grown[100:]]) | ranges(grown, [101]), holding(grown, 110, [101]))
    yield back("nothing has changed, and a range is let go of").applied(
        diff(100, 100, whole) | ranges(whole, [69]), holding(whole, 100, [69]))
    wrong = diff(100, 200, later, ins=new) | ranges(later, [0, 10], [69, 100], [169])
    for index, field in [(0, "digest"), (1, "count"), (2, "digest")]:
        bad = [dict(r) for r in wrong["ranges"]]
        bad[index][field] = (bad[index][field] + 1) % 2**32
        yield back(f"a wrong {field} of range {index + 1} of 3").refused(wrong | {"ranges": bad}, "diverged")
    yield back("a row of a range that the server changed and did not tell").refused(
        diff(100, 101, [row(1, 101)] + whole[1:]) | ranges([row(1, 101)] + whole[1:], [0, 10], [69]), "diverged")
    yield back("nothing has changed, and a range is wrong all the same").refused(
        diff(100, 100, whole) | ranges(removed(whole, 3), [0, 10], [69]), "diverged")
    yield back("a row comes outside of the ranges").refused(
        diff(100, 200, later, ins=[dict(later[149])] + new) | ranges(later, [0, 10], [69, 100], [169]), "malformed")


def live():
    """Diffs beside a gap."""
    whole = [row(n) for n in range(1, 101)]
    both = [0, 10], [69]
    edited = row(7, 102, text="better", edited=1)
    now = whole[:6] + [edited] + whole[7:] + [row(101)]
    yield back("what comes belongs to the tail, and ranges go on").applied(
        diff(100, 101, whole + [row(101)], ins=[row(101)]), holding(whole + [row(101)], 101, *both)
    ).applied(diff(101, 102, now, rel=[edited]), holding(now, 102, *both)
    ).applied(diff(102, 103, removed(now, 8), **{"del": [name(8)]}), holding(removed(now, 8), 103, *both)
    ).applied(diff(103, 104, removed(now, 8, 30), **{"del": [name(30)]}), holding(removed(now, 8, 30), 104, *both)
    ).refused(diff(104, 105, removed(now, 8, 30)) | {"digest": 1}, "diverged")
    short = removed(whole, *range(70, 101))
    yield back("a tail with too few rows for the digest").applied(
        diff(100, 131, short, **{"del": [name(n) for n in range(70, 101)]}), holding(short, 131, *both))
    yield back("there are fewer rows than are held").refused(diff(100, 101, whole) | {"count": 41}, "diverged")
    ends = whole[:10] + whole[68:]
    yield back("all of the gap is deleted: it is none").applied(
        diff(100, 158, ends, **{"del": [name(n) for n in range(11, 69)]}), holding(ends, 158, [0]))
    yield back("the list begins in a range").applied(
        diff(100, 101, whole[4:]) | {"start": 5}, holding(whole[4:], 101, *both))
    yield back("the list begins in the gap: what is before it goes").applied(
        diff(100, 101, whole[29:]) | {"start": 30}, holding(whole[29:], 101, [69]))
    yield back("the list begins with the tail: there is no gap").applied(
        diff(100, 101, whole[68:]) | {"start": 69}, holding(whole[68:], 101, [0]))


def pages():
    """Pages into a gap, and elsewhere."""
    whole = [row(n) for n in range(1, 101)]
    yield back("a page fills the gap").applied(page(100, 11, 68, whole[10:68]), holding(whole, 100, [0]))
    yield back("pages fill the gap from its end").applied(
        page(100, 40, 68, whole[39:68]), holding(whole, 100, [0, 10], [40])
    ).applied(page(100, 11, 39, whole[10:39]), holding(whole, 100, [0]))
    yield back("pages fill the gap from its beginning").applied(
        page(100, 11, 42, whole[10:42]), holding(whole, 100, [0, 42], [69])
    ).applied(page(100, 43, 68, whole[42:68]), holding(whole, 100, [0]))
    yield back("a page around a row makes two gaps of one").applied(
        page(100, 31, 50, whole[30:50]), holding(whole, 100, [0, 10], [31, 50], [69])
    ).applied(page(100, 51, 68, whole[50:68]), holding(whole, 100, [0, 10], [31]))
    changed = [row(9, 102, text="better", edited=1) if r["sort"] == 9 else r for r in removed(whole, 8, 30)]
    yield back("a page overlaps two ranges, ahead of the diffs").applied(
        page(103, 6, 80, within(changed, [6, 80])),
        holding(whole[:8] + within(changed, [9, 80]) + whole[80:], 100, [0])
    ).applied(
        diff(100, 101, removed(whole, 8), **{"del": [name(8)]}),
        holding(within(changed, [0, 80]) + whole[80:], 101, [0])
    ).applied(diff(101, 103, changed, **{"del": [name(30)]}, rel=[row(9, 102, text="better", edited=1)]),
              holding(changed, 103, [0]))
    yield back("while a page is ahead, what it brought is not proven").applied(
        page(103, 41, 50, within(removed(whole, 45), [41, 50])),
        holding(removed(whole, 45), 100, [0, 10], [41, 50], [69])
    ).applied(
        diff(100, 102, whole) | ranges(whole, [0, 10], [41, 50], [69]),
        holding(removed(whole, 45), 102, [0, 10], [41, 50], [69])
    ).refused(
        diff(102, 103, removed(whole, 45)) | ranges(whole, [0, 10], [41, 50], [69]), "diverged"
    ).applied(
        diff(102, 103, removed(whole, 45), **{"del": [name(45)]})
        | ranges(removed(whole, 45), [0, 10], [41, 50], [69]), holding(removed(whole, 45), 103, [0, 10], [41, 50], [69]))
    later = [row(n) for n in range(1, 121)]
    yield back("rows of a page that a diff will bring are not taken from it").applied(
        page(120, 60, 120, later[59:], newer=False), holding(whole, 100, [0, 10], [60])
    ).applied(
        page(120, 110, 120, later[109:], newer=False), holding(whole, 100, [0, 10], [60])
    ).applied(diff(100, 120, later, ins=[dict(r) for r in later[100:]]), holding(later, 120, [0, 10], [60]))
    yield back("a page on which nothing is left").applied(
        page(158, 11, 68, []), holding(within(whole, [0, 10], [69]), 100, [0])
    ).applied(
        diff(100, 158, within(whole, [0, 10], [69]), **{"del": [name(n) for n in range(11, 69)]}),
        holding(within(whole, [0, 10], [69]), 158, [0]))
    yield back("a page between two rows that follow each other").applied(
        page(100, 11, 10, []), holding(whole, 100, [0, 10], [69]))
    yield back("a page into a gap that is older than what is held").refused(page(99, 11, 68, whole[10:68]), "stale_page")
    yield back("a row that is not in the page's range").refused(page(100, 11, 60, whole[10:68]), "malformed")


def refusals():
    one, two, three = base()
    four = [one, two, three, row(4)]
    yield start("a duplicate").ignored(diff(2, 3, base(), ins=[row(3)])).ignored(diff(1, 2, [one, two]))
    yield start("something is missing").refused(diff(4, 5, four, ins=[row(5)]), "gap")
    yield start("an overlap").refused(diff(2, 4, four, ins=[row(3), row(4)]), "gap")
    yield start("another epoch").refused(diff(3, 4, four, ins=[row(4)]) | {"epoch": "other"}, "other_epoch")
    yield start("an operation of a later version").refused(diff(3, 4, base()) | {"swp": []}, "unknown_operation")
    yield start("a wrong digest").refused(
        diff(3, 4, four, ins=[row(4)]) | {"digest": (digest(four) + 1) % 2**32}, "diverged")
    yield start("a wrong count").refused(diff(3, 4, four, ins=[row(4)]) | {"count": 5}, "diverged")
    yield start("a row that the server changed and did not tell").refused(
        diff(3, 4, [one, row(2, 4), three]), "diverged")
    yield start("an id in two operations").refused(
        diff(3, 4, base(), **{"del": [name(2)]}, rel=[row(2, 4)]), "malformed")
    yield start("an id in two operations on reactions").refused(
        diff(3, 4, base(), cfg=[cfg(2, 4)], rea=[rea(2, 4)]), "malformed")
    yield start("an id twice in one operation").refused(
        diff(3, 4, base(), cfg=[cfg(2, 4), cfg(2, 4)]), "malformed")
    yield start("two rows at one place").refused(
        diff(3, 4, base(), mov=[mov(1, 3, 4)]), "malformed")
    for title, text, at in [
        ("a text that grows is shorter than its growth says", "message", 8), ("an empty text is shorter than its growth says", "", 1),
        ("the growth of a text begins inside a character", "Grüße", 3), ("the growth of a text begins inside a character of four bytes", "👩🏽", 6),
    ]:
        grown = row(2, text=text, open=True)
        yield Case(title, snapshot([one, grown, three], 3), held([one, grown, three], [], 3)).refused(
            diff(3, 4, [one, row(2, 4), three], app=[app(2, 4, at, "x", open=True)]), "malformed")
    for title, others in [
        ("a message grows and is reloaded", {"rel": [row(2, 4)]}), ("a message grows and is reconfigured", {"cfg": [cfg(2, 4)]}),
        ("a message grows and has reactions by themselves", {"rea": [rea(2, 4)]}), ("a message grows and is deleted", {"del": [name(2)]}),
        ("a message grows and comes", {"ins": [row(2, 4)]}),
    ]:
        yield start(title).refused(diff(3, 4, base(), app=[app(2, 4, 9)], **others), "malformed")
    yield start("a message grows twice").refused(diff(3, 4, base(), app=[app(2, 4, 9), app(2, 4, 9)]), "malformed")


def person(name, sort, rev=None, **light):
    return {"id": name, "sort": sort, "rev": rev or sort} | light


def tally(online, offline, invited, counts=None):
    return {"counts": counts or {"online": len(online), "offline": len(offline), "invited": len(invited)}}


def member_snapshot(online, offline, revision, why="fresh", counts=None, invited=()):
    parts = [("online", online), ("offline", offline), ("invited", list(invited))]
    sections = [{"id": section, "rows": part} for section, part in parts]
    head = {"type": "snapshot", "list": MEMBERS, "epoch": EPOCH, "revision": revision, "joined": revision, "why": why}
    rows = online + offline + list(invited)
    return head | {"sections": sections, "more": False} | proof(rows) | tally(online, offline, invited, counts)


def member_diff(start, to, online, offline, counts=None, invited=(), **operations):
    """`online`, `offline` and `invited`: the whole list as it is at `to`."""
    head = {"type": "diff", "list": MEMBERS, "epoch": EPOCH, "from": start, "to": to}
    rows = online + offline + list(invited)
    return head | operations | proof(rows) | tally(online, offline, invited, counts)


def people(online, offline, revision, counts=None, invited=()):
    """What a reader of the members has."""
    sections = [("online", online), ("offline", offline), ("invited", invited)]
    rows = [row | {"section": section} for section, part in sections for row in part]
    return {"revision": revision, "more": False, "rows": rows} | tally(online, offline, invited, counts)


def goes(name, section, sort, rev):
    return {"id": name, "section": section, "sort": sort, "rev": rev}


def light(name, rev, typing=False, read=0, **facts):
    return {"id": name, "rev": rev, "typing": typing, "read": read} | facts


def members():
    ann, bob, cid = person("ann", 1), person("bob", 2), person("cid", 3)

    def room(title):
        return Case(title, member_snapshot([ann, bob], [cid], 3), people([ann, bob], [cid], 3))

    yield Case("nobody is there", member_snapshot([], [], 0), people([], [], 0)).applied(
        member_diff(0, 1, [ann], [], ins=[ann | {"section": "online"}]), people([ann], [], 1))
    yield room("somebody comes for the first time").applied(
        member_diff(3, 4, [ann, bob, person("Åse 日本", 4)], [cid], ins=[goes("Åse 日本", "online", 4, 4)]),
        people([ann, bob, person("Åse 日本", 4)], [cid], 4))
    yield room("somebody goes, and comes back").applied(
        member_diff(3, 4, [bob], [cid, person("ann", 4)], mov=[goes("ann", "offline", 4, 4)]),
        people([bob], [cid, person("ann", 4)], 4)
    ).applied(
        member_diff(4, 5, [bob, person("ann", 5)], [cid], mov=[goes("ann", "online", 5, 5)]),
        people([bob, person("ann", 5)], [cid], 5))
    yield room("somebody types, and no longer").applied(
        member_diff(3, 4, [ann, person("bob", 2, 4, typing=True)], [cid], cfg=[light("bob", 4, typing=True)]),
        people([ann, person("bob", 2, 4, typing=True)], [cid], 4)
    ).applied(
        member_diff(4, 5, [ann, person("bob", 2, 5)], [cid], cfg=[light("bob", 5)]),
        people([ann, person("bob", 2, 5)], [cid], 5))
    yield room("somebody has read").applied(
        member_diff(3, 4, [person("ann", 1, 4, read=816), bob], [cid], cfg=[light("ann", 4, read=816)]),
        people([person("ann", 1, 4, read=816), bob], [cid], 4))
    typing = person("bob", 2, typing=True)
    yield Case("somebody goes while typing", member_snapshot([ann, typing], [], 3), people([ann, typing], [], 3)).applied(
        member_diff(3, 4, [ann], [person("bob", 4, 4)], mov=[goes("bob", "offline", 4, 4)], cfg=[light("bob", 4)]),
        people([ann], [person("bob", 4, 4)], 4))
    yield room("somebody is forgotten").applied(
        member_diff(3, 4, [ann, bob], [], **{"del": ["cid"]}), people([ann, bob], [], 4))
    yield room("everything at once, after a while away").applied(
        member_diff(3, 9, [bob | {"rev": 8, "read": 7}, person("dan", 5)], [person("ann", 6, 7)],
                    **{"del": ["cid"]}, mov=[goes("ann", "offline", 6, 7)], ins=[goes("dan", "online", 5, 5)],
                    cfg=[light("bob", 8, read=7)]),
        people([bob | {"rev": 8, "read": 7}, person("dan", 5)], [person("ann", 6, 7)], 9))
    dan = person("dan", 4, since=1700000000000, role="own", read=12)
    eve = person("eve", 5, by="dan")
    yield Case("members who are away, and an invited person", member_snapshot([ann], [dan], 5, invited=[eve]),
               people([ann], [dan], 5, invited=[eve])).applied(
        member_diff(5, 6, [ann], [dan, person("eve", 5, 6, since=1700000000000)],
                    mov=[goes("eve", "offline", 5, 6)], cfg=[light("eve", 6, since=1700000000000)]),
        people([ann], [dan, person("eve", 5, 6, since=1700000000000)], 6)
    ).applied(
        member_diff(6, 7, [ann], [person("dan", 4, 7, since=1700000000000, read=12),
                                  person("eve", 5, 7, since=1700000000000, role="own")],
                    cfg=[light("dan", 7, read=12, since=1700000000000),
                         light("eve", 7, since=1700000000000, role="own")]),
        people([ann], [person("dan", 4, 7, since=1700000000000, read=12),
                       person("eve", 5, 7, since=1700000000000, role="own")], 7))
    many = {"online": 3000, "offline": 1, "invited": 0}
    yield room("more come than have rows").applied(
        member_diff(3, 4, [ann, bob], [cid], counts=many), people([ann, bob], [cid], 4, counts=many))
    yield room("whoever was held and comes again").applied(
        member_diff(3, 6, [ann, bob, person("cid", 6)], [], ins=[goes("cid", "online", 6, 6)]),
        people([ann, bob, person("cid", 6)], [], 6))
    yield room("the server was started anew").refused(
        member_diff(3, 4, [ann], [], **{"del": ["bob", "cid"]}) | {"epoch": "other"}, "other_epoch"
    ).applied(member_snapshot([ann], [], 1, why="epoch") | {"epoch": "other"}, people([ann], [], 1))
    yield room("the digest covers names").refused(
        member_diff(3, 4, [ann, bob, person("dan", 4)], [cid], ins=[goes("don", "online", 4, 4)]), "diverged")
    yield room("something is missing").refused(member_diff(4, 5, [ann, bob], [cid]), "gap")


def parts_of(rows, invited=(), pinned=(), archived=()):
    return [("invited", invited), ("pinned", pinned), ("rooms", rows), ("archived", archived)]


def rooms_snapshot(rows, revision, why="fresh", **others):
    parts = parts_of(rows, **others)
    sections = [{"id": section, "rows": list(part)} for section, part in parts]
    head = {"type": "snapshot", "list": ROOMS, "epoch": EPOCH, "revision": revision, "joined": revision, "why": why}
    return head | {"sections": sections, "more": False} | proof([row for _, part in parts for row in part])


def rooms_diff(start, to, rows, **operations):
    """`rows`: the whole list as it is at `to`."""
    return {"type": "diff", "list": ROOMS, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)


def sidebar(rows, revision, **others):
    """What a reader of `me/rooms` has."""
    parts = parts_of(rows, **others)
    return {"revision": revision, "more": False, "rows": [row | {"section": s} for s, part in parts for row in part]}


def chat(name, sort, rev=None, unread=0, mentions=0, read=0, **last):
    """A room as its row shows it."""
    counts = {"unread": unread, "mentions": mentions, "read": read}
    return {"id": name, "sort": sort, "rev": rev or sort} | counts | last


def said(number, author="bob", text="hi"):
    return {"last": {"id": name(number), "author": author, "time": 1700000000000 + number, "text": text}}


def counted(made):
    """The light fields of a room, as `cfg` has them: all of them."""
    return {key: made[key] for key in ("id", "rev", "unread", "mentions", "read", "by", "title", "picture", "muted", "marked", "last", "typing", "here", "root", "tag") if key in made}


def coming(made, section="rooms"):
    return made | {"section": section}


def moving(made, section="rooms"):
    return goes(made["id"], section, made["sort"], made["rev"])


def rooms():
    quiet, tea, lobby = chat("quiet", 1), chat("tea", 2, read=9, **said(9)), chat("lobby", 3, unread=1, read=5, **said(6))

    def list_of_three(title):
        return Case(title, rooms_snapshot([quiet, tea, lobby], 3), sidebar([quiet, tea, lobby], 3))

    yield Case("a member of nothing joins a room", rooms_snapshot([], 0), sidebar([], 0)).applied(
        rooms_diff(0, 1, [chat("lobby", 1)], ins=[coming(chat("lobby", 1))]), sidebar([chat("lobby", 1)], 1))
    busy = chat("tea", 4, unread=1, read=9, **said(10, "cid", "it is ready"))
    yield list_of_three("something is said: the room goes to the end").applied(
        rooms_diff(3, 4, [quiet, lobby, busy], mov=[moving(busy)], cfg=[counted(busy)]), sidebar([quiet, lobby, busy], 4))
    more = chat("lobby", 3, 4, unread=2, read=5, **said(7))
    yield list_of_three("something is said in the last room: it stays there").applied(
        rooms_diff(3, 4, [quiet, tea, more], cfg=[counted(more)]), sidebar([quiet, tea, more], 4))
    called = chat("lobby", 3, 4, unread=2, mentions=1, read=5, **said(7, text="@ann?"))
    yield list_of_three("somebody is mentioned, and the mention is edited away").applied(
        rooms_diff(3, 4, [quiet, tea, called], cfg=[counted(called)]), sidebar([quiet, tea, called], 4)
    ).applied(
        rooms_diff(4, 5, [quiet, tea, more | {"rev": 5}], cfg=[counted(more | {"rev": 5})]),
        sidebar([quiet, tea, more | {"rev": 5}], 5))
    done = chat("lobby", 3, 4, read=6, **said(6))
    yield list_of_three("all is read on another device").applied(
        rooms_diff(3, 4, [quiet, tea, done], cfg=[counted(done)]), sidebar([quiet, tea, done], 4))
    edited = chat("tea", 2, 4, read=9, **said(9, text="é" * 100))
    yield list_of_three("the last message is edited: nothing moves").applied(
        rooms_diff(3, 4, [quiet, edited, lobby], cfg=[counted(edited)]), sidebar([quiet, edited, lobby], 4))
    gone = chat("tea", 2, 4, read=9, last={"id": name(9), "damaged": True})
    yield list_of_three("the server's copy of the last message is damaged").applied(
        rooms_diff(3, 4, [quiet, gone, lobby], cfg=[counted(gone)]), sidebar([quiet, gone, lobby], 4))
    empty = chat("lobby", 3, 4, read=5)
    yield list_of_three("the last message is deleted, and it was the only one").applied(
        rooms_diff(3, 4, [quiet, tea, empty], cfg=[counted(empty)]), sidebar([quiet, tea, empty], 4))
    yield list_of_three("a room is left").applied(
        rooms_diff(3, 4, [quiet, lobby], **{"del": ["tea"]}), sidebar([quiet, lobby], 4))
    back = chat("tea", 5, 5, read=11, **said(9))
    yield list_of_three("a room is left and joined again between two ticks").applied(
        rooms_diff(3, 5, [quiet, lobby, back], ins=[coming(back)]), sidebar([quiet, lobby, back], 5))
    many, new = chat("quiet", 5, 8, unread=2**53 - 1, mentions=2**53 - 1, **said(12)), chat("Den.1_-", 6, 9, read=1)
    yield list_of_three("everything at once, after a while away").applied(
        rooms_diff(3, 9, [done | {"rev": 7}, many, new], **{"del": ["tea"]}, mov=[moving(many)], ins=[coming(new)],
                   cfg=[counted(many), counted(done | {"rev": 7})]),
        sidebar([done | {"rev": 7}, many, new], 9))
    yield list_of_three("rooms change places").applied(
        rooms_diff(3, 6, [lobby, chat("quiet", 4, 4), chat("tea", 5, 6, read=9, **said(9))],
                   mov=[goes("quiet", "rooms", 4, 4), goes("tea", "rooms", 5, 6)]),
        sidebar([lobby, chat("quiet", 4, 4), chat("tea", 5, 6, read=9, **said(9))], 6))
    plans, two = "~" + name(7), "@00112233445566778899aabbccddeeff"
    asked = chat(plans, 4, unread=2, by="bob", title="Plans", **said(5))
    three = [quiet, tea, lobby]
    yield list_of_three("an invitation, which is accepted").applied(
        rooms_diff(3, 4, [asked, *three], ins=[coming(asked, "invited")]), sidebar(three, 4, invited=[asked])
    ).applied(
        rooms_diff(4, 5, [*three, chat(plans, 5, read=6, title="Plans", **said(5))],
                   mov=[goes(plans, "rooms", 5, 5)], cfg=[counted(chat(plans, 5, read=6, title="Plans", **said(5)))]),
        sidebar([*three, chat(plans, 5, read=6, title="Plans", **said(5))], 5))
    other = chat("~" + name(8), 9, 4)
    yield Case("of two invitations one is declined; their places are before the other rooms, whatever their keys",
               rooms_snapshot(three, 4, invited=[asked, other]), sidebar(three, 4, invited=[asked, other])).applied(
        rooms_diff(4, 5, [other, *three], **{"del": [plans]}), sidebar(three, 5, invited=[other]))
    anew = chat(plans, 4, 5, by="Åse 日本", title="Plans")
    yield Case("an invitation is taken back, and somebody else invites", rooms_snapshot(three, 4, invited=[asked]),
               sidebar(three, 4, invited=[asked])).applied(
        rooms_diff(4, 5, [anew, *three], cfg=[counted(anew)]), sidebar(three, 5, invited=[anew]))
    titled, untitled = chat("lobby", 3, 4, unread=1, read=5, title="日本 \"7\"", **said(6)), lobby | {"rev": 5}
    yield list_of_three("a room gets a title, and loses it").applied(
        rooms_diff(3, 4, [quiet, tea, titled], cfg=[counted(titled)]), sidebar([quiet, tea, titled], 4)
    ).applied(rooms_diff(4, 5, [quiet, tea, untitled], cfg=[counted(untitled)]), sidebar([quiet, tea, untitled], 5))
    shown, bare = lobby | {"rev": 4, "picture": "https://chat.example/lobby.png"}, lobby | {"rev": 5}
    yield list_of_three("a room gets a picture, and loses it").applied(
        rooms_diff(3, 4, [quiet, tea, shown], cfg=[counted(shown)]), sidebar([quiet, tea, shown], 4)
    ).applied(rooms_diff(4, 5, [quiet, tea, bare], cfg=[counted(bare)]), sidebar([quiet, tea, bare], 5))
    people = {"people": ["bob", "Åse 日本"]}
    pair = chat(two, 4, read=1, **people)
    talk = chat(two, 5, unread=1, read=1, **people, **said(10))
    yield list_of_three("a direct room says whose it is; something is said there").applied(
        rooms_diff(3, 4, [*three, pair], ins=[coming(pair)]), sidebar([*three, pair], 4)
    ).applied(rooms_diff(4, 5, [*three, talk], mov=[moving(talk)], cfg=[counted(talk)]), sidebar([*three, talk], 5))
    yield from settings(three)
    yield from coming_back(three)
    yield from databases(quiet, tea, lobby)
    yield list_of_three("another token does not grant all of them").applied(
        rooms_snapshot([tea], 4, why="epoch") | {"epoch": "other"}, sidebar([tea], 4))
    yield list_of_three("the server was started anew").refused(
        rooms_diff(3, 4, [quiet, tea, more], cfg=[counted(more)]) | {"epoch": "other"}, "other_epoch"
    ).applied(rooms_snapshot([quiet, tea, more], 1, why="epoch") | {"epoch": "other"}, sidebar([quiet, tea, more], 1))
    yield list_of_three("two rooms at one place").refused(
        rooms_diff(3, 4, [quiet, tea, lobby], mov=[goes("tea", "rooms", 3, 4)]), "malformed")
    yield list_of_three("the digest covers names").refused(
        rooms_diff(3, 4, [quiet, tea, lobby, chat("Den", 4)], ins=[coming(chat("den", 4))]), "diverged")
    yield list_of_three("something is missing").refused(rooms_diff(4, 5, [quiet, tea, lobby]), "gap")


def databases(quiet, tea, lobby):
    """One of the server's databases does not answer, and its rooms are missing."""
    away = {"missing": {"databases": [2]}}
    back = chat("tea", 2, 2, read=9, **said(9))
    yield Case("a database does not answer, and answers again", rooms_snapshot([quiet, lobby], 1) | away,
               sidebar([quiet, lobby], 1) | away).applied(
        rooms_diff(1, 2, [quiet, back, lobby], ins=[coming(back)]), sidebar([quiet, back, lobby], 2))
    yield Case("a revision changes nothing but that something is missing", rooms_snapshot([quiet, tea, lobby], 3),
               sidebar([quiet, tea, lobby], 3)).applied(
        rooms_diff(3, 4, [quiet, tea, lobby]) | away, sidebar([quiet, tea, lobby], 4) | away
    ).applied(
        rooms_diff(4, 5, [quiet, tea, lobby]) | {"missing": {"databases": [1, 3]}},
        sidebar([quiet, tea, lobby], 5) | {"missing": {"databases": [1, 3]}}
    ).applied(rooms_diff(5, 6, [quiet, tea, lobby]), sidebar([quiet, tea, lobby], 6))


def tagged(made, number):
    return made | {"tag": name(number)}


def coming_back(three):
    """A reader names the rows that it holds by their tags, and comes back to a server that knows nothing of its list."""
    quiet, tea, lobby = (tagged(made, number) for number, made in enumerate(three, 40))
    moved, told = goes("quiet", "rooms", 4, 4) | {"tag": name(43)}, tagged(chat("tea", 5, 5, unread=2, **said(9)), 44)
    case = Case("rows have tags: a move and a reconfigure bring another one", rooms_snapshot([quiet, tea, lobby], 3),
                sidebar([quiet, tea, lobby], 3)).applied(
        rooms_diff(3, 5, [lobby, quiet | moved, told], mov=[moved, goes("tea", "rooms", 5, 5)], cfg=[counted(told)]),
        sidebar([lobby, quiet | {"sort": 4, "rev": 4, "tag": name(43)}, told], 5))
    held = [lobby | {"rev": 1}, quiet | {"sort": 4, "rev": 1, "tag": name(43)}]
    new = tagged(chat("den", 9, 1, unread=7), 45)
    other = {"epoch": "other"}
    yield case.applied(
        rooms_diff(5, 1, [*held, new], kept=1, ins=[coming(new)], **{"del": ["tea"]}) | other, sidebar([*held, new], 1)
    ).applied(
        rooms_diff(1, 2, [held[0], new, tagged(chat("quiet", 10, 2), 46)],
                   mov=[goes("quiet", "rooms", 10, 2)], cfg=[counted(tagged(chat("quiet", 10, 2), 46))]) | other,
        sidebar([held[0], new, tagged(chat("quiet", 10, 2), 46)], 2))
    again = tagged(chat("tea", 7, 3, unread=4, **said(11)), 47)
    kept = [quiet | {"rev": 2}, lobby | {"rev": 2}]
    yield Case("a held row comes anew, with a rev that is below the one that it had",
               rooms_snapshot([quiet | {"rev": 8}, tea | {"rev": 9}, lobby | {"rev": 9}], 9),
               sidebar([quiet | {"rev": 8}, tea | {"rev": 9}, lobby | {"rev": 9}], 9)).applied(
        rooms_diff(9, 3, [*kept, again], kept=2, ins=[coming(again)]) | other, sidebar([*kept, again], 3))
    yield Case("nothing has changed, and the server has forgotten what was", rooms_snapshot([quiet, tea], 9),
               sidebar([quiet, tea], 9)).applied(
        rooms_diff(9, 9, [quiet, tea], kept=1) | proof([quiet | {"rev": 1}, tea | {"rev": 1}]),
        sidebar([quiet | {"rev": 1}, tea | {"rev": 1}], 9))
    yield Case("the list has not reached the reader's revision, in one epoch", rooms_snapshot([quiet, tea], 9),
               sidebar([quiet, tea], 9)).applied(
        rooms_diff(9, 2, [quiet | {"rev": 1}, lobby | {"rev": 2}], kept=1, ins=[coming(lobby | {"rev": 2})], **{"del": ["tea"]}),
        sidebar([quiet | {"rev": 1}, lobby | {"rev": 2}], 2))
    yield Case("the reader has told the sums of its rows: what the diff does not name of a group that differs is gone",
               rooms_snapshot([quiet, tea, lobby], 3), sidebar([quiet, tea, lobby], 3)).applied(
        rooms_diff(3, 1, [*held, new], kept=1, groups=sorted({group("tea"), group("quiet"), group("den")}),
                   ins=[coming(held[1]), coming(new)]) | other, sidebar([*held, new], 1))
    yield Case("the sums are equal", rooms_snapshot([quiet, tea], 9), sidebar([quiet, tea], 9)).applied(
        rooms_diff(9, 1, [quiet | {"rev": 1}, tea | {"rev": 1}], kept=1, groups=[]) | other,
        sidebar([quiet | {"rev": 1}, tea | {"rev": 1}], 1))
    yield Case("the held rows are other ones", rooms_snapshot([quiet, tea], 3), sidebar([quiet, tea], 3)).refused(
        rooms_diff(3, 1, [quiet | {"rev": 1}, lobby], kept=1) | other, "diverged")
    yield Case("the held rows are of another revision", rooms_snapshot([quiet, tea], 3), sidebar([quiet, tea], 3)).refused(
        rooms_diff(2, 1, [quiet | {"rev": 1}, tea | {"rev": 1}], kept=1) | other, "gap")


def settings(three):
    """A member pins, moves, archives, mutes and marks rooms."""
    quiet, tea, lobby = three
    step = 2**20
    first, second = tea | {"sort": step, "rev": 4}, quiet | {"sort": 2 * step, "rev": 5}
    between = chat("lobby", step + step // 2, 6, unread=1, read=5, **said(6))
    case = Case("rooms are pinned, one of them between two others", rooms_snapshot(three, 3), sidebar(three, 3)).applied(
        rooms_diff(3, 4, [first, quiet, lobby], mov=[moving(first, "pinned")]), sidebar([quiet, lobby], 4, pinned=[first])
    ).applied(
        rooms_diff(4, 5, [first, second, lobby], mov=[moving(second, "pinned")]),
        sidebar([lobby], 5, pinned=[first, second])
    ).applied(
        rooms_diff(5, 6, [first, between, second], mov=[moving(between, "pinned")]),
        sidebar([], 6, pinned=[first, between, second]))
    spoken = between | {"rev": 7, "unread": 2} | said(7)
    yield case.applied(
        rooms_diff(6, 7, [first, spoken, second], cfg=[counted(spoken)]), sidebar([], 7, pinned=[first, spoken, second])
    ).applied(
        rooms_diff(7, 8, [second | {"sort": step, "rev": 8}, spoken, first | {"sort": 2 * step, "rev": 8}],
                   mov=[goes("quiet", "pinned", step, 8), goes("tea", "pinned", 2 * step, 8)]),
        sidebar([], 8, pinned=[second | {"sort": step, "rev": 8}, spoken, first | {"sort": 2 * step, "rev": 8}]))
    away = tea | {"sort": 4, "rev": 4}
    heard = chat("tea", 5, 5, unread=1, read=9, **said(10))
    yield Case("an archived room stays away when something is said there, and comes back",
               rooms_snapshot(three, 3), sidebar(three, 3)).applied(
        rooms_diff(3, 4, [quiet, lobby, away], mov=[moving(away, "archived")]), sidebar([quiet, lobby], 4, archived=[away])
    ).applied(
        rooms_diff(4, 5, [quiet, lobby, heard], mov=[moving(heard, "archived")], cfg=[counted(heard)]),
        sidebar([quiet, lobby], 5, archived=[heard])
    ).applied(
        rooms_diff(5, 6, [quiet, lobby, heard | {"rev": 6}], mov=[goes("tea", "rooms", 5, 6)]),
        sidebar([quiet, lobby, heard | {"rev": 6}], 6))
    dim = lobby | {"rev": 4, "muted": True, "marked": True}
    loud = lobby | {"rev": 5, "marked": True}
    seen = chat("lobby", 3, 6, read=8, **said(6))
    yield Case("a room is muted and marked, not muted any more, and read", rooms_snapshot(three, 3), sidebar(three, 3)).applied(
        rooms_diff(3, 4, [quiet, tea, dim], cfg=[counted(dim)]), sidebar([quiet, tea, dim], 4)
    ).applied(
        rooms_diff(4, 5, [quiet, tea, loud], cfg=[counted(loud)]), sidebar([quiet, tea, loud], 5)
    ).applied(rooms_diff(5, 6, [quiet, tea, seen], cfg=[counted(seen)]), sidebar([quiet, tea, seen], 6))
    pair = chat("@00112233445566778899aabbccddeeff", 4, people=["bob"])
    come, write = pair | {"rev": 5, "here": True}, pair | {"rev": 6, "here": True, "typing": True}
    open_one, done = lobby | {"rev": 6, "typing": True}, pair | {"rev": 7, "unread": 1} | said(10)
    yield Case("somebody comes into a direct room, writes, says it and goes; somebody else writes in an open one",
               rooms_snapshot([lobby, pair], 4), sidebar([lobby, pair], 4)).applied(
        rooms_diff(4, 5, [lobby, come], cfg=[counted(come)]), sidebar([lobby, come], 5)
    ).applied(
        rooms_diff(5, 6, [open_one, write], cfg=[counted(open_one), counted(write)]), sidebar([open_one, write], 6)
    ).applied(
        rooms_diff(6, 7, [lobby | {"rev": 7}, done], cfg=[counted(lobby | {"rev": 7}), counted(done)]),
        sidebar([lobby | {"rev": 7}, done], 7))
    yield Case("all sections", rooms_snapshot([tea], 9, invited=[chat("~" + name(7), 4)], pinned=[dim], archived=[quiet]),
               sidebar([tea], 9, invited=[chat("~" + name(7), 4)], pinned=[dim], archived=[quiet]))


def followed(number, sort, rev=None, room="lobby", **fields):
    """A thread that somebody follows, as its row shows it: the one of the message `number`."""
    return chat(f"{room}/thread/{name(number)}", sort, rev, **fields)


def answered(number, author="ann", text="Friday?"):
    """The message that a thread answers."""
    return {"root": said(number, author, text)["last"]}


def thread_rows():
    """`me/threads`: rows as those of `me/rooms`, each with its `root`."""
    def of_threads(frame):
        return frame | {"list": THREADS}

    plans = "~" + name(7)
    one = followed(1, 1, read=4, title="Lobby", **answered(1))
    two = followed(2, 2, room=plans, unread=1, mentions=1, read=2, title="Plans", **said(9, text="@ann?"), **answered(2, "bob", "日本"))

    def list_of_two(title):
        return Case(title, of_threads(rooms_snapshot([one, two], 2)), sidebar([one, two], 2))

    first = followed(1, 1, read=1, **said(5, "ann", "yes"), **answered(1))
    yield Case("the user replies, and follows the thread", of_threads(rooms_snapshot([], 0)), sidebar([], 0)).applied(
        of_threads(rooms_diff(0, 1, [first], ins=[coming(first)])), sidebar([first], 1))
    busy = followed(1, 3, unread=1, read=4, title="Lobby", **said(10), **answered(1))
    yield list_of_two("a reply comes: the thread goes to the end, and keeps its root").applied(
        of_threads(rooms_diff(2, 3, [two, busy], mov=[moving(busy)], cfg=[counted(busy)])), sidebar([two, busy], 3))
    edited = one | {"rev": 3} | answered(1, text="é" * 100)
    yield list_of_two("the root is edited: nothing moves").applied(
        of_threads(rooms_diff(2, 3, [edited, two], cfg=[counted(edited)])), sidebar([edited, two], 3))
    broken, known = one | {"rev": 3, "root": {"id": name(1), "damaged": True}}, two | {"rev": 3}
    known["root"] = {key: value for key, value in two["root"].items() if key != "text"} | {"damaged": True}
    yield list_of_two("the server's copies of both roots are damaged; of one the author is known").applied(
        of_threads(rooms_diff(2, 3, [broken, known], cfg=[counted(broken), counted(known)])), sidebar([broken, known], 3))
    gone = {key: value for key, value in one.items() if key != "root"} | {"rev": 3}
    yield list_of_two("a root is deleted, and the thread stays").applied(
        of_threads(rooms_diff(2, 3, [gone, two], cfg=[counted(gone)])), sidebar([gone, two], 3))
    read = followed(2, 2, 3, room=plans, read=3, title="Plans", muted=True, **said(9, text="@ann?"), **answered(2, "bob", "日本"))
    yield list_of_two("a thread is read and muted on another device").applied(
        of_threads(rooms_diff(2, 3, [one, read], cfg=[counted(read)])), sidebar([one, read], 3))
    done, place = one | {"sort": 3, "rev": 3}, two | {"sort": 2**20, "rev": 4}
    yield list_of_two("a thread is archived, and another one pinned").applied(
        of_threads(rooms_diff(2, 3, [two, done], mov=[moving(done, "archived")])), sidebar([two], 3, archived=[done])
    ).applied(
        of_threads(rooms_diff(3, 4, [place, done], mov=[moving(place, "pinned")])), sidebar([], 4, pinned=[place], archived=[done]))
    yield list_of_two("a thread is left").applied(
        of_threads(rooms_diff(2, 3, [two], **{"del": [one["id"]]})), sidebar([two], 3))
    held = [tagged(one, 40), tagged(two, 41)]
    new = tagged(busy | {"sort": 9, "rev": 1}, 42)
    yield Case("rows have tags, and the server was started anew", of_threads(rooms_snapshot(held, 2)), sidebar(held, 2)).applied(
        of_threads(rooms_diff(2, 1, [held[1] | {"rev": 1}, new], kept=1, ins=[coming(new)]) | {"epoch": "other"}),
        sidebar([held[1] | {"rev": 1}, new], 1))
    yield list_of_two("the digest covers the names of threads").refused(
        of_threads(rooms_diff(2, 3, [one, two, followed(3, 3)], ins=[coming(followed(4, 3))])), "diverged")


def calling(number, sort=None, rev=None, room="lobby", read=False, text="@ann?", author="bob"):
    """A message that mentions somebody, as its row shows it."""
    made = {"id": f"{room}/{name(number)}", "sort": sort or number, "rev": rev or sort or number, "room": room}
    return made | {"message": name(number), "author": author, "time": 1700000000000 + number, "text": text, "read": read}


def mention_rows():
    """`me/mentions`."""
    def snapshot(rows, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": MENTIONS, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | {"sections": [{"id": "mentions", "rows": rows}], "more": False} | proof(rows)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": MENTIONS, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(rows, revision):
        return {"revision": revision, "more": False, "rows": [row | {"section": "mentions"} for row in rows]}

    def light(made):
        return {key: made[key] for key in ("id", "rev", "text", "read")}

    def coming(made):
        return made | {"section": "mentions"}

    one, two = calling(1, read=True), calling(2, room="~" + name(7), text="@room é", author="Åse 日本")

    def list_of_two(title):
        return Case(title, snapshot([one, two], 2), held([one, two], 2))

    new = calling(1, 3, room="tea")
    yield Case("nobody was mentioned, and is", snapshot([], 0), held([], 0)).applied(
        diff(0, 3, [new], ins=[coming(new)]), held([new], 3))
    yield list_of_two("a message of another room has the same id").applied(
        diff(2, 3, [one, two, new], ins=[coming(new)]), held([one, two, new], 3))
    read = two | {"rev": 3, "read": True}
    edited = one | {"rev": 4, "text": "@ann!"}
    yield list_of_two("one is read, and one edited").applied(
        diff(2, 3, [one, read], cfg=[light(read)]), held([one, read], 3)
    ).applied(diff(3, 4, [edited, read], cfg=[light(edited)]), held([edited, read], 4))
    yield list_of_two("one is deleted while another comes").applied(
        diff(2, 3, [two, new], **{"del": [one["id"]]}, ins=[coming(new)]), held([two, new], 3))
    reply = calling(3, room=f"lobby/thread/{name(1)}", read=True)
    yield list_of_two("a reply in a followed thread mentions somebody").applied(
        diff(2, 3, [one, two, reply], ins=[coming(reply)]), held([one, two, reply], 3))
    yield list_of_two("another token does not grant all rooms").applied(
        snapshot([one], 4, "epoch", "other"), held([one], 4))
    yield list_of_two("the digest covers rooms").refused(
        diff(2, 3, [one, two, calling(1, 3, room="Tea")], ins=[coming(new)]), "diverged")
    yield list_of_two("something is missing").refused(diff(3, 4, [one, two]), "gap")


def pinned(number, sort, rev=None, **light):
    """A pinned message, as its row shows it."""
    made = {"id": name(number), "sort": sort, "rev": rev or number, "author": "ann", "time": 1700000000000 + number}
    return made | {"text": f"message {number}"} | light


def pin_rows():
    """`room/NAME/pins`."""
    def snapshot(rows, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": PINS, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | {"sections": [{"id": "pins", "rows": rows}], "more": False} | proof(rows)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": PINS, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(rows, revision):
        return {"revision": revision, "more": False, "rows": [row | {"section": "pins"} for row in rows]}

    def light(made):
        return {key: made[key] for key in ("id", "rev", "text", "replyTo", "mentions", "everyone", "data", "files", "edited", "tag") if key in made}

    def place(made):
        return {"id": made["id"], "section": "pins", "sort": made["sort"], "rev": made["rev"]}

    def coming(made):
        return made | {"section": "pins"}

    one, two, three = pinned(1, 10), pinned(2, 20), pinned(3, 30)

    def list_of_three(title):
        return Case(title, snapshot([one, two, three], 3), held([one, two, three], 3))

    yield Case("the first message is pinned", snapshot([], 0), held([], 0)).applied(
        diff(0, 1, [one], ins=[coming(one)]), held([one], 1))
    last, first = pinned(1, 40, 4), pinned(3, 5, 5)
    yield list_of_three("one moves to the end, and another to the beginning").applied(
        diff(3, 4, [two, three, last], mov=[place(last)]), held([two, three, last], 4)
    ).applied(diff(4, 5, [first, two, last], mov=[place(first)]), held([first, two, last], 5))
    beside = pinned(3, 11, 4, text="better", edited=1700000000009)
    yield list_of_three("one moves between two others, and is edited").applied(
        diff(3, 4, [one, beside, two], mov=[place(beside)], cfg=[light(beside)]), held([one, beside, two], 4))
    swapped = [pinned(2, 10, 4), pinned(1, 20, 4), three]
    yield list_of_three("two change places").applied(
        diff(3, 4, swapped, mov=[place(swapped[0]), place(swapped[1])]), held(swapped, 4))
    full = pinned(2, 20, 4, text="@bob @room", replyTo=name(1), mentions=["bob"], everyone=True, data={"kind": "poll"}, edited=1700000000009)
    plain = pinned(2, 20, 5, text="better", edited=1700000000010)
    yield list_of_three("an edit brings all fields, and another one only some").applied(
        diff(3, 4, [one, full, three], cfg=[light(full)]), held([one, full, three], 4)
    ).applied(diff(4, 5, [one, plain, three], cfg=[light(plain)]), held([one, plain, three], 5))
    new = pinned(4, 25, 4, replyTo=name(9))
    yield list_of_three("one is unpinned while another comes between").applied(
        diff(3, 4, [two, new, three], **{"del": [one["id"]]}, ins=[coming(new)]), held([two, new, three], 4))
    known, moved, gone = tagged(one, 40), tagged(two, 41), tagged(three, 42)
    there = tagged(pinned(2, 5, 1), 43)
    yield Case("rows have tags, and are resumed at a server that knows nothing of the list", snapshot([known, moved, gone], 6),
               held([known, moved, gone], 6)).applied(
        diff(6, 1, [there, known | {"rev": 1}], kept=1, ins=[coming(there)], **{"del": [gone["id"]]}) | {"epoch": "other"},
        held([there, known | {"rev": 1}], 1))
    yield list_of_three("the digest covers places").refused(
        diff(3, 4, [one, two, pinned(3, 31, 4)], mov=[place(pinned(3, 32, 4))]), "diverged")
    yield list_of_three("something is missing").refused(diff(4, 5, [one, two]), "gap")


def profile(user, sort, rev=None, **light):
    """Somebody with a profile, as their row shows it."""
    return {"id": user, "sort": sort, "rev": rev or sort} | light


def people_rows():
    """`me/people`."""
    def snapshot(rows, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": PEOPLE, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | {"sections": [{"id": "people", "rows": rows}], "more": False} | proof(rows)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": PEOPLE, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(rows, revision):
        return {"revision": revision, "more": False, "rows": [row | {"section": "people"} for row in rows]}

    def light(made):
        return {key: made[key] for key in ("id", "rev", "name", "picture", "tag") if key in made}

    def coming(made):
        return made | {"section": "people"}

    face = "https://chat.example/bob.png"
    ann, bob = profile("ann", 1, name="Ann Example"), profile("bob", 2, name="Bob", picture=face)
    new = profile("Åse 日本", 3, picture=face)

    def list_of_two(title):
        return Case(title, snapshot([ann, bob], 2), held([ann, bob], 2))

    yield Case("nobody has a profile, and somebody gets one", snapshot([], 0), held([], 0)).applied(
        diff(0, 3, [new], ins=[coming(new)]), held([new], 3))
    named = profile("ann", 1, 3, name="Ann")
    plain = profile("bob", 2, 4, name="Bob")
    bare = profile("bob", 2, 5, picture=face)
    yield list_of_two("a name changes, a picture goes, a name goes and the picture comes").applied(
        diff(2, 3, [named, bob], cfg=[light(named)]), held([named, bob], 3)
    ).applied(diff(3, 4, [named, plain], cfg=[light(plain)]), held([named, plain], 4)).applied(
        diff(4, 5, [named, bare], cfg=[light(bare)]), held([named, bare], 5))
    yield list_of_two("a profile goes, and another comes").applied(
        diff(2, 3, [bob, new], **{"del": ["ann"]}, ins=[coming(new)]), held([bob, new], 3))
    same = profile("bob", 2, 3, name="Ann Example")
    yield list_of_two("two have one name").applied(diff(2, 3, [ann, same], cfg=[light(same)]), held([ann, same], 3))
    yield list_of_two("the server remembers nothing").applied(snapshot([ann], 4, "epoch", "other"), held([ann], 4))
    known, called, gone = tagged(ann, 40), tagged(bob, 41), tagged(profile("cid", 5, name="Cid"), 42)
    another, late = tagged(profile("bob", 2, 1, name="Bob"), 43), tagged(profile("Åse 日本", 3, 1, name="Åse"), 44)
    renamed = tagged(profile("bob", 2, 2, name="Bobby"), 45)
    yield Case("rows have tags, and are resumed at a server that knows nothing of its list", snapshot([known, called, gone], 6),
               held([known, called, gone], 6)).applied(
        diff(6, 1, [known | {"rev": 1}, another, late], kept=1, ins=[coming(another), coming(late)], **{"del": ["cid"]})
        | {"epoch": "other"}, held([known | {"rev": 1}, another, late], 1)
    ).applied(
        diff(1, 2, [known | {"rev": 1}, renamed, late], cfg=[light(renamed)]) | {"epoch": "other"},
        held([known | {"rev": 1}, renamed, late], 2))
    yield list_of_two("the digest covers who it is").refused(
        diff(2, 3, [ann, bob, profile("A\u030ase", 3)], ins=[coming(new)]), "diverged")
    yield list_of_two("something is missing").refused(diff(3, 4, [ann, bob]), "gap")


def unsent(room, sort, rev=None, text="hello", **fields):
    """What somebody has written in a room and not sent."""
    return {"id": room, "sort": sort, "rev": rev or sort, "text": text} | fields | {"time": sort}


def draft_rows():
    """`me/drafts`."""
    def snapshot(rows, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": DRAFTS, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | {"sections": [{"id": "drafts", "rows": rows}], "more": False} | proof(rows)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": DRAFTS, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(rows, revision):
        return {"revision": revision, "more": False, "rows": [row | {"section": "drafts"} for row in rows]}

    def light(made):
        return {key: made[key] for key in made if key != "sort"}

    def move(made):
        return {key: made[key] for key in ("id", "sort", "rev")} | {"section": "drafts"}

    den, lobby = unsent("den", 1, text="a"), unsent("lobby", 2, text="b", replyTo=name(4), mentions=["bob"], everyone=True, data={"kind": "note"})
    secret = unsent("~" + name(9), 3, text="😀\nc")

    def list_of_two(title):
        return Case(title, snapshot([den, lobby], 2), held([den, lobby], 2))

    yield Case("nothing was written, and then something", snapshot([], 0), held([], 0)).applied(
        diff(0, 3, [secret], ins=[secret | {"section": "drafts"}]), held([secret], 3))
    again = unsent("den", 4, 3, text="ab")
    yield list_of_two("a draft is written again, and stands at the end").applied(
        diff(2, 3, [lobby, again], mov=[move(again)], cfg=[light(again)]), held([lobby, again], 3))
    bare = unsent("lobby", 4, 3, text="b")
    yield list_of_two("all but the text goes").applied(
        diff(2, 3, [den, bare], mov=[move(bare)], cfg=[light(bare)]), held([den, bare], 3))
    yield list_of_two("a draft was sent").applied(diff(2, 3, [lobby], **{"del": ["den"]}), held([lobby], 3))
    yield list_of_two("the server remembers nothing").applied(snapshot([den], 4, "epoch", "other"), held([den], 4))
    yield list_of_two("something is missing").refused(diff(3, 4, [den, lobby]), "gap")


def timed(number, at, rev=None, room="lobby", **fields):
    """A message that somebody has scheduled, or a reminder of one."""
    return {"id": name(number), "sort": at, "rev": rev or at, "room": room, "at": at} | fields


def later_rows():
    """`me/later`."""
    def sections(due, waiting):
        return {"sections": [{"id": "due", "rows": due}, {"id": "waiting", "rows": waiting}], "more": False} | proof(due + waiting)

    def snapshot(due, waiting, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": LATER, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | sections(due, waiting)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": LATER, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(due, waiting, revision):
        rows = [row | {"section": "due"} for row in due] + [row | {"section": "waiting"} for row in waiting]
        return {"revision": revision, "more": False, "rows": rows}

    def light(made):
        return {key: made[key] for key in made if key != "sort"}

    def move(made, section):
        return {key: made[key] for key in ("id", "sort", "rev")} | {"section": section}

    hello = timed(1, 10, 1, text="hello", replyTo=name(4), mentions=["bob"], everyone=True, data={"kind": "note"})
    remind = timed(2, 20, 2, room="~" + name(9), message=name(7))

    def list_of_two(title):
        return Case(title, snapshot([], [hello, remind], 2), held([], [hello, remind], 2))

    yield Case("nothing waits, and then something", snapshot([], [], 0), held([], [], 0)).applied(
        diff(0, 1, [hello], ins=[hello | {"section": "waiting"}]), held([], [hello], 1))
    yield list_of_two("a message was sent").applied(diff(2, 3, [remind], **{"del": [hello["id"]]}), held([], [remind], 3))
    due = remind | {"rev": 3}
    yield list_of_two("a reminder becomes due, and stands before what waits").applied(
        diff(2, 3, [due, hello], mov=[move(due, "due")]), held([due], [hello], 3))
    refused = hello | {"rev": 3, "refused": {"error": "forbidden", "reason": "muted", "message": "you are muted"}}
    again = timed(1, 30, 4, text="hello")
    yield list_of_two("a message is refused, and then scheduled again without all but its text").applied(
        diff(2, 3, [refused, remind], mov=[move(refused, "due")], cfg=[light(refused)]), held([refused], [remind], 3)).applied(
        diff(3, 4, [remind, again], mov=[move(again, "waiting")], cfg=[light(again)]), held([], [remind, again], 4))
    sooner = remind | {"sort": 5, "at": 5, "rev": 3}
    yield list_of_two("a reminder gets an earlier time").applied(
        diff(2, 3, [sooner, hello], mov=[move(sooner, "waiting")], cfg=[light(sooner)]), held([], [sooner, hello], 3))
    other = timed(2, 20, 3, text="instead")
    yield list_of_two("a message takes the place of a reminder").applied(
        diff(2, 3, [hello, other], cfg=[light(other)]), held([], [hello, other], 3))
    yield list_of_two("the server remembers nothing").applied(snapshot([due], [], 4, "epoch", "other"), held([due], [], 4))
    text_digest = proof([hello, remind]) | {"digest": (proof([hello, remind])["digest"] + 1) % 2**32}
    yield list_of_two("the rows are others").refused(diff(2, 3, [], **{"del": [name(8)]}) | text_digest, "diverged")
    yield list_of_two("something is missing").refused(diff(3, 4, [hello, remind]), "gap")


def barred(user, time, rev=None):
    """A user whom somebody has blocked."""
    return {"id": user, "sort": time, "rev": rev or time, "time": time}


def blocked_rows():
    """`me/blocked`."""
    def snapshot(rows, revision, why="fresh", epoch=EPOCH):
        head = {"type": "snapshot", "list": BLOCKED, "epoch": epoch, "revision": revision, "joined": revision, "why": why}
        return head | {"sections": [{"id": "blocked", "rows": rows}], "more": False} | proof(rows)

    def diff(start, to, rows, **operations):
        return {"type": "diff", "list": BLOCKED, "epoch": EPOCH, "from": start, "to": to} | operations | proof(rows)

    def held(rows, revision):
        return {"revision": revision, "more": False, "rows": [row | {"section": "blocked"} for row in rows]}

    def coming(made):
        return made | {"section": "blocked"}

    bob, cid, new = barred("bob", 1), barred("cid", 2), barred("Åse 日本", 3)

    def list_of_two(title):
        return Case(title, snapshot([bob, cid], 2), held([bob, cid], 2))

    yield Case("nobody is blocked, and then somebody", snapshot([], 0), held([], 0)).applied(
        diff(0, 1, [bob], ins=[coming(bob)]), held([bob], 1))
    yield list_of_two("one is unblocked, and another is blocked").applied(
        diff(2, 3, [cid, new], **{"del": ["bob"]}, ins=[coming(new)]), held([cid, new], 3))
    again = barred("bob", 4, 3)
    yield list_of_two("one is unblocked and blocked again, with another time and place").applied(
        diff(2, 3, [cid, again], mov=[{key: again[key] for key in ("id", "sort", "rev")} | {"section": "blocked"}],
             cfg=[{key: again[key] for key in ("id", "rev", "time")}]), held([cid, again], 3))
    yield list_of_two("the server remembers nothing").applied(snapshot([cid], 4, "epoch", "other"), held([cid], 4))
    known, gone = tagged(bob, 40), tagged(cid, 41)
    late = tagged(barred("Åse 日本", 3, 1), 42)
    yield Case("rows have tags, and are resumed at a server that knows nothing of its list", snapshot([known, gone], 6), held([known, gone], 6)).applied(
        diff(6, 1, [known | {"rev": 1}, late], kept=1, ins=[coming(late)], **{"del": ["cid"]}) | {"epoch": "other"}, held([known | {"rev": 1}, late], 1))
    yield list_of_two("the digest covers who it is").refused(diff(2, 3, [bob, cid, barred("A\u030ase 日本", 3)], ins=[coming(new)]), "diverged")
    yield list_of_two("something is missing").refused(diff(3, 4, [bob, cid]), "gap")


def storing():
    """Frames that store drafts."""
    def store(fields, error=None):
        return {"text": f'{{"type":"draft","ref":7,{fields}}}', "error": error, "ref": 7, "close": None}

    an_id = name(4)
    for room in ["lobby", "~" + an_id, "@00112233445566778899aabbccddeeff"]:
        yield store(f'"room":"{room}"')
        yield store(f'"room":"{room}","text":"x"')
    yield store(f'"room":"lobby","text":"x","replyTo":"{an_id}","mentions":["bob"],"everyone":true,"data":{{"kind":"note"}}')
    yield store(f'"room":"lobby","text":null,"replyTo":"{an_id}"')
    for fields in [
        '"text":"x"', '"room":"a b","text":"x"', '"room":"lobby","text":""', '"room":"lobby","text":" "', '"room":"lobby","text":7',
        '"room":"lobby","text":"x","replyTo":"x"', '"room":"lobby","text":"x","mentions":"bob"', '"room":"lobby","text":"x","files":[]',
    ]:
        yield store(fields, "bad_request")
    yield store(f'"room":"lobby","text":{json.dumps("x" * 8193)}', "too_large")


def scheduling():
    """Frames that schedule messages and set reminders."""
    def schedule(fields, error=None):
        return {"text": f'{{"type":"later","ref":7,{fields}}}', "error": error, "ref": 7, "close": None}

    an_id = name(4)
    said = f'"id":"{an_id}","room":"lobby","at":0'
    yield schedule(f'"id":"{an_id}"')
    yield schedule(f'"id":"{an_id.upper()}","text":null')
    for room in ["lobby", "~" + an_id, "@00112233445566778899aabbccddeeff", f"lobby/thread/{an_id}"]:
        yield schedule(f'"id":"{an_id}","room":"{room}","at":0,"text":"x"')
        yield schedule(f'"id":"{an_id}","room":"{room}","at":0,"message":"{an_id}"')
    yield schedule(f'{said},"text":"x","replyTo":"{an_id}","mentions":["bob"],"everyone":true,"data":{{"kind":"note"}}')
    for fields in [
        '"room":"lobby","at":0,"text":"x"', '"id":"x","room":"lobby","at":0,"text":"x"', f'"id":"{an_id}","at":0,"text":"x"',
        f'"id":"{an_id}","room":"lobby","text":"x"', f'"id":"{an_id}","room":"a b","at":0,"text":"x"', f'"id":"{an_id}","room":"lobby","at":-1,"text":"x"',
        f'{said},"text":""', f'{said},"text":" "', f'{said},"text":7', f'{said},"text":"x","replyTo":"x"',
        f'{said},"text":"x","mentions":"bob"', f'{said},"text":"x","message":"{an_id}"', f'{said},"message":"x"',
        f'{said},"message":"{an_id}","replyTo":"{an_id}"', f'{said},"message":"{an_id}","mentions":["bob"]', f'{said},"message":"{an_id}","data":{{"kind":"note"}}',
    ]:
        yield schedule(fields, "bad_request")
    yield schedule(f'{said},"text":{json.dumps("x" * 8193)}', "too_large")


def blocking():
    """Frames that block users."""
    def block(fields, error=None):
        return {"text": f'{{"type":"block","ref":7,{fields}}}', "error": error, "ref": 7, "close": None}

    for user in ["bob", "Åse 日本", "A\u030ase", "an\u00adn", " bob", "a  b", "x" * 64]:
        for on in ("true", "false"):
            yield block(f'"user":{json.dumps(user, ensure_ascii=False)},"on":{on}')
    for fields in [
        '"user":"bob"', '"on":true', '"user":"bob","on":null', '"user":"bob","on":1', '"user":"bob","on":"true"', '"user":"","on":true', '"user":7,"on":true',
        '"user":["bob"],"on":true', f'"user":"{"x" * 65}","on":true', '"user":"a\\nb","on":true',
    ]:
        yield block(fields, "bad_request")


def asking():
    """Frames that ask for people."""
    def ask(names, error=None):
        text = f'{{"type":"people","ref":7,"names":{json.dumps(names, ensure_ascii=False)}}}'
        return {"text": text, "error": error, "ref": 7, "close": None}

    yield ask(["ann"])
    yield ask(["ann", "Ann", "Åse", "A\u030ase", "an\u00adn", " ann", "a  b", "x" * 64])
    yield ask([f"p{n}" for n in range(200)])
    for names in [[], ["ann", "ann"], ["ann", ""], ["x" * 65], ["a\nb"], [7], "ann", None, [["ann"]]]:
        yield ask(names, "bad_request")
    yield ask([f"p{n}" for n in range(201)], "too_large")


def entered():
    """What a text that is entered is stored as, whether that tells its author something, or that it is refused."""
    def case(text, stored, told=False):
        return {"entered": text, "stored": stored} | ({"told": True} if told else {})

    # Line ends.
    for end in ["\n", "\r\n", "\r", "\v", "\f", "\u0085", "\u2028", "\u2029"]:
        yield case(f"a{end}b", "a\nb")
        yield case(f"a{end}{end}b{end}", "a\n\nb\n")
    yield case("a\n\rb\r\r\nc", "a\n\nb\n\nc")
    # What a person may mean.
    for text in [
        "a\tb", "\tb", "    def f():\n        return 1", "a  b ", " a", "\u3000\u8a00\u3046", "a\u00a0b", "\u200ea\u200f", "\u05d0\u202b.\u202c",
        "\u2066a\u2069", "\u202ea", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0d28\u0d4d\u200d", "\U0001f469\u200d\U0001f4bb", "\u2764\ufe0f", "co\u00adop", "a\u200bb",
        "\ufeffa", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "e\u0301", "\ue000", "\ufffd", "\u0301", "[31m", "]0;title", "\u241b",
    ]:
        yield case(text, text)
    # Escape sequences go as a whole.
    for start in ["\x1b[", "\u009b"]:
        yield case(f"{start}31merror{start}0m: failed", "error: failed", told=True)
        yield case(f"{start}1;38;5;196ma{start}Kb{start}?25lc{start}2 qd", "abcd", told=True)
        yield case(f"a{start}3\nb", "a\nb", told=True)
        yield case(f"a{start}", "a", told=True)
        yield case(f"a{start}3\u00e9", "a\u00e9", told=True)
    for start in ["\x1b]", "\u009d"]:
        for end in ["\x07", "\x1b\\", "\u009c"]:
            yield case(f"{start}0;title{end}text", "text", told=True)
            yield case(f"{start}8;;https://a.example{end}link{start}8;;{end}.", "link.", told=True)
        yield case(f"{start}no end", "no end", told=True)
        yield case(f"{start}0;a\x1b[1mb\x07c", "0;abc", told=True)
        yield case(f"{start}0;a{start}0;b\x07c", "0;ac", told=True)
    for start in ["\x1bP", "\x1bX", "\x1b^", "\x1b_", "\u0090", "\u0098", "\u009e", "\u009f"]:
        yield case(f"a{start}q\nx\x1b\\b", "ab", told=True)
    yield case("\x1bca\x1b(Bb\x1b7c\x1b=d\x1b#8e", "abcde", told=True)
    yield case("a\x1b\x1b[1mb\x1b\u00e9\x1b\nc\x1b", "ab\u00e9\nc", told=True)
    # Other control characters.
    yield case("a\0b\x07c\x08d\x0ee\x7ff\u0080g\u009ch\x1ai", "abcdefghi", told=True)
    yield case("a\r\0\nb\r\x1b[K\nc", "a\nb\nc", told=True)
    # Nothing to see.
    for text in [
        "", " ", "\n\n", "\t \r\n", "\u00a0", "\u3000", "\u2003\u205f", "\u2028", "\u200b", "\u200b\u200c\u200d", "\u2060", "\ufeff", "\u2800", "\u3164",
        "\u115f\u1160", "\uffa0", "\u00ad", "\u034f", "\u061c", "\u180b", "\u180e", "\u17b4", "\ufe0f", "\U000e0100", "\U000e0061", "\u202e", "\u2066\u2069",
        "\U0001d159", "\U0001d173", "\u2800 \u3164\n\u200b", "\0", "\x1b[31m", "\x1b[31m \x1b[0m\r\n", "\x1b]0;title\x07", "\u0085",
    ]:
        yield {"entered": text, "refused": True}


def emojis():
    """Whether a reaction may have this emoji, where a server has the short names `lgtm` and `+1`."""
    yes = [
        "\U0001f44d", "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "\u261d\U0001f3fd", "\u261d\ufe0f", "\u263a\ufe0f", "\u2705", "\u2714\ufe0f", "\u00a9\ufe0f", "\u2122\ufe0f", "1\ufe0f\u20e3", "#\ufe0f\u20e3",
        "\U0001f1e9\U0001f1ea", "\U0001f1ea\U0001f1fa", "\U0001f1fd\U0001f1f0", "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "\U0001f469\u200d\U0001f4bb",
        "\U0001f469\U0001f3fd\u200d\U0001f4bb", "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f3f3\ufe0f\u200d\U0001f308", "\u2764\ufe0f\u200d\U0001f525", "\U0001f441\ufe0f\u200d\U0001f5e8\ufe0f",
        "\U0001f9d1\U0001f3fb\u200d\U0001f91d\u200d\U0001f9d1\U0001f3ff", "\U0001f3c3\U0001f3fb\u200d\u2642\ufe0f\u200d\u27a1\ufe0f", "\U0001f636\u200d\U0001f32b\ufe0f", "\U0001f3fd", "\u2b50", "\u00ae\ufe0f",
        "\U0001faef", "\U0001fac8", "\U0001f9d1\u200d\U0001fa70", "\U0001f468\U0001f3fb\u200d\U0001f430\u200d\U0001f468\U0001f3fd",
        ":lgtm:", ":+1:",
    ]
    no = [
        "\U0001fadd",
        "", " ", "spam spam spam", "ok", "+1", "1", "a", "\u00e9", "\u65e5", "lgtm", ":spam:", ":LGTM:", ":lgtm", "::", ":lgtm: ", ":lgtm::+1:", ":-)", "+",
        "\U0001f44d ", " \U0001f44d", "\U0001f44d\U0001f44d", "\U0001f44d\n", "\U0001f44dok", "\u2764", "\u263a", "\u2714", "\u00a9", "\u2122", "1\u20e3", "#", "1\ufe0f", "\U0001f44d\ufe0f", "\u2764\ufe0e",
        "\u2764\ufe0f\ufe0f", "\U0001f44d\U0001f3fd\U0001f3fd", "\U0001f697\U0001f3fd", "\U0001f1e9", "\U0001f1e9\U0001f1ea\U0001f1eb", "\U0001f1fd\U0001f1fd", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "\U0001f1e9\u200d\U0001f1ea",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e007f", "\U000e007f", "\U0001f469\u200d", "\u200d\U0001f469", "\U0001f34e\u200d\U0001f350", "\U0001f469\u200d\u200d\U0001f4bb", "\U0001f469\U0001f4bb",
        "\u2764\u200d\U0001f525", "\u200b", "\u2800", "\u3164", "\u00ad", "\ufe0f", "\u20e3", "\u202e\U0001f44d", "\U0001f44d\u200b", "\ue000", "\u0301", "\u2192", "\u00b2", "e\u0301", "\u212b",
    ]
    for emoji in yes + no:
        yield {"emoji": emoji, "taken": emoji in yes}


def links():
    """The web addresses that a client makes links of."""
    for text, found in [
        ("see https://en.example.org/wiki/Foo_(bar) there", ["https://en.example.org/wiki/Foo_(bar)"]),
        ("(https://a.example/x)", ["https://a.example/x"]),
        ("[text](https://a.example/x).", ["https://a.example/x"]),
        ("(see https://a.example/Foo_(bar)), and", ["https://a.example/Foo_(bar)"]),
        ("https://a.example/x?y=[1]", ["https://a.example/x?y=[1]"]),
        ("https://a.example/{id}/x", ["https://a.example/{id}/x"]),
        ("http://[::1]:8080/x", ["http://[::1]:8080/x"]),
        ("\u89c1 https://a.example/docs\u3002\u8c22\u8c22", ["https://a.example/docs"]),
        ("\u89c1https://a.example/docs\uff0c\u8c22\u8c22", ["https://a.example/docs"]),
        ("https://a.example/docs\uff08\u8bf4\u660e\uff09", ["https://a.example/docs"]),
        ("\u300chttps://a.example/docs\u300d", ["https://a.example/docs"]),
        ("\u00abhttps://a.example/docs\u00bb", ["https://a.example/docs"]),
        ("https://a.example/docs\u061f \u0646\u0639\u0645", ["https://a.example/docs"]),
        ("https://a.example/wiki/\u4e2d\u6587 there", ["https://a.example/wiki/\u4e2d\u6587"]),
        ("https://a.example/\u00e9t\u00e9?", ["https://a.example/\u00e9t\u00e9"]),
        ("https://\u043f\u0440\u0438\u043c\u0435\u0440.example/\u043f\u0443\u0442\u044c!", ["https://\u043f\u0440\u0438\u043c\u0435\u0440.example/\u043f\u0443\u0442\u044c"]),
        ("https://a.example/x\u200b next", ["https://a.example/x"]),
        ("https://a.example/x\u3164next", ["https://a.example/x"]),
        ("https://a.example/x\u2800next", ["https://a.example/x"]),
        ("https://a.example/x\u202enext", ["https://a.example/x"]),
        ("https://a.example/x\u3000next", ["https://a.example/x"]),
        ("https://a.example/it's/here", ["https://a.example/it's/here"]),
        ("https://a.example/it\u2019s/here\u2019", ["https://a.example/it\u2019s/here"]),
        ("'https://a.example/x'", ["https://a.example/x"]),
        ("\"https://a.example/x\"", ["https://a.example/x"]),
        ("`https://a.example/x`", ["https://a.example/x"]),
        ("<https://a.example/x>", ["https://a.example/x"]),
        ("**https://a.example/x**", ["https://a.example/x"]),
        ("https://a.example/x..., https://b.example?!", ["https://a.example/x", "https://b.example"]),
        ("https://a.example/x#a:b;c,d.e", ["https://a.example/x#a:b;c,d.e"]),
        ("HTTPS://A.EXAMPLE/X", ["HTTPS://A.EXAMPLE/X"]),
        ("https:// nothing, https://, http://.", []),
        ("xhttps://a.example", []),
        ("ftp://a.example javascript:alert(1)", []),
    ]:
        yield {"text": text, "links": found}


def offers():
    """What a field in which a text ends here has begun to name: nothing, or what is behind the sign."""
    for text, begun in [
        ("@", ""), ("@an", "an"), ("hi @ann l", "ann l"), ("(@", ""), ("\n@b", "b"), ("\u8bf7\u95ee@", ""), ("\u3053\u3093\u306b\u3061\u306f@", ""), ("\uff20", ""), ("\u8bf7\u95ee\uff20b", "b"),
        ("\u30e6\u30fc\u30b6\u30fc@", ""), ("\u0e14\u0e35@", ""), ("\uc548\ub155@", ""), ("\u3002@\u592a", "\u592a"), ("@bob @", ""), ("@bob\u4f60", "bob\u4f60"), ("\U0001f44b@", ""),
        ("", None), ("ann", None), ("mail bob@", None), ("bob@a", None), ("7@", None), ("_@", None), (".@", None), ("/@", None), ("-@", None), ("@@", None), ("@\uff20", None), ("\uff20@", None),
        ("\u00e9@", None), ("\u0434\u0430@", None), ("\u65e57@", None), ("@ann\n", None), ("@" + "x" * 65, None),
    ]:
        yield {"text": text} | ({} if begun is None else {"begun": begun})


SPACELESS = (
    (0x0E01, 0x0E4E), (0x0E81, 0x0ECD), (0x1000, 0x1049), (0x1780, 0x17D3), (0x3005, 0x3007), (0x3041, 0x309F),
    (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x3100, 0x312F), (0x31F0, 0x31FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF), (0x20000, 0x323AF))


def folded(character):
    """The character in lower case and without accents."""
    if 0xFF01 <= ord(character) <= 0xFF5E:
        character = chr(ord(character) - 0xFEE0)
    lower = unicodedata.normalize("NFD", unicodedata.normalize("NFD", character).lower())
    plain = "".join(c for c in lower if not 0x300 <= ord(c) <= 0x36F)
    return unicodedata.normalize("NFC", plain).replace("ß", "ss").replace("ς", "σ")


def search_words(text):
    """The words of a text, each with the place of its first character and that after its last, and whether it is one character
    of a script without spaces."""
    words, word, start = [], "", 0
    for at, character in enumerate([*text, " "]):
        if any(first <= ord(character) <= last for first, last in SPACELESS):
            words += ([(word, start, at, False)] if word else []) + [(character, at, at + 1, True)]
            word = ""
        elif 0x300 <= ord(character) <= 0x36F:
            pass
        elif unicodedata.category(character)[0] in "LMN":
            start = at if not word else start
            word += folded(character)
        elif word:
            words.append((word, start, at, False))
            word = ""
    return words


def matches_of(phrase, text):
    wanted, given = search_words(phrase), search_words(text)
    begins = phrase.endswith("*") and not wanted[-1][3]
    for at in range(len(given) - len(wanted) + 1):
        pairs = list(zip(given[at:], wanted, strict=False))
        last = pairs[-1]
        if all(a[0] == b[0] for a, b in pairs[:-1]) and (last[0][0].startswith(last[1][0]) if begins else last[0][0] == last[1][0]):
            yield [pairs[0][0][1], last[0][2]]


def searches():
    """Queries of words and phrases, each in quotation marks, in texts."""
    for query, text in (
        (["deploy*", '"roll back"'], "Deploy, then roll back: deployed"),
        (["word"], "sword words wordy"), (["WORD"], "a Word."), (["cafe"], "Café, CAFÉ and cafe\u0301s"), (["café"], "cafe"),
        (["strasse"], "Straße"), (["straße"], "STRASSE"), (["οδοσ"], "Οδός"), (["ｆｕｌｌ"], "full"), (["йод"], "Иод"),
        (["中文"], "我会说中文。"), (["文中"], "我会说中文。"), (["日本"], "日本語と中文"), (["ไทย"], "ภาษาไทยง่าย"), (["語*"], "日本語"),
        (["back-up"], "the back, up"), (['"a b"'], "a b a b"), (["aa*"], "aa aab baa"), (["emoji"], "🎉 emoji 🎉"),
        (["don't"], "I don’t"), (["x1"], "x1 x 1"), (["हिन्दी"], "यह हिन्दी है"), (["istanbul"], "İstanbul"),
    ):
        found = [list(matches_of(part.strip('"'), text)) for part in query]
        ranges = sorted(place for part in found for place in part) if all(found) else None
        yield {"query": " ".join(query), "text": text, "at": ranges}
    for query in ('"open', "from:", "a*", "before:monday", "has:money", "in:a/b", "!?", "", "after:2026-11-01", "w " * 17):
        yield {"query": query, "refused": True}


def titles():
    """Whether a room's title, or a topic, may be this text."""
    yes = [
        "", "Plans", "General", "a  b", " a ", "\u65e5\u672c\u3000\u8a9e", "a\u00a0b", "Jose\u0301", "#1", "\U0001f44d", "\u2764\ufe0f plans", "\u2615\ufe0f tea", "\U0001f469\u200d\U0001f4bb crew", "1\ufe0f\u20e3", "\U0001f1e9\U0001f1ea",
        "\u05d0\u05d1", "\u2192", "\u0e01\u0e33",
    ]
    no = [
        " ", "\u00a0", "\u3000\u2003", "\u200b", "\u2800", "\u3164", "\u00ad", "\u202e", "General\u202e", "General \u202e", "\u202aGeneral\u202c", "\u2066General\u2069", "Gen\u200beral", "General\u200d",
        "General\ufeff", "Gen\u00aderal", "General\u2800", "General\u3164", "General\u200e", "\u061cGeneral", "General\ufe0f", "General\U000e0067", "General\ue000", "General\u0378", "a\u2028b", "a\u2029b", "a\nb",
        "a\tb", "a\0", "\x1b[31mGeneral", "a\u0085b", "a\u009bb", "\x7f", "\U0001f34e\u200d\U0001f350", "1\u20e3", "\u0301General", "General\u180e", "General\u034f",
    ]
    for title in yes + no:
        yield {"title": title, "taken": title in yes}


def mentions():
    """Whom a text calls, where these people are known.

    A letter is of Unicode's category L or M, since a mark belongs to the letter before it; a digit is of category Nd.
    Scripts that put no spaces between words: Han, kana, Hangul and those of South-East Asia.
    """
    def case(text, people, *called, everyone=False):
        return {"text": text, "people": people, "mentions": list(called)} | ({"everyone": True} if everyone else {})

    yield case("hello", ["ann"])
    yield case("@ann", ["ann", "bob"], "ann")
    yield case("@bob and @ann: lunch?", ["ann", "bob"], "bob", "ann")
    yield case("@cid, who is not here", ["ann", "bob"], "cid")
    yield case("@ann @bob @ann", [], "ann", "bob")
    yield case("(@ann) \u201c@bob\u201d,@cid\n@dan\t@eve \U0001f44b@fay \u65e5\u3002@gus", [], "ann", "bob", "cid", "dan", "eve", "fay", "gus")
    # Not a name, or not the beginning of one.
    yield case("@", ["ann"])
    yield case("@ ann", ["ann"])
    yield case("@@ann", ["ann"])
    yield case("@. @- @.-. @!", ["ann"])
    yield case("ann@example.org 7@ann _@ann .@ann -@ann @@ann /@ann \u00e9@ann \u0baa\u0bbe@ann \u0663@ann", ["ann"])
    yield case("https://example.org/@ann", ["ann"])
    # Where a name ends.
    yield case("@ann. @bob, @cid! @dan? @eve's @fay-", [], "ann", "bob", "cid", "dan", "eve", "fay")
    yield case("@v1.2 @a-b_c @_ @.d @e.-.", [], "v1.2", "a-b_c", "_", ".d", "e")
    yield case("@ann@example.org @bob/cid @bob\u00b2", [], "ann", "bob")
    yield case("`@ann` *@bob*", [], "ann", "bob")
    # The longest of the people known, also with spaces and other characters.
    yield case("@ann b is here", ["ann", "ann b", "ann b is"], "ann b is")
    yield case("@ann b is here", ["ann b", "ann"], "ann b")
    yield case("@ann bob", ["ann b", "ann"], "ann")
    yield case("@ann b", ["bob"], "ann")
    yield case("@ann-marie @ann.b", ["ann"], "ann")
    yield case("@ann-marie", ["ann", "ann-marie"], "ann-marie")
    yield case("@annb @ann_b @ann7 @ann\u00e9 @ann\u0323", ["ann"], "annb", "ann_b", "ann7", "ann\u00e9", "an\u1e47")
    yield case("@ann\u00b2 @ann\u2019s", ["ann"], "ann")
    yield case("@bob. Smith", ["bob."], "bob.")
    yield case("@ann@example.org", ["ann@example.org"], "ann@example.org")
    yield case("@ann @bob", ["ann @bob", "bob"], "ann @bob")
    yield case("@\U0001f469\u200d\U0001f52c! @\u2603", ["\U0001f469\u200d\U0001f52c"], "\U0001f469\u200d\U0001f52c")
    yield case("@C++ or @c++", ["C++"], "C++", "c")
    yield case("@.* @a", [".*"], ".*", "a")
    # Bytes: no case is folded, and the text is in normal form C.
    yield case("@Ann @ANN", ["ann"], "Ann", "ANN")
    yield case("@Jose\u0301 @Jos\u00e9", ["Jos\u00e9"], "Jos\u00e9")
    yield case("@Jose\u0301!", ["Jose\u0301"], "Jos\u00e9")
    yield case("@Jose\u0301 B", ["Jos\u00e9 B"], "Jos\u00e9 B")
    yield case("@\u212b", [], "\u00c5")
    # Scripts.
    yield case("@\u00c5se @\u65e5\u672c @\u05e2\u05d3\u05d9 @\u0baa\u0bbe\u0b9f\u0bc1 @x\u0323\u0302 @\u0663\u0664", [],
               "\u00c5se", "\u65e5\u672c", "\u05e2\u05d3\u05d9", "\u0baa\u0bbe\u0b9f\u0bc1", "x\u0323\u0302", "\u0663\u0664")
    yield case("@\U00010437x @\u65e5\u672c\u3055\u3093", ["\u65e5\u672c"], "\U00010437x", "\u65e5\u672c")
    # Letters of scripts that put no spaces between words neither block an `@` nor extend a name that is known.
    yield case("\u8bf7\u95ee@bob\uff0c\u5728\u5417", ["ann", "bob"], "bob")
    yield case("@bob\u4f60\u597d", ["ann", "bob"], "bob")
    yield case("@\u592a\u90ce\u3055\u3093\u3001\u898b\u3066", ["ann", "\u592a\u90ce"], "\u592a\u90ce")
    yield case("@\u592a\u90ce\u3055\u3093\u3001\u898b\u3066", ["\u592a\u90ce", "\u592a\u90ce\u3055"], "\u592a\u90ce\u3055")
    yield case("@\u592a\u90ce\u3055\u3093\u3001\u898b\u3066", ["ann"], "\u592a\u90ce\u3055\u3093")
    yield case("@bob\ub2d8 @\uae38\ub3d9\uc774\uac00 \uc548\ub155@ann", ["ann", "bob", "\uae38\ub3d9"], "bob", "\uae38\ub3d9", "ann")
    for word in [
        "\u3053\u3093\u306b\u3061\u306f", "\u30e6\u30fc\u30b6\u30fc", "\uff95\uff70\uff7b\uff9e", "\u65e5\u3005", "\u3106\u3107", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u0eaa\u0eb0\u0e9a\u0eb2\u0e8d\u0e94\u0eb5",
        "\u179f\u17bd\u179f\u17d2\u178f\u17b8", "\u1019\u1004\u103a\u1039\u1002\u101c\u102c\u1015\u102b", "\uc548\ub155", "\U00020bb7", "\u3162", "\ua188",
    ]:
        yield case(f"{word}@ann", ["ann"], "ann")
        yield case(f"@ann{word}", ["ann"], "ann")
    # A mark belongs to the letter before it, a digit of any script is a digit, and other scripts are as before.
    yield case("@\u0e2a\u0e21\u0e34 @\u0e2a\u0e21\u0e0a", ["\u0e2a\u0e21"], "\u0e2a\u0e21\u0e34", "\u0e2a\u0e21")
    yield case("@ann\u0e51 \u0e51@ann @ann\u1041 \u1041@ann", ["ann"], "ann\u0e51", "ann\u1041")
    yield case("@ann\u043f \u043f@ann @ann\u0434\u0430 \u05d0@ann \u0628@ann \u0928@ann", ["ann"], "ann\u043f", "ann\u0434\u0430")
    yield case("mail bob@a.example, \u90ae\u7bb1bob@a.example", ["ann", "bob"])
    yield case("\u65e5_@ann \u65e5.@ann \u65e5/@ann \u65e57@ann", ["ann"])
    # The full-width sign, too.
    yield case("\uff20bob \u8bf7\u95ee\uff20ann\uff0c x\uff20cid @\uff20dan \uff20@eve", ["ann", "bob"], "bob", "ann")
    yield case("@room\u5927\u5bb6\u597d \uff20room\uff01 \u5927\u5bb6@room", ["ann"], everyone=True)
    yield case("@rooms\u5927 @room\u5927\u5bb6", ["room"], "rooms\u5927", "room")
    # No server takes these.
    long = ["x" * 64, "y" * 65, "\u65e5" * 21, "\u672c" * 22]
    yield case(" ".join(f"@{name}" for name in long), [], long[0], long[2])
    yield case("@" + long[1], [long[1]])
    yield case("@\u0301x @\u3164 @ann\u3164 @a\ufe0fb @bob", [], "bob")
    yield case("@1\ufe0f @bob1\u3164 @a\ufe0f\u20e3 @bob", [], "bob")
    yield case("@1\ufe0f\u20e3!", ["1\ufe0f\u20e3"], "1\ufe0f\u20e3")
    # Everybody, unless somebody has that name.
    yield case("@room", ["ann"], everyone=True)
    yield case("@ann, @room: lunch? @room!", ["ann"], "ann", everyone=True)
    yield case("@room", ["ann", "room"], "room")
    yield case("@room service? @room.", ["room service"], "room service", everyone=True)
    yield case("@room service? @room.", ["room service", "room"], "room service", "room")
    yield case("@room- @room's", [], everyone=True)
    yield case("@rooms @room7 @room-mate @room.b @room_ @room\u00e9 @roo @Room @ROOM", [], "rooms", "room7", "room-mate", "room.b", "room_", "room\u00e9", "roo", "Room", "ROOM")
    yield case("a@room @@room /@room @ room", [])
    yield case("@room @\u200broom", ["ro"], everyone=True)
    yield case(" ".join([*(f"@p{n}" for n in range(50)), "@room"]), [], *(f"p{n}" for n in range(50)), everyone=True)
    # As many as a server takes.
    yield case(" ".join(f"@p{n}" for n in [7, 7, *range(60)]), [], "p7", *(f"p{n}" for n in range(50) if n != 7))


def frames():
    an_id = name(1)

    def case(text, error=None, ref=7, close=None):
        return {"text": text, "error": error, "ref": ref, "close": close}

    yield case('{"type":"hello","ref":7,"user":"ann"}')
    yield case('{"type":"hello","ref":7}')
    yield case('{"type":"hello","ref":7,"token":"a.b.c"}')
    yield case('{"type":"token","ref":7,"token":"a.b.c"}')
    yield case('{"type":"ping","ref":7,"later":[{"x":null}]}')
    for user in [
        "Jos\u00e9", "ann b", "\u65e5\u672c", "\u0baa\u0bbe\u0b9f\u0bc1", "\u1fb7", "\ud7a3", "x\u0323\u0302",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f\u200d\U0001f525", "1\ufe0f\u20e3", "\U0001f44d\U0001f3fd",
    ]:
        yield case(f'{{"type":"hello","ref":7,"user":{json.dumps(user)}}}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"{LIST}","resume":null}}')
    yield case(f'{{"type":"send","ref":7,"room":"lobby","id":"{an_id.upper()}","text":"\\ud83d\\ude00"}}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"{MEMBERS}","limit":32}}')
    yield case('{"type":"typing","ref":7,"room":"lobby","on":false}')
    yield case('{"type":"read","ref":7,"room":"lobby","revision":0}')
    yield case('{"type":"join","ref":7,"room":"lobby"}')
    thread = f"lobby/thread/{name(2)}"
    for end in "messages", "members":
        yield case(f'{{"type":"subscribe","ref":7,"list":"room/{thread}/{end}"}}')
    yield case(f'{{"type":"send","ref":7,"room":"{thread}","id":"{an_id}","text":"yes"}}')
    yield case(f'{{"type":"typing","ref":7,"room":"{thread}","on":true}}')
    yield case(f'{{"type":"draft","ref":7,"room":"{thread}","text":"yes"}}')
    for rest in ['"type":"join"', '"type":"leave"', '"type":"settings","archived":true', '"type":"read","revision":3', '"type":"read"']:
        yield case(f'{{{rest},"ref":7,"room":"{thread}"}}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"{THREADS}","limit":32,"resume":{{"epoch":"e","revision":7,"joined":7,"rows":[["{thread}","{an_id}"]]}}}}')
    yield case(f'{{"type":"unsubscribe","ref":7,"list":"{THREADS}"}}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"room/{thread}/thread/{name(3)}/messages"}}', "bad_request")
    yield case(f'{{"type":"subscribe","ref":7,"list":"room/lobby/thread/{"AB" + name(2)[2:]}/messages"}}', "bad_request")
    yield case('{"type":"send","ref":7,"room":"lobby/thread/","id":"' + an_id + '","text":"yes"}', "bad_request")
    for rest in ['"type":"join"', '"type":"leave"', '"type":"settings","muted":true']:
        yield case(f'{{{rest},"ref":7,"room":"lobby","command":"{an_id}"}}')
        yield case(f'{{{rest},"ref":7,"room":"lobby","command":null}}')
        yield case(f'{{{rest},"ref":7,"room":"lobby","command":"1"}}', "bad_request")
    yield case('{"type":"read","ref":7,"room":"lobby"}')
    yield case('{"type":"read","ref":7,"rooms":["lobby","tea"]}')
    for rest in [
        '"rooms":[]', '"rooms":"lobby"', '"rooms":["lobby",7]', '"rooms":["lob by"]', '"rooms":["lobby","lobby"]',
        '"rooms":["tea"],"room":"lobby"', '"rooms":["tea"],"revision":7',
        '"rooms":[' + ",".join(f'"r{n}"' for n in range(201)) + "]",
    ]:
        yield case('{"type":"read","ref":7,' + rest + "}", "bad_request")
    for fields in [
        '"pinned":1', '"pinned":1048576,"muted":true', '"pinned":1125899906842624', '"pinned":false', '"archived":true',
        '"marked":false', '"marked":1', '"marked":9007199254740991',
        '"muted":false,"archived":false,"marked":true', '"pinned":null,"muted":true',
    ]:
        yield case(f'{{"type":"settings","ref":7,"room":"lobby",{fields}}}')
    for fields in [
        '"pinned":0', '"pinned":-1', '"pinned":1.5', '"pinned":1125899906842625', '"pinned":9007199254740992', '"pinned":true',
        '"pinned":"1"', '"pinned":null', '"muted":null', '"muted":1', '"archived":"true"', '"marked":0',
        '"marked":-1', '"marked":"812"', '"unread":true', '"x":1',
    ]:
        yield case(f'{{"type":"settings","ref":7,"room":"lobby",{fields}}}', "bad_request")
    yield case('{"type":"settings","ref":7,"muted":true}', "bad_request")
    yield case('{"type":"leave","ref":7,"room":"Den.1_-"}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"{ROOMS}"}}')
    yield case(f'{{"type":"subscribe","ref":7,"list":"{ROOMS}","limit":32,"resume":{{"epoch":"e","revision":7,"joined":7}}}}')
    digits = "0123456789abcdef" * 512
    for fields, error in [
        (f'"sums":"{digits}"', None), ('"sums":null', None), (f'"sums":"{digits.upper()}"', "bad_request"),
        (f'"sums":"{digits}","rows":[]', "bad_request"), ('"sums":"00"', "bad_request"), ('"sums":7', "bad_request"),
    ]:
        yield case(f'{{"type":"subscribe","ref":7,"list":"{ROOMS}","resume":{{"epoch":"e","revision":7,"joined":7,{fields}}}}}', error)
    yield case(f'{{"type":"unsubscribe","ref":7,"list":"{ROOMS}"}}')
    moderate = f'{{"type":"moderate","ref":7,"room":"lobby","command":"{an_id}","action":'
    for action in [
        '"mute","user":"bob","for":60000', '"unmute","user":"bob"', '"kick","user":"bob"', '"ban","user":"bob"',
        '"unban","user":"bob"', '"slow","for":0', '"readOnly","on":true', '"appoint","user":"bob","role":"moderate"',
        '"invite","user":"bob"',
    ]:
        yield case(moderate + action + "}")
    yield case('{"type":"audit","ref":7,"room":"lobby"}')
    for action in [
        '"mute","user":"bob"', '"mute","user":"bob","for":0', '"mute","user":"bob","for":31622400001', '"kick"',
        '"slow","for":21600001', '"readOnly"', '"appoint","user":"bob","role":"king"', '"praise","user":"bob"', '"invite"',
    ]:
        yield case(moderate + action + "}", "bad_request")
    yield case("hello", close=4501, ref=None)
    yield case("[]", close=4501, ref=None)
    yield case('{"type":"ping","ref":7', close=4501, ref=None)
    yield case('{"type":"ping","ref":7,"x":' + "[" * 31 + "]" * 31 + "}")
    yield case('{"type":"ping","ref":7,"x":' + "[" * 32 + "]" * 32 + "}", close=4501, ref=None)
    yield case('{"type":"ping","ref":7,"later":[' + ",".join(["0"] * 2041) + "]}")
    yield case('{"type":"ping","ref":7,"later":[' + ",".join(["0"] * 2042) + "]}", close=4501, ref=None)
    yield case('{"type":"ping"}', "bad_request", ref=None)
    yield case('{"type":"ping","ref":"7"}', "bad_request", ref=None)
    yield case('{"type":"ping","ref":9007199254740992}', "bad_request", ref=None)
    yield case('{"type":"pong","ref":7}', "bad_request")
    yield case('{"type":"ping","ref":7,"type":"ping"}', "bad_request")
    yield case('{"type":"hello","ref":7,"user":"ann","token":"a.b.c"}', "bad_request")
    yield case('{"type":"hello","ref":7,"token":""}', "bad_request")
    yield case('{"type":"token","ref":7}', "bad_request")
    yield case('{"type":"token","ref":7,"token":7}', "bad_request")
    yield case('{"type":"hello","ref":7,"user":""}', "bad_request")
    yield case('{"type":"hello","ref":7,"user":"a\\nb"}', "bad_request")
    # Each looks like another name, or like nothing.
    for user in [
        "Jose\u0301", "\u212a", "\u1112\u1161", "\ud558\u11ab", "o\u0302\u0323", "x\u0302\u0323", "\u0b92\u0bd7",
        " ann", "ann ", "ann  b", "\u00a0ann", "ann\u3000", "ann\u00a0b", "\u3164", "\u115f", "\u2800", "\u034f", "a\u034fb",
        "\u180b", "\ufe0f", "ann\ufe0f", "\U0001f600\ufe0f", "\u0301", "an\u200dn", "\u200d", "ann\u200b", "\u00ad", "a\u202eb",
        "\ue000", "\U000e0061", "a\u007f", "a\u009b", "a\u2028",
    ]:
        yield case(f'{{"type":"hello","ref":7,"user":{json.dumps(user)}}}', "bad_request")
    yield case(moderate + '"kick","user":"Jose\\u0301"}', "bad_request")
    react = f'{{"type":"react","ref":7,"room":"lobby","command":"{an_id}","id":"{an_id}","emoji":"e\\u0301","on":'
    yield case(react + "true}", "bad_request")
    yield case(react + "false}")
    reaction = react.replace('"emoji":"e\\u0301"', '"emoji":"spam spam spam"')
    yield case(reaction + "true}", "bad_request")
    yield case(reaction + "false}")
    for room in [".", ".."]:
        yield case(f'{{"type":"typing","ref":7,"room":"{room}","on":true}}', "bad_request")
    yield case('{"type":"typing","ref":7,"room":"...","on":true}')
    yield case('{"type":"subscribe","ref":7,"list":"room/../messages"}', "bad_request")
    yield case('{"type":"subscribe","ref":7,"list":"lobby"}', "bad_request")
    for place in ["me", "me/", "me/rooms/", "me/lists", "Me/rooms", "/me/rooms", "me/thread", "me/threads/", "me/mention", "me/mentions/", "me/person", "me/people/", "room/lobby/people", "room/lobby/mentions", "room/me/rooms"]:
        yield case(f'{{"type":"subscribe","ref":7,"list":"{place}"}}', "bad_request")
    for list_of_rooms in ROOMS, THREADS:
        yield case(f'{{"type":"subscribe","ref":7,"list":"{list_of_rooms}","limit":31}}', "bad_request")
    yield case(f'{{"type":"subscribe","ref":7,"list":"{LIST}","limit":31}}', "bad_request")
    yield case(f'{{"type":"subscribe","ref":7,"list":"{LIST}","resume":{{"epoch":"e"}}}}', "bad_request")
    yield from resumptions(case)
    yield from places(case, an_id)
    yield from mention_places(case, an_id)
    yield from member_places(case)
    yield from pins(case, an_id)
    yield from growing(case, an_id)
    yield case('{"type":"typing","ref":7,"room":"lobby"}', "bad_request")
    yield case('{"type":"typing","ref":7,"room":"a b","on":true}', "bad_request")
    for membership in ["join", "leave"]:
        for room in ["", ',"room":""', ',"room":"."', ',"room":"a b"', ',"room":"a/b"', ',"room":7', ',"room":null']:
            yield case(f'{{"type":"{membership}","ref":7{room}}}', "bad_request")
    yield case('{"type":"read","ref":7,"room":"lobby","revision":"7"}', "bad_request")
    for id, text, error in [
        ("xyz", '"x"', "bad_request"), (an_id, "7", "bad_request"), (an_id, '""', "bad_request"),
        (an_id, '"\\u0000"', "bad_request"), (an_id, '"\\u007f"', "bad_request"), (an_id, '"\\u0080"', "bad_request"),
        (an_id, '"\\u009b31m"', "bad_request"), (an_id, '"\\u009f"', "bad_request"), (an_id, '"\\u00a0\\t\\r\\n"', "bad_request"), (an_id, '"\\u001b[1m\\r\\nx\\u0007"', None), (an_id, '"\\ud800"', "bad_request"),
        (an_id, json.dumps("x" * 8193), "too_large"),
    ]:
        yield case(f'{{"type":"send","ref":7,"room":"lobby","id":"{id}","text":{text}}}', error)
    yield from callings(case, an_id)
    yield from data(case, an_id)
    yield from files(case, an_id)
    yield from creations(case, an_id)


def creations(case, an_id):
    """Private and direct rooms: their names, their titles, and how they are made."""
    def create(fields, error=None):
        return case(f'{{"type":"create","ref":7,"command":"{an_id}",{fields}}}', error)

    def title(text, error=None):
        fields = f'"ref":7,"room":"lobby","command":"{an_id}","action":"title","text":{text}'
        return case(f'{{"type":"moderate",{fields}}}', error)

    direct = "@00112233445566778899aabbccddeeff"
    for room in [f"~{an_id}", direct]:
        yield case(f'{{"type":"join","ref":7,"room":"{room}"}}')
        yield case(f'{{"type":"subscribe","ref":7,"list":"room/{room}/messages"}}')
    long = "~" + "0d9c2a54-8f3e-4b6a-a1d7-5e2f90c3b468"
    for room in [
        "~", "@", "~plans", "@ann", long.upper(), long[:-1], long + "0", long.replace("-", ""), "~" + long, direct[:-1], direct + "0",
        direct.upper(), "@" + long[1:], "a~", "a@b", "lobby~", "~~", "@@",
    ]:
        yield case(f'{{"type":"join","ref":7,"room":"{room}"}}', "bad_request")
        yield case(f'{{"type":"subscribe","ref":7,"list":"room/{room}/messages"}}', "bad_request")
    fifty = json.dumps([f"p{n}" for n in range(50)])
    for fields in [
        '"kind":"private"', '"kind":"private","people":[],"title":""', '"kind":"private","people":["bob"],"title":"Plans"',
        '"kind":"private","people":null,"title":null', f'"kind":"private","people":{fifty}', '"kind":"direct","people":["bob"]',
        '"kind":"direct","people":["b","c","d","e","f","g","h"],"title":null',
        '"kind":"open","room":"tea"', '"kind":"open","room":"tea","people":[],"title":"Tea"', '"kind":"open","room":"tea","title":""',
    ]:
        yield create(fields)
    for fields in [
        '"people":["bob"]', '"kind":"open","people":["bob"]', '"kind":"open"', '"kind":"open","room":"tea","people":["bob"]',
        '"kind":"open","room":".."', '"kind":"open","room":7', f'"kind":"open","room":"~{an_id}"', f'"kind":"open","room":"{direct}"',
        '"kind":"Private"', '"kind":7', '"kind":"direct"',
        '"kind":"direct","people":[]', '"kind":"direct","people":["bob"],"title":"Plans"', '"kind":"direct","people":["bob"],"title":""',
        '"kind":"private","people":"bob"', '"kind":"private","people":["bob","bob"]', '"kind":"private","people":["bob",7]',
        '"kind":"private","people":["Jose\u0301"]', '"kind":"private","title":7', '"kind":"private","title":"a\\nb"',
    ]:
        yield create(fields, "bad_request")
    yield create('"kind":"direct","people":["b","c","d","e","f","g","h","i"]', "too_large")
    yield create(f'"kind":"private","people":{json.dumps([f"p{n}" for n in range(51)])}', "too_large")
    yield create(f'"kind":"private","title":"{"x" * 201}"', "too_large")
    yield create(f'"kind":"open","room":"tea","title":"{"x" * 201}"', "too_large")
    yield case('{"type":"create","ref":7,"kind":"private","people":["bob"]}', "bad_request")
    for text in ['"Plans"', '""', json.dumps("é" * 100)]:
        yield title(text)
    for text in ["7", "null", '" "', '"\\u00a0"', '"a\\tb"', '"\\u0000"', '"\\u007f"', '"\\u0085"', '"a\\u009bb"']:
        yield title(text, "bad_request")
    yield title(json.dumps("é" * 101), "too_large")

    def face(action, field, text, error=None):
        fields = f'"ref":7,"room":"lobby","command":"{an_id}","action":"{action}","{field}":{text}'
        return case(f'{{"type":"moderate",{fields}}}', error)

    for text in '""', '"a"', json.dumps("é" * 500, ensure_ascii=False):
        yield face("topic", "text", text)
    for text in '7', '"a\\u0000b"', '"\\u009f"':
        yield face("topic", "text", text, "bad_request")
    yield face("topic", "text", json.dumps("é" * 501, ensure_ascii=False), "too_large")
    longest = "https://chat.example/" + "x" * 979
    for url in "", "https://a", "https://chat.example:8443/room.png?a=b&c=%20#d", longest:
        yield face("picture", "url", json.dumps(url))
    for url in "http://a", "https://", "https:///a", "HTTPS://a", "data:,a", "https://ann@a", "https://a b", "https://é", "a":
        yield face("picture", "url", json.dumps(url, ensure_ascii=False), "bad_request")
    yield face("picture", "url", json.dumps(longest + "x"), "too_large")
    yield face("picture", "text", '"https://a"', "bad_request")


def pins(case, an_id):
    """Pinned messages: their list, and how they are pinned, moved and unpinned."""
    other = name(7)

    def act(fields, error=None):
        return case(f'{{"type":"moderate","ref":7,"room":"lobby","command":"{an_id}",{fields}}}', error)

    for room in ["lobby", f"~{an_id}", "@00112233445566778899aabbccddeeff"]:
        for type in ["subscribe", "unsubscribe"]:
            yield case(f'{{"type":"{type}","ref":7,"list":"room/{room}/pins"}}')
    for place in ["room/lobby/pin", "room/lobby/pins/", "me/pins", "room/../pins"]:
        yield case(f'{{"type":"subscribe","ref":7,"list":"{place}"}}', "bad_request")
    yield act(f'"action":"pin","message":"{an_id}"')
    for place in ["before", "after"]:
        yield act(f'"action":"pin","message":"{an_id}","{place}":"{other}"')
        yield act(f'"action":"pin","message":"{an_id}","{place}":null')
        for id in [f'"{an_id}"', '"x"', '""', "7", "true", "[]"]:
            yield act(f'"action":"pin","message":"{an_id}","{place}":{id}', "bad_request")
    yield act(f'"action":"pin","message":"{an_id}","before":"{other}","after":"{other}"', "bad_request")
    yield act(f'"action":"unpin","message":"{an_id}"')
    for action in ["pin", "unpin"]:
        for message in ["", ',"message":"x"', ',"message":7', ',"message":null', f',"id":"{an_id}"']:
            yield act(f'"action":"{action}"{message}', "bad_request")


def group(id):
    """Returns the group of a row with a tag."""
    value = 2166136261
    for byte in id.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value % 256


def row_sums():
    """The sums of rows with tags, in the order of their list."""
    for ids in [[], ["lobby"], ["tea", "lobby"], [f"room-{n}" for n in range(600)], ["Åse 日本", "👩🏽", f"lobby/{name(1)}"],
                [name(n) for n in range(1, 9)]]:
        rows = [[id, name(number)] for number, id in enumerate(ids, 1)]
        texts = [""] * 256
        for id, tag in rows:
            texts[group(id)] += f"{id}\n{tag}\n"
        yield {"rows": rows, "sums": "".join(hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts)}


def direct_rooms():
    """The names of the direct rooms of some people."""
    for people in [
        ["ann", "bob"], ["bob", "ann"], ["Ann", "ann"], ["ann", "bob", "cid"], ["ann b", "c"], ["ann", "b c"], ["b", "a", "aa"],
        ["\u65e5\u672c", "Jos\u00e9", "z"], ["\uffee", "\U0001f600"], [f"p{n}" for n in range(8)],
    ]:
        text = b"\n".join(sorted(name.encode() for name in people))
        yield {"people": people, "room": "@" + hashlib.sha256(text).hexdigest()[:32]}


def callings(case, an_id):
    """Messages and edits that mention people."""
    def both(mentions, error=None):
        fields = f'"ref":7,"room":"lobby","id":"{an_id}","text":"x","mentions":{mentions}}}'
        yield case(f'{{"type":"send",{fields}', error)
        yield case(f'{{"type":"edit","command":"{an_id}",{fields}', error)

    names = ["ann", "ann b", "Ann", "Jos\u00e9", "\u65e5\u672c", "\U0001f469\u200d\U0001f52c", "x" * 64]
    for mentions in [[], ["ann"], names, [f"p{n}" for n in range(50)], None]:
        yield from both(json.dumps(mentions))
    for wrong in ["", "Jose\u0301", " ann", "ann  b", "a\u202eb", "\u3164", "x" * 65, "\u65e5" * 22, "a\nb", 7, None, ["ann"]]:
        yield from both(json.dumps(["bob", wrong]), "bad_request")
    for mentions in [["ann", "ann"], ["ann", "bob", "ann"], {}, "ann", 7, True, {"0": "ann"}]:
        yield from both(json.dumps(mentions), "bad_request")
    yield from both(json.dumps([f"p{n}" for n in range(51)]), "too_large")
    for everyone in ["true", "false", "null"]:
        yield from both(f'["ann"],"everyone":{everyone}')
    for everyone in ["1", '"true"', '["ann"]', "{}"]:
        yield from both(f'[],"everyone":{everyone}', "bad_request")


def data(case, an_id):
    """Messages and edits with what an application adds."""
    def frames(data, error=None):
        fields = f'"ref":7,"room":"lobby","id":"{an_id}"'
        yield case(f'{{"type":"send",{fields},"text":"x","data":{data}}}', error)
        yield case(f'{{"type":"edit","command":"{an_id}",{fields},"text":"x","data":{data}}}', error)
        if data != "null":
            yield case(f'{{"type":"edit","command":"{an_id}",{fields},"data":{data}}}', error)

    def of(size):
        return json.dumps({"kind": "x" * (size - 11)}, separators=(",", ":"))

    for right in ["{}", '{"kind":"poll"}', '{ "b" : [1.50, null, {"\u00e9": "\\u0001"}] , "a":-1e3 }', of(4096), "null"]:
        yield from frames(right)
    yield from frames('{"a":' + "[" * 15 + "]" * 15 + "}")
    for wrong in ["[]", '"{}"', "1", "true", '{"a":1,"a":2}', '{"a":' + "[" * 16 + "]" * 16 + "}"]:
        yield from frames(wrong, "bad_request")
    yield from frames(of(4097), "too_large")


def files(case, an_id):
    """Requests for files, by the default limits of a server that keeps none."""
    described = '"name":"a.png","media":"image/png","size":7,"sha256":"' + "0a" * 32 + '"'
    for sent, error in [("[]", None), ("null", None), ("{}", "bad_request"), (f'[{{"id":"{an_id}",{described},"proof":"p"}}]', "bad_request")]:
        yield case(f'{{"type":"send","ref":7,"room":"lobby","id":"{an_id}","text":"x","files":{sent}}}', error)
    yield case(f'{{"type":"upload","ref":7,"room":"lobby","message":"{an_id}",{described}}}', "bad_request")
    place = f'{{"message":"{an_id}","id":"{an_id}"}}'
    for places, error in [
        (place, None), (",".join([place] * 100), None), ("", "bad_request"), (",".join([place] * 101), "bad_request"),
        (place + ",7", "bad_request"), (f'{{"message":"{an_id}"}}', "bad_request"), ('{"message":"x","id":"x"}', "bad_request"),
    ]:
        yield case(f'{{"type":"links","ref":7,"room":"lobby","files":[{places}]}}', error)
    yield case(f'{{"type":"links","ref":7,"files":[{place}]}}', "bad_request")
    yield case('{"type":"links","ref":7,"room":"lobby"}', "bad_request")


def resumptions(case):
    """What a client holds when it comes back."""
    def resume(fields, error=None):
        position = f'"epoch":"e","revision":812,"joined":790{fields}'
        return case(f'{{"type":"subscribe","ref":7,"list":"{LIST}","resume":{{{position}}}}}', error)

    many = ",".join(f"[{n},{n}]" for n in range(15))
    for fields in [
        "", ',"ranges":[[0,812]]', ',"ranges":[[0,40],[700,812]],"at":731', ',"ranges":[[0,0],[1,1],[812,812]]', ',"at":0',
        f',"ranges":[{many},[16,812]]', ',"ranges":null,"at":null', ',"at":9007199254740991',
    ]:
        yield resume(fields)
    for ranges in [
        "[]", "{}", "7", "[0,812]", "[[812]]", "[[0,40,812]]", "[[0,811]]", "[[0,813]]", "[[40,0],[700,812]]",
        "[[0,700],[700,812]]", "[[700,812],[0,40]]", "[[0,812],[700,812]]", "[[-1,812]]", "[[0.0,812]]",
        '[["0",812]]', "[[null,812]]", "[null,[0,812]]", '[{"from":0,"to":812}]', f"[{many},[15,15],[16,812]]",
        "[[0,40],[700,9007199254740992]]",
    ]:
        yield resume(f',"ranges":{ranges}', "bad_request")
    for at in ["-1", '"731"', "7.0", "9007199254740992", "[731]", "true"]:
        yield resume(f',"at":{at}', "bad_request")


def places(case, an_id):
    """The rows that a page has."""
    def page(fields, error=None):
        return case(f'{{"type":"page","ref":7,"list":"{LIST}"{fields}}}', error)

    around = f'"around":{{"id":"{an_id}"}}'
    for fields in [
        '"before":763', '"before":763,"limit":100', '"before":763,"limit":1', '"after":40', '"before":701,"after":700', '"before":763,"after":null',
        around, '"around":{"revision":0}', '"around":{"time":1700000000000}', f'"before":null,{around}',
        '"around":{"revision":7,"id":null}',
    ]:
        yield page(f",{fields}")
    for fields in [
        "", ',"limit":100', ',"before":null', ',"before":-1', ',"before":"7"', ',"after":-1', ',"after":9007199254740992',
        ',"before":700,"after":700', ',"before":40,"after":700', f',"before":763,{around}', f',"after":763,{around}',
        ',"around":{}', ',"around":null', ',"around":7', f',"around":"{an_id}"', ',"around":{"id":"xyz"}',
        ',"around":{"revision":-1}', ',"around":{"time":"today"}', ',"around":{"time":1,"revision":1}',
        f',"around":{{"id":"{an_id}","time":1}}', ',"before":763,"limit":0', ',"before":763,"limit":501',
    ]:
        yield page(fields, "bad_request")


def mention_places(case, an_id):
    """The mentions that a page has."""
    def page(fields, error=None):
        return case(f'{{"type":"page","ref":7,"list":"{MENTIONS}"{fields}}}', error)

    mention = f'"id":"lobby/{an_id}"'
    place = f'"before":{{{mention},"time":1700000000000}}'
    other = f'"before":{{"time":0,"id":"~{name(7)}/{name(1)}"}}'
    for fields in [place, other, f'{place},"limit":500', f'"after":null,{place}', f'{place},"around":null']:
        yield page(f",{fields}")
    for fields in [
        "", '"limit":100', '"before":null', '"before":7', '"before":"lobby"', '"before":{}', f'"before":{{{mention}}}',
        '"before":{"time":1}', f'"before":{{{mention},"time":-1}}', f'"before":{{{mention},"time":9007199254740992}}',
        f'"before":{{"id":"{an_id}","time":1}}', f'"before":{{"id":"lobby/{an_id}/","time":1}}',
        f'"before":{{"id":"lob by/{an_id}","time":1}}', '"before":{"id":"lobby/7","time":1}', f'{place},"after":1',
        f'{place},"around":{{"time":1}}', '"around":{"time":1}', '"after":1', f'{place},"limit":0', f'{place},"limit":501',
    ]:
        yield page("," + fields if fields else "", "bad_request")


def member_places(case):
    """The people that a page has."""
    def page(fields, error=None):
        return case(f'{{"type":"page","ref":7,"list":"{MEMBERS}"{fields}}}', error)

    for fields in ["", '"find":"Åse 日本"', '"find":"","after":"ann"', '"find":null,"after":null', '"after":"Åse 日本","limit":500', '"before":null']:
        yield page("," + fields if fields else "")
    for fields in ['"find":7', '"find":["a"]', f'"find":"{"a" * 257}"', '"after":7', '"after":""', '"after":40', '"before":763', '"around":{"time":1}',
                   '"limit":0', '"limit":501']:
        yield page("," + fields, "bad_request")


def growing(case, an_id):
    """Requests for a message that grows."""
    def send(fields, error=None):
        return case(f'{{"type":"send","ref":7,"room":"lobby","id":"{an_id}",{fields}}}', error)

    def command(type, fields, error=None):
        return case(f'{{"type":"{type}","ref":7,"room":"lobby","command":"{an_id}","id":"{an_id}"{fields}}}', error)

    for fields in ['"text":"x","open":true', '"text":"","open":true', '"text":" \\n","open":true', '"text":"\\u001b[1m","open":true', '"text":"x","open":false', '"text":"x","open":null']:
        yield send(fields)
    for fields in ['"text":"","open":false', '"text":" "', '"open":true', '"text":null,"open":true', '"text":"x","open":1', '"text":"x","open":"true"']:
        yield send(fields, "bad_request")
    yield send(f'"text":"{"x" * 8193}","open":true', "too_large")
    for fields in ['"at":12,"text":" world"', '"at":0,"text":"x"', '"at":12,"text":" "', '"at":12,"text":"\\n\\n"', '"at":12,"text":"\\r\\n"', '"at":12,"text":"\\u200b"', f'"at":12,"text":"{"x" * 8180}"']:
        yield command("append", f",{fields}")
    for fields in [
        '"at":12', '"text":"x"', '"at":12,"text":""', '"at":12,"text":null', '"at":12,"text":7', '"at":12,"text":"\\u001b[1m\\u0007"', '"at":12,"text":"\\ud83d"',
        '"at":-1,"text":"x"', '"at":1.0,"text":"x"', '"at":"12","text":"x"', '"at":null,"text":"x"', '"at":9007199254740992,"text":"x"',
    ]:
        yield command("append", f",{fields}", "bad_request")
    yield command("append", f',"at":0,"text":"{"x" * 8193}"', "too_large")
    for fields in ["", ',"ended":"stopped"', ',"ended":"failed"', ',"ended":null']:
        yield command("close", fields)
    for fields in [',"ended":"complete"', ',"ended":""', ',"ended":true']:
        yield command("close", fields, "bad_request")
    for fields in ['"type":"append","at":12,"text":"x"', '"type":"close"']:
        ids = f'"command":"{an_id}","id":"{an_id}"'
        for wrong in [f'"room":"lobby","id":"{an_id}"', f'"room":"lobby","command":"{an_id}"', ids, f'"room":"a b",{ids}', f'"room":"lobby","command":"1","id":"{an_id}"', f'"room":"lobby","command":"{an_id}","id":7']:
            yield case(f'{{{fields},"ref":7,{wrong}}}', "bad_request")


def long_frames():
    def case(start, end, ref=7, pad=65536):
        return {"start": start, "pad": pad, "end": end, "ref": ref}

    send = f'"type":"send","room":"lobby","id":"{name(1)}"'
    yield case(f'{{"ref":7,{send},"text":"', '"}')
    yield case(f'{{{send},"ref":7,"text":"', '"}')
    yield case(f'{{{send},"text":"', '","ref":7}')
    yield case('{ "text" : "', f'" , "ref" : 7 , {send} }}')
    yield case(f'{{{send},"text":"', f'","replyTo":"{name(2)}","ref":7}}', pad=1_000_000)
    yield case(f'{{{send},"later":{{"ref":8}},"text":"', '"}', ref=None)
    yield case(f'{{{send},"text":"', ',\\"ref\\":8}"}', ref=None)
    yield case(f'{{{send},"text":"', '","later":[{"ref":8}]}', ref=None)
    yield case('["', '"]', ref=None)


def digests(lists):
    for rows in lists:
        kept = [{key: r[key] for key in ("id", "sort", "rev")} for r in rows]
        yield {"rows": kept, "digest": digest(rows)}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "vectors"
    lives = [("operations", [*operations(), *growth(), *threads()]), ("windows", [*windows(), *overtaken()]), ("refusals", refusals()), ("members", members())]
    lives += [("rooms", rooms()), ("threads", thread_rows()), ("mention-rows", mention_rows()), ("people", people_rows()), ("drafts", draft_rows()), ("later", later_rows()), ("blocked", blocked_rows()), ("pins", pin_rows())]
    lives += [("ranges", [*resumes(), *live(), *pages()])]
    files = {title: [{"title": case.title, "steps": case.steps} for case in cases] for title, cases in lives}
    messages = [[], base(), [row(n) for n in range(1, 34)], [row(2**53 - 1)]]
    names = [[person("ann", 1)], [person("Åse 日本", 2**53 - 1, 7), person("👩🏽", 3)], [person(f"p{n}", n) for n in range(1, 34)]]
    rows = [[chat(f"~{name(1)}", 9, title="Plans"), chat("@00112233445566778899aabbccddeeff", 3)]]
    rows += [[], [chat("lobby", 3, 7)], [chat("Den.1_-", 2**53 - 1, 1)], [followed(1, 3), followed(2, 4, 7, "~" + name(7))], [chat(f"r{n}", n) for n in range(1, 34)]]
    files |= {"digests": list(digests(messages)), "member-digests": list(digests(names))}
    called = [[], [calling(1)], [calling(2, 2**53 - 1, 3, room="~" + name(7))], [calling(3, room=f"lobby/thread/{name(1)}")], [calling(n) for n in range(1, 34)]]
    files |= {"room-digests": list(digests(rows)), "mention-digests": list(digests(called))}
    faces = [[], [profile("ann", 1)], [profile("Åse 日本", 2**53 - 1, 7)], [profile(f"p{n}", n) for n in range(1, 34)]]
    files |= {"people-digests": list(digests(faces))}
    marked = [[], [pinned(1, 10)], [pinned(2, 2**53 - 1, 3), pinned(1, 2**53 - 2, 9)], [pinned(n, 40 - n) for n in range(33, 0, -1)]]
    files |= {"pin-digests": list(digests(marked))}
    waiting = [[], [timed(1, 10)], [timed(2, 2**53 - 1, 3), timed(1, 2**53 - 2, 9)], [timed(n, n) for n in range(1, 34)]]
    files |= {"later-digests": list(digests(waiting))}
    shunned = [[], [barred("bob", 1)], [barred("Åse 日本", 2**53 - 1, 7)], [barred(f"p{n}", n) for n in range(1, 34)]]
    files |= {"blocked-digests": list(digests(shunned))}
    files |= {"client-frames": [*frames(), *asking(), *storing(), *scheduling(), *blocking()], "long-frames": list(long_frames()), "mentions": list(mentions()), "offers": list(offers()), "links": list(links())}
    files |= {"direct-rooms": list(direct_rooms()), "row-sums": list(row_sums())}
    files |= {"search": list(searches())}
    files |= {"entered-text": list(entered()), "emojis": list(emojis()), "titles": list(titles()), "names": list(room_names())}
    for title, cases in files.items():
        text = "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"
        (folder / f"{title}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(__doc__ if {"-h", "--help"} & set(sys.argv) else main())
