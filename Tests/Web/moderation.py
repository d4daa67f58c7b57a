"""The page of those who moderate a room, and of those who do not: the menu of a person, roles, settings, the audit log."""

import json
import uuid

from page import test
from private import QUESTION, act, click, close_menu, is_in, menu
from rooms import enter as come
from rooms import link, rooms, setting, with_rooms
from selenium.webdriver.common.keys import Keys

ASKED = f"{QUESTION}.open && document.activeElement.id === 'question-no'"
CHOICES = "[...document.querySelectorAll('#person-menu:popover-open button')].map((one) => one.textContent)"
IN_THE_MENU = "['invite', 'entitle', 'moderate'].filter((id) => document.getElementById(id).checkVisibility())"
LOG = "[...document.querySelectorAll('#audit-list p')].map((one) => one.textContent)"
MUTES = ["Mute for 10 minutes", "Mute for 1 hour", "Mute for 1 day"]
MODERATORS = [*MUTES, "Unmute", "Kick", "Ban", "Unban"]


def enter(stage, role, name="eve"):
    """Ann comes with a role, and somebody else without a browser."""
    if role:
        stage.server.moderate(stage.room, "appoint", user="ann", role=role)
    other = stage.person(name)
    other.enter()
    stage.ann.enter()
    shown = {"own": "owner", "moderate": "moderator"}.get(role, "")
    stage.ann.wait(f"document.getElementById('role').textContent === '{shown}'", "the role")
    return other


def choose(page, person, label):
    act(page, "Moderate", person)
    page.click(f"[...document.querySelectorAll('#person-menu button')].find((one) => one.textContent === '{label}')")


def is_told(page, text):
    page.wait(f"document.getElementById('hint').textContent === '{text}' && document.getElementById('hint').matches('[data-done]')", text)


def says(person, text="hello"):
    """Returns why the person may not send; nothing if they may."""
    return person.ask(type="send", room=person.room, id=str(uuid.uuid4()), text=text).get("error")


def by_name(page, person, does):
    page.run("document.getElementById('person-act').value = arguments[0]", does)
    page.run("document.getElementById('person-input').focus()")
    page.press(Keys.CONTROL, "a", Keys.NULL, person, Keys.ENTER)


@test
def a_moderator_mutes_and_unmutes_somebody(stage):
    eve = enter(stage, "moderate")
    for label in MUTES:
        choose(stage.ann, "eve", label)
        is_told(stage.ann, f"eve is muted for {label.removeprefix('Mute for ')}.")
        assert says(eve) == "forbidden"
        choose(stage.ann, "eve", "Unmute")
        is_told(stage.ann, "eve is not muted any more.")
        assert says(eve) is None
    spans = [entry["for"] for entry in audit(stage) if entry["action"] == "mute"]
    assert spans == [600_000, 3_600_000, 86_400_000], spans


def audit(stage):
    return stage.person("ann").ask(type="audit", room=stage.room)["entries"]


