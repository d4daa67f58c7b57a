"""The page and the members of a room: those who are away, the invited, their roles, and those without a row in a large room."""

import json
import uuid
from contextlib import contextmanager

from front import Front
from mentions import FIELD, offers
from page import Page, test
from person import Person
from rooms import enter, is_in, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import Server

SMALL = ["--members-tick", "250", "--members-grace", "2", "--members-shown", "2", "--members-listed", "2"]
ROOM = "club"
SEARCH = "document.getElementById('people-search')"
FOUND = "[...document.querySelectorAll('#people-found li')].map(({ dataset }) => dataset.name)"
SAID = "document.querySelector('#people-found p').textContent"
CARD = "[...document.querySelectorAll('#card .facts small')].map((one) => one.textContent)"


def people(section):
    """Returns the names in a section, or nothing if it is hidden."""
    return f"(document.getElementById('people-{section}').hidden ? [] : [...document.querySelectorAll('#people-{section} li')].map(({{ dataset }}) => dataset.name))"


def shows(page, **sections):
    wanted = " && ".join(f"JSON.stringify({people(section)}) === '{json.dumps(names, separators=(',', ':'), ensure_ascii=False)}'" for section, names in sections.items())
    page.wait(wanted, f"the people {sections}")


def number(page, section):
    return page.run(f"return document.querySelector('#people-{section} .number').textContent")


def rest(page, section):
    return page.run("const { hidden, disabled, textContent } = document.querySelector(`#people-${arguments[0]} .rest`); return hidden ? '' : [textContent, disabled]", section)


def row(name):
    return f"document.querySelector('#people li[data-name=\"{name}\"]')"


def join(person, room):
    assert person.ask(type="join", room=room, command=str(uuid.uuid4()))["type"] == "ok"


@contextmanager
def club(stage, *names):
    """A page in a room of these members, of whom the list has two who are there and two who are not."""
    server = Server(stage.diffroomd, *SMALL)
    front, page = Front(server.port), Page(stage)
    url = front.url if stage.url == stage.front.url else f"http://127.0.0.1:{server.port}"
    try:
        for name in names:
            member = Person(server.port, name, ROOM)
            join(member, ROOM)
            member.close()
        page.driver.get(f"{url}/favicon.svg")
        page.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
        page.driver.get(f"{url}/?room={ROOM}")
        page.online()
        page.wait(row("ann"), "herself")
        yield page, server, front
    finally:
        page.quit()
        server.stop()


