#!/usr/bin/env python3
"""Tries a server whose files are in a bucket: uploads, downloads, limits, deletions and sweeps, and a store that is down.

usage: bucket.py DIFFROOMD

Needs websockets and moto[s3] with flask and flask-cors from PyPI: moto is the store, in this process. Exit status: 0 if all is right.
"""

import base64
import datetime
import hashlib
import json
import logging
import re
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urljoin
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

import boto3
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import ThreadedMotoServer
from websockets.sync.client import connect

BUCKET, KEY, SECRET = "chat", "tester", "secret-of-tester"
PATIENCE = 30  # s


def check(is_right, *what):
    if not is_right:
        raise SystemExit(f"bucket.py: {' '.join(map(str, what))}")


def wait_until(is_so, what):
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        check(time.monotonic() < deadline, "it never came:", what)
        time.sleep(0.05)


class Store:
    """A store with one bucket."""

    def __init__(self):
        self.server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self.server.start()
        self.address = "http://{}:{}".format(*self.server.get_host_and_port())
        self.client = boto3.client(
            "s3", endpoint_url=self.address, aws_access_key_id=KEY, aws_secret_access_key=SECRET, region_name="us-east-1"
        )
        self.client.create_bucket(Bucket=BUCKET)

    def contents(self):
        """Returns the keys of all objects."""
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]

    def age(self, days):
        """Lets all objects be older by some days."""
        for key in s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[BUCKET].keys.values():
            key.last_modified -= datetime.timedelta(days=days)


class Server:
    """A server with its files in the bucket."""

    def __init__(self, program, store, folder, bytes_of_user=2_500):
        (folder / "key").write_text(f"{KEY}\n{SECRET}\n")
        self.program = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--data", folder / "db", "--files", f"s3://{BUCKET}/files"]
            + ["--files-endpoint", store.address, "--files-credentials", folder / "key", "--file-size", "1000", "--files-per-user", str(bytes_of_user)],
            stdout=subprocess.PIPE, stderr=(folder / "log").open("a"), text=True,
        )  # fmt: skip
        self.url = re.search(r"ws://\S+", self.program.stdout.readline())[0]
        self.connections = ExitStack()

    def end(self):
        self.connections.close()
        self.program.terminate()
        check(self.program.wait(PATIENCE) == 0, "the server ended with", self.program.returncode)


