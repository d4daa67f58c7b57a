#!/usr/bin/env python3
"""Replays docs/protocol/vectors on the replicas of this folder, and on its rules for texts, without a server.

Exit status: 0 all is as the vectors say, 1 something is not."""

import json
import sys
from pathlib import Path

import small
from entered import can_be_seen, entered
from mentions import begun, mentions, mentions_everyone
from replica import END, Replica, Resync, sums

VECTORS = Path(__file__).parents[2] / "docs/protocol/vectors"
RESUMED = {"gap", "other_epoch"}  # the outcomes after which the server can resume


def apply(replica, frame):
    """Returns the replica after the frame, and the outcome: the names that this client does not tell apart are sets."""
    before = replica and (replica.revision, replica.ranges, replica.rows)
    try:
        if frame["type"] == "snapshot":
            return Replica(frame), {"applied"}
        if frame["type"] == "page":
            return replica, {"applied"} if replica.merge(frame) else {"stale_page"}
        replica.apply(frame)
    except Resync as wrong:
        return replica, RESUMED if wrong.args[1] else {"unknown_operation", "diverged", "malformed"}
    return replica, {"ignored"} if (replica.revision, replica.ranges, replica.rows) == before else {"applied"}


def plain(row):
    """Returns a row without what means the same as its absence. The read mark of a room is always there."""
    absent = {"read": 0, "typing": False} if row["section"] in ("online", "offline") else {}
    return {key: value for key, value in row.items() if value != [] and (key not in absent or value != absent[key])}


def live(case):
    """Returns what is wrong, if anything is."""
    replica = None
    for number, step in enumerate(case["steps"], 1):
        replica, outcome = apply(replica, step["frame"])
        rows = [plain(row) for row in replica.ordered()]
        ranges = [[key for key in span if key != END] for span in replica.ranges]
        held = {"revision": replica.revision, "more": replica.more, "rows": rows}
        held |= {"ranges": ranges} if "ranges" in step["after"] else {}
        held |= {"counts": replica.counts} if "counts" in step["after"] else {}
        held |= {"missing": {"databases": replica.missing}} if replica.missing else {}
        if step["outcome"] not in outcome or held != step["after"]:
            return f"step {number}: {outcome}, {ranges}, {len(rows)} rows; expected {step['outcome']}"
    return None


def held_by_the_guides_client(case):
    """Returns what is wrong with the guide's client, which holds the end of a list and no pages."""
    replica = None
    for number, step in enumerate(case["steps"], 1):
        try:
            if step["frame"]["type"] == "snapshot":
                replica = small.Replica(step["frame"])
            else:
                replica.apply(step["frame"])
            outcomes = {"applied", "ignored"}
        except small.Gap:
            outcomes = RESUMED
        except small.Divergence:
            outcomes = {"unknown_operation", "diverged", "malformed"}
        if step["outcome"] not in outcomes or [row["id"] for row in replica.order] != [row["id"] for row in step["after"]["rows"]]:
            return f"step {number}: {outcomes}; expected {step['outcome']}"
    return None


def is_for_the_guides_client(case):
    return not any(step["frame"]["type"] == "page" or len(step["after"].get("ranges", [])) > 1 for step in case["steps"])


def main():
    problems, count = [], 0
    for name in ("operations", "windows", "ranges", "refusals"):
        for case in filter(is_for_the_guides_client, json.loads((VECTORS / f"{name}.json").read_text())):
            count += 1
            if wrong := held_by_the_guides_client(case):
                problems.append(f"{name}: {case['title']}: the guide's client: {wrong}")
    for name in ("operations", "windows", "ranges", "refusals", "members", "rooms", "threads", "mention-rows", "people", "drafts", "later", "blocked", "pins"):
        for case in json.loads((VECTORS / f"{name}.json").read_text()):
            count += 1
            if wrong := live(case):
                problems.append(f"{name}: {case['title']}: {wrong}")
    for case in json.loads((VECTORS / "row-sums.json").read_text()):
        count += 1
        if sums(case["rows"]) != case["sums"]:
            problems.append(f"row-sums: {len(case['rows'])} rows")
    for case in json.loads((VECTORS / "mentions.json").read_text()):
        count += 1
        found = mentions(case["text"], case["people"]), mentions_everyone(case["text"], case["people"])
        if found != (case["mentions"], case.get("everyone", False)):
            problems.append(f"mentions: {case['text']}: {found}")
    for case in json.loads((VECTORS / "offers.json").read_text()):
        count += 1
        if begun(case["text"]) != case.get("begun"):
            problems.append(f"offers: {case['text']}: {begun(case['text'])}")
    for case in json.loads((VECTORS / "entered-text.json").read_text()):
        count += 1
        stored, is_reduced = entered(case["entered"])
        found = {"stored": stored} | ({"told": True} if is_reduced else {}) if can_be_seen(stored) else {"refused": True}
        if {"entered": case["entered"]} | found != case:
            problems.append(f"entered-text: {case['entered']!r}: {found}")
    print("\n".join(problems) or f"{count} cases: all right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
