"""Serves Web/ as diffroomd is to serve it, hands WebSockets and the files of messages through to diffroomd, and cuts them when a test says so."""

import asyncio
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HIGHLIGHT = Path("/usr/share/javascript/highlight.js/highlight.min.js")
FOLDERS = {"/tests/": ROOT / "Tests/Web", "/vectors/": ROOT / "docs/protocol/vectors", "/": ROOT / "Web"}
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types diffroom-worker",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}

PICTURES = "img-src 'self'", "img-src 'self' https:"


class Front:
    """An HTTP server on a thread of its own. `backend` is the port that they go to."""

    def __init__(self, backend):
        self.backend = backend
        self.is_up = True
        self.has_pictures = False  # whether it serves the page as diffroomd does with --pictures
        self.port = None
        self._pipes = set()
        self._loop = asyncio.new_event_loop()
        listening = threading.Event()
        threading.Thread(target=self._run, args=(listening,), daemon=True).start()
        listening.wait()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def cut(self):
        """Cuts the network: connections end, and new ones get no answer."""
        self.is_up = False
        asyncio.run_coroutine_threadsafe(self._close_pipes(), self._loop).result()

    def mend(self):
        self.is_up = True

    def _run(self, listening):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        listening.set()
        self._loop.run_forever()

    async def _close_pipes(self):
        for writer in list(self._pipes):
            writer.transport.abort()

    async def _serve(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"upgrade: websocket" in head.lower() or head.split(b" ")[1].startswith(b"/api/"):
                await self._pass_on(head, reader, writer)
            else:
                self._answer(head, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def _pass_on(self, head, reader, writer):
        if not self.is_up:
            return
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", self.backend)
        self._pipes |= {writer, other_writer}
        other_writer.write(_alone(head))
        ways = [_copy(reader, other_writer), _copy(other_reader, writer)]
        tasks = [asyncio.ensure_future(way) for way in ways]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        self._pipes -= {writer, other_writer}
        other_writer.close()

    def _answer(self, head, writer):
        path = head.split(b" ")[1].decode().split("?")[0]
        file = _file(path)
        status, body = ("200 OK", _highlighter() if path == "/highlighter.js" else file.read_bytes()) if file else ("404 Not Found", b"nothing here")
        headers = {"content-type": TYPES.get(file.suffix if file else "", "text/plain"), **HEADERS}
        if self.has_pictures:
            headers["content-security-policy"] = headers["content-security-policy"].replace(*PICTURES)
            if file and file.suffix == ".html":
                body = body.replace(*(part.encode() for part in PICTURES))
        lines = [f"HTTP/1.1 {status}", f"content-length: {len(body)}", "connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def _alone(head):
    """Asks the backend to end the connection after its answer, unless it is a WebSocket's: the next request may be for the front."""
    if b"upgrade: websocket" in head.lower():
        return head
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    return b"\r\n".join([lines[0], b"Connection: close", *lines[1:]])


def _highlighter():
    """The worker that colours code, as scripts/bundle makes it."""
    return HIGHLIGHT.read_bytes() + b"\n" + (ROOT / "Web/highlighter.js").read_bytes()


def _file(path):
    prefix, folder = next((prefix, folder) for prefix, folder in FOLDERS.items() if path.startswith(prefix))
    file = folder / (path.removeprefix(prefix) or "index.html")
    return file if file.is_file() and folder in file.resolve().parents else None


async def _copy(reader, writer):
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass

