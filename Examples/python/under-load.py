#!/usr/bin/env python3
"""Follows the room `load-0` with chat.py's client while diffroom-load works on it and the server is killed and started
again, which whoever runs this sees to; then compares all that it holds with what a fresh reader gets.

usage: under-load.py ws://HOST:PORT COMMAND...      COMMAND is the load; its exit status must be 0."""

import asyncio
import sys

from chat import Chat


class Follower(Chat):
    """A reader that counts how it was brought back, and prints nothing."""

    def __init__(self, url):
        super().__init__(url, "load-0", "follower")
        self.snapshots = []  # why each was sent
        self.diffs = 0

    async def request(self, type, **fields):
        if type == "subscribe":
            fields["limit"] = 500  # or there would be gaps, and the rows could not be compared
        await super().request(type, **fields)

    async def handle(self, frame):
        if frame["type"] == "snapshot":
            self.snapshots.append(frame["why"])
        self.diffs += frame["type"] == "diff" and "ref" in frame
        await super().handle(frame)

    def show(self, changes):
        list(changes)


async def rows(reader):
    """Returns a reader's rows, once it has reached the server's revision."""
    probe = Follower(reader.url)
    asking = asyncio.create_task(probe.run())
    while not (probe.replica and reader.replica and probe.replica.revision == reader.replica.revision):
        await asyncio.sleep(0.05)
    asking.cancel()
    held = [sorted(r.replica.rows.values(), key=lambda row: row["sort"]) for r in (probe, reader)]
    return [[{k: v for k, v in row.items() if k != "section"} for row in part[-len(held[0]) :]] for part in held]


async def main(url, *command):
    follower = Follower(url)
    following = asyncio.create_task(follower.run())
    load = await asyncio.create_subprocess_exec(*command)
    if await load.wait():
        return "the load says that not all is right"
    fresh, held = await asyncio.wait_for(rows(follower), 30)
    following.cancel()
    print(f"{follower.replica.revision} revisions followed, {follower.diffs} resumes by diff")
    if follower.snapshots != ["fresh"] or not follower.diffs:
        return f"the first snapshot should be the only one, there were: {', '.join(follower.snapshots)}"
    return None if fresh and fresh == held else "what the follower holds is not what a fresh reader gets"


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
