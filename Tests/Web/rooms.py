"""The page with many rooms: joining, what is unread, and going from one to another."""

import time

from page import STANDING, TEXTS, notice, stands, test
from selenium.webdriver.common.keys import Keys
from server import wait_until

ROWS = "[...document.querySelectorAll('#sidebar-list li')]"
NAMES = f"{ROWS}.map((one) => one.querySelector('.name bdi').textContent)"
# Each row that has an element, by its place among all; and the number of all.
PLACES = f"[{ROWS}.map((one) => [one.ariaPosInSet - 1, one.querySelector('.name bdi').textContent]), Number({ROWS}[0]?.ariaSetSize ?? 0)]"
DRAWN = 25  # rows that have elements, of a longer list, at least
ROOM = "document.getElementById('room-name').textContent"
ICON = "document.querySelector('link[rel=icon]').getAttribute('href')"
SCROLLER = "document.getElementById('scroller')"
KEPT = 6  # rooms whose messages the page keeps
FRAMES = "for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);"


def link(room):
    return f"document.querySelector('#sidebar-list a[data-room=\"{room}\"]')"


def badge(page, room, unread):
    """Waits until the room has this badge; none for 0."""
    shown = f"{link(room)}?.querySelector('.badge:not(.call)')?.firstChild.textContent ?? ''"
    wanted = str(unread or "")
    try:
        page.wait(f"Boolean({link(room)}) && ({shown}) === '{wanted}'", f"{room} to have {unread} unread")
    except TimeoutError as error:
        raise AssertionError(f"{room}: expected {wanted!r}, found {page.run(f'return {shown}')!r}") from error


def lists(page, names):
    def are_listed():
        places, count = page.run(f"return {PLACES}")
        return count == len(names) and len(places) >= min(count, DRAWN) and all(names[at] == name for at, name in places)

    try:
        wait_until(are_listed, "the rooms")
    except TimeoutError as error:
        raise AssertionError(f"expected {names}, found {page.run(f'return {PLACES}')}") from error


def scroll_to(page, room):
    """Scrolls the list until the room has a row; not to its end, where it would ask for more rooms."""
    found = page.run_async(f"const list = document.getElementById('sidebar'); for (let top = 0; top < list.scrollHeight && !{link(room)}; top += 300) {{ list.scrollTop = top; {FRAMES} }} return Boolean({link(room)})")
    assert found, f"no row of {room}"


def is_in(page, room):
    page.wait(f"{ROOM} === '{room}'", f"room {room}")
    page.online()


def setting(stage, *rooms):
    """A user of a name of their own, who is a member of these rooms, and reads none of them."""
    stage.user = f"u-{stage.room}"
    member = stage.person(stage.user)
    for room in rooms:
        # Rooms of one millisecond stand in the order of their names.
        moment = milliseconds()
        while milliseconds() == moment:
            pass
        assert member.ask(type="join", room=room)["type"] == "ok"


def milliseconds():
    return time.time_ns() // 1_000_000


def enter(stage, page, room, url=None):
    page.driver.get(f"{url or stage.url}/favicon.svg")
    page.run("localStorage.setItem('diffroom.name', arguments[0]); localStorage.removeItem('diffroom.rooms')", stage.user)
    page.driver.get(f"{url or stage.url}/?room={room}")
    page.online()
    page.run("window.sameDocument = true")


def leave(stage):
    """The pages belong to ann and bob again."""
    for page, name in ((stage.ann, "ann"), (stage.bob, "bob")):
        page.run("localStorage.setItem('diffroom.name', arguments[0]); localStorage.removeItem('diffroom.sidebar')", name)


def speaker(stage, room, name="cid"):
    person = stage.person(name)
    person.room = room
    return person


def rooms(stage, *names):
    return [f"{stage.room}-{name}" for name in names]


def with_rooms(body):
    """A test with users of its own."""

    def run(stage):
        try:
            body(stage)
        finally:
            leave(stage)

    run.__name__ = body.__name__
    return test(run)


