"""One WebSocket that speaks the Diffroom protocol, in as few calls as Python can: for benchmarks."""

import json
import os
import socket
import struct
import time
import uuid


class Talker:
    """A connection that has said hello. It sends and reads frames as they are; nothing runs in the background."""

    def __init__(self, url, user):
        host, port = url.removeprefix("ws://").rstrip("/").rsplit(":", 1)
        self.socket = socket.create_connection((host.strip("[]"), int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(
            f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        self.bytes = self.bytes.split(b"\r\n\r\n", 1)[1]
        self.text = b""
        self.ref = 0
        self.ask("hello", user=user)

    def more(self):
        read = self.socket.recv(1 << 16)
        if not read:
            raise SystemExit("the server closed the connection")
        self.bytes += read

    def frame(self):
        """Returns the next message's text, which may come in fragments."""
        while True:
            first, fragment = self.fragment()
            if first & 15 == 9:  # a ping
                self.socket.sendall(bytes([0x8a, 128 | len(fragment)]) + bytes(4) + fragment)
                continue
            self.text += fragment
            if first & 0x80:
                text, self.text = self.text, b""
                return text

    def fragment(self):
        while True:
            if len(self.bytes) >= 2:
                size, start = self.bytes[1], 2
                if size == 126 and len(self.bytes) >= 4:
                    size, start = struct.unpack_from("!H", self.bytes, 2)[0], 4
                elif size == 127 and len(self.bytes) >= 10:
                    size, start = struct.unpack_from("!Q", self.bytes, 2)[0], 10
                if (self.bytes[1] < 126 or start > 2) and len(self.bytes) >= start + size:
                    first, text = self.bytes[0], self.bytes[start:start + size]
                    self.bytes = self.bytes[start + size:]
                    return first, text
            self.more()

    def request(self, type, **fields):
        """A request as it goes over the wire, its ref in ``ref``. The mask is all zeros, which is as good as any to a
        server."""
        self.ref += 1
        text = json.dumps({"type": type, "ref": self.ref, **fields}).encode()
        size = bytes([128 | len(text)]) if len(text) < 126 else bytes([254]) + struct.pack("!H", len(text))
        return b"\x81" + size + bytes(4) + text

    def say(self, type, **fields):
        """Sends a request; returns its ref."""
        self.socket.sendall(self.request(type, **fields))
        return self.ref

    def answer(self, ref):
        """Reads up to the answer to `ref`."""
        end = f',"ref":{ref}}}'.encode()
        while True:
            text = self.frame()
            if text.endswith(end):
                answer = json.loads(text)
                if answer["type"] == "error":
                    raise SystemExit(f"the server answered: {answer}")
                return answer

    def ask(self, type, **fields):
        return self.answer(self.say(type, **fields))

    def send(self, room):
        return self.say("send", **self.message(room))

    @staticmethod
    def message(room):
        """Returns the fields of a `send`."""
        id = uuid.UUID(bytes=os.urandom(16), version=4)
        return {"room": room, "id": str(id), "text": "a message of a benchmark"}


def resident(process):
    """Returns the memory of a process in bytes."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def processor(process):
    """Returns the seconds of the processor that a process has taken."""
    return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid() makes it
