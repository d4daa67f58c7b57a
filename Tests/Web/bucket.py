"""Files in messages where the server keeps them in a bucket: the page sends them to the store, and loads them from there."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from files import FILES, PICTURES, SETTLED, TRAY, choose, picture, ready, say, written
from page import SERVER, TEXTS, Page, test
from server import Server

STORE = Path(__file__).resolve().parents[1] / "StandIns/store.py"
# The addresses of all that the page has requested from another origin.
ELSEWHERE = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin).filter((one) => one !== location.origin)"


class Store:
    """The stand-in for a store, as a process."""

    def __init__(self, port=0):
        command = [sys.executable, STORE, str(port)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self._process.stdout.readline().strip()

    def end(self):
        self._process.kill()
        self._process.wait()


@contextmanager
def bucket(stage):
    """A page of a server with a bucket; the page that the program has."""
    store, key = Store(), written(stage.folder, "bucket.key", b"tester\nsecret-of-tester\n")
    place = ["--files", "s3://chat/files", "--files-endpoint", store.address, "--files-region", "here-1", "--files-credentials", key]
    server, page = Server(stage.diffroomd, *SERVER, *place), Page(stage)
    url = f"http://127.0.0.1:{server.port}"
    try:
        page.driver.get(f"{url}/favicon.svg")
        page.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
        page.enter(url)
        yield page, store
    finally:
        page.quit()
        server.stop()
        store.end()


@test
def a_picture_goes_to_the_store_and_comes_from_there(stage):
    with bucket(stage) as (page, store):
        choose(page, picture(stage.folder, "green.png", 720, 480), written(stage.folder, "notes.txt", b"abc"))
        ready(page, 2)
        say(page, "look")
        page.wait(f"{SETTLED} && {TEXTS}.join() === 'look' && {PICTURES}.length === 1", "the picture")
        assert set(page.run(f"return {ELSEWHERE}")) == {store.address}, page.run(f"return {ELSEWHERE}")
        page.wait(f"{FILES}.length === 2 && {FILES}[1].querySelector('a').href.endsWith('?download')", "the link")
        content = page.run_async(f"return (await fetch({FILES}[1].querySelector('a').href)).text()")
        assert content == "abc", content


@test
def an_upload_waits_for_its_store(stage):
    with bucket(stage) as (page, store):
        store.end()
        choose(page, written(stage.folder, "notes.txt", b"abc"))
        page.wait(f"{TRAY}.length === 1 && {TRAY}[0].dataset.state === 'uploading'", "the upload")
        again = Store(store.address.rsplit(":", 1)[1])
        try:
            ready(page, 1)
            say(page)
            page.wait(f"{SETTLED} && {FILES}.length === 1", "the message")
        finally:
            again.end()