@with_rooms
def a_room_is_joined_and_left(stage):
    (den,) = rooms(stage, "den")
    setting(stage)
    enter(stage, stage.ann, den)
    stage.ann.wait("document.getElementById('join').checkVisibility()", "to be asked")
    assert stage.ann.run("return document.getElementById('sidebar-empty').checkVisibility()")
    assert stage.ann.run("return document.querySelector('#guest .name bdi').textContent") == den
    stage.ann.click("document.getElementById('join')")
    lists(stage.ann, [den])
    assert not stage.ann.run("return document.getElementById('guest').checkVisibility()")
    assert stage.ann.run(f"return {link(den)}.ariaCurrent") == "page"
    stage.ann.enter_again()
    lists(stage.ann, [den])

    stage.ann.click("document.getElementById('room-button')")
    stage.ann.wait(f"document.getElementById('membership').checkVisibility() && document.getElementById('membership').textContent === 'Leave #{den}'", "the menu")
    stage.ann.click("document.getElementById('membership')")
    lists(stage.ann, [])
    stage.ann.wait("document.getElementById('join').checkVisibility()", "to be a guest")
    stage.ann.say("a guest may write")
    stage.ann.sees(["a guest may write"])
    stage.ann.click("document.getElementById('membership')")
    lists(stage.ann, [den])


@with_rooms
def more_rooms_come_at_the_end_of_the_list_and_all_for_who_types(stage):
    names = [f"{stage.room}-{number:03}" for number in range(250)]
    setting(stage, *names)
    enter(stage, stage.ann, names[-1])
    stage.ann.wait(f"{ROWS}[0]?.ariaSetSize === '100'", "the newest rooms")
    newest = names[:-101:-1]
    lists(stage.ann, newest)

    stage.ann.run("const list = document.getElementById('sidebar'); list.scrollTop = list.scrollHeight")
    stage.ann.wait(f"{ROWS}[0]?.ariaSetSize === '200'", "more rooms")
    lists(stage.ann, names[:-201:-1])

    stage.ann.click("document.getElementById('find')")
    stage.ann.press("-003")
    options = "[...document.querySelectorAll('#switcher-list li')].map((one) => one.dataset.room)"
    stage.ann.wait(f"{options}.includes('{names[3]}')", "an old room")
    stage.ann.press(Keys.ESCAPE)
    lists(stage.ann, names[::-1])


@with_rooms
def what_is_unread_has_a_plus_while_some_rooms_are_not_there(stage):
    names = [f"{stage.room}-{number:03}" for number in range(110)]
    setting(stage, *names)
    cid = stage.person("cid")
    for cid.room in names:
        cid.send("hello")
    enter(stage, stage.ann, names[-1])
    title = f"#{names[-1]} · Diffroom"
    stage.ann.wait(f"document.title === '(99+) {title}'", "what is unread in the rooms that are there")
    assert stage.ann.run("return document.getElementById('sidebar-button').ariaLabel") == "Your rooms, 99+ unread"
    cid.send(f"@{stage.user}", mentions=[stage.user])
    cid.room = names[50]
    cid.send(f"@{stage.user}", mentions=[stage.user])
    stage.ann.wait(f"document.title === '(@1+) {title}'", "the mention")
    assert stage.ann.run("return ['sidebar-count', 'mentions-count'].map((id) => document.getElementById(id).textContent)") == ["@1+", "1+"]
    stage.ann.run("const list = document.getElementById('sidebar'); list.scrollTop = list.scrollHeight")
    stage.ann.wait(f"document.title === '(@1) {title}'", "all mentions")
    scroll_to(stage.ann, names[50])
    stage.ann.click(link(names[50]))
    stage.ann.wait(f"document.title === '(108) #{names[50]} · Diffroom'", "all that is unread")


@with_rooms
def in_archived_rooms_that_are_not_there_only_mentions_would_count(stage):
    names = [f"{stage.room}-{number:03}" for number in range(104)]
    den, tea, *archived = names
    setting(stage, *names)
    member = stage.person(stage.user)
    for room in archived:
        assert member.ask(type="settings", room=room, archived=True)["type"] == "ok"
    enter(stage, stage.ann, den)
    cid = speaker(stage, tea)
    cid.send("hello")
    stage.ann.wait(f"document.title === '(1) #{den} · Diffroom'", "what is unread")
    cid.send(f"@{stage.user}", mentions=[stage.user])
    stage.ann.wait(f"document.title === '(@1+) #{den} · Diffroom'", "the mention")


