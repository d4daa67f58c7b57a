"""The client of docs/protocol.md: sends each line of standard input to the room lobby, and prints each message there.

usage: small.py URL USER     such as ws://127.0.0.1:8080 ann; needs `pip install websockets`
"""

import asyncio, contextlib, json, random, sys, uuid

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

OPERATIONS = "mov", "ins", "rel", "app", "cfg", "rea"  # after `del`, in this order
LIGHT = "reactions", "thread"  # the fields that `cfg` has
TEMPORARY = "rate_limited", "unavailable"  # the same request may succeed later


class Gap(Exception):
    """A diff is missing: subscribe again with `resume`."""


class Divergence(Exception):
    """The rows are not the server's: subscribe again without `resume`."""


def digest(rows):
    total = 0
    for row in rows:
        value = 2166136261
        for byte in uuid.UUID(row["id"]).bytes + row["sort"].to_bytes(8, "big") + row["rev"].to_bytes(8, "big"):
            value = (value ^ byte) * 16777619 % 2**32
        total += value
    return total % 2**32


def grown(row, piece):
    """Returns a message with text at its end."""
    start = row["text"].encode()[: piece["at"]].decode(errors="ignore")
    if len(start.encode()) < piece["at"]:
        raise Divergence
    kept = {name: value for name, value in row.items() if name not in ("open", "ended")}
    changed = {name: value for name, value in piece.items() if name in ("rev", "open", "ended")}
    return kept | changed | {"text": start + piece["text"], "reactions": patched(row.get("reactions", []), piece)}


def patched(reactions, patch):
    """Returns the reactions of a message after some were added and taken back."""
    users = {reaction["emoji"]: reaction["users"] for reaction in reactions}
    for name in "del", "add":
        for reaction in patch.get(name, []):
            rest = [user for user in users.get(reaction["emoji"], []) if user not in reaction["users"]]
            users[reaction["emoji"]] = rest + reaction["users"] * (name == "add")
    return [{"emoji": emoji, "users": users[emoji]} for emoji in patch.get("emojis", users) if users[emoji]]


class Replica:
    """The end of a list of messages: `rows` by id, all those from the sort key `first` on."""

    def __init__(self, snapshot):
        self.epoch, self.joined = snapshot["epoch"], snapshot["joined"]
        rows = [row for section in snapshot["sections"] for row in section["rows"]]
        first = min((row["sort"] for row in rows), default=0) if snapshot["more"] else 0
        self.commit({row["id"]: row for row in rows}, first, snapshot["revision"], snapshot)

    def resume(self):
        return {"epoch": self.epoch, "revision": self.revision, "joined": self.joined, "ranges": [[self.first, self.revision]]}

    def apply(self, diff):
        if diff["epoch"] != self.epoch:
            raise Gap
        if diff["to"] < self.revision or (diff["to"] == self.revision and "ranges" not in diff):
            return  # a duplicate
        if diff["from"] != self.revision:
            raise Gap
        if {name for name, value in diff.items() if isinstance(value, list)} - {"del", "ranges", *OPERATIONS}:
            raise Divergence  # an operation of a later version
        rows = {id: row for id, row in self.rows.items() if id not in diff.get("del", [])}
        for operation in OPERATIONS:
            for new in diff.get(operation, []):
                old = rows.get(new["id"])
                if operation == "ins":
                    rows[new["id"]] = new
                elif old and operation == "rel":
                    rows[new["id"]] = new | {"sort": old["sort"]}
                elif old and operation == "cfg":  # a light field that is missing is none
                    rows[new["id"]] = {key: value for key, value in old.items() if key not in LIGHT} | new
                elif old and operation == "app":
                    rows[new["id"]] = grown(old, new)
                elif old and operation == "rea":
                    rows[new["id"]] = old | {"rev": new["rev"], "reactions": patched(old.get("reactions", []), new)}
                elif old:
                    rows[new["id"]] = old | new
        first, start = self.first, diff.get("start", 0)
        if "ranges" in diff:  # the last range is the end of the list; rows before a gap are dropped
            first = max(first, diff["ranges"][-1]["from"])
        rows = {id: row for id, row in rows.items() if row["sort"] >= max(first, start)}
        self.commit(rows, 0 if first <= start else first, diff["to"], diff)

    def commit(self, rows, first, revision, frame):
        """Keeps the rows if the frame's `count` and `digest` prove them."""
        count, order = frame["count"], sorted(rows.values(), key=lambda row: row["sort"])
        proven = len(rows) == count if first == 0 else len(rows) <= count
        if len(rows) >= min(32, count):
            proven = proven and digest(order[-32:]) == frame["digest"]
        for held in frame.get("ranges", [])[-1:]:
            proven = proven and (held.get("count", len(rows)), held.get("digest", digest(order))) == (len(rows), digest(order))
        if not proven:
            raise Divergence
        self.rows, self.order, self.revision = rows, order, revision
        self.first = 0 if len(rows) == count else first


