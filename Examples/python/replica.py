"""A reader's copy of a Diffroom list, of messages, members, pinned messages, `me/rooms`, `me/threads` or `me/mentions`: "Applying" and "Digest" of docs/protocol-reference.md."""

import hashlib
import uuid

END = 2**53  # above all sort keys: the last range ends there
MOST_RANGES = 16
MOST_HELD = 500  # the rows that a `resume` names, so that a server takes its frame
# The fields that `cfg` has: all of them, and one that is missing is none. What a message mentions is none of them.
LIGHT = {
    "message": {"reactions", "thread"}, "room": {"by", "title", "picture", "unread", "mentions", "read", "muted", "marked", "last", "typing", "here", "root"},
    "member": {"typing", "read", "since", "role", "by"}, "mention": {"text", "read"}, "person": {"name", "picture"},
    "draft": {"text", "replyTo", "mentions", "everyone", "data", "time"},
    "later": {"room", "at", "text", "replyTo", "mentions", "everyone", "data", "message", "refused"},
    "blocked": {"time"},
    "pin": {"text", "replyTo", "mentions", "everyone", "data", "edited"},
}
SECTIONS = "history", "socket", "online", "offline", "invited", "pinned", "rooms", "archived", "mentions", "people", "drafts", "due", "waiting", "blocked", "pins"  # in the order of the lists that have them


def kind(row):
    """Returns what a row is."""
    if row["section"] in ("online", "offline") or (row["section"] == "invited" and "unread" not in row):
        return "member"
    if row["section"] == "people":
        return "person"
    if row["section"] == "drafts":
        return "draft"
    if row["section"] in ("due", "waiting"):
        return "later"
    if row["section"] == "blocked":
        return "blocked"
    if row["section"] == "pins":
        return "pin"
    return "mention" if "message" in row else "message" if "author" in row or "damaged" in row else "room"


class Resync(Exception):
    """The replica cannot go on: (why, whether the server can resume from it)."""