@with_rooms
def an_old_room_is_shown_without_a_row_until_it_is_looked_for(stage):
    names = [f"{stage.room}-{number:03}" for number in range(110)]
    setting(stage, *names)
    old = names[0]
    cid = speaker(stage, old)
    stage.server.moderate(old, "title", text="Plans")
    cid.send("hello")
    for cid.room in names[1:]:
        cid.send("newer")
    script = stage.ann.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LIMITS})["identifier"]
    try:
        enter(stage, stage.ann, old)
    finally:
        stage.ann.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
    is_in(stage.ann, f"Plans ({old})")
    stage.ann.sees(["hello"])
    lists(stage.ann, names[:-101:-1])
    assert stage.ann.run("return document.querySelector('#guest .name bdi').textContent") == f"Plans ({old})"
    assert stage.ann.run("return ['guest', 'join'].map((id) => document.getElementById(id).checkVisibility())") == [True, False]
    assert set(stage.ann.run("return window.limits")) == {100}

    stage.ann.click("document.getElementById('room-button')")
    membership = "document.getElementById('membership')"
    assert stage.ann.run(f"return [{membership}.checkVisibility(), {membership}.textContent]") == [True, "Find it among your rooms"]
    stage.ann.click(membership)
    lists(stage.ann, [*names[:0:-1], f"Plans ({old})"])
    assert stage.ann.run(f"return [{membership}.checkVisibility(), {membership}.textContent]") == [True, f"Leave Plans ({old})"]
    assert not stage.ann.run("return document.getElementById('guest').checkVisibility()")
    assert stage.ann.run(f"return {link(old)}.ariaCurrent") == "page"


# Notes how many of the user's rooms are asked for.
LIMITS = """
window.limits = [];
window.WebSocket = class extends WebSocket {
  send(text) {
    const { type, list, limit } = JSON.parse(text);
    if (type === 'subscribe' && list === 'me/rooms') window.limits.push(limit);
    super.send(text);
  }
};
"""


@with_rooms
def an_old_direct_room_is_called_by_whom_one_writes_to(stage):
    names = [f"{stage.room}-{number:03}" for number in range(110)]
    setting(stage, *names)
    member = stage.person(stage.user)
    direct = member.create("direct", "eve")
    member.send("long ago")
    cid = stage.person("cid")
    for cid.room in names:
        cid.send("newer")
    enter(stage, stage.ann, names[-1])
    other = speaker(stage, names[-1], "eve")
    other.enter()
    lists(stage.ann, names[:-101:-1])
    message = "document.querySelector('#people [aria-label=\"Message eve\"]')"
    stage.ann.wait(message, "eve")
    stage.ann.click(message)
    is_in(stage.ann, "eve")
    stage.ann.sees(["long ago"])
    assert stage.ann.run("return document.querySelector('#guest .name bdi').textContent") == "eve"
    assert stage.ann.run("return new URLSearchParams(location.search).get('room')") == direct
    enter(stage, stage.ann, direct.replace("@", "%40"))
    is_in(stage.ann, "eve")


