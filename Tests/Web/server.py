"""diffroomd as a process: started, killed and started again on the same port and file."""

import json
import os
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
import uuid
from pathlib import Path

# Variables that set something for the tests are no settings of the programs, which refuse what they do not know.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("DIFFROOM")}


class Server:
    def __init__(self, program, *flags):
        # What the tests say to fill a room is more than a person says.
        self._command = [program, "--send-rate", "0", "--command-rate", "0", "--room-rate", "0", *flags]
        self._folder = tempfile.TemporaryDirectory(prefix="diffroom-web-")
        self.port = free_port()
        self._process = None
        self._admin = Path(self._folder.name) / "admin.token"
        self._admin.write_text("t" * 32)
        self._admin.chmod(0o600)
        self.start()

    def start(self):
        data = Path(self._folder.name) / "rooms.db"
        command = [*self._command, "--listen", f"127.0.0.1:{self.port}", "--data", data, "--admin-token-file", self._admin]
        with open(Path(self._folder.name) / "log", "ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, env=ENVIRONMENT)
        wait_until(self._is_ready, "diffroomd to be ready", 30)

    def keep_up(self):
        """Starts it again if a failed test left it killed."""
        if self._process.poll() is not None:
            self.start()

    def kill(self):
        """Ends it as a power cut would."""
        self._process.kill()
        self._process.wait()

    def profile(self, user, name="", picture=""):
        """Gives somebody a profile, as an operator does."""
        self._post("profile", {"user": user, "name": name, "picture": picture})

    def moderate(self, room, action, **more):
        """Moderates a room, as an operator does."""
        self._post("operations", {"type": "moderate", "room": room, "author": "desk", "command": str(uuid.uuid4()), "action": action, **more})

    def put_off(self, user, reason):
        """Closes the connections of somebody, who may come back."""
        self._post("connections/close", {"user": user, "reason": reason})

    def _post(self, path, content):
        head = {"Authorization": f"Bearer {'t' * 32}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{self.port}/admin/v1/{path}"
        urllib.request.urlopen(urllib.request.Request(url, json.dumps(content).encode(), head)).close()

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()

    def _is_ready(self):
        if self._process.poll() is not None:
            raise RuntimeError(f"diffroomd ended:\n{(Path(self._folder.name) / 'log').read_text()}")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class Terminal:
    """diffroom, from the same folder as diffroomd, in a room: it sends lines, and keeps its output."""

    def __init__(self, diffroomd, port, name, room):
        command = [Path(diffroomd).with_name("diffroom"), f"ws://127.0.0.1:{port}", "--room", room, "--user", name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "env": ENVIRONMENT}
        self._process = subprocess.Popen([*command, "--json", "--follow"], text=True, **pipes)
        self._changes = []
        threading.Thread(target=self._read, daemon=True).start()

    def say(self, text):
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()

    def inserted(self):
        """Returns the texts that it printed, in order."""
        return [change["message"]["text"] for change in list(self._changes) if change["change"] == "inserted"]

    def close(self):
        self._process.kill()
        self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            self._changes.append(json.loads(line))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, seconds=20):
    """Returns the condition's first true value. It polls, because it waits for another process."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.02)
    return value
