import json, sys, uuid
from websockets.sync.client import connect

with connect(sys.argv[1], subprotocols=["diffroom.v1.json"]) as server:
    def ask(type, **fields):
        server.send(json.dumps({"type": type, "ref": 1, **fields}))
        return json.loads(server.recv())

    ask("hello", user="python")
    ask("subscribe", list="room/lobby/messages")
    ask("send", room="lobby", id=str(uuid.uuid4()), text="hello from Python")
    diff = json.loads(server.recv())
    print(diff["ins"][0]["author"], "said:", diff["ins"][0]["text"])
