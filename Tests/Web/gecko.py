"""A headless Firefox, driven over WebDriver BiDi, which it serves itself. It has the functions of `Page` that the laws of the reader's place need."""

import itertools
import json
import subprocess
import tempfile
from types import SimpleNamespace

from engines import results_in
from page import Page
from server import free_port, wait_until
from websockets.sync.client import connect


class FirefoxPage(Page):
    def __init__(self, stage, width=1180, height=760):
        self.stage = stage
        self._profile = tempfile.TemporaryDirectory(prefix="diffroom-firefox-")
        port = free_port()
        command = ["firefox-esr", "--headless", "--no-remote", "--profile", self._profile.name, "--remote-debugging-port", str(port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = wait_until(lambda: connected(port), "Firefox", 60)
        self._ids = itertools.count(1)
        self._ask("session.new", capabilities={})
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]
        self.driver = SimpleNamespace(get=self._get, quit=self._quit)
        self.resize(width, height)

    def run(self, script, *arguments):
        return self._call(f"function (json) {{ return JSON.stringify((function () {{ {script} }}).apply(null, JSON.parse(json)) ?? null); }}", arguments)

    def run_async(self, script, *arguments):
        return self._call(f"async function (json) {{ return JSON.stringify((await (async (...args) => {{ {script} }})(...JSON.parse(json))) ?? null); }}", arguments)

    def resize(self, width, height, scale=1, phone=False):
        self._ask("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def _get(self, url):
        self._ask("browsingContext.navigate", context=self._context, url=url, wait="complete")

    def _quit(self):
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._profile.cleanup()

    def _call(self, function, arguments):
        values = [{"type": "string", "value": json.dumps(arguments)}]
        answer = self._ask("script.callFunction", functionDeclaration=function, arguments=values, target={"context": self._context}, awaitPromise=True)
        if answer["type"] != "success":
            raise AssertionError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"]["value"])

    def _ask(self, method, **params):
        id = next(self._ids)
        self._socket.send(json.dumps({"id": id, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv(timeout=120))).get("id") != id:
            pass
        if answer["type"] == "error":
            raise AssertionError(answer)
        return answer["result"]


def connected(port):
    try:
        return connect(f"ws://127.0.0.1:{port}/session", max_size=None)
    except OSError:
        return None


def results(options):
    return results_in(options, "firefox", FirefoxPage)
