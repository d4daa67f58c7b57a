"""The cost of loading the page over a slow network, as one bundle and as the modules of Web/.

usage: Tests/Web/run --loading DIFFROOMD

The network has 300 ms from a request to the first byte of its answer, as much for a new connection, and 1.6 Mbit/s for all
connections together. A proxy makes it so, and counts the requests and the bytes that come: those of the page's files, not
those of the WebSocket. A line can be written when the message field accepts it; messages are there when the server's have come.
"""

import asyncio
import statistics
import threading

from browser import Browser
from front import Front
from person import Person
from server import Server, wait_until

ROUND_TRIP = 0.3  # s
RATE = 1_600_000 / 8  # bytes a second
TURNS = 5
ROOMS = 100
WATCH = """
window.since = {};
(function look() {
  const composer = document.getElementById('composer');
  if (composer && !composer.inert && document.readyState !== 'loading') window.since.writable ??= performance.now();
  if (document.body?.dataset.state === 'online' && document.querySelector('.row')) window.since.current ??= performance.now();
  requestAnimationFrame(look);
})();
"""


# Whether the page is the bundle, and its worker has kept it; or has none.
IS_READY = "return !('bundled' in document.documentElement.dataset) || Boolean(navigator.serviceWorker.controller)"


class SlowNetwork:
    """Passes connections on to a port, late and slowly."""

    def __init__(self, backend):
        self.backend, self.requests, self.bytes = backend, [], 0
        self._free_at = 0.0  # when the line has room for the next byte
        self._loop = asyncio.new_event_loop()
        listening = threading.Event()
        threading.Thread(target=self._run, args=(listening,), daemon=True).start()
        listening.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def reset(self):
        self.requests, self.bytes = [], 0

    def _run(self, listening):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        listening.set()
        self._loop.run_forever()

    async def _serve(self, reader, writer):
        await asyncio.sleep(ROUND_TRIP)  # for the connection
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.backend)
        is_socket = asyncio.Event()
        await asyncio.gather(self._up(reader, other_writer, is_socket), self._down(other_reader, writer, is_socket), return_exceptions=True)

    async def _up(self, reader, writer, is_socket):
        while data := await reader.read(1 << 16):
            if b"upgrade: websocket" in data.lower():
                is_socket.set()
            elif data.startswith(b"GET "):
                self.requests.append(data.split(b" ")[1].decode())
            self._later(self._loop.time() + ROUND_TRIP / 2, writer, data)
        self._later(self._loop.time() + ROUND_TRIP / 2 + 0.001, writer, None)

    async def _down(self, reader, writer, is_socket):
        while data := await reader.read(4096):
            self.bytes += 0 if is_socket.is_set() else len(data)
            self._free_at = max(self._free_at, self._loop.time()) + len(data) / RATE
            self._later(self._free_at + ROUND_TRIP / 2, writer, data)
        self._later(max(self._free_at, self._loop.time()) + ROUND_TRIP / 2 + 0.001, writer, None)  # behind the last bytes

    def _later(self, when, writer, data):
        self._loop.call_at(when, lambda: writer.close() if data is None else writer.write(data))


def measure(diffroomd, turns=TURNS):
    server = Server(diffroomd)
    try:
        fill(server)
        print(f"the page over {ROUND_TRIP * 1000:.0f} ms and {RATE * 8 / 1e6} Mbit/s, {ROOMS} rooms; medians of {turns}")
        for name, port in (("modules", Front(server.port).port), ("bundle", server.port)):
            for kind, loads in zip(("cold", "warm"), zip(*(turn(port) for _ in range(turns)))):
                print(f"{name}, {kind}: {shown(loads)}")
    finally:
        server.stop()
    return 0


def fill(server):
    person = Person(server.port, "ann", "room-000")
    for number in range(ROOMS):
        assert person.ask(type="join", room=f"room-{number:03}")["type"] == "ok"
    person.send_all([f"message {number}" for number in range(50)])
    person.close()


def turn(port):
    """Returns what a cold load and a warm one cost in a new browser: the requests, bytes and times."""
    network, browser = SlowNetwork(port), Browser()
    try:
        browser.driver.get(f"{network.url}/favicon.svg")
        browser.run("localStorage.setItem('diffroom.name', 'ann')")
        browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        network.reset()
        cold = load(browser, network)
        wait_until(lambda: browser.run_async(IS_READY), "the worker", 60)
        browser.run_async("await new Promise((done) => setTimeout(done, 3000))")  # for what the page keeps
        network.reset()
        return cold, load(browser, network)
    finally:
        browser.quit()


def load(browser, network):
    browser.driver.get(f"{network.url}/?room=room-000")
    since = wait_until(lambda: browser.run("return window.since?.current && window.since"), "the messages", 60)
    browser.run_async("await new Promise((done) => setTimeout(done, 1500))")  # for what is fetched afterwards
    return len(network.requests), network.bytes, since["writable"], since["current"], network.requests


def shown(loads):
    requests, size, writable, current = (statistics.median(load[at] for load in loads) for at in range(4))
    return f"{requests:.0f} requests, {size / 1000:.1f} kB, a line can be written after {writable / 1000:.2f} s, messages are there after {current / 1000:.2f} s"
