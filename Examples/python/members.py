#!/usr/bin/env python3
"""Prints the people of a Diffroom room: who is online, who is a member and away, and who is invited.

usage: members.py ws://HOST:PORT USER ROOM                prints a line for each, then how many there are
       members.py ws://HOST:PORT USER ROOM --follow       goes on with what changes: + is there, - is gone, * has changed
       members.py ws://HOST:PORT USER ROOM --find WORD    finds members and invited people by name or display name

Needs websockets from PyPI. Exit status: 0 someone was found, 1 no one, 2 the server refused the request.
"""

import json
import sys
import time

from replica import Replica, Resync
from websockets.sync.client import connect


def line(row):
    """Returns a row as text, such as `offline bob, moderate, since 2026-05-12`."""
    signs = [row["role"]] if "role" in row else []
    signs += [time.strftime("since %Y-%m-%d", time.gmtime(row["since"] / 1000))] if "since" in row else []
    signs += [f"by {row['by']}"] if "by" in row else []
    signs += ["is writing"] if row.get("typing") else []
    return ", ".join([f"{row['section']} {row['id']}", *signs])


class Members:
    def __init__(self, server, room):
        self.server, self.name, self.refs, self.list = server, f"room/{room}/members", 0, None

    def request(self, kind, **fields):
        """Returns the answer to a request. News of the list comes before it only where the list is subscribed to again."""
        self.refs += 1
        self.server.send(json.dumps({"type": kind, "ref": self.refs} | fields))
        while (answer := json.loads(self.server.recv())).get("ref") != self.refs:
            pass
        if answer["type"] == "error":
            print(answer["message"], file=sys.stderr)
            sys.exit(2)
        return answer

    def find(self, word):
        """Yields the members that have the word, page by page. Only the absence of `after` says that a page is the last."""
        place = {}
        while True:
            page = self.request("page", list=self.name, find=word, **place)
            yield from page["rows"]
            if "after" not in page:
                return
            place = {"after": page["after"]}

    def subscribe(self):
        """Reads the list anew."""
        self.list = Replica(self.request("subscribe", list=self.name))

    def changes(self):
        """Yields what changes, as (sign, row)."""
        for frame in map(json.loads, self.server):
            if (frame["type"], frame.get("list")) != ("diff", self.name):
                continue
            try:
                changed = {row["id"]: (sign, row) for sign, row in self.list.apply(frame)}
            except Resync:
                self.subscribe()
                changed = {row["id"]: ("*", row) for row in self.list.ordered()}
            yield from changed.values()


def main(url, user, room, action=None, word=None):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:
        members = Members(server, room)
        members.request("hello", user=user)
        if action == "--find":
            found = [line(row) for row in members.find(word)]
            print("".join(text + "\n" for text in found), end="")
            return 0 if found else 1
        members.subscribe()
        for row in members.list.ordered():
            print(line(row))
        print(", ".join(f"{number} {section}" for section, number in members.list.counts.items()), flush=True)
        if action == "--follow":
            for sign, row in members.changes():
                print("*" if sign in ">~*" else sign, line(row), flush=True)
        return 0 if any(members.list.counts.values()) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