@with_rooms
def a_private_room_shows_members_who_are_away(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    cid = speaker(stage, den)
    plans = cid.create("private", stage.user, title="Plans")
    cid.send("see you")
    cid.close()
    join(stage.person(stage.user), plans)
    enter(stage, stage.ann, plans)
    is_in(stage.ann, "Plans")
    shows(stage.ann, online=[stage.user], offline=["cid"], invited=[])
    assert [number(stage.ann, section) for section in ("online", "offline")] == ["1", "1"]


@with_rooms
def who_is_invited_stands_apart_until_they_accept_or_decline(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    mine = speaker(stage, den, stage.user)
    plans = mine.create("private", "bob", "eve", title="Plans")
    enter(stage, stage.ann, plans)
    is_in(stage.ann, "Plans")
    shows(stage.ann, online=[stage.user], offline=[], invited=["bob", "eve"])
    assert number(stage.ann, "invited") == "2"
    assert stage.ann.run(f"return {row('bob')}.querySelector('.by').textContent") == f"invited by {stage.user}"
    stage.ann.click(f"{row('bob')}.querySelector('bdi')")
    stage.ann.wait(f"{CARD}.join() === 'Invited by {stage.user},Writer'", "the card")
    stage.ann.press(Keys.ESCAPE)

    join(stage.person("bob"), plans)
    shows(stage.ann, online=[stage.user], offline=["bob"], invited=["eve"])
    assert not stage.ann.run(f"return {row('bob')}.querySelector('.by')")
    answer = stage.person("eve").ask(type="leave", room=plans, command=str(uuid.uuid4()))
    assert answer["type"] == "ok", answer
    shows(stage.ann, online=[stage.user], offline=["bob"], invited=[])


@with_rooms
def owners_and_moderators_have_a_mark_and_the_card_shows_since_when_they_belong_to_the_room(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    mine = speaker(stage, den, stage.user)
    plans = mine.create("private", "bob", title="Plans")
    join(stage.person("bob"), plans)
    enter(stage, stage.ann, plans)
    marks = "[...document.querySelectorAll('#people li')].map((one) => `${one.dataset.name} ${one.querySelector('.mark')?.textContent ?? '-'}`).join()"
    stage.ann.wait(f"{marks} === '{stage.user} owner,bob -'", "the owner")
    mine.moderate("appoint", user="bob", role="moderate")
    stage.ann.wait(f"{marks} === '{stage.user} owner,bob moderator'", "the moderator")
    assert stage.ann.run(f"return {row('bob')}.querySelector('.mark').title") == "Moderator"
    stage.ann.click(f"{row('bob')}.querySelector('.avatar')")
    today = stage.ann.run("return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(Date.now())")
    stage.ann.wait(f"{CARD}.join('|') === 'Offline · Moderator|Member since {today}'", "the card")
    stage.ann.press(Keys.ESCAPE)
    mine.moderate("appoint", user="bob", role="write")
    stage.ann.wait(f"{marks} === '{stage.user} owner,bob -'", "the role to end")


@test
def people_without_a_row_are_loaded_when_the_user_asks_for_them(stage):
    names = [f"p{number:03}" for number in range(150)]
    with club(stage, *names) as (page, server, _):
        shows(page, online=["ann"], offline=names[:2])
        assert [number(page, "offline"), rest(page, "offline")] == ["150", ["and 148 more", False]]
        page.run("document.querySelector('#people-offline .rest').focus()")
        page.press(Keys.ENTER)
        shows(page, online=["ann"], offline=names[:100])
        assert rest(page, "offline") == ["and 50 more", False]
        page.click("document.querySelector('#people-offline .rest')")
        shows(page, online=["ann"], offline=names)
        assert rest(page, "offline") == ""

        # One of them comes, and one leaves the room.
        come = Person(server.port, "p120", ROOM)
        come.enter()
        shows(page, online=["ann", "p120"], offline=[name for name in names if name != "p120"])
        gone = Person(server.port, "p130", ROOM)
        gone.ask(type="leave", room=ROOM, command=str(uuid.uuid4()))
        shows(page, online=["ann", "p120"], offline=[name for name in names if name not in ("p120", "p130")])
        come.close()
        gone.close()


@test
def guests_without_a_row_are_counted_and_not_loaded(stage):
    with club(stage, "bea") as (page, server, _):
        guests = [Person(server.port, name, ROOM) for name in ("gil", "gus")]
        for guest in guests:
            guest.enter()
        shows(page, online=["ann", "gil"], offline=["bea"])
        page.wait("document.querySelector('#people-online .rest').checkVisibility()", "the other one to be counted")
        assert rest(page, "online") == ["and 1 more", False]
        page.click("document.querySelector('#people-online .rest')")
        page.wait("document.getElementById('people-said').textContent === 'The others are not members of the room.'", "the reason")
        assert rest(page, "online") == ["and 1 more", True]
        for guest in guests:
            guest.close()


@test
def a_large_room_finds_people_by_name_and_display_name_beyond_the_rows(stage):
    with club(stage, *[f"p{number:02}" for number in range(19)]) as (page, server, front):
        assert not page.run(f"return {SEARCH}.checkVisibility()"), "a room of 20 people needs no search"
        last = Person(server.port, "zacharias", ROOM)
        join(last, ROOM)
        server.profile("p17", name="Zoë Example")
        page.wait(f"{SEARCH}.checkVisibility()", "the field")
        page.run(f"{SEARCH}.focus()")
        page.press("z")
        page.wait(f"{FOUND}.join() === 'p17,zacharias'", "both")
        page.wait(f"{row('p17')}.querySelector('bdi').textContent === 'Zoë Example'", "the display name")
        page.press("oe ex")
        page.wait(f"{FOUND}.join() === 'p17'", "one")
        assert page.run("return [document.getElementById('people-all').checkVisibility(), document.querySelector('#people-found li .unseen').textContent]") == [False, "offline"]
        page.press(Keys.ARROW_DOWN)
        assert page.run("return document.activeElement.ariaLabel") == "Message p17"
        page.run(f"{SEARCH}.focus()")
        page.press("xx")
        page.wait(f"{SAID} === 'No one in this room is called “zoe exxx”.'", "to know that there is no one")
        page.press(Keys.ESCAPE)
        assert page.run(f"return [{SEARCH}.value, document.getElementById('people-all').checkVisibility(), document.getElementById('people').checkVisibility()]") == ["", True, True]

        page.driver.get(f"{front.url}/favicon.svg")
        page.run("localStorage.setItem('diffroom.name', 'ann'); localStorage.setItem('diffroom.hint', 'done')")
        page.driver.get(f"{front.url}/?room={ROOM}")
        page.wait(f"{SEARCH}.checkVisibility()", "the field")
        front.cut()
        page.wait("document.body.dataset.state !== 'online'", "the cut")
        page.run(f"{SEARCH}.focus()")
        page.press("p0")
        page.wait(f"{FOUND}.join() === 'p00,p01' && {SAID}.startsWith('The server cannot be asked now')", "those who are loaded")
        last.close()


@test
def an_at_sign_offers_people_beyond_the_rows(stage):
    with club(stage, "bea", "ben", "Bo Derek", "bob", "zed") as (page, server, _):
        server.profile("zed", name="Barbara")
        reader = Person(server.port, "reader", ROOM)
        page.run(f"{FIELD}.focus()")
        page.press("hello @b")
        offers(page, ["bea", "Bo Derek", "ben", "bob", "zed"])
        page.wait("document.querySelector('#offer li:last-child small').textContent === 'Barbara'", "the display name")
        page.press("o")
        offers(page, ["Bo Derek", "bob"])
        page.press("b", Keys.TAB, "and @bar")
        offers(page, ["zed"])
        page.press(Keys.ENTER, "and @nobody")
        offers(page, [])
        page.press(" and @Bo D", Keys.TAB, Keys.ENTER)
        page.wait("document.querySelectorAll('.row').length === 1 && !document.querySelector('.row[data-state]')", "the message")
        assert [message["mentions"] for message in reader.messages()] == [["bob", "zed", "nobody", "Bo Derek"]]
        reader.close()
