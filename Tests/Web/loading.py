"""How the page is loaded: one bundle with its caches, without the server, and across versions of the server."""

import contextlib
import gzip
import http.client
import http.server
import re
import threading
import urllib.error
import urllib.request

from browser import Browser
from page import SERVER, Page, test
from person import Person
from server import Server, wait_until

# Whether a service worker holds the whole page, with the document last.
IS_KEPT = """
await navigator.serviceWorker.ready;
const names = (await caches.keys()).sort();
const documents = await Promise.all(names.map(async (name) => (await caches.open(name)).match(new URL('./', location.href).href)));
return Boolean(navigator.serviceWorker.controller && documents.some(Boolean));
"""
KEPT = "return JSON.stringify((await new Promise((done) => { const opening = indexedDB.open('diffroom'); opening.onsuccess = () => { const asked = opening.result.transaction('lists').objectStore('lists').getAllKeys(); asked.onsuccess = () => { opening.result.close(); done(asked.result); }; }; })))"


def get(url, **headers):
    """Returns the status, the headers and the bytes of an answer."""
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in headers.items()})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def named(document):
    """Returns the files that a document names."""
    return re.findall(rb'<(?:link|script)[^>]+(?:href|src)="([^"]+)"', document)


@contextlib.contextmanager
def own(stage):
    """A server and a browser of the test's own: `(server, page)`. Whatever the worker keeps goes with them."""
    server, page = Server(stage.diffroomd, *SERVER), Page(stage)
    try:
        yield server, page, f"http://127.0.0.1:{server.port}"
    finally:
        page.quit()
        with contextlib.suppress(Exception):
            server.stop()


def come(page, url, room, user="ann"):
    page.driver.get(f"{url}/favicon.svg")
    page.run("localStorage.setItem('diffroom.name', arguments[0])", user)
    page.driver.get(f"{url}/?room={room}")
    page.online()


def is_kept(page, *lists):
    """Waits until the browser keeps the page and these lists."""
    wait_until(lambda: page.run_async(IS_KEPT), "the worker to keep the page")
    wait_until(lambda: all(f'"{one}"' in page.run_async(KEPT) for one in lists), f"{lists} to be kept")


@test
def the_page_is_one_bundle_that_caches_keep(stage):
    url = f"http://127.0.0.1:{stage.server.port}"
    status, headers, document = get(f"{url}/", accept_encoding="gzip")
    assert (status, headers["content-encoding"], headers["cache-control"]) == (200, "gzip", "no-cache"), headers
    assert gzip.decompress(document) == get(f"{url}/")[2]
    status, again, rest = get(f"{url}/", if_none_match=headers["etag"], accept_encoding="gzip")
    assert (status, rest, again["etag"]) == (304, b"", headers["etag"])
    assert "accept-encoding" in headers["vary"]
    connection = http.client.HTTPConnection("127.0.0.1", stage.server.port)
    for _ in range(3):
        connection.request("GET", "/")
        socket = connection.sock
        answer = connection.getresponse()
        assert answer.read() and answer.headers["connection"] == "keep-alive" and connection.sock is socket, answer.headers
    connection.close()
    files = [name.decode() for name in named(gzip.decompress(document))]
    hashed = [name for name in files if re.search(r"-[\da-f]{16}\.(js|css)$", name)]
    assert len(hashed) == 2, files
    for name in hashed:
        headers = get(f"{url}/{name}", accept_encoding="br, gzip")[1]
        assert headers["cache-control"] == "public, max-age=31536000, immutable", headers
        assert headers["content-encoding"] == "gzip"
    for name in files:
        assert get(f"{url}/{name}")[0] == 200, name
    for coding in ("", "br", "gzip;q=0", "*;q=0", "identity", "gzip; q = 0.0, *"):
        assert "content-encoding" not in get(f"{url}/", accept_encoding=coding)[1], coding
    for coding in ("*", "x-gzip", "GZIP;q=0.5", "deflate, gzip;q=1.0"):
        assert get(f"{url}/", accept_encoding=coding)[1]["content-encoding"] == "gzip", coding


@test
def the_page_begins_without_the_server_with_its_rooms_and_last_messages(stage):
    with own(stage) as (server, page, url):
        ann = stage_person(stage, server, "ann")
        for room in ("den", "tea"):
            assert ann.ask(type="join", room=room)["type"] == "ok"
        ann.room = "den"
        ann.send("last words")
        come(page, url, "den")
        page.sees(["last words"])
        is_kept(page, "me/rooms", "room/den/messages")
        ann.close()
        server.kill()
        page.driver.get(f"{url}/?room=den")
        page.wait("document.body.dataset.state === 'waiting' || document.body.dataset.state === 'connecting'", "the page")
        page.wait("[...document.querySelectorAll('#sidebar-list a')].map((one) => one.dataset.room).sort().join() === 'den,tea'", "the rooms")
        page.wait("document.querySelector('.row .text')?.textContent === 'last words'", "the messages")
        page.say("written offline")
        page.wait("document.querySelector('.row[data-state]')?.textContent.includes('written offline')", "the pending message")
        server.start()
        page.sees(["last words", "written offline"])


