import json, sys, uuid
from websockets.sync.client import connect

with connect(sys.argv[1], subprotocols=["diffroom.v1.json"], max_size=None) as server:
    def send(**frame):
        server.send(json.dumps(frame))

    send(type="hello", ref=1, user="python")
    send(type="subscribe", ref=2, list="room/lobby/messages")
    for frame in map(json.loads, server):
        if frame["type"] == "snapshot":
            send(type="send", ref=3, room="lobby", id=str(uuid.uuid4()), text="hello from Python")
        for row in frame.get("ins", []):
            print(row["author"], "said:", row["text"], flush=True)
