"""Who the user is: signing in, becoming another user, and what a second user of the same browser sees."""

import os
import subprocess
from pathlib import Path

from front import Front
from page import test
from selenium.webdriver.common.keys import Keys
from server import Server

DIALOG = "document.getElementById('name-dialog')"
SHOWN = "['name-title', 'name-text', 'name-error', 'name-submit'].map((id) => document.getElementById(id)).map((node) => node.checkVisibility() ? node.textContent : '')"

# Keeps each text that the page shows, from the first one on; also that of fields, and what a screen reader is told.
WATCH = """
window.shown = new Set();
const note = () => {
  for (const node of document.querySelectorAll('*')) {
    if (node.value) window.shown.add(node.value);
    for (const name of ['title', 'aria-label', 'placeholder']) if (node.getAttribute(name)) window.shown.add(node.getAttribute(name));
  }
  window.shown.add(document.title).add(document.documentElement.textContent);
};
new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
"""


def token(stage, secret, user, *flags):
    make = [stage.diffroomd, "token", "--secret", secret, "--user", user, "--grant", "*=write", *flags]
    return subprocess.run(make, check=True, capture_output=True, text=True).stdout.strip()


@test
def where_there_are_keys_the_page_signs_in_and_says_so_in_plain_words(stage):
    secret = Path(stage.folder) / "secret-of-identity"
    secret.write_bytes(os.urandom(32))
    server = Server(stage.diffroomd, "--secret", secret)
    page = stage.ann
    try:
        front = Front(server.port)
        page.driver.get(f"{front.url}/favicon.svg")
        page.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
        page.driver.get(f"{front.url}/?room={stage.room}")
        page.wait(f"{DIALOG}.open", "the question")
        title, text, error, does = page.run(f"return {SHOWN}")
        assert [title, error, does] == ["Sign in", "", "Sign in"] and "paste it here" in text, (title, text, error, does)
        page.press("not a token", Keys.ENTER)
        page.wait(f"{DIALOG}.open && {SHOWN}[2].startsWith('The server does not accept this token.')", "the refusal in plain words")
        page.press(token(stage, secret, "eve"), Keys.ENTER)
        page.online()
        page.click("document.getElementById('me')")
        title, text, error, does = page.run(f"return {SHOWN}")
        assert [title, error, does] == ["You are signed in as eve", "", "Sign in"], (title, text, error, does)
        assert page.run("return document.getElementById('sign-out').checkVisibility()")
    finally:
        page.run("sessionStorage.clear()")
        server.stop()


def fill(stage, page, user):
    """Lets a user visit rooms, and begin to write. Returns the words that only they may see."""
    member = stage.person(user)
    plans = member.create("private", "eve", title=f"Whispers of {user}")
    member.send(f"secret of {user}")
    direct = member.create("direct", f"friend-of-{user}")
    member.send(f"hello from {user}")
    shed = f"{stage.room}-shed-of-{user}"
    assert member.ask(type="join", room=shed)["type"] == "ok"
    for room in (shed, direct.replace("@", "%40"), plans):
        page.driver.get(f"{stage.url}/?room={room}")
        page.online()
        page.run("document.getElementById('text').focus()")
        page.press(f"draft of {user}")
    page.wait(f"document.body.textContent.includes('secret of {user}')", "the messages")
    return [f"Whispers of {user}", f"secret of {user}", f"friend-of-{user}", shed, f"draft of {user}", f"hello from {user}"]


def become(page, user, way):
    if way == "another tab":
        page.run("localStorage.setItem('diffroom.name', arguments[0])", user)
        return page.driver.refresh()
    page.click("document.getElementById('me')")
    if way == "sign out":
        page.click("document.getElementById('sign-out')")
        page.wait(f"document.readyState === 'complete' && {DIALOG}?.open && !document.body.dataset.state", "the question")
    page.run("document.getElementById('name-input').value = ''")
    page.press(user, Keys.ENTER)


@test
def a_second_user_of_a_browser_never_sees_the_rooms_of_the_first(stage):
    page = stage.ann
    added = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
    try:
        for way in ("name", "another tab", "sign out"):
            first, second = (f"{one}-{stage.room}" for one in ("dora", "emil"))
            page.driver.get(f"{stage.url}/favicon.svg")
            page.run("localStorage.setItem('diffroom.name', arguments[0])", first)
            secrets = fill(stage, page, first)
            become(page, second, way)
            page.wait(f"document.body?.dataset.state === 'online' && document.querySelector('#me bdi').textContent === '{second}'", "the other user")
            page.click("document.getElementById('find')")
            page.wait("document.getElementById('switcher').open", "the rooms to go to")
            page.press(">", Keys.BACKSPACE)
            page.run("document.getElementById('switcher').close()")
            page.click("document.getElementById('new-room')")
            page.click("document.getElementById('new-close')")
            seen = page.run("return [...window.shown].join('\\n')")
            assert second in seen
            assert [one for one in secrets if one in seen] == [], f"by {way}"
            stage.next_room()
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        page.run("localStorage.setItem('diffroom.name', 'ann')")


@test
def who_comes_for_the_first_time_gets_a_hint_once(stage):
    page = stage.ann
    page.driver.get(f"{stage.url}/favicon.svg")
    page.run("localStorage.removeItem('diffroom.name'); localStorage.removeItem('diffroom.hint')")
    try:
        page.driver.get(f"{stage.url}/?room={stage.room}")
        page.wait(f"{DIALOG}.open", "the question")
        assert page.run(f"return {SHOWN}")[3] == f"Join #{stage.room}"
        page.press("ann", Keys.ENTER)
        hint = "document.getElementById('first').checkVisibility()"
        page.wait(hint, "the hint")
        page.driver.refresh()
        page.online()
        page.wait(hint, "the hint, until it is closed")
        page.click("document.getElementById('first-close')")
        assert page.run(f"return [{hint}, document.activeElement.id]") == [False, "text"]
        page.driver.refresh()
        page.online()
        assert not page.run(f"return {hint}")
    finally:
        page.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
