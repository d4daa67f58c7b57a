#!/usr/bin/env python3
"""Shows whom a user has blocked, blocks a user, or ends that.

usage: blocked.py ws://HOST:PORT USER                 prints the names, the last one to be blocked last
       blocked.py ws://HOST:PORT USER block NAME
       blocked.py ws://HOST:PORT USER unblock NAME

Needs websockets from PyPI. Exit status: 0 done, 2 the server refused it.
"""

import json
import sys

from websockets.sync.client import connect


def main(url, user, action="list", name=None):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:

        def request(kind, **fields):
            server.send(json.dumps({"type": kind, "ref": 1} | fields))
            return json.loads(server.recv())

        request("hello", user=user)
        if action == "list":
            for row in request("subscribe", list="me/blocked")["sections"][0]["rows"]:
                print(row["id"])
            return 0
        answer = request("block", user=name, on=action == "block")
        if answer["type"] == "error":
            print(answer["message"], file=sys.stderr)
            return 2
        return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
