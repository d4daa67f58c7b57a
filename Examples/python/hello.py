import json, sys, uuid
from websockets.sync.client import connect

with connect(sys.argv[1], subprotocols=["diffroom.v1.json"], max_size=None) as server:
    frames = map(json.loads, server)

    def ask(ref, type, **fields):
        server.send(json.dumps({"type": type, "ref": ref, **fields}))
        return next(frame for frame in frames if frame.get("ref") == ref)

    id = str(uuid.uuid4())
    ask(1, "hello", user="python")
    ask(2, "subscribe", list="room/lobby/messages")
    server.send(json.dumps({"type": "send", "ref": 3, "room": "lobby", "id": id, "text": "hello from Python"}))
    mine = next(row for frame in frames for row in frame.get("ins", []) if row["id"] == id)
    print(mine["author"], "said:", mine["text"])
