"""A reader's copy of a Diffroom list: "Applying" and "Digest" of docs/protocol.md."""

import uuid


class Resync(Exception):
    """The replica cannot go on: (why, whether the server can resume from it)."""


class Replica:
    """The `rows` by id, as of `revision`. Made from a snapshot."""

    def __init__(self, snapshot):
        self.epoch, self.joined, self.more = snapshot["epoch"], snapshot["joined"], snapshot["more"]
        rows = {row["id"]: row | {"section": part["id"]} for part in snapshot["sections"] for row in part["rows"]}
        self.take_over(rows, snapshot["revision"], snapshot)

    def apply(self, diff):
        """Applies a diff whole or not at all; returns the changes, as (sign, row)."""
        if diff["epoch"] == self.epoch and diff["to"] <= self.revision:
            return []
        if diff["epoch"] != self.epoch or diff["from"] != self.revision:
            raise Resync("a diff is missing", True)
        operations = {key: value for key, value in diff.items() if isinstance(value, list)}
        gone = set(operations.pop("del", []))
        rows = {id: row for id, row in self.rows.items() if id not in gone}
        changes = [("-", self.rows[id]) for id in gone & self.rows.keys()]
        for name, sign in ("mov", ">"), ("ins", "+"), ("rel", "~"), ("cfg", "*"):
            for new in operations.pop(name, []):
                held = rows.get(new["id"])
                if held is None and name != "ins":
                    continue  # it stands before all that is held
                if held and new["rev"] <= self.rows[new["id"]]["rev"]:
                    continue  # it is held as it is, or later
                if name in ("mov", "cfg"):
                    new = held | new
                elif name == "rel":
                    new = new | {"section": held["section"], "sort": held["sort"]}
                rows[new["id"]] = new
                changes.append((sign, new))
        if operations:
            raise Resync(f"operations of a later version: {list(operations)}", False)
        start = diff.get("start", 0)  # rows before that were trimmed
        trimmed = {id for id, row in rows.items() if row["sort"] < start}
        changes = [change for change in changes if change[1]["id"] not in trimmed]
        changes += [("-", rows.pop(id)) for id in trimmed]
        self.take_over(rows, diff["to"], diff)
        self.more = self.more and len(rows) < diff["count"]
        return changes

    def take_over(self, rows, revision, proof):
        """Takes these rows, if the proof that came with them is right."""
        order = sorted(rows.values(), key=lambda row: (row["section"], row["sort"]))
        right = len(rows) <= proof["count"] if self.more else len(rows) == proof["count"]
        if right and len(rows) >= min(32, proof["count"]):
            right = digest(order[-32:]) == proof["digest"]
        if not right:
            raise Resync("the digest is wrong", False)
        self.rows, self.revision = rows, revision


def digest(rows):
    total = 0
    for row in rows:
        value = 2166136261
        for byte in uuid.UUID(row["id"]).bytes + row["sort"].to_bytes(8, "big") + row["rev"].to_bytes(8, "big"):
            value = (value ^ byte) * 16777619 % 2**32
        total += value
    return total % 2**32