@test
def what_is_kept_is_one_persons_and_goes_when_they_sign_out(stage):
    with own(stage) as (server, page, url):
        ann = stage_person(stage, server, "ann")
        assert ann.ask(type="join", room="den")["type"] == "ok"
        ann.close()
        come(page, url, "den")
        is_kept(page, "me/rooms", "room/den/messages")
        page.click("document.getElementById('me')")
        page.click("document.getElementById('sign-out')")
        page.wait("document.getElementById('name-dialog').open && document.getElementById('name-input').value === ''", "the question")
        assert page.run_async(KEPT) == "[]"
        come(page, url, "den")
        is_kept(page, "me/rooms", "room/den/messages")
        server.kill()
        page.run("localStorage.setItem('diffroom.name', 'bob')")
        page.driver.get(f"{url}/?room=den")
        page.wait("document.body.dataset.state === 'waiting'", "the page")
        assert page.run("return [document.querySelectorAll('#sidebar li').length, document.querySelectorAll('.row').length]") == [0, 0]
        assert page.run_async(KEPT) == "[]"


@test
def a_tab_of_another_person_leaves_nothing_of_the_first_to_anyone(stage):
    with own(stage) as (server, page, url):
        ann = stage_person(stage, server, "ann")
        ann.close()
        come(page, url, "den")
        is_kept(page, "me/rooms", "room/den/messages")
        first = page.driver.current_window_handle
        page.driver.switch_to.new_window("tab")
        come(page, url, "tea", "bob")
        is_kept(page, "room/tea/messages")
        second = page.driver.current_window_handle
        page.driver.switch_to.window(first)
        page.say("ann's own, in a tab that is still open")
        page.run("document.dispatchEvent(new Event('visibilitychange'))")
        page.driver.close()
        page.driver.switch_to.window(second)
        assert '"room/den/messages"' not in page.run_async(KEPT)
        server.kill()
        page.driver.get(f"{url}/?room=den")
        page.wait("document.body.dataset.state === 'waiting'", "the page")
        assert not page.run("return document.querySelector('.row')"), "nothing of ann's"


def stage_person(stage, server, name):
    stage.people.append(Person(server.port, name, "den"))
    return stage.people[-1]


class Versions(http.server.ThreadingHTTPServer):
    """Serves the page of a server as version after version: each has other names for its files."""

    daemon_threads = True

    def __init__(self, files):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = files
        self.version, self.has_script, self.asked = "a", True, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path):
        """Returns the type and the bytes of a file; nothing if there is none."""
        for name, (kind, content) in self.files.items():
            is_script = name.endswith(".js") and name != "/sw.js"
            if path != (f"{name[:-3]}{self.version}.js" if is_script else name):
                continue
            if is_script:
                return (kind, content + f"\nwindow.version = '{self.version}';".encode()) if self.has_script else None
            return kind, re.sub(rb'src="(app-[\da-f]+)\.js"', rb'src="\1' + self.version.encode() + rb'.js"', content)
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.asked.append(path)
        kind, content = self.server.answer(path) or ("text/plain", b"")
        self.send_response(200 if content else 404)
        self.send_header("content-type", kind)
        self.send_header("cache-control", "no-cache")
        self.send_header("etag", f'"{self.server.version}"')
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_said):
        pass


@test
def a_new_version_comes_at_the_next_load_whole_or_not_at_all(stage):
    url = f"http://127.0.0.1:{stage.server.port}"
    document = get(f"{url}/")[2]
    names = ["/", "/sw.js", "/favicon-unread.svg", *(f"/{name.decode()}" for name in named(document))]
    files = {name: (headers["content-type"], content) for name in names for _status, headers, content in [get(f"{url}{name}")]}
    versions, browser = Versions(files), Browser()
    try:
        seen = load(browser, versions)
        wait_until(lambda: browser.run_async(IS_KEPT), "the worker to keep the page")
        versions.version, versions.has_script = "b", False
        assert (seen, load(browser, versions)) == ("a", "a"), "a version without its script is none"
        versions.has_script = True
        assert load(browser, versions) == "b", "the next load has the new version"
        versions.shutdown()
        versions.server_close()
        assert load(browser, versions) == "b", "and so has one without the server"
    finally:
        browser.quit()


def load(browser, versions):
    browser.driver.get(versions.url)
    return wait_until(lambda: browser.run("return window.version"), "the page's script")