class Client:
    def __init__(self, url, user):
        self.url, self.user, self.replica, self.outbox, self.printed = url, user, None, {}, set()
        self.is_live, self.asked, self.refs, self.pause = False, {}, 0, 0

    async def request(self, type, **fields):
        self.refs += 1
        self.asked[self.refs] = {"type": type, **fields}
        await self.socket.send(json.dumps({"type": type, "ref": self.refs, **fields}))

    async def subscribe(self, replica):
        position = {"resume": replica.resume()} if replica else {}
        await self.request("subscribe", list="room/lobby/messages", **position)

    async def flush(self):
        """Sends the oldest text that waits, unless one is under way: so they arrive in their order, also after errors."""
        if self.is_live and self.outbox and not any(asked["type"] == "send" for asked in self.asked.values()):
            id, text = next(iter(self.outbox.items()))
            await self.request("send", room="lobby", id=id, text=text)

    async def handle(self, frame):
        asked = self.asked.pop(frame.get("ref"), {"type": None})
        match frame["type"]:
            case "welcome":
                self.is_live = True
                await self.subscribe(self.replica)
            case "snapshot":
                self.replica = Replica(frame)
            case "diff" if self.replica:
                self.replica.apply(frame)
            case "ok" if asked["type"] == "send":
                del self.outbox[asked["id"]]
            case "error" if frame["error"] in TEMPORARY and asked["type"] == "hello":
                self.pause = frame.get("retryAfter", 0) / 1000
                await self.socket.close()
            case "error" if frame["error"] in TEMPORARY:
                await asyncio.sleep(frame.get("retryAfter", 1000) / 1000)
                if asked["type"] != "send":  # a text is still in the outbox
                    await self.request(**asked)
            case "error" if asked["type"] == "send":
                print(f"not sent: {self.outbox.pop(asked['id'])}: {frame['message']}", file=sys.stderr)
            case "error" | "ended":
                raise SystemExit(frame["message"])
            case "bye":
                self.pause = frame.get("retryAfter", 0) / 1000
        await self.flush()

    def show(self):
        for row in self.replica.order if self.replica else []:
            if row["id"] not in self.printed and not row.get("open"):  # one that grows is printed when it is complete
                text = "This message is damaged" if "damaged" in row else repr(row["text"])
                print(f"{row.get('author', '?')}: {text}", flush=True)
                self.printed.add(row["id"])

    async def converse(self):
        async with connect(self.url, subprotocols=["diffroom.v1.json"], max_size=None) as self.socket:
            self.asked = {}  # requests by ref, until they are answered
            await self.request("hello", user=self.user)
            async for frame in self.socket:
                try:
                    await self.handle(json.loads(frame))
                except Gap:
                    await self.subscribe(self.replica)
                except Divergence:
                    await self.subscribe(None)
                self.show()

    async def run(self):
        clock, attempt = asyncio.get_running_loop().time, 0
        while True:
            started, self.socket = clock(), None
            try:
                await self.converse()
            except (OSError, WebSocketException) as error:
                print(f"no connection: {error}", file=sys.stderr)
            self.is_live, code = False, (self.socket and self.socket.close_code) or 0
            if 4500 <= code <= 4999 or code in (1003, 1007, 1009):
                raise SystemExit(f"the server has closed the connection for good: {code}")
            attempt = 0 if clock() - started > 5 else attempt
            await asyncio.sleep(self.pause + random.uniform(0, min(30, 0.5 * 2**attempt)))
            attempt, self.pause = attempt + 1, 0

    async def read(self):
        while line := await asyncio.to_thread(sys.stdin.readline):
            self.outbox[str(uuid.uuid4())] = line.rstrip("\n")
            with contextlib.suppress(WebSocketException):  # sent on the next connection
                await self.flush()


async def main(url, user):
    client = Client(url, user)
    await asyncio.gather(client.run(), client.read())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