class Replica:
    """The `rows` by id, as of `revision`: all that the list has in the `ranges` of sort keys. Made from a snapshot."""

    def __init__(self, snapshot):
        self.epoch, self.joined, self.newest_page = snapshot["epoch"], snapshot["joined"], 0
        rows = {row["id"]: row | {"section": part["id"]} for part in snapshot["sections"] for row in part["rows"]}
        first = min((row["sort"] for row in rows.values()), default=0) if snapshot["more"] else 0
        self.commit(rows, [(first, END)], snapshot["revision"], snapshot)

    @property
    def more(self):
        """Whether there are rows before all that are held."""
        return self.ranges[0][0] > 0

    def ordered(self):
        """Returns the rows in the order of the list."""
        return in_order(self.rows)

    def gaps(self):
        """Returns the last sort key before and the first behind each gap: `after` and `before` of a page that fills it."""
        return [(last, first) for (_, last), (first, _) in zip(self.ranges, self.ranges[1:])]

    def resume(self, at=None):
        """Returns the position to come back with; `at`: the sort key of the row that is looked at."""
        ranges = [[min(key, self.revision) for key in span] for span in self.ranges[-MOST_RANGES:]]
        held = [[row["id"], row["tag"]] for row in self.ordered() if "tag" in row]
        named = {}
        if 0 < len(held) == len(self.rows):
            named = {"rows": held} if len(held) <= MOST_HELD else {"sums": sums(held)}
        return {"epoch": self.epoch, "revision": self.revision, "joined": self.joined, "ranges": ranges, "at": at} | named

    def apply(self, diff):
        """Applies a diff whole or not at all; returns the changes, as (sign, row)."""
        if "kept" in diff and diff["from"] == self.revision:
            return self.move(diff)
        if diff["epoch"] == self.epoch and diff["to"] <= self.revision:
            if diff["to"] == self.revision:
                self.prove(self.rows, self.ranges, self.revision, diff)
            if diff["to"] < self.revision or "ranges" not in diff:
                return []
        elif diff["epoch"] != self.epoch or diff["from"] != self.revision:
            raise Resync("a diff is missing", True)
        operations = {key: value for key, value in diff.items() if isinstance(value, list) and key not in ("ranges", "groups")}
        check_ids(operations)
        gone = set(operations.pop("del", []))
        rows = {id: row for id, row in self.rows.items() if id not in gone}
        changes = [("-", self.rows[id]) for id in gone & self.rows.keys()]
        for name, sign in ("mov", ">"), ("ins", "+"), ("rel", "~"), ("app", "~"), ("cfg", "*"), ("rea", "*"):
            for new in operations.pop(name, []):
                held = rows.get(new["id"])
                if held is None and name != "ins":
                    continue  # it stands where nothing is held
                if held and new["rev"] <= self.rows[new["id"]]["rev"]:
                    continue  # it is held as it is, or later
                if name == "mov":
                    new = held | new
                elif name == "cfg":
                    light = LIGHT[kind(held)]
                    new = {key: value for key, value in held.items() if key not in light} | new
                elif name == "rea":
                    new = held | {"rev": new["rev"], "reactions": patched(held.get("reactions", []), new)}
                elif name == "app":
                    new = grown(held, new)
                elif name == "rel":
                    new = new | {"section": held["section"], "sort": held["sort"]}
                rows[new["id"]] = new
                changes.append((sign, new))
        if operations:
            raise Resync(f"operations of a later version: {list(operations)}", False)
        ranges = self.left(diff)
        if any(not within(ranges, row) for row in diff.get("ins", [])):
            raise Resync("a row comes outside of the ranges", False)
        start = diff.get("start", 0)  # rows before that were trimmed
        left = {id for id, row in rows.items() if row["sort"] < start or not within(ranges, row)}
        changes = [change for change in changes if change[1]["id"] not in left]
        changes += [("-", rows.pop(id)) for id in left]
        self.commit(rows, ranges, diff["to"], diff)
        return changes

    def move(self, diff):
        """Applies a diff that begins with the held rows, in whatever epoch they are."""
        held, self.rows = self.rows, {id: row | {"rev": diff["kept"]} for id, row in self.rows.items()}
        if diff.get("groups"):
            named = {row["id"] for row in diff.get("ins", [])}
            gone = [id for id in held if group(id) in diff["groups"] and id not in named]
            diff = diff | {"del": diff.get("del", []) + gone}
        for row in diff.get("ins", []):
            if row["id"] in held:
                self.rows[row["id"]]["rev"] = 0  # it comes anew
        was, (self.epoch, self.revision) = (self.epoch, self.revision), (diff["epoch"], -1)
        try:
            return self.apply({key: value for key, value in diff.items() if key != "kept"} | {"from": -1})
        except Resync:
            self.rows, (self.epoch, self.revision) = held, was
            raise

    def left(self, diff):
        """Returns the ranges that are held after a diff."""
        ranges = self.ranges
        if "ranges" in diff:
            spans = [(span["from"], span.get("to", END)) for span in diff["ranges"]]
            ranges = united((max(a, c), min(b, d)) for a, b in ranges for c, d in spans)
        start = diff.get("start", 0)
        ranges = [span for span in ranges if span[1] >= start]
        return united([*ranges, (0, start)]) if ranges[0][0] <= start else ranges

    def merge(self, page):
        """Takes the rows of a page; returns whether it could, or must ask again."""
        if page["epoch"] != self.epoch:
            return True  # it is of another list
        if page["revision"] < self.revision:
            return False  # rows that were deleted since would come back
        rows = dict(self.rows)
        for row in page["rows"]:
            held = rows.get(row["id"])
            if not page["from"] <= row["sort"] <= page["to"]:
                raise Resync("a row is not in its page's range", False)
            if (held and row["rev"] > held["rev"]) or (not held and not within(self.ranges, row)):
                section = "socket" if row["sort"] > self.joined else "history"
                rows[row["id"]] = row | {"section": section}
        self.newest_page = max(self.newest_page, page["revision"])
        ranges = united([*self.ranges, (page["from"], min(page["to"], self.revision))])
        while len(ranges) > MOST_RANGES:  # without the one that is farthest from the page, but never the last
            ranges.remove(max(ranges[:-1], key=lambda span: max(span[0] - page["to"], page["from"] - span[1])))
        self.rows, self.ranges = {id: row for id, row in rows.items() if within(ranges, row)}, ranges
        return True

    def commit(self, rows, ranges, revision, frame):
        """Takes these rows, if they have one place each and the proofs that came with them are right."""
        if len({row["sort"] for row in rows.values()}) < len(rows):
            raise Resync("two rows have one place", False)
        self.prove(rows, ranges, revision, frame)
        self.rows, self.revision = rows, revision
        self.counts = frame.get("counts", {})  # the people or rooms in each section, those without a row among them
        self.missing = frame.get("missing", {}).get("databases", [])  # the databases whose rows the list lacks
        self.ranges = [(0, END)] if len(rows) == frame["count"] else ranges

    def prove(self, rows, ranges, revision, frame):
        if revision < self.newest_page:
            return  # rows of a page are ahead
        order = in_order(rows)
        right = len(rows) == frame["count"] if ranges == [(0, END)] else len(rows) <= frame["count"]
        tail = [row for row in order if row["sort"] >= ranges[-1][0]]
        if right and len(tail) >= min(32, frame["count"]):
            right = digest(tail[-32:]) == frame["digest"]
        for span in frame.get("ranges", []):
            part = [row for row in order if span["from"] <= row["sort"] <= span.get("to", END)]
            right = right and ("count" not in span or (span["count"], span["digest"]) == (len(part), digest(part)))
        if not right:
            raise Resync("the digest is wrong", False)


