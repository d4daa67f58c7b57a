#!/usr/bin/env python3
"""A stand-in for an S3-compatible store, which checks signatures, checksums and times as those do.

usage: store.py [PORT]

Serves the bucket `chat` in memory, for the access key `tester` with the secret `secret-of-tester`, and prints its address. A page of any
origin may use it. Ends with its input.
"""

import base64
import datetime
import hashlib
import hmac
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

KEY, SECRET, REGION, BUCKET = "tester", "secret-of-tester", "here-1", "chat"
STAMP = "%Y%m%dT%H%M%SZ"


class Fault(Exception):
    """An answer in the place of the one that was asked for."""

    def __init__(self, status, code):
        super().__init__(code)
        self.status, self.code = status, code


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(method, path, query, headers, stamp):
    """Returns the signature of a request, by the letter of Amazon's description."""
    encoded = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in query)
    lines = [method, path, "&".join(f"{name}={value}" for name, value in encoded)]
    lines += [f"{name}:{' '.join(value.split())}" for name, value in sorted(headers.items())]
    lines += ["", ";".join(sorted(headers)), "UNSIGNED-PAYLOAD"]
    scope = f"{stamp[:8]}/{REGION}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256("\n".join(lines).encode()).hexdigest()])
    key = f"AWS4{SECRET}".encode()
    for part in (stamp[:8], REGION, "s3", "aws4_request"):
        key = mac(key, part)
    return mac(key, text).hex()


class Store(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    objects = {}  # noqa: RUF012 - key: (bytes, headers, time); all connections have the same
    lock = threading.Lock()
    page = 2  # objects, so that all lists have pages

    def log_message(self, *_):
        """Logs nothing."""

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in [*headers, ("Access-Control-Allow-Origin", "*")]:
            self.send_header(name, value)
        if status != 204 and not any(name.lower() == "content-length" for name, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def check(self, query):
        """Raises unless the request has a signature that holds now, for all of its headers that count."""
        given = dict(query)
        names = given.get("X-Amz-SignedHeaders", "").split(";")
        unsigned = [name for name in self.headers if name.lower().startswith("x-amz-") and name.lower() not in names]
        if "host" not in names or unsigned:
            raise Fault(403, "AccessDenied")
        stamp = given["X-Amz-Date"]
        made = datetime.datetime.strptime(stamp, STAMP).replace(tzinfo=datetime.UTC)
        age = (datetime.datetime.now(datetime.UTC) - made).total_seconds()
        if not -900 < age < int(given["X-Amz-Expires"]) <= 604_800:
            raise Fault(403, "AccessDenied")
        if given["X-Amz-Credential"] != f"{KEY}/{stamp[:8]}/{REGION}/s3/aws4_request":
            raise Fault(403, "InvalidAccessKeyId")
        signed = [(name, value) for name, value in query if name != "X-Amz-Signature"]
        headers = {name: self.headers.get(name, "") for name in names}
        if signature(self.command, urlsplit(self.path).path, signed, headers, stamp) != given["X-Amz-Signature"]:
            raise Fault(403, "SignatureDoesNotMatch")

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = urlsplit(self.path)
        query = parse_qsl(parts.query, keep_blank_values=True)
        try:
            self.check(query)
            _, bucket, *key = unquote(parts.path).split("/", 2)
            if bucket != BUCKET:
                raise Fault(404, "NoSuchBucket")
            with self.lock:
                if not key:
                    return self.list(dict(query))
                return {"PUT": self.put, "GET": self.get, "HEAD": self.get, "DELETE": self.delete}[self.command](key[0], dict(query), body)
        except Fault as fault:
            return self.answer(fault.status, f"<Error><Code>{fault.code}</Code></Error>".encode())

    def do_OPTIONS(self):
        self.answer(204, headers=[("Access-Control-Allow-Methods", "GET, PUT"), ("Access-Control-Allow-Headers", "*")])

    def do_PUT(self):
        self.handle_request()

    def do_GET(self):
        self.handle_request()

    def do_HEAD(self):
        self.handle_request()

    def do_DELETE(self):
        self.handle_request()

    def put(self, key, _, body):
        wanted = self.headers.get("x-amz-checksum-sha256")
        if wanted and wanted != base64.b64encode(hashlib.sha256(body).digest()).decode():
            raise Fault(400, "BadDigest")
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower().startswith("x-amz-meta-")}
        self.objects[key] = body, headers | ({"x-amz-checksum-sha256": wanted} if wanted else {}), datetime.datetime.now(datetime.UTC)
        self.answer(200)

    def get(self, key, query, _):
        if key not in self.objects:
            raise Fault(404, "NoSuchKey")
        body, kept, _ = self.objects[key]
        asked = self.headers.get("x-amz-checksum-mode") == "ENABLED"
        headers = [(name, value) for name, value in kept.items() if asked or not name.startswith("x-amz-checksum")]
        headers += [(name[9:], value) for name, value in query.items() if name.startswith("response-")]
        if self.command == "HEAD":
            return self.answer(200, headers=[*headers, ("Content-Length", str(len(body)))])
        if wanted := self.headers.get("Range"):
            first, last = (int(number) for number in wanted.removeprefix("bytes=").split("-"))
            part = body[first : last + 1]
            return self.answer(206, part, [*headers, ("Content-Range", f"bytes {first}-{first + len(part) - 1}/{len(body)}")])
        return self.answer(200, body, headers)

    def delete(self, key, *_):
        self.objects.pop(key, None)
        self.answer(204)

    def list(self, query):
        if query.get("list-type") != "2" or query.get("encoding-type") != "url":
            raise Fault(501, "NotImplemented")
        keys = sorted(key for key in self.objects if key.startswith(query.get("prefix", "")) and key > query.get("continuation-token", ""))
        shown, more = keys[: self.page], len(keys) > self.page
        rows = "".join(
            f"<Contents><Key>{quote(key, safe='/')}</Key><LastModified>{self.objects[key][2]:%Y-%m-%dT%H:%M:%S}.000Z</LastModified>"
            f"<ETag>&quot;x&quot;</ETag><Size>{len(self.objects[key][0])}</Size></Contents>"
            for key in shown
        )
        token = f"<NextContinuationToken>{escape(shown[-1])}</NextContinuationToken>" if more else ""
        text = f"""<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>
<IsTruncated>{str(more).lower()}</IsTruncated>{token}{rows}</ListBucketResult>"""
        self.answer(200, text.encode(), [("Content-Type", "application/xml")])


def main():
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
