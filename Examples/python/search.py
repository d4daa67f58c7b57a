#!/usr/bin/env python3
"""Finds messages, and prints them with the matches in brackets, the newest first.

usage: search.py ws://HOST:PORT USER QUERY      such as: search.py ws://127.0.0.1:8080 ann 'deploy* from:bob in:lobby'

Needs websockets from PyPI. Exit status: 0 something was found, 1 nothing, 2 the query has a fault.
"""

import json
import sys

from websockets.sync.client import connect


def marked(text, places):
    """The text with brackets around the places, which count code points, as Python does."""
    for start, end in reversed(places):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def results(server, query):
    """Yields the results, page by page."""
    place = {}
    while True:
        server.send(json.dumps({"type": "search", "ref": 2, "query": query} | place))
        answer = json.loads(server.recv())
        if answer["type"] == "error":
            sys.exit(print(answer["message"], file=sys.stderr) or 2)
        yield from answer["results"]
        if "before" not in answer:
            return
        place = {"before": answer["before"]}


def main(url, user, query):
    with connect(url, subprotocols=["diffroom.v1.json"], max_size=None) as server:
        server.send(json.dumps({"type": "hello", "ref": 1, "user": user}))
        server.recv()
        status = 1
        for found in results(server, query):
            row = found["row"]
            print(f"{found['room']} {row['author']}: {marked(row['text'], found['at'])}")
            status = 0
        return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
