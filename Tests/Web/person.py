"""Somebody without a browser: a raw WebSocket that says frames and reads answers."""

import json
import uuid

from websockets.sync.client import connect


class Person:
    def __init__(self, port, name, room, token=None):
        self.room = room
        self._ref = 0
        self._socket = connect(f"ws://127.0.0.1:{port}/", subprotocols=["diffroom.v1.json"], max_size=None,
                               ping_interval=None)
        self.ask(type="hello", **({"token": token} if token else {"user": name}))

    def ask(self, **frame):
        """Returns the answer to a request, skipping all else."""
        self._say(frame)
        return self._answer(self._ref)

    def send(self, text, **more):
        """Sends a message, and returns its id once it is durable."""
        id = str(uuid.uuid4())
        answer = self.ask(type="send", room=self.room, id=id, text=text, **more)
        assert answer["type"] == "ok", answer
        return id

    def send_all(self, texts, **more):
        """Sends messages, as many at once as the server takes, and returns once all are durable."""
        for start in range(0, len(texts), 200):
            for text in texts[start : start + 200]:
                self.say_without_waiting(text, **more)
            self._answer(self._ref)

    def say_without_waiting(self, text, **more):
        self._say({"type": "send", "room": self.room, "id": str(uuid.uuid4()), "text": text, **more})

    def enter(self):
        """Goes online in the room. Returns the room's revision."""
        answer = self.ask(type="subscribe", list=f"room/{self.room}/messages")
        return answer["revision"]

    def read(self, revision):
        answer = self.ask(type="read", room=self.room, revision=revision)
        assert answer["type"] == "ok", answer

    def change(self, type, id, **more):
        answer = self.ask(type=type, room=self.room, command=str(uuid.uuid4()), id=id, **more)
        assert answer["type"] == "ok", answer

    def moderate(self, action, **more):
        answer = self.ask(type="moderate", room=self.room, command=str(uuid.uuid4()), action=action, **more)
        assert answer["type"] == "ok", answer

    def create(self, kind, *people, **more):
        """Makes a private or direct room, and goes there. Returns its name."""
        answer = self.ask(type="create", kind=kind, command=str(uuid.uuid4()), people=people, **more)
        assert answer["type"] == "ok", answer
        self.room = answer["list"].split("/")[1]
        return self.room

    def messages(self):
        """Returns the room's last 500 messages."""
        snapshot = self.ask(type="subscribe", list=f"room/{self.room}/messages", limit=500)
        self.ask(type="unsubscribe", list=f"room/{self.room}/messages")
        return [row for section in snapshot["sections"] for row in section["rows"]]

    def texts(self):
        return [row["text"] for row in self.messages()]

    def hears(self, type):
        """Returns the next frame of a type, skipping all else."""
        return self._next(lambda frame: frame["type"] == type)

    def close(self):
        self._socket.close()

    def _say(self, frame):
        self._ref += 1
        self._socket.send(json.dumps({**frame, "ref": self._ref}))

    def _answer(self, ref):
        return self._next(lambda frame: frame.get("ref") == ref)

    def _next(self, is_wanted):
        while True:
            frame = json.loads(self._socket.recv(timeout=30))
            if is_wanted(frame):
                return frame