def grown(held, piece):
    """Returns a message with text at its end. A piece has the reactions that changed as well."""
    text = held["text"].encode()
    start = text[: piece["at"]].decode(errors="ignore")
    if len(start.encode()) < piece["at"]:
        raise Resync("a text that is not held has grown", False)
    ends = {key: piece[key] for key in ("open", "ended") if key in piece}  # one that is missing is missing in the row
    row = {key: value for key, value in held.items() if key not in ("open", "ended")}
    return row | {"rev": piece["rev"], "text": start + piece["text"], "reactions": patched(held.get("reactions", []), piece)} | ends


def patched(reactions, patch):
    """Returns the reactions of a message after some were added and taken back."""
    users = {reaction["emoji"]: reaction["users"] for reaction in reactions}
    for name in "del", "add":
        for reaction in patch.get(name, []):
            rest = [user for user in users.get(reaction["emoji"], []) if user not in reaction["users"]]
            users[reaction["emoji"]] = rest + reaction["users"] * (name == "add")
    return [{"emoji": emoji, "users": users[emoji]} for emoji in patch.get("emojis", users) if users[emoji]]


def in_order(rows):
    return sorted(rows.values(), key=lambda row: (SECTIONS.index(row["section"]), row["sort"]))


def check_ids(operations):
    """Checks that each id stands in one operation; or in `mov` and in one of `rel`, `cfg` and `rea`."""
    ids = [op if name == "del" else op["id"] for name, ops in operations.items() if name != "mov" for op in ops]
    moved = [op["id"] for op in operations.get("mov", [])]
    once = {op if name == "del" else op["id"] for name in ("del", "ins", "app") for op in operations.get(name, [])}
    if len(set(ids)) < len(ids) or len(set(moved)) < len(moved) or once & set(moved):
        raise Resync("an id stands in two operations", False)


def within(ranges, row):
    return any(first <= row["sort"] <= last for first, last in ranges)


def united(ranges):
    """Returns the ranges in order; those that overlap or touch are one."""
    made = []
    for first, last in sorted(span for span in ranges if span[0] <= span[1]):
        if made and first <= made[-1][1] + 1:
            first, last = made[-1][0], max(last, made.pop()[1])
        made.append((first, last))
    return made


def fnv1a(text):
    value = 2166136261
    for byte in text:
        value = (value ^ byte) * 16777619 % 2**32
    return value


def digest(rows):
    total = 0
    for row in rows:
        id = uuid.UUID(row["id"]).bytes if kind(row) in ("message", "pin", "later") else row["id"].encode()
        total += fnv1a(id + row["sort"].to_bytes(8, "big") + row["rev"].to_bytes(8, "big"))
    return total % 2**32


def group(id):
    """Returns the group of a row that has a tag."""
    return fnv1a(id.encode()) % 256


def sums(held):
    """Returns the sums of rows, as (id, tag) in the order of the list: of each group the beginning of a hash of them."""
    texts = [""] * 256
    for id, tag in held:
        texts[group(id)] += f"{id}\n{tag}\n"
    return "".join(hashlib.sha256(text.encode()).hexdigest()[:32] for text in texts)
