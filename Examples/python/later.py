#!/usr/bin/env python3
"""Shows what a user has scheduled, schedules a message, sets a reminder of one, or cancels either.

usage: later.py ws://HOST:PORT USER                               prints the list: what is due, and then what waits
       later.py ws://HOST:PORT USER send ROOM SECONDS TEXT        sends a message in so many seconds, and prints its id
       later.py ws://HOST:PORT USER remind ROOM SECONDS MESSAGE   reminds of a message, by its id, and prints the reminder's id
       later.py ws://HOST:PORT USER cancel ID

Needs websockets from PyPI. Exit status: 0 done, 2 the server refused it.
"""

import json
import sys
import uuid

from websockets.sync.client import connect


def main(url, user, action="list", *words):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:

        def request(kind, **fields):
            server.send(json.dumps({"type": kind, "ref": 1} | fields))
            return json.loads(server.recv())

        now = request("hello", user=user)["time"]  # the server's clock decides when something is due
        if action == "list":
            for section in request("subscribe", list="me/later")["sections"]:
                for row in section["rows"]:
                    refused = f" ({row['refused']['message']})" if "refused" in row else ""
                    print(f"{section['id']} {row['id']} {row['room']}: {row.get('text') or row['message']}{refused}")
            return 0
        if action == "cancel":
            id, content = words[0], {}
        else:
            room, seconds, what = words
            id, content = str(uuid.uuid4()), {"room": room, "at": now + int(float(seconds) * 1000), "text" if action == "send" else "message": what}
        answer = request("later", id=id, **content)
        print(answer["message"] if answer["type"] == "error" else id, file=sys.stderr if answer["type"] == "error" else sys.stdout)
        return 2 if answer["type"] == "error" else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