class Person:
    """A connection, and its requests one after the other."""

    def __init__(self, server, name):
        self.web, self.refs = server.url.replace("ws:", "http:"), 0
        self.socket = server.connections.enter_context(connect(server.url, subprotocols=["diffroom.v1.json"]))
        self.ask("hello", user=name)

    def ask(self, type, **fields):
        self.refs += 1
        self.socket.send(json.dumps({"type": type, "ref": self.refs} | fields))
        while (answer := json.loads(self.socket.recv(PATIENCE))).get("ref") != self.refs:
            pass
        return answer

    def permit(self, content, message, name="cat.png"):
        file = {"name": name, "media": "image/png", "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        return self.ask("upload", room="lobby", message=message, **file)

    def confirm(self, permit):
        return request("POST", urljoin(self.web, permit["confirm"]), b"")

    def upload(self, content, message):
        permit = self.permit(content, message)
        check(put(permit, content)[0] == 200, "the store takes no upload")
        status, _, file = self.confirm(permit)
        check(status == 201, "an upload is not confirmed:", status, file)
        return json.loads(file)

    def send(self, file, message):
        answer = self.ask("send", room="lobby", id=message, text=file["name"], files=[file])
        check(answer["type"] == "ok", "a message with a file is refused:", answer)

    def link(self, file, message):
        return urljoin(self.web, self.ask("links", room="lobby", files=[{"message": message, "id": file["id"]}])["urls"][0])


class NoRedirect(HTTPRedirectHandler):
    """Leaves redirects to the caller."""

    def redirect_request(self, *_):
        return None


def request(method, url, body=None, headers=None, get=urlopen):
    try:
        with get(Request(url, data=body, method=method, headers=headers or {})) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        return error.code, error.headers, error.read()


def put(permit, content, **headers):
    return request("PUT", permit["url"], content, permit["headers"] | headers)


def reason(answer):
    return answer[0], json.loads(answer[2]).get("reason")


def try_uploads(person, store):
    content, message = bytes(range(200)) * 3, str(uuid.uuid4())
    permit = person.permit(content, message, "日本 cat.png")
    check(permit["url"].startswith(store.address) and permit["confirm"].startswith("/api/uploads/"), permit)
    check(reason(person.confirm(permit)) == (404, "no_file"), "what is not there is confirmed")
    # This store compares nothing. Others refuse what is not as it was announced: see Tests/StandIns/store.py.
    other = {"x-amz-checksum-sha256": base64.b64encode(hashlib.sha256(b"x").digest()).decode()}
    check(put(permit, b"x" * len(content), **other)[0] == 200, "the store refuses")
    check(reason(person.confirm(permit)) == (400, "checksum"), "other bytes are confirmed")
    # A sweep may have met them, and left a mark that the next one removes.
    check(all(key.endswith(".lost") for key in store.contents()), "other bytes stay:", store.contents())
    check(put(permit, content)[0] == 200, "the store refuses")
    for _ in range(2):
        status, _, file = person.confirm(permit)
        check(status == 201, "an upload is not confirmed:", file)
    check(request("PUT", urljoin(person.web, permit["confirm"]), content)[0] == 405, "the server takes the bytes, too")
    check(request("POST", urljoin(person.web, permit["confirm"]) + "A", b"")[0] == 403, "another address is confirmed")
    file = json.loads(file)
    person.send(file, message)
    return content, message, file


def try_downloads(person, content, message, file):
    link = person.link(file, message)
    found = request("GET", link)
    check(found[0] == 200 and found[2] == content and found[1]["content-type"] == "image/png", found[0])
    check(found[1]["content-disposition"] == "inline; filename*=UTF-8''%E6%97%A5%E6%9C%AC%20cat.png", found[1])
    check(request("GET", f"{link}?download")[1]["content-disposition"].startswith("attachment;"), "it is not saved")
    part = request("GET", link, headers={"Range": "bytes=10-19"})
    check((part[0], part[2]) == (206, content[10:20]), "a part is", part)
    head = request("HEAD", link)
    check((head[0], head[1]["content-length"]) == (200, "600"), "HEAD is answered", head[0], head[1])
    first, again = (request("GET", link, get=build_opener(NoRedirect).open) for _ in range(2))
    check(first[0] == 307 and first[1]["location"] == again[1]["location"], "a link leads elsewhere each time")


def try_limits(person):
    messages = [str(uuid.uuid4()) for _ in range(2)]
    files = [person.upload(bytes([number]) * 900, messages[number]) for number in range(2)]
    refused = person.permit(b"x" * 900, str(uuid.uuid4()))
    check(refused.get("reason") == "user_files", "too much is allowed:", refused)
    for file, message in zip(files, messages):
        person.send(file, message)
    return messages


def try_deletion(person, store, message):
    check(person.ask("delete", room="lobby", id=message, command=str(uuid.uuid4()))["type"] == "ok", "no deletion")
    wait_until(lambda: not any(message in key for key in store.contents()), "the end of a deleted file")
    # Its bytes count no more.
    wait_until(lambda: person.permit(b"x" * 800, str(uuid.uuid4()))["type"] == "uploading", "room for another file")


def try_sweeps(program, store, folder, message):
    """A file of no message goes after a day, and a server that has just begun counts the others."""
    forgotten = str(uuid.uuid4())
    server = Server(program, store, folder)
    Person(server, "eve").upload(b"forgotten", forgotten)
    server.end()
    lost = next(key for key in store.contents() if forgotten in key) + ".lost"
    server = Server(program, store, folder)
    wait_until(lambda: lost in store.contents(), "the mark of a file without a message")
    server.end()
    store.age(days=2)
    server = Server(program, store, folder, bytes_of_user=1_000)
    wait_until(lambda: not any(forgotten in key for key in store.contents()), "the end of a file without a message")
    check(any(message in key for key in store.contents()), "a file with a message is gone")
    ann = Person(server, "ann")
    wait_until(lambda: ann.permit(b"x", str(uuid.uuid4())).get("reason") == "user_files", "the count of what is there")
    return server


def try_outage(server, store, message, file):
    person = Person(server, "bob")
    permit = person.permit(b"bytes", str(uuid.uuid4()))
    link = person.link(file, message)
    store.server.stop()
    check(reason(person.confirm(permit)) == (503, "not_writable"), "a confirmation without a store")
    check(request("GET", link)[0] == 503, "a download without a store")
    check(person.ask("send", room="lobby", id=str(uuid.uuid4()), text="still here")["type"] == "ok", "the chat ends with the store")
    check(person.permit(b"bytes", str(uuid.uuid4()))["type"] == "uploading", "no permit without a store")


def main(program):
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it logs each request
    with tempfile.TemporaryDirectory() as name:
        folder, store = Path(name), Store()
        server = Server(program, store, folder)
        try:
            ann = Person(server, "ann")
            content, message, file = try_uploads(ann, store)
            try_downloads(ann, content, message, file)
            others = try_limits(ann)
            try_deletion(ann, store, others[0])
            server.end()
            command = [program, "check", "--data", folder / "db", "--files", f"s3://{BUCKET}/files"]
            command += ["--files-endpoint", store.address, "--files-credentials", folder / "key"]
            check(subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode == 0, "the check finds faults")
            server = try_sweeps(program, store, folder, message)
            try_outage(server, store, message, file)
            server.end()
        except SystemExit:
            print((folder / "log").read_text(), file=sys.stderr)
            raise
        finally:
            server.program.kill()
    print("files in a bucket are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
