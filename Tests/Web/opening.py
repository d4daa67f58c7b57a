"""Which room the page opens if its address names none."""

from contextlib import contextmanager

from page import test
from private import row_of
from rooms import ROOM, is_in, link, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until

# What is asked for and what is shown from the beginning on. `refused` lists are refused, and `held` ones asked for only when
# `release()` is called.
WATCH = """
window.asked = [];
window.shown = [];
window.WebSocket = class extends WebSocket {
  send(text) {
    const { type, list, room, ref } = JSON.parse(text);
    if (type === 'subscribe' || type === 'join') window.asked.push(list ?? `join ${room}`);
    if (window.refused.includes(list)) setTimeout(() => this.onmessage({ data: JSON.stringify({ type: 'error', error: 'forbidden', message: 'not yours', ref }) }));
    else if (window.held.includes(list)) window.release = () => super.send(text);
    else super.send(text);
  }
};
const note = () => {
  const [name, state] = ['room-name', 'state-text'].map((id) => document.getElementById(id)?.textContent);
  for (const text of [name, /Connecting|^ ?$/.test(state ?? '') ? '' : state]) if (text && !window.shown.includes(text)) window.shown.push(text);
};
new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
"""

# The user's rooms as the browser keeps them.
KEPT_ROOMS = "return JSON.stringify(await new Promise((done) => { const opening = indexedDB.open('diffroom'); opening.onsuccess = () => { const asked = opening.result.transaction('lists').objectStore('lists').get('me/rooms'); asked.onsuccess = () => { opening.result.close(); done(asked.result ?? null); }; }; }))"


@contextmanager
def watched(page, refused=(), held=()):
    source = f"window.refused = {list(refused)}; window.held = {list(held)}; {WATCH}"
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        yield
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def come(stage, refused=(), held=(), **kept):
    """Loads the page by an address that names no room, in a new tab as far as the page can tell."""
    page = stage.ann
    page.driver.get(f"{stage.url}/favicon.svg")
    page.run("sessionStorage.clear(); localStorage.setItem('diffroom.name', arguments[0])", stage.user)
    for key, value in kept.items():
        page.run("localStorage.setItem(arguments[0], arguments[1])", f"diffroom.{key} {stage.user}", value)
    with watched(page, refused, held):
        page.driver.get(stage.url)
    return page


def opens(page, room, name=None):
    """Waits for the room, and returns those whose messages were asked for until then."""
    is_in(page, name or room)
    assert page.run("return location.search") == f"?room={room}"
    assert page.run("return [window.shown, window.asked.filter((one) => one.startsWith('join'))]") == [[name or room], []]
    assert page.run("return document.activeElement.id") == "text"
    return asked(page)


def asked(page):
    lists = page.run("return window.asked")
    return [one.split("/")[1] for one in lists if one.endswith("/messages")]


def visit(stage, room, name=None):
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    stage.ann.run("localStorage.setItem('diffroom.name', arguments[0])", stage.user)
    stage.ann.driver.get(f"{stage.url}/?room={room}")
    is_in(stage.ann, name or room)


@with_rooms
def without_an_address_who_has_no_rooms_comes_to_the_lobby(stage):
    setting(stage)
    assert opens(come(stage), "lobby") == ["lobby"]
    stage.ann.wait("document.getElementById('join').checkVisibility()", "to be a guest")


@with_rooms
def without_an_address_one_comes_to_the_newest_room_that_is_not_put_away(stage):
    den, tea, attic = rooms(stage, "den", "tea", "attic")
    setting(stage, attic, tea, den)
    member = stage.person(stage.user)
    cid = stage.person("cid")
    cid.create("private", stage.user, title="Plans")
    for room in [den, tea, attic]:
        speaker(stage, room, "dan").send("hello")
    cid.send("only for us")
    assert member.ask(type="settings", room=attic, archived=True)["type"] == "ok"
    assert opens(come(stage), tea) == [tea]
    # Or the next page would follow the room to tell that.
    wait_until(lambda: not row_of(member, tea)[1].get("unread"), "the room to be read")

    # The place of a pinned room says nothing of its age.
    assert member.ask(type="settings", room=den, pinned=1 << 20)["type"] == "ok"
    speaker(stage, den).send("later")
    # The page before may still follow the list, which then tells on its tick.
    wait_until(lambda: row_of(member, den)[1].get("last", {}).get("text") == "later", "the list to tell")
    assert opens(come(stage, room=""), den) == [den]


