"""Stands between a server and its database: bytes go through until SIGUSR1 says that replies are lost, or SIGUSR2 that
everything is, as when a machine is gone; connections stay open all the same. Called with two paths of sockets."""

import os
import signal
import socket
import sys
import threading

here, there = sys.argv[1], sys.argv[2]
forwards = {"requests": True, "replies": True}
signal.signal(signal.SIGUSR1, lambda *_: forwards.update(replies=False))
signal.signal(signal.SIGUSR2, lambda *_: forwards.update(requests=False, replies=False))


def carry(source, target, what):
    try:
        while data := source.recv(1 << 16):
            if forwards[what]:
                target.sendall(data)
    except OSError:
        pass  # the other side has ended
    # A lost direction does not report its end, either.
    if forwards[what]:
        target.close()


def relay(client):
    server = socket.socket(socket.AF_UNIX)
    server.connect(there)
    threading.Thread(target=carry, args=(client, server, "requests"), daemon=True).start()
    threading.Thread(target=carry, args=(server, client, "replies"), daemon=True).start()


listener = socket.socket(socket.AF_UNIX)
listener.bind(here)
os.chmod(here, 0o777)
listener.listen(64)
while True:
    relay(listener.accept()[0])
