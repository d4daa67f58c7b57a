#!/usr/bin/env python3
"""Shows what a user has written and not sent, or stores the draft of a room.

usage: drafts.py ws://HOST:PORT USER                prints the drafts, the newest last
       drafts.py ws://HOST:PORT USER ROOM [TEXT]    stores a draft, or without a text removes it

Needs websockets from PyPI. Exit status: 0 done, 2 the server refused the draft.
"""

import json
import sys

from websockets.sync.client import connect


def main(url, user, room=None, text=None):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:

        def request(kind, **fields):
            server.send(json.dumps({"type": kind, "ref": 1} | fields))
            return json.loads(server.recv())

        request("hello", user=user)
        if room is None:
            for row in request("subscribe", list="me/drafts")["sections"][0]["rows"]:
                print(f"{row['id']}: {row['text']}")
            return 0
        answer = request("draft", room=room, **({"text": text} if text else {}))
        if answer["type"] == "error":
            print(answer["message"], file=sys.stderr)
        return 2 if answer["type"] == "error" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