@with_rooms
def without_an_address_the_page_opens_where_one_left_off(stage):
    den, tea, nook = rooms(stage, "den", "tea", "nook")
    setting(stage, den, tea)
    for room in (nook, den):  # nook is none of the user's rooms
        visit(stage, room)
        speaker(stage, tea).send("newer")
        assert opens(come(stage), room) == [room]
    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    stage.ann.driver.back()
    is_in(stage.ann, den)
    stage.ann.driver.forward()
    is_in(stage.ann, tea)
    assert opens(come(stage), tea) == [tea]


@with_rooms
def a_room_that_is_no_room_or_cannot_be_read_is_not_remembered(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    speaker(stage, den).send("newest")
    assert opens(come(stage, room="not a room!"), den) == [den]
    visit(stage, tea)
    stage.ann.driver.get(f"{stage.url}/?room=~00000000-0000-4000-8000-000000000000")
    stage.ann.wait("document.getElementById('state').checkVisibility() && document.getElementById('state-text').textContent.includes('is private')", "the refusal")
    assert opens(come(stage), tea) == [tea]


@with_rooms
def a_room_that_one_may_no_longer_read_gives_way_to_the_next(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    member, cid = stage.person(stage.user), stage.person("cid")
    plans = cid.create("private", stage.user, title="Plans")
    assert member.ask(type="join", room=plans)["type"] == "ok"
    visit(stage, plans, "Plans")
    assert opens(come(stage), plans, "Plans") == [plans]
    cid.moderate("appoint", user=stage.user, role="none")
    stage.ann.wait("document.getElementById('state-text').textContent.includes('not in this room any more')", "to be out")
    # Or the page would begin with the rooms of before.
    wait_until(lambda: den in (kept := stage.ann.run_async(KEPT_ROOMS)) and plans not in kept, "the rooms to be kept")
    page = come(stage)
    is_in(page, den)
    assert page.run("return location.search") == f"?room={den}"
    assert (asked(page)[-1], page.run("return document.getElementById('state').checkVisibility()")) == (den, False)
    assert page.run("return window.shown") == [den]

    # Of an open room only an answer tells it.
    tea = f"{stage.room}-tea"
    page = come(stage, room=tea, refused=[f"room/{tea}/messages"])
    is_in(page, den)
    assert (asked(page), page.run("return window.shown")) == ([tea, den], [tea, den])


@with_rooms
def where_no_room_can_be_read_the_page_tells_so(stage):
    (den,) = rooms(stage, "den")
    setting(stage)
    page = come(stage, room=den, refused=[f"room/{den}/messages", "room/lobby/messages"])
    page.wait("document.getElementById('state-text').textContent === 'Disconnected: not yours'", "the refusal")
    assert page.run(f"return [{ROOM}, location.search]") == ["lobby", "?room=lobby"]
    assert asked(page) == [den, "lobby"]


@with_rooms
def an_older_server_without_a_list_of_rooms_has_a_lobby(stage):
    setting(stage)
    assert opens(come(stage, refused=["me/rooms"]), "lobby") == ["lobby"]


@with_rooms
def before_the_rooms_have_come_one_cannot_write_but_go_to_a_room(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    page = come(stage, held=["me/rooms"])
    page.wait("document.body.dataset.state === 'online' && Boolean(window.release)", "the connection")
    assert page.run("return [document.title, document.activeElement.id, document.getElementById('room-button').checkVisibility()]") == ["Diffroom", "", False]
    page.press("nothing takes this", Keys.ENTER)
    page.press(Keys.CONTROL, "k")
    page.press(den, Keys.ENTER)
    is_in(page, den)
    page.run("window.release()")
    page.wait(f"{link(tea)}", "the rooms")
    assert opens(page, den) == [den]
    assert page.run("return document.getElementById('text').value") == ""


@test
def who_has_no_name_yet_is_asked_before_there_is_a_room(stage):
    stage.user = f"u-{stage.room}"
    page = stage.ann
    page.driver.get(f"{stage.url}/favicon.svg")
    page.run("sessionStorage.clear(); localStorage.removeItem('diffroom.name')")
    try:
        with watched(page):
            page.driver.get(stage.url)
        page.wait("document.getElementById('name-dialog').open", "the question")
        assert page.run("return [document.title, window.shown]") == ["Diffroom", []]
        page.press(stage.user, Keys.ENTER)
        assert opens(page, "lobby") == ["lobby"]
    finally:
        page.run("localStorage.setItem('diffroom.name', 'ann')")
