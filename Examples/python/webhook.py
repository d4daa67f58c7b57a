"""Prints what a webhook tells: python3 webhook.py SECRET-FILE [HOST [PORT]]"""
import base64
import hmac
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

secret = base64.b64decode(Path(sys.argv[1]).read_text().strip().removeprefix("whsec_"))

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name, when = self.headers["webhook-id"], self.headers["webhook-timestamp"]
        code = base64.b64encode(hmac.digest(secret, f"{name}.{when}.".encode() + body, "sha256"))
        given = self.headers["webhook-signature"].encode().split()
        right = any(hmac.compare_digest(b"v1," + code, one) for one in given) and abs(time.time() - int(when)) < 300
        post = json.loads(body) if right else {"operations": []}
        for operation in post["operations"]:
            print(post["room"], operation["revision"], operation["type"], flush=True)
        if not right:
            print("wrong signature", flush=True)
        self.send_response(204 if right else 401)
        self.end_headers()

    def log_message(self, *_):
        pass

host, port = (sys.argv[2:3] or ["127.0.0.1"])[0], int((sys.argv[3:4] or [0])[0])
server = HTTPServer((host, port), Receiver)
print(f"listening on http://{host}:{server.server_port}", flush=True)
server.serve_forever()
