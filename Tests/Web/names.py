"""Names of people: those that are typed into a field, and the card of a person."""

from page import ROW, test
from private import click
from rooms import enter, is_in, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until

CARD = "document.getElementById('card')"
CHIPS = "[...document.querySelectorAll('#new-people li')].map((one) => one.dataset.name)"
SAID = "document.getElementById('new-said').textContent"


@with_rooms
def names_are_split_stripped_and_those_that_are_not_known_are_told(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    speaker(stage, den, "eve").send("hello")
    stage.ann.sees(["hello"])
    click(stage.ann, "new-room")
    stage.ann.click("document.querySelector('[name=kind][value=direct]')")
    stage.ann.run("document.getElementById('new-person').focus()")
    stage.ann.press("@eve, Bo Derek;eve,  ", Keys.ENTER)
    assert stage.ann.run(f"return [{CHIPS}, {SAID}]") == [["eve", "Bo Derek"], "The page does not know Bo Derek yet: check the spelling."]
    stage.ann.press(Keys.BACKSPACE)
    assert stage.ann.run(f"return [{CHIPS}, {SAID}]") == [["eve"], ""]
    stage.ann.press("＠cid，dan", Keys.ENTER, Keys.ENTER)
    is_in(stage.ann, "cid, dan, eve")


def is_invited(person, room):
    """Waits for an invitation: the list of a person's rooms follows the room's changes."""

    def invitations():
        sections = person.ask(type="subscribe", list="me/rooms")["sections"]
        person.ask(type="unsubscribe", list="me/rooms")
        return [row["id"] for section in sections if section["id"] == "invited" for row in section["rows"]]

    wait_until(lambda: room in invitations(), "the invitation")


@with_rooms
def many_people_are_invited_at_once_and_those_who_are_refused_stay_in_the_field(stage):
    setting(stage)
    owner = stage.person(stage.user)
    plans = owner.create("private", title="Plans")
    enter(stage, stage.ann, plans)
    said = "document.getElementById('invite-said').textContent"
    click(stage.ann, "room-button")
    click(stage.ann, "invite")
    stage.ann.press("@bob,cid", Keys.ENTER)
    stage.ann.wait(f"{said} === 'bob and cid are invited. The page does not know bob, cid yet: check the spelling.'", "both")
    for name in ("bob", "cid"):
        is_invited(stage.person(name), plans)
    stage.ann.press("dan, " + "x" * 65 + ", eve", Keys.ENTER)
    stage.ann.wait(f"document.getElementById('invite-input').value === '{'x' * 65}' && document.getElementById('invite-said').matches('.refusal')", "the rest")
    for name in ("dan", "eve"):
        is_invited(stage.person(name), plans)


@test
def a_card_shows_who_a_person_is(stage):
    cid = stage.person("cid")
    stage.server.profile("cid", "Cid Öst")
    cid.send("hello @ann", mentions=["ann"])
    stage.ann.enter(stage.front.url)
    stage.ann.sees(["hello "])
    stage.ann.wait("document.querySelector('.heading .author').textContent === 'Cid Öst'", "the name")
    for opener, texts in ((".avatar", ["Cid Öst", "cid"]), (".author", ["Cid Öst", "cid"]), (".mention", ["ann", "Online · you"])):
        stage.ann.click(f"({ROW}).querySelector('{opener}')", "hello")
        stage.ann.wait(f"{CARD}.matches(':popover-open')", "the card")
        shown = stage.ann.run(f"return {CARD}.innerText.split('\\n').filter(Boolean)")
        assert all(text in shown for text in texts), shown
        assert ("Message" in shown) == (opener != ".mention") and "Moderate…" not in shown, shown
        stage.ann.press(Keys.ESCAPE)
        stage.ann.wait(f"!{CARD}.matches(':popover-open')", "the end of it")
    stage.ann.click_in_row("hello", ".author")
    stage.ann.click(f"{CARD}.querySelector('[data-act=message]')")
    is_in(stage.ann, "Cid Öst")


@test
def a_moderator_acts_from_the_card(stage):
    stage.server.moderate(stage.room, "appoint", user="ann", role="moderate")
    stage.person("eve").send("spam")
    stage.ann.enter(stage.front.url)
    stage.ann.wait("document.getElementById('role').textContent === 'moderator'", "the role")
    stage.ann.sees(["spam"])
    stage.ann.click_in_row("spam", ".author")
    stage.ann.click(f"{CARD}.querySelector('[data-act=moderate]')")
    stage.ann.wait("document.getElementById('person-menu').matches(':popover-open')", "the menu")
    stage.ann.click("document.querySelector('#person-menu [data-act=mute-600000]')")
    stage.ann.wait("document.getElementById('hint').textContent === 'eve is muted for 10 minutes.'", "it to be done")