@with_rooms
def a_dialog_about_a_room_closes_when_another_is_shown(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    stage.server.moderate(den, "appoint", user=stage.user, role="own")
    come(stage, stage.ann, tea)
    for dialog, opener in (("moderation", "moderate"), ("entitle-dialog", "entitle")):
        stage.ann.click(link(den))
        is_in(stage.ann, den)
        stage.ann.wait("document.getElementById('role').textContent === 'owner'", "the role")
        menu(stage.ann)
        click(stage.ann, opener)
        stage.ann.wait(f"document.getElementById('{dialog}').open", "the dialog")
        stage.ann.driver.back()
        is_in(stage.ann, tea)
        assert not stage.ann.run("return document.querySelector('dialog[open]')")


@test
def to_kick_and_to_ban_asks_first_and_a_ban_is_taken_back(stage):
    eve = enter(stage, "moderate")
    for label in ("Kick", "Ban"):
        choose(stage.ann, "eve", label)
        stage.ann.wait(ASKED, "the question, and the harmless answer")
        assert stage.ann.run(f"return {QUESTION}.querySelector('h1').textContent") == f"{label} eve from #{stage.room}?"
        stage.ann.press(Keys.ENTER)
    assert says(eve) is None, "nothing is done"
    choose(stage.ann, "eve", "Kick")
    stage.ann.wait(ASKED, "the question")
    click(stage.ann, "question-yes")
    assert eve.hears("ended")["why"] == "kicked"
    is_told(stage.ann, "eve is put out.")
    eve.enter()
    choose(stage.ann, "eve", "Ban")
    stage.ann.wait(ASKED, "the question")
    click(stage.ann, "question-yes")
    assert eve.hears("ended")["why"] == "banned"
    is_told(stage.ann, "eve is banned.")
    follow = {"type": "subscribe", "list": f"room/{stage.room}/messages"}
    assert eve.ask(**follow)["error"] == "forbidden"
    choose(stage.ann, "eve", "Unban")
    is_told(stage.ann, "eve is not banned any more.")
    assert eve.ask(**follow)["type"] == "snapshot"


@test
def an_owner_gives_roles_and_takes_them_back(stage):
    eve = enter(stage, "own")
    slow = {"type": "moderate", "room": stage.room, "action": "slow", "for": 0}
    for role, told, answer in (("moderate", "is a moderator", "ok"), ("none", "has no role any more", "error")):
        choose(stage.ann, "eve", "Role…")
        dialog = "document.getElementById('role-dialog')"
        stage.ann.wait(f"{dialog}.open", "the question")
        stage.ann.click("document.querySelector('#role-form [type=submit]')")
        assert stage.ann.run(f"return {dialog}.open"), "none is chosen"
        stage.ann.click(f"document.querySelector('#role-form [value={role}]')")
        stage.ann.click("document.querySelector('#role-form [type=submit]')")
        is_told(stage.ann, f"eve {told}.")
        assert not stage.ann.run(f"return {dialog}.open")
        assert eve.ask(**slow, command=str(uuid.uuid4()))["type"] == answer


@test
def slow_mode_and_read_only_are_among_the_settings_of_the_room(stage):
    eve = enter(stage, "moderate")
    is_set(stage.ann, "Off", False)
    change(stage.ann, "30000", False)
    assert says(eve) is None
    assert says(eve) == "rate_limited"
    is_set(stage.ann, "30 seconds", False)
    change(stage.ann, "0", True)
    assert says(eve) == "forbidden"
    is_set(stage.ann, "Off", True)
    change(stage.ann, "0", False)
    assert says(eve) is None
    said = [(entry["action"], entry.get("for", entry.get("on"))) for entry in audit(stage)[1:]]
    assert said == [("slow", 30_000), ("slow", 0), ("readOnly", True), ("readOnly", False)], said
    stage.server.moderate(stage.room, "slow", **{"for": 7_000})
    is_set(stage.ann, "7 seconds", False)


# Opens the settings of the room, as far as the room has told them, and tells which these are.
SETTINGS = """(() => {
  document.getElementById('entitle-dialog').close();
  document.getElementById('entitle').click();
  return [document.getElementById('entitle-slow').selectedOptions[0].textContent, document.getElementById('entitle-read-only').checked];
})()"""


def is_set(page, slow, read_only):
    page.wait(f"JSON.stringify({SETTINGS}) === '{json.dumps([slow, read_only], separators=(',', ':'))}'", f"{slow} and {read_only} to be set")


def change(page, slow, read_only):
    page.run("document.getElementById('entitle-slow').value = arguments[0]; document.getElementById('entitle-read-only').checked = arguments[1]", slow, read_only)
    page.click("document.querySelector('#entitle-form [type=submit]')")
    page.wait("!document.getElementById('entitle-dialog').open", "the answer")


def offered(page):
    """Returns what the page offers for a room and for a person in it."""
    click(page, "room-button")
    shown = page.run(f"return {IN_THE_MENU}")
    close_menu(page)
    button = "document.querySelector('#people [aria-label=\"Moderate eve\"]')"
    page.wait(button, "eve")
    if not page.run(f"return {button}.checkVisibility()"):
        return shown, None
    page.click(button)
    choices = page.run(f"return {CHOICES}")
    page.press(Keys.ESCAPE)
    return shown, choices


@test
def what_one_may_not_do_is_not_offered(stage):
    enter(stage, None)
    assert offered(stage.ann) == ([], None)
    for role, shown, more in (("moderate", "moderator", []), ("own", "owner", ["Role…"])):
        stage.server.moderate(stage.room, "appoint", user="ann", role=role)
        stage.ann.wait(f"document.getElementById('role').textContent === '{shown}'", "the role")
        assert offered(stage.ann) == (["entitle", "moderate"], [*MODERATORS, *more, "Block…"])
    assert not stage.ann.run("return document.querySelector('#people [aria-label=\"Moderate ann\"]')"), "nobody moderates themselves"
    stage.server.moderate(stage.room, "appoint", user="ann", role="none")
    stage.ann.wait("document.getElementById('role').textContent === ''", "no role")
    assert offered(stage.ann) == ([], None)

    ann = stage.person("ann")
    for room, shown, choices in ((ann.create("private", "eve", title="Plans"), ["invite", "entitle", "moderate"], [*MODERATORS, "Role…", "Remove", "Block…"]), (ann.create("direct", "eve"), [], None)):
        stage.room = room.replace("@", "%40")
        stage.ann.enter()
        eve = stage.person("eve")
        eve.ask(type="join", room=room)
        eve.room = room
        eve.enter()
        stage.ann.wait(f"document.getElementById('role').textContent === '{'owner' if shown else ''}'", "the role")
        assert offered(stage.ann) == (shown, choices), room


@test
def what_is_refused_is_told(stage):
    eve = enter(stage, "moderate")
    stage.server.moderate(stage.room, "appoint", user="eve", role="own")
    choose(stage.ann, "eve", "Mute for 1 hour")
    hint = "document.getElementById('hint')"
    stage.ann.wait(f"{hint}.checkVisibility() && {hint}.textContent.includes('eve') && !{hint}.matches('[data-done]')", "the refusal")
    assert says(eve) is None
    menu(stage.ann)
    click(stage.ann, "moderate")
    by_name(stage.ann, "eve", "mute-3600000")
    said = "document.getElementById('moderation-said')"
    stage.ann.wait(f"{said}.matches('.refusal') && {said}.textContent.includes('eve')", "the refusal")


@test
def who_is_in_no_list_is_moderated_by_name_and_all_of_it_is_in_the_log(stage):
    eve = enter(stage, "own")
    gone = eve.send("<b>bad</b>")
    stage.person("ann").change("delete", gone)
    stage.server.moderate(stage.room, "ban", user="dan")
    stage.server.moderate(stage.room, "title", text="<b>Plans</b>")
    is_in(stage.ann, f"<b>Plans</b> ({stage.room})")
    menu(stage.ann)
    click(stage.ann, "moderate")
    logged(stage.ann, ["desk gave the title “<b>Plans</b>”", "desk banned dan", "ann deleted a message of eve", "desk made ann an owner"])
    dan = stage.person("dan")
    assert says(dan) == "forbidden"
    by_name(stage.ann, "dan", "unban")
    logged(stage.ann, ["ann unbanned dan"])
    assert stage.ann.run("return document.getElementById('moderation-said').textContent") == "dan is not banned any more."
    assert says(dan) is None
    by_name(stage.ann, "dan", "mute-600000")
    logged(stage.ann, ["ann muted dan for 10 minutes"])
    by_name(stage.ann, "dan", "unmute")
    logged(stage.ann, ["ann unmuted dan"])
    by_name(stage.ann, "dan", "kick")
    stage.ann.wait(ASKED, "the question")
    click(stage.ann, "question-yes")
    logged(stage.ann, ["ann kicked dan"])
    by_name(stage.ann, "dan", "role")
    stage.ann.wait("document.getElementById('role-dialog').open", "the role")
    stage.ann.click("document.querySelector('#role-form [value=moderate]')")
    stage.ann.click("document.querySelector('#role-form [type=submit]')")
    logged(stage.ann, ["ann made dan a moderator", "ann kicked dan", "ann unmuted dan", "ann muted dan for 10 minutes", "ann unbanned dan"])
    assert stage.ann.run("return document.querySelectorAll('#audit-list b').length") == 0
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait("!document.getElementById('moderation').open && document.activeElement.id === 'room-button'", "the end of it")


def logged(page, newest):
    """Waits until the log begins with these entries."""
    page.wait(f"JSON.stringify({LOG}.slice(0, {len(newest)})) === JSON.stringify({newest})".replace("'", '"'), f"{newest} in the log")


@test
def earlier_entries_of_the_log_come_when_they_are_asked_for(stage):
    enter(stage, "moderate")
    ann = stage.person("ann")
    for seconds in range(1, 61):
        ann.moderate("slow", **{"for": seconds * 1000})
    menu(stage.ann)
    click(stage.ann, "moderate")
    all = [f"ann set slow mode to {'1 minute' if seconds == 60 else f'{seconds} second' + 's' * (seconds > 1)}" for seconds in range(60, 0, -1)]
    logged(stage.ann, all[:50])
    assert stage.ann.run(f"return [{LOG}.length, document.getElementById('audit-more').checkVisibility()]") == [50, True]
    stage.ann.run("document.getElementById('audit-more').focus()")
    stage.ann.press(Keys.ENTER)
    logged(stage.ann, [*all, "desk made ann a moderator"])
    assert stage.ann.run("return [document.getElementById('audit-more').checkVisibility(), document.activeElement.id]") == [False, "audit-list"]


@test
def the_keyboard_moderates(stage):
    eve = enter(stage, "moderate")
    focused = "document.activeElement.ariaLabel ?? document.activeElement.textContent"
    stage.ann.wait("document.querySelector('#people [aria-label=\"Message eve\"]')", "eve")
    stage.ann.run("document.querySelector('#people [aria-label=\"Message eve\"]').focus()")
    stage.ann.press(Keys.ARROW_RIGHT)
    assert stage.ann.run(f"return {focused}") == "Moderate eve"
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"({focused}) === '{MUTES[0]}'", "the menu")
    stage.ann.press(Keys.ESCAPE)
    assert stage.ann.run(f"return [{focused}, {CHOICES}.length]") == ["Moderate eve", 0]
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"({focused}) === '{MUTES[0]}'", "the menu")
    stage.ann.press("k")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(ASKED, "the question, and the harmless answer")
    stage.ann.press(Keys.TAB, Keys.ENTER)
    assert eve.hears("ended")["why"] == "kicked"
    is_told(stage.ann, "eve is put out.")


@test
def on_a_phone_one_moderates_in_the_drawer_and_sees_what_came_of_it(stage):
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        eve = enter(stage, "own")
        stage.ann.wait("document.getElementById('people-button').checkVisibility()", "the button")
        click(stage.ann, "people-button")
        choose(stage.ann, "eve", MUTES[0])
        is_told(stage.ann, "eve is muted for 10 minutes.")
        assert says(eve) == "forbidden"
        assert stage.ann.run("return [document.getElementById('people').checkVisibility(), document.activeElement.id]") == [False, "people-button"]
        for opener, dialog in (("moderate", "moderation"), ("entitle", "entitle-dialog")):
            menu(stage.ann)
            click(stage.ann, opener)
            box = stage.ann.run("const { left, right, top, bottom } = document.getElementById(arguments[0]).getBoundingClientRect(); return [left, innerWidth - right, top, innerHeight - bottom]", dialog)
            assert min(box) >= 0, (dialog, box)
            stage.ann.press(Keys.ESCAPE)
    finally:
        stage.ann.resize(1180, 760)
