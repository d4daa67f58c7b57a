#!/usr/bin/env python3
"""A proxy that takes less than the server behind it: it ends the connection of a message of more than 1,000 bytes with 1009.

usage: narrow.py ws://HOST:PORT      prints where it listens"""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

MOST = 1000
SUBPROTOCOLS = ["diffroom.v1.json"]


async def main(url):
    async def pass_on(here):
        async with connect(url, subprotocols=SUBPROTOCOLS, max_size=None) as there:
            await asyncio.wait([asyncio.ensure_future(copy(here, there)), asyncio.ensure_future(copy(there, here))],
                               return_when=asyncio.FIRST_COMPLETED)

    async with serve(pass_on, "127.0.0.1", 0, subprotocols=SUBPROTOCOLS, max_size=MOST) as server:
        print("ws://{}:{}".format(*server.sockets[0].getsockname()), flush=True)
        await server.serve_forever()


async def copy(source, target):
    try:
        async for message in source:
            await target.send(message)
    except ConnectionClosed:
        pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
