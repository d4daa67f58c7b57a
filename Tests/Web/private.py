"""The page with private rooms: making them, invitations, what they are called, and who is not let in."""

import json
import uuid

from mentions import there
from page import guarded, test
from rooms import ROOM, enter, is_in, lists, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys

INVITED = "[...document.querySelectorAll('#invited-list li')].map((one) => one.querySelector('.name bdi').textContent)"
STATE = "document.getElementById('state')"
UNKNOWN = "This room is private, or it does not exist."
QUESTION = "document.getElementById('question')"
MENU = "['invite', 'entitle', 'membership'].filter((id) => document.getElementById(id).checkVisibility())"


def invited_to(page, names):
    page.wait(f"JSON.stringify({INVITED}) === JSON.stringify({json.dumps(names)})", f"to be invited to {names}")


def answer(page, label, what):
    page.click(f"document.querySelector('#invited-list [aria-label=\"{what} the invitation to {label}\"]')")


def click(page, id):
    page.click(f"document.getElementById('{id}')")


def menu(page):
    """Opens the menu of the room. Returns what it has to do with the room."""
    click(page, "room-button")
    return page.run(f"return {MENU}")


def close_menu(page):
    page.run("document.getElementById('menu').hidePopover()")


def shows(page, *sentences):
    said = f"({STATE}.checkVisibility() ? document.getElementById('state-text').textContent : '')"
    for sentence in sentences:
        page.wait(f"{said}.includes({sentence!r})", sentence)


def act(page, does, person):
    """Does something with a person in the list of people."""
    button = f"document.querySelector('#people [aria-label=\"{does} {person}\"]')"
    page.wait(f"{button}?.checkVisibility()", f"{person} to be there")
    page.click(button)


def remove(page, person):
    act(page, "Moderate", person)
    page.click("document.querySelector('#person-menu [data-act=remove]')")


def name_of(page):
    """Returns the name of the room that is shown."""
    return page.run("return new URLSearchParams(location.search).get('room')")


def row_of(person, room):
    """Returns the section of the room in somebody's rooms, and its row."""
    sections = person.ask(type="subscribe", list="me/rooms")["sections"]
    return next(((section["id"], row) for section in sections for row in section["rows"] if row["id"] == room), None)


@with_rooms
def a_private_room_is_made_with_a_title_and_people(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    bob, dana = stage.person("bob"), stage.person("Dana Österlund")
    enter(stage, stage.ann, den)
    click(stage.ann, "new-room")
    assert stage.ann.run("return [document.getElementById('new-dialog').open, document.activeElement.id, document.getElementById('new-name').checkVisibility()]") == [True, "new-title", False]
    stage.ann.press("<b>Plans</b>", Keys.TAB, "bob", Keys.ENTER, "eve", Keys.ENTER)
    stage.ann.click("document.querySelector('#new-people [aria-label=\"Without eve\"]')")
    stage.ann.press("Dana Österlund")
    stage.ann.click("document.querySelector('#new-form [type=submit]')")
    is_in(stage.ann, "<b>Plans</b>")
    room = name_of(stage.ann)
    assert room[0] == "~" and len(room) == 37
    lists(stage.ann, ["<b>Plans</b>", den])
    shown = "[document.title, document.getElementById('text').placeholder, document.getElementById('beginning').textContent, document.getElementById('role').textContent]"
    stage.ann.wait("document.getElementById('role').textContent === 'owner'", "to own it")
    assert stage.ann.run(f"return {shown}") == ["<b>Plans</b> · Diffroom", "Message <b>Plans</b>", "There are no messages in <b>Plans</b> yet.", "owner"]
    assert stage.ann.run("return document.querySelector('#sidebar-list [aria-current] .name').textContent") == "private: <b>Plans</b>"
    assert stage.ann.run("return document.activeElement.id") == "text"
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        assert stage.ann.run("return [document.documentElement.scrollWidth, document.getElementById('me').getBoundingClientRect().right < 376]") == [375, True]
    finally:
        stage.ann.resize(1180, 760)
    stage.ann.say("only for us")
    for person in (bob, dana):
        section, row = row_of(person, room)
        assert (section, row["title"]) == ("invited", "<b>Plans</b>"), (section, row)
    assert row_of(stage.person("eve"), room) is None


@with_rooms
def what_the_server_refuses_to_make_is_told_and_can_be_changed(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    click(stage.ann, "new-room")
    stage.ann.press("ö" * 150, Keys.ENTER)
    said = "document.getElementById('new-said')"
    stage.ann.wait(f"{said}.matches('.refusal') && {said}.textContent.includes('200')", "the refusal")
    assert stage.ann.run("return document.getElementById('new-dialog').open")
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, "Plans", Keys.ENTER)
    is_in(stage.ann, "Plans")
    click(stage.ann, "new-room")
    stage.ann.click("document.querySelector('[name=kind][value=direct]')")
    stage.ann.click("document.querySelector('#new-form [type=submit]')")
    assert stage.ann.run(f"return {said}.textContent") == "To whom? Write a name."
    stage.ann.click("document.querySelector('[name=kind][value=open]')")
    stage.ann.run("document.getElementById('new-name').focus()")
    stage.ann.press("not a room!", Keys.ENTER)
    assert stage.ann.run("return document.getElementById('new-dialog').open")
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, den, Keys.ENTER)
    is_in(stage.ann, den)