@with_rooms
def what_is_said_elsewhere_is_counted_and_read_by_going_there(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    cid = speaker(stage, tea)
    cid.send("It is ready")
    cid.send("<b>Come</b>\nnow")
    badge(stage.ann, tea, 2)
    lists(stage.ann, [tea, den])
    assert stage.ann.run(f"return {link(tea)}.querySelector('.said').textContent") == "cid: <b>Come</b>\nnow"
    stage.ann.wait(f"document.title === '(2) #{den} · Diffroom'", "the title")
    assert stage.ann.run(f"return {ICON}") == "favicon-unread.svg"
    assert stage.ann.run(f"return {link(tea)}.innerText").replace("\n", " ").find("2 unread") > 0

    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    stage.ann.sees(["It is ready", "<b>Come</b>\nnow"])
    badge(stage.ann, tea, 0)
    assert stage.ann.run("return [window.sameDocument, location.search, document.title]") == [True, f"?room={tea}", f"#{tea} · Diffroom"]
    assert stage.ann.run(f"return {ICON}") == "favicon.svg"
    assert stage.ann.run("return document.querySelector('.since')?.innerText") == "2 new since you last read"
    stage.ann.click(link(den))
    is_in(stage.ann, den)
    badge(stage.ann, tea, 0)


@with_rooms
def who_writes_elsewhere_and_who_has_a_direct_room_open_shows_in_the_list(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    enter(stage, stage.ann, den)
    lists(stage.ann, [den, tea])
    bob = speaker(stage, tea, f"b-{stage.room}")
    bob.enter()
    said = f"{link(tea)}.querySelector('.said')?.innerText.trim() ?? ''"
    dot = f"{link('ROOM')}?.querySelector('.here')?.checkVisibility() ?? false"

    def types():
        """It ends by itself, so it is told again until it is seen."""
        bob.ask(type="typing", room=tea, on=True)
        return stage.ann.run(f"return {said}") == "typing…"

    wait_until(types, "bob to type")
    bob.send("it is ready")
    stage.ann.wait(f"({said}).endsWith('it is ready')", "what bob said")
    badge(stage.ann, tea, 1)
    wait_until(types, "bob to type again")
    assert bob.ask(type="typing", room=tea, on=False)["type"] == "ok"
    stage.ann.wait(f"({said}).endsWith('it is ready')", "the end of it")

    pair = bob.create("direct", stage.user)
    lists(stage.ann, [f"b-{stage.room}", tea, den])
    dot = dot.replace("ROOM", pair)
    assert not stage.ann.run(f"return {dot}")
    bob.enter()
    stage.ann.wait(dot, "bob to be there")
    stage.ann.run("document.body.dataset.state = 'offline'")
    assert not stage.ann.run(f"return {dot}"), "nobody knows"
    stage.ann.run("document.body.dataset.state = 'online'")
    bob.ask(type="unsubscribe", list=f"room/{pair}/messages")
    stage.ann.wait(f"!({dot})", "bob to be gone")


@with_rooms
def what_is_read_on_one_device_is_read_on_all(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    for page in (stage.ann, stage.bob):
        enter(stage, page, den)
    speaker(stage, tea).send("hello")
    for page in (stage.ann, stage.bob):
        badge(page, tea, 1)
    stage.ann.click(link(tea))
    badge(stage.bob, tea, 0)
    stage.bob.wait(f"document.title === '#{den} · Diffroom'", "the title")
    assert stage.bob.run(f"return {ROOM}") == den


@with_rooms
def one_lands_at_the_first_unread_also_after_a_reload(stage):
    den, tea = rooms(stage, "den", "tea")
    cid = speaker(stage, tea)
    cid.send_all([f"old {number}" for number in range(60)])
    setting(stage, den, tea)
    cid.send_all([f"new {number}" for number in range(150)])
    enter(stage, stage.ann, den)
    badge(stage.ann, tea, 150)
    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    for _ in range(2):
        stage.ann.wait(ON_SCREEN, "the line above the first new one")
        assert stage.ann.run(FIRST_NEW) == "new 0"
        assert stage.ann.run("return document.getElementById('newer').textContent") == "150 new"
        stage.ann.enter_again()
    stage.ann.wait(ON_SCREEN, "the line above the first new one")
    badge(stage.ann, tea, 0)
    badge(enter_elsewhere(stage, den), tea, 150)

    stage.ann.click("document.getElementById('newer')")
    badge(stage.bob, tea, 0)
    stage.ann.enter_again()
    stage.ann.wait(f"{TEXTS}.at(-1) === 'new 149'", "the end")
    assert stage.ann.run(f"return {SCROLLER}.scrollTop") == 0


ON_SCREEN = """(() => {
  const line = document.querySelector('.since')?.getBoundingClientRect();
  const { top, bottom } = document.getElementById('scroller').getBoundingClientRect();
  return line && line.top >= top && line.bottom < (top + bottom) / 2;
})()"""
FIRST_NEW = """
const { bottom } = document.querySelector('.since').getBoundingClientRect();
const rows = [...document.querySelectorAll('.row')];
return rows.find((row) => row.getBoundingClientRect().top >= bottom - 1).querySelector('.text').textContent;
"""


def enter_elsewhere(stage, room):
    enter(stage, stage.bob, room)
    return stage.bob


@with_rooms
def a_link_to_a_message_reads_nothing_that_is_not_seen(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    cid = speaker(stage, tea)
    id = cid.send("linked")
    cid.send_all([f"message {number}" for number in range(150)])
    enter(stage, stage.ann, f"{tea}&message={id}")
    stage.ann.wait("document.querySelector('.row[data-found] .text')?.textContent === 'linked'", "the message")
    badge(enter_elsewhere(stage, den), tea, 151)
    stage.ann.click(link(den))
    is_in(stage.ann, den)
    badge(stage.ann, tea, 151)


@with_rooms
def what_one_looks_at_has_no_badge(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    enter(stage, stage.bob, tea)
    stage.ann.run("window.badges = []; new MutationObserver(() => window.badges.push(...[...document.querySelectorAll('#sidebar-list a[aria-current] .badge')].map((one) => one.textContent))).observe(document.getElementById('sidebar-list'), { subtree: true, childList: true })")
    cid = speaker(stage, den)
    for number in range(5):
        cid.send(f"message {number}")
    stage.ann.sees([f"message {number}" for number in range(5)])
    stage.ann.wait(f"{link(den)}.querySelector('.said')?.textContent === 'cid: message 4'", "the last one")
    badge(stage.bob, den, 0)
    assert stage.ann.run("return window.badges") == []

    hide(stage.ann, True)
    cid.send("unseen")
    badge(stage.ann, den, 1)
    badge(stage.bob, den, 1)
    hide(stage.ann, False)
    badge(stage.ann, den, 0)
    badge(stage.bob, den, 0)


def hide(page, hidden):
    """Another tab is before this one, or no longer."""
    page.run("Object.defineProperty(document, 'hidden', { value: arguments[0], configurable: true }); document.dispatchEvent(new Event('visibilitychange'))", hidden)


@with_rooms
def drafts_and_places_stay_and_the_back_button_goes_back(stage):
    den, tea = rooms(stage, "den", "tea")
    speaker(stage, den).send_all([f"message {number}" for number in range(80)])
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    stage.ann.wait(f"{TEXTS}.at(-1) === 'message 79'", "the messages")
    stage.ann.press("begun in the den")
    stage.ann.run_async(f"{SCROLLER}.scrollTop = -900; {FRAMES}")
    before = stage.ann.run(MIDDLE)

    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    assert stage.ann.run("return document.getElementById('text').value") == ""
    stage.ann.press("tea?")
    stands(stage.ann, stage.user)
    speaker(stage, den, "dan").send("meanwhile")
    badge(stage.ann, den, 1)
    stage.ann.driver.back()
    is_in(stage.ann, den)
    stage.ann.wait("document.getElementById('newer').textContent === '1 new'", "to be told")
    assert stage.ann.run("return document.getElementById('text').value") == "begun in the den"
    stage.ann.run_async(FRAMES)
    after = stage.ann.run(MIDDLE)
    assert after[0] == before[0] and abs(after[1] - before[1]) < 2, (before, after)
    stage.ann.driver.forward()
    is_in(stage.ann, tea)
    assert stage.ann.run("return [document.getElementById('text').value, window.sameDocument]") == ["tea?", True]
    stage.ann.press(Keys.ENTER)
    stage.ann.sees(["tea?"])


MIDDLE = """
const { left, top, width, height } = document.getElementById('scroller').getBoundingClientRect();
const row = [0.5, 0.55].map((part) => document.elementFromPoint(left + width / 2, top + height * part)?.closest('.row')).find(Boolean);
return [row.querySelector('.text').textContent, row.getBoundingClientRect().top];
"""


@with_rooms
def one_writes_in_a_room_that_let_nobody_when_one_left_it(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    stage.server.moderate(den, "readOnly", on=True)
    notice(stage.ann, "read-only")
    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    stage.server.moderate(den, "readOnly", on=False)
    stage.ann.click(link(den))
    is_in(stage.ann, den)
    stage.ann.wait(f"!{STANDING}.checkVisibility()", "the room to be as usual")
    stage.ann.say("at last")
    stage.ann.sees(["at last"])


@with_rooms
def rooms_are_changed_offline_and_all_is_right_when_the_network_is_back(stage):
    den, tea = rooms(stage, "den", "tea")
    speaker(stage, tea).send_all([f"old {number}" for number in range(40)])
    setting(stage, den, tea)
    enter(stage, stage.ann, tea, stage.front.url)
    stage.ann.wait(f"{TEXTS}.at(-1) === 'old 39'", "the messages")
    stage.ann.click(link(den))
    is_in(stage.ann, den)
    stage.front.cut()
    try:
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        speaker(stage, den).send("in the den")
        speaker(stage, tea).send_all([f"new {number}" for number in range(60)])
        stage.ann.click(link(tea))
        stage.ann.wait(f"{ROOM} === '{tea}' && {TEXTS}.at(-1) === 'old 39'", "what is kept of the other room")
        stage.ann.say("said offline")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    stage.ann.wait(f"{TEXTS}.includes('new 59') && !document.querySelector('.row[data-state]')", "what was said meanwhile")
    badge(stage.ann, den, 1)
    badge(stage.ann, tea, 0)
    stage.ann.wait(ON_SCREEN, "the line above the first new one")
    assert stage.ann.run(FIRST_NEW) == "new 0"
    assert stage.ann.run("return window.sameDocument")


@with_rooms
def one_switches_by_typing(stage):
    den, tea, attic = rooms(stage, "den", "tea", "attic")
    setting(stage, den, tea, attic)
    enter(stage, stage.ann, den)
    lists(stage.ann, [attic, tea, den])
    speaker(stage, tea).send("hello")
    badge(stage.ann, tea, 1)
    options = "[...document.querySelectorAll('#switcher-list li')].map((one) => one.dataset.room)"
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.wait(f"document.getElementById('switcher').open && {options}.join() === '{tea},{attic}'", "the rooms, unread first")
    stage.ann.press("ATT")
    stage.ann.wait(f"{options}[0] === '{attic}'", "what was typed")
    chosen = "document.getElementById(document.getElementById('switcher-input').getAttribute('aria-activedescendant'))"
    assert stage.ann.run(f"return [{chosen}.dataset.room, {chosen}.ariaSelected, {chosen}.role]") == [attic, "true", "option"]
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, attic)
    assert stage.ann.run("return document.activeElement.id") == "text"

    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("new.room-1", Keys.ENTER)
    is_in(stage.ann, "new.room-1")
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("not a room!")
    stage.ann.wait("document.getElementById('switcher-hint').checkVisibility()", "to be told what a name is")
    stage.ann.press(Keys.ENTER, Keys.ESCAPE)
    stage.ann.wait("!document.getElementById('switcher').open", "the end of it")
    assert stage.ann.run(f"return {ROOM}") == "new.room-1"


@with_rooms
def messages_are_found_by_their_words(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    lists(stage.ann, [tea, den])
    speaker(stage, tea).send("The kettle is café red")
    badge(stage.ann, tea, 1)
    found = "[...document.querySelectorAll('#switcher-found li')].map((one) => one.querySelector('.said').innerHTML)"
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("kett* cafe")
    stage.ann.wait(f"{found}.join() === 'The <mark>kettle</mark> is <mark>café</mark> red'", "the message, with the matches marked")
    stage.ann.press(' "open')
    stage.ann.wait("document.getElementById('switcher-hint').textContent.includes('quotation mark')", "to be told what is wrong")
    stage.ann.press(*[Keys.BACKSPACE] * 6)
    stage.ann.wait(f"{found}.length === 1", "the message again")
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, tea)
    stage.ann.wait("document.activeElement.textContent.includes('kettle')", "to be at the message")


@with_rooms
def the_keyboard_goes_from_room_to_room(stage):
    one, two, three = rooms(stage, "one", "two", "three")
    setting(stage, three, two, one)
    enter(stage, stage.ann, one)
    lists(stage.ann, [one, two, three])
    stage.ann.press(Keys.ALT, Keys.ARROW_DOWN)
    is_in(stage.ann, two)
    stage.ann.press(Keys.ALT, Keys.ARROW_UP)
    is_in(stage.ann, one)
    stage.ann.press(Keys.ALT, Keys.ARROW_UP)  # there is none
    stage.ann.run(f"{link(one)}.focus()")
    stage.ann.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert stage.ann.run("return document.activeElement.dataset.room") == three
    speaker(stage, three).send("to the top")
    lists(stage.ann, [three, one, two])
    assert stage.ann.run("return document.activeElement.dataset.room") == three
    assert stage.ann.run(f"return {ROWS}.filter((one) => one.firstChild.tabIndex === 0).map((one) => one.textContent.slice(1))")[0].startswith(one)
    stage.ann.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
    is_in(stage.ann, two)
    stage.ann.press(Keys.ALT, Keys.SHIFT, Keys.ARROW_UP)
    is_in(stage.ann, three)


@with_rooms
def the_rooms_are_a_drawer_on_a_phone(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        enter(stage, stage.ann, den)
        lists(stage.ann, [tea, den])
        assert not stage.ann.run("return document.getElementById('sidebar').checkVisibility()")
        speaker(stage, tea).send("hello")
        stage.ann.wait("document.getElementById('sidebar-count').checkVisibility() && document.getElementById('sidebar-button').ariaLabel === 'Your rooms, 1 unread'", "the badge")
        stage.ann.click("document.getElementById('sidebar-button')")
        assert stage.ann.run("return [document.getElementById('sidebar').checkVisibility(), document.getElementById('room').inert, document.activeElement.id]") == [True, True, "sidebar-close"]
        stage.ann.press(Keys.ESCAPE)
        assert stage.ann.run("return [document.getElementById('sidebar').checkVisibility(), document.getElementById('room').inert, document.activeElement.id]") == [False, False, "sidebar-button"]
        stage.ann.click("document.getElementById('sidebar-button')")
        stage.ann.click("document.getElementById('people-button')")
        assert stage.ann.run("return ['sidebar', 'people'].map((id) => document.getElementById(id).checkVisibility())") == [False, True]
        stage.ann.click("document.getElementById('sidebar-button')")
        stage.ann.click(link(tea))
        is_in(stage.ann, tea)
        assert stage.ann.run("return [document.getElementById('sidebar').checkVisibility(), document.getElementById('room').inert, document.activeElement.id, document.documentElement.scrollWidth]") == [False, False, "scroller", 375]
        stage.ann.wait("!document.getElementById('sidebar-count').checkVisibility()", "nothing to be unread")
    finally:
        stage.ann.resize(1180, 760)


@with_rooms
def who_goes_through_many_rooms_keeps_the_last_and_follows_one(stage):
    names = rooms(stage, *"abcdefghij")
    setting(stage, *names)
    for number, room in enumerate(names):
        speaker(stage, room).send(f"said in {number}")
    enter(stage, stage.ann, names[0])
    for number, room in [*enumerate(names), *reversed([*enumerate(names)])]:
        stage.ann.click(link(room))
        is_in(stage.ann, room)
        stage.ann.sees([f"said in {number}"])
        stands(stage.ann, stage.user)
    lists(stage.ann, names[::-1])
    for room in names:
        badge(stage.ann, room, 0)
    watcher = speaker(stage, names[5], "wat")
    wait_until(lambda: not online(watcher, names[5], stage.user), "the page to be in one room only")


@with_rooms
def a_room_that_the_page_lets_go_of_leaves_no_rows_in_memory(stage):
    names = rooms(stage, *"abcdefgh")
    setting(stage, *names)
    for number, room in enumerate(names):
        speaker(stage, room).send(f"said in {number}")
    enter(stage, stage.ann, names[0])
    stage.ann.run("window.timelines = []")
    for number, room in enumerate(names):
        stage.ann.click(link(room))
        is_in(stage.ann, room)
        stage.ann.sees([f"said in {number}"])
        stage.ann.run("window.timelines.push(new WeakRef(document.getElementById('timeline')))")
    wait_until(lambda: reachable(stage.ann) <= KEPT, f"{len(names) - KEPT} of {len(names)} rooms to be collected")
    assert reachable(stage.ann) == KEPT


def reachable(page):
    """Collects garbage, and counts the opened rooms whose rows are still reachable."""
    page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    return page.run("return window.timelines.filter((timeline) => timeline.deref()).length")


def online(person, room, user):
    answer = person.ask(type="subscribe", list=f"room/{room}/members")
    return user in [row["id"] for row in answer["sections"][0]["rows"]]