@with_rooms
def the_field_of_the_title_says_what_the_room_is_called_without_one(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    click(stage.ann, "new-room")
    hint = "return document.getElementById('new-title').placeholder"
    assert stage.ann.run(hint) == "Without one it is a “Private room”"
    stage.ann.click("document.querySelector('[name=kind][value=open]')")
    stage.ann.run("document.getElementById('new-name').focus()")
    assert stage.ann.run(hint) == ""
    stage.ann.press("tea")
    assert stage.ann.run(hint) == "Without one it is #tea"
    # The field that has the focus goes now.
    stage.ann.click("document.querySelector('[name=kind][value=private]')")
    stage.ann.run("document.getElementById('new-title').focus()")
    assert stage.ann.run(hint) == "Without one it is a “Private room”"
    stage.ann.press(Keys.ESCAPE)


@with_rooms
def an_invitation_stands_above_the_rooms_and_is_accepted_or_declined(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    cid, dan = speaker(stage, den), speaker(stage, den, "dan")
    plans = cid.create("private", stage.user, title="Plans")
    cid.send("before you came")
    cid.send(f"@{stage.user}?", mentions=[stage.user])
    stage.ann.wait("document.getElementById('invited').checkVisibility()", "the section")
    invited_to(stage.ann, ["Plans"])
    assert stage.ann.run("return document.getElementById('spoken').textContent") == "cid invites you to Plans"
    party = dan.create("private", stage.user, title="Party")
    invited_to(stage.ann, ["Party", "Plans"])
    assert stage.ann.run("return [...document.querySelectorAll('#invited-list .said')].map((one) => one.textContent)") == ["dan invites you", "cid invites you"]
    lists(stage.ann, [den])
    assert stage.ann.run("return document.querySelector('#invited h3').textContent") == "Invited 2"
    assert stage.ann.run("return [document.getElementById('sidebar-button').ariaLabel, document.querySelector('#invited .badge')]") == ["Your rooms, 2 invitations", None]

    for key, invitations in ((Keys.ENTER, ["Party", "Plans"]), (Keys.TAB + Keys.ENTER, ["Plans"])):
        answer(stage.ann, "Party", "Decline")
        stage.ann.wait(f"{QUESTION}.open && document.activeElement.id === 'question-no'", "the question, and the harmless answer")
        assert "new invitation" in stage.ann.run(f"return {QUESTION}.innerText")
        stage.ann.press(key)
        stage.ann.wait(f"!{QUESTION}.open", "the answer")
        invited_to(stage.ann, invitations)
    assert row_of(stage.person(stage.user), party) is None
    answer(stage.ann, "Plans", "Accept")
    is_in(stage.ann, "Plans")
    lists(stage.ann, ["Plans", den])
    invited_to(stage.ann, [])
    assert not stage.ann.run("return document.getElementById('invited').checkVisibility()")
    stage.ann.wait("document.querySelectorAll('.row').length === 2 && document.querySelector('.own.mention')", "the messages")
    stage.ann.say("here I am")
    stage.ann.wait("!document.querySelector('.row[data-state]')", "it to be said")
    assert cid.texts()[-1] == "here I am"
    assert row_of(stage.person(stage.user), plans)[0] == "rooms"


@with_rooms
def who_follows_a_link_to_a_room_is_asked_above_the_field_whether_to_come_in(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    plans = speaker(stage, den).create("private", stage.user, title="Plans")
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        enter(stage, stage.ann, plans)
        is_in(stage.ann, "Plans")
        stage.ann.wait("document.getElementById('invitation').checkVisibility()", "to be asked")
        assert stage.ann.run("return document.querySelector('#invitation span').textContent") == "cid invites you to this room."
        stage.server.profile("cid", name="Cid Example")
        sentence = "Cid Example (cid) invites you"
        stage.ann.wait(f"document.querySelector('#invitation span').textContent === '{sentence} to this room.'", "the display name")
        stage.ann.wait(f"document.querySelector('#invited-list .said').textContent === '{sentence}'", "it in the list, too")
        assert menu(stage.ann) == ["membership"]
        assert stage.ann.run("return [document.getElementById('membership').textContent, document.documentElement.scrollWidth]") == ["Accept the invitation", 375]
        close_menu(stage.ann)
        click(stage.ann, "accept")
        stage.ann.wait("!document.getElementById('invitation').checkVisibility()", "to be in")
        assert stage.ann.run(f"return {ROOM}") == "Plans"
        click(stage.ann, "sidebar-button")
        lists(stage.ann, ["Plans", den])
    finally:
        stage.server.profile("cid")
        stage.ann.resize(1180, 760)


@with_rooms
def the_keyboard_reaches_invitations_rooms_and_people(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    cid = speaker(stage, den)
    cid.create("private", stage.user, title="Plans")
    enter(stage, stage.ann, den)
    invited_to(stage.ann, ["Plans"])
    there(stage, den, "dan", "eve")
    stage.ann.run("document.querySelector('#sidebar-list a').focus()")
    stage.ann.press(Keys.ARROW_UP)
    assert stage.ann.run("return document.activeElement.querySelector('.name bdi').textContent") == "Plans"
    stage.ann.press(Keys.TAB, Keys.TAB, Keys.ENTER)
    stage.ann.wait(f"{QUESTION}.open", "the question")
    stage.ann.press(Keys.TAB, Keys.ENTER)
    invited_to(stage.ann, [])
    assert stage.ann.run("return document.activeElement.id") == "find", "the focus is not lost with what was declined"
    cid.create("private", stage.user, title="Party")
    invited_to(stage.ann, ["Party"])
    stage.ann.press(Keys.ALT, Keys.ARROW_UP)
    is_in(stage.ann, "Party")
    stage.ann.press(Keys.ALT, Keys.ARROW_DOWN)
    is_in(stage.ann, den)

    focused = "return document.activeElement.ariaLabel"
    stops = "document.querySelectorAll('#people li [tabindex=\"0\"]').length"
    stage.ann.wait("document.querySelectorAll('#people .acts').length >= 2", "the people")
    assert stage.ann.run(f"return {stops}") == 1
    stage.ann.run("document.querySelector('#people [aria-label=\"Message dan\"]').focus()")
    stage.ann.press(Keys.ARROW_DOWN)
    assert stage.ann.run(focused) == "Message eve"
    stage.ann.press(Keys.HOME)
    assert [stage.ann.run(focused), stage.ann.run(f"return {stops}")] == ["Message dan", 1]
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, "dan")


@with_rooms
def an_owner_invites_and_removes_and_who_is_invited_again_is_in_at_once(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.bob, den)
    cid = speaker(stage, den)
    plans = cid.create("private", title="Plans")
    cid.enter()
    ann = stage.ann
    ann.driver.get(f"{stage.url}/favicon.svg")
    ann.run("localStorage.setItem('diffroom.name', 'owner')")
    cid.moderate("appoint", user="owner", role="own")
    ann.driver.get(f"{stage.url}/?room={plans}")
    is_in(ann, "Plans")
    ann.wait("document.getElementById('invitation').checkVisibility()", "to be invited")
    click(ann, "accept")
    ann.wait("!document.getElementById('invitation').checkVisibility()", "to be in")

    assert menu(ann) == ["invite", "entitle", "membership"]
    click(ann, "invite")
    ann.press("owner", Keys.ENTER)
    assert ann.run("return document.getElementById('invite-said').textContent") == "You are in this room."
    ann.press(Keys.CONTROL, "a", Keys.NULL, stage.user, Keys.ENTER)
    doubt = f"The page does not know {stage.user} yet: check the spelling."
    ann.wait(f"document.getElementById('invite-said').textContent === '{stage.user} is invited. {doubt}'", "the answer")
    assert ann.run("return [document.getElementById('invite-input').value, document.getElementById('invite-dialog').open]") == ["", True]
    invited_to(stage.bob, ["Plans"])
    answer(stage.bob, "Plans", "Accept")
    is_in(stage.bob, "Plans")
    stage.bob.say("thanks")
    stage.bob.sees(["thanks"])
    ann.press(Keys.ESCAPE)
    cid.moderate("kick", user=stage.user)
    shows(stage.bob, "a moderator has put you out of Plans")
    click(stage.bob, "state-button")
    stage.bob.wait(f"!{STATE}.checkVisibility()", "to be in again")

    remove(ann, stage.user)
    ann.wait(f"{QUESTION}.open && document.activeElement.id === 'question-no'", "the question, and the harmless answer")
    ann.press(Keys.ENTER)
    remove(ann, stage.user)
    ann.wait(f"{QUESTION}.open", "the question")
    click(ann, "question-yes")
    shows(stage.bob, "You are not in this room any more.", "invite you again")
    lists(stage.bob, [den])
    stage.bob.wait("document.getElementById('composer').matches('[data-barred]')", "not to write")

    menu(ann)
    click(ann, "invite")
    ann.press(stage.user, Keys.ENTER)
    ann.wait(f"document.getElementById('invite-said').textContent === '{stage.user} is invited.'", "the answer")
    stage.bob.wait(f"!{STATE}.checkVisibility() && document.getElementById('invitation').checkVisibility()", "to be in again")
    stage.bob.sees(["thanks"])
    click(ann, "invite-close")


@with_rooms
def who_is_removed_and_invited_again_before_the_list_of_rooms_tells_it_is_in_again(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.bob, den)
    cid = speaker(stage, den)
    cid.create("private", stage.user, title="Plans")
    invited_to(stage.bob, ["Plans"])
    answer(stage.bob, "Plans", "Accept")
    is_in(stage.bob, "Plans")
    lists(stage.bob, ["Plans", den])
    stage.bob.run(f"window.barred = 0; new MutationObserver(() => ({STATE}.checkVisibility() && window.barred++)).observe({STATE}, {{ attributes: true }})")
    speaker(stage, den, "dan").send("now the list is told, and not again for half a second")
    lists(stage.bob, [den, "Plans"])
    cid.moderate("appoint", user=stage.user, role="none")
    cid.moderate("invite", user=stage.user)
    invited_to(stage.bob, ["Plans"])
    stage.bob.wait(f"window.barred && !{STATE}.checkVisibility() && document.getElementById('invitation').checkVisibility()", "to be out, and in again")
    assert stage.bob.run("return document.getElementById('spoken').textContent") == "cid invites you to Plans"


@with_rooms
def an_invitation_is_taken_back_by_name(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.bob, den)
    ann = stage.ann
    enter(stage, ann, den)
    ann.run("localStorage.setItem('diffroom.name', 'owner')")
    ann.driver.get(f"{stage.url}/?room={den}")
    ann.online()
    click(ann, "new-room")
    ann.press("Plans", Keys.TAB, stage.user, Keys.ENTER, Keys.ENTER)
    is_in(ann, "Plans")
    invited_to(stage.bob, ["Plans"])
    ann.wait("document.getElementById('role').textContent === 'owner'", "to own it")
    menu(ann)
    click(ann, "invite")
    click(ann, "uninvite")
    assert not ann.run(f"return {QUESTION}.open"), "nobody is named"
    ann.press(stage.user)
    click(ann, "uninvite")
    ann.wait(f"{QUESTION}.open", "the question")
    click(ann, "question-yes")
    invited_to(stage.bob, [])
    ann.wait(f"document.getElementById('invite-said').textContent === '{stage.user} is removed.'", "the answer")
    ann.press(Keys.ESCAPE)


@with_rooms
def a_topic_stands_below_the_name_and_is_changed_with_title_and_picture(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    click(stage.ann, "new-room")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.getElementById('role').textContent === 'owner'", "to own it")
    topic = "[document.getElementById('topic').checkVisibility(), document.getElementById('topic').textContent]"
    assert stage.ann.run(f"return {topic}") == [False, ""]
    click(stage.ann, "entitle")
    stage.ann.press("Plans", Keys.TAB, "<b>What we do</b>", Keys.TAB, "http://a.example/p.png", Keys.ENTER)
    assert stage.ann.run("return document.getElementById('entitle-dialog').open"), "only https"
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, "https://127.0.0.1:9/p.png", Keys.ENTER)
    is_in(stage.ann, "Plans")
    stage.ann.wait(f"JSON.stringify({topic}) === JSON.stringify([true, '<b>What we do</b>'])", "the topic")
    stage.ann.wait("!document.getElementById('entitle-dialog').open", "the end of the form")
    other = speaker(stage, den, stage.user)
    other.room = name_of(stage.ann)
    assert other.ask(type="audit", room=other.room)["entries"][-1]["url"] == "https://127.0.0.1:9/p.png"
    assert stage.ann.run("return document.querySelectorAll('img').length") == 0, "a picture tells its host who looks"
    click(stage.ann, "room-button")
    assert stage.ann.run("return document.getElementById('whole-topic').checkVisibility()")
    close_menu(stage.ann)
    stage.ann.click(f"document.querySelector('#sidebar-list [data-room=\"{den}\"]')")
    is_in(stage.ann, den)
    assert stage.ann.run(f"return {topic}") == [False, ""]
    stage.ann.click(f"document.querySelector('#sidebar-list [data-room=\"{other.room}\"]')")
    other.moderate("topic", text="")
    stage.ann.wait(f"JSON.stringify({topic}) === JSON.stringify([false, ''])", "no topic")


@with_rooms
def where_the_server_allows_pictures_they_stand_before_names_as_far_as_they_load(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    other = speaker(stage, den, stage.user)
    other.room = other.ask(type="create", kind="private", command=str(uuid.uuid4()), title="Plans")["list"].split("/")[1]
    missing = "https://127.0.0.1:9/missing.png"  # a port that browsers refuse
    other.moderate("picture", url=missing)
    stage.front.has_pictures = True
    try:
        enter(stage, stage.ann, other.room, stage.front.url)
        stage.ann.wait("document.querySelector('#sidebar-list .sign') && document.querySelector('#room-sign .sign')", "the lock in its place")
        made, left = stage.ann.run_async(
            "const { nameOf } = await import('/labels.js'); const { SHOWS_PICTURES } = await import('/pictures.js');"
            "const made = nameOf({ id: arguments[0], title: 'Plans', picture: `${arguments[1]}?again` }); document.body.append(made);"
            "const shown = made.querySelector('img'); const said = [SHOWS_PICTURES, shown.className, shown.referrerPolicy, shown.loading, shown.alt];"
            "shown.scrollIntoView(); while (made.querySelector('img')) await new Promise((done) => setTimeout(done, 20)); made.remove();"
            "return [said, made.textContent]",
            other.room,
            missing,
        )
        assert made == [True, "picture", "no-referrer", "lazy", ""] and left == "private: Plans", (made, left)
    finally:
        stage.front.has_pictures = False


@with_rooms
def an_invitation_loads_no_picture_from_where_a_stranger_chose(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    stage.front.has_pictures = True
    try:
        enter(stage, stage.ann, den, stage.front.url)
        shown = stage.ann.run_async(
            "const { nameOf } = await import('/labels.js'); const id = '~6e4f1b0a-93c7-4d2e-8a5f-0b1c2d3e4f50';"
            "const room = { id, title: 'Plans', picture: 'https://127.0.0.1:9/invited.png' };"
            "return ['invited', 'rooms', 'pinned'].map((section) => Boolean(nameOf({ ...room, section }).querySelector('img')))"
        )
        assert shown == [False, True, True], shown
    finally:
        stage.front.has_pictures = False


@with_rooms
def a_title_is_given_changed_and_taken_away_everywhere(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    click(stage.ann, "new-room")
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, "Private room")
    room = name_of(stage.ann)
    stage.ann.wait("document.getElementById('role').textContent === 'owner'", "to own it")
    for title in ("Plans", "Später", ""):
        assert "entitle" in menu(stage.ann)
        click(stage.ann, "entitle")
        stage.ann.press(Keys.CONTROL, "a", Keys.NULL, title or Keys.BACKSPACE, Keys.ENTER)
        is_in(stage.ann, title or "Private room")
        lists(stage.ann, [title or "Private room", den])
        assert stage.ann.run("return document.title") == f"{title or 'Private room'} · Diffroom"
        stage.ann.wait("!document.getElementById('entitle-dialog').open && document.activeElement.id === 'room-button'", "the answer")
    stage.ann.click(f"document.querySelector('#sidebar-list [data-room=\"{den}\"]')")
    is_in(stage.ann, den)

    other = speaker(stage, den, stage.user)
    other.room = room
    other.moderate("title", text="Party with Eve")
    lists(stage.ann, ["Party with Eve", den])
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("eve")
    stage.ann.wait("document.querySelector('#switcher-list li .name bdi')?.textContent === 'Party with Eve'", "to be found by the title")
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, "Party with Eve")
    assert name_of(stage.ann) == room


@with_rooms
def leaving_a_private_room_asks_first_and_goes_elsewhere(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    speaker(stage, den).create("private", stage.user, title="Plans")
    invited_to(stage.ann, ["Plans"])
    answer(stage.ann, "Plans", "Accept")
    is_in(stage.ann, "Plans")
    room = name_of(stage.ann)
    lists(stage.ann, ["Plans", den])
    assert menu(stage.ann) == ["membership"]
    assert stage.ann.run("return document.getElementById('membership').textContent") == "Leave Plans"
    click(stage.ann, "membership")
    stage.ann.wait(f"{QUESTION}.open && document.activeElement.id === 'question-no'", "the question, and the harmless answer")
    assert "new invitation" in stage.ann.run(f"return {QUESTION}.innerText")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.activeElement.id === 'text'", "the field to have the focus")
    lists(stage.ann, ["Plans", den])
    click(stage.ann, "membership")
    stage.ann.wait(f"{QUESTION}.open", "the question")
    click(stage.ann, "question-yes")
    is_in(stage.ann, den)
    lists(stage.ann, [den])
    assert not stage.ann.run(f"return {STATE}.checkVisibility()")
    stage.ann.driver.get(f"{stage.url}/?room={room}")
    shows(stage.ann, UNKNOWN)


@with_rooms
def who_is_not_invited_learns_only_that_the_room_is_private_or_does_not_exist(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    cid = speaker(stage, den)
    secret = cid.create("private", title="Secret")
    cid.send("psst")
    direct = cid.create("direct", "dan")
    said = []
    others = "This room belongs to other people, or it does not exist."
    for room, sentence in ((secret, UNKNOWN), ("~00000000-0000-4000-8000-000000000000", UNKNOWN), (direct, others), (f"@{'0' * 32}", others)):
        stage.ann.driver.get(f"{stage.url}/favicon.svg")
        stage.ann.run("localStorage.setItem('diffroom.name', arguments[0]); localStorage.removeItem('diffroom.rooms')", stage.user)
        stage.ann.driver.get(f"{stage.url}/?room={room.replace('@', '%40')}")
        shows(stage.ann, sentence)
        lists(stage.ann, [den])
        assert stage.ann.run("return [document.body.dataset.state, document.getElementById('composer').matches('[data-barred]'), document.getElementById('guest').checkVisibility()]") == ["online", True, False]
        assert menu(stage.ann) == []
        close_menu(stage.ann)
        said.append(stage.ann.run("return [document.getElementById('state').innerText, document.title, document.getElementById('room').innerText, document.getElementById('beginning').innerText]"))
    assert said[0] == said[1] and said[2] == said[3], said
    assert "Ask one of its owners to invite you" in said[0][0] and "make a new direct room" in said[2][0]
    stage.ann.click(f"document.querySelector('#sidebar-list [data-room=\"{den}\"]')")
    is_in(stage.ann, den)
    assert not stage.ann.run(f"return {STATE}.checkVisibility()")

    stage.ann.driver.back()
    shows(stage.ann, others)
    cid.room = secret
    stage.ann.driver.get(f"{stage.url}/?room={secret}")
    shows(stage.ann, UNKNOWN)
    cid.moderate("appoint", user=stage.user, role="write")
    stage.ann.sees(["psst"])
    is_in(stage.ann, "Secret")


@test
def an_open_room_may_have_a_title_which_all_see(stage):
    with guarded(stage) as (moderator, come):
        assert "entitle" not in menu(stage.ann)
        close_menu(stage.ann)
        moderator.moderate("title", text="Plans")
        titled = f"Plans ({stage.room})"
        is_in(stage.ann, titled)
        shown = "[document.title, document.getElementById('room-sign').textContent, document.querySelector('#guest bdi').textContent]"
        assert stage.ann.run(f"return {shown}") == [f"{titled} · Diffroom", "#", titled]
        stage.ann.enter_again()
        is_in(stage.ann, titled)
        unseen = {"type": "moderate", "room": stage.room, "command": str(uuid.uuid4()), "action": "title", "text": "\u2060\u00ad \u3000"}
        assert moderator.ask(**unseen)["error"] == "bad_request"
        moderator.moderate("title", text="")
        is_in(stage.ann, stage.room)
        come("moderate")
        stage.ann.wait("document.getElementById('role').textContent === 'moderator'", "the role")
        assert menu(stage.ann) == ["entitle", "membership"]
