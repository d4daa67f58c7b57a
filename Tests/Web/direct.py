"""The page with direct rooms; and private and direct ones offline, and in notifications."""

from mentions import KEEP_NOTIFICATIONS, allow_notifications, there
from page import away
from private import act, answer, click, close_menu, menu, name_of, row_of
from rooms import NAMES, ROOM, badge, enter, hide, is_in, lists, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until


@with_rooms
def a_direct_room_is_found_by_who_is_in_it_whoever_begins(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    (eve,) = there(stage, den, "eve")
    act(stage.ann, "Message", "eve")
    is_in(stage.ann, "eve")
    lists(stage.ann, ["eve", den])
    stage.ann.say("psst")
    stage.ann.wait("!document.querySelector('.row[data-state]')", "it to be said")
    room = name_of(stage.ann)
    assert room[0] == "@" and len(room) == 33
    section, row = row_of(eve, room)
    assert (section, row["people"], row["unread"]) == ("rooms", [stage.user], 1)
    assert eve.create("direct", stage.user) == room
    assert menu(stage.ann) == [], "nobody leaves a direct room, and nobody owns it"
    close_menu(stage.ann)
    assert stage.ann.run("return [document.title, document.querySelector('#room-sign .avatar').textContent]") == ["eve · Diffroom", "E"]
    stage.ann.enter_again()
    is_in(stage.ann, "eve")
    stage.ann.sees(["psst"])

    click(stage.ann, "new-room")
    stage.ann.click("document.querySelector('[name=kind][value=direct]')")
    stage.ann.run("document.getElementById('new-person').focus()")
    stage.ann.press("eve", Keys.ENTER, "Bo Derek", Keys.ENTER, Keys.ENTER)
    is_in(stage.ann, "Bo Derek, eve")
    assert stage.ann.run("return document.querySelector('#sidebar-list [aria-current] .avatar').textContent") == "2"


@with_rooms
def direct_rooms_are_found_by_the_people_in_them(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    speaker(stage, den, "Bo Derek").create("direct", stage.user, "eve")
    enter(stage, stage.ann, den)
    lists(stage.ann, ["Bo Derek, eve", den])
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("EV", Keys.ENTER)
    is_in(stage.ann, "Bo Derek, eve")


@with_rooms
def private_and_direct_rooms_work_offline_and_after_a_reload(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    cid = speaker(stage, den, "cid")
    cid.create("direct", stage.user)
    cid.send("before")
    plans = cid.create("private", title="Plans")
    cid.moderate("appoint", user=stage.user, role="own")
    enter(stage, stage.ann, den, stage.front.url)
    stage.ann.click("document.querySelector('#invited-list [data-answer=onJoin]')")
    is_in(stage.ann, "Plans")
    lists(stage.ann, ["Plans", "cid", den])
    stage.front.cut()
    try:
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        stage.ann.say("said offline")
        click(stage.ann, "new-room")
        stage.ann.press("Made offline", Keys.ENTER)
        stage.ann.wait("document.getElementById('new-said').textContent === 'Waiting for the server…'", "the page to wait")
        stage.ann.press(Keys.ENTER)  # one is enough
        stage.ann.press(Keys.ESCAPE)
        stage.ann.driver.find_element("css selector", "#sidebar-list [data-room^='@']").click()
        stage.ann.wait(f"{ROOM} === 'cid'", "the direct room")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    # Nothing says which comes first of what was said and what was made, in two rooms.
    stage.ann.wait(f"{NAMES}.includes('Made offline')", "the room")
    assert stage.ann.run(f"return {ROOM}") == "cid", "who has closed the form does something else"
    stage.ann.sees(["before"])
    cid.room = plans
    said = "document.querySelector('#sidebar-list [data-room^=\"~\"] .said')"
    stage.ann.wait(said, "the row of the room in which something was said")
    stage.ann.click(f"{said}.closest('a')")
    is_in(stage.ann, "Plans")
    stage.ann.sees(["said offline"])
    stage.ann.say("said later")
    lists(stage.ann, ["Plans", "Made offline", "cid", den])

    stage.front.cut()
    try:
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        click(stage.ann, "new-room")
        stage.ann.press("Before the reload", Keys.ENTER)
        stage.ann.press(Keys.ESCAPE)
        stage.ann.driver.refresh()
        stage.ann.wait(f"document.body.dataset.state === 'waiting' && {ROOM} === 'Plans' && document.title === 'Plans · Diffroom'", "the room to be called as before")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    stage.ann.sees(["said offline", "said later"])
    lists(stage.ann, ["Before the reload", "Plans", "Made offline", "cid", den])
    stage.ann.driver.refresh()
    lists(stage.ann, ["Before the reload", "Plans", "Made offline", "cid", den])


@with_rooms
def what_comes_as_a_room_is_read_on_another_device_is_told(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    allow_notifications(stage, stage.ann, url=stage.front.url)
    enter(stage, stage.ann, den, stage.front.url)
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    cid = speaker(stage, den)
    direct = cid.create("direct", stage.user)
    cid.send("first")
    stage.ann.wait("window.told.length === 1", "the first")
    phone = speaker(stage, direct, stage.user)
    with away(stage, stage.ann):
        assert phone.ask(type="read", room=direct)["type"] == "ok"
        wait_until(lambda: row_of(phone, direct)[1]["unread"] == 0, "it to be read")
        cid.send("second")
        wait_until(lambda: row_of(phone, direct)[1]["unread"] == 1, "the second")
    stage.ann.wait("window.told.at(-1).body === 'second'", "the second")


@with_rooms
def invitations_and_direct_messages_are_told_by_what_the_room_is_called(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    told = "window.told.map(({ title, body, isClosed = false }) => [title, body, isClosed])"
    cid = speaker(stage, den)
    cid.create("private", stage.user, title="Plans")
    stage.ann.wait("window.told.length === 1", "the invitation")
    assert stage.ann.run(f"return {told}") == [["cid invites you to Plans", "", False]]
    answer(stage.ann, "Plans", "Accept")
    is_in(stage.ann, "Plans")
    stage.ann.wait("window.told[0].isClosed", "it to be taken back")

    direct = cid.create("direct", stage.user)
    cid.send("without an at sign")
    stage.ann.wait("window.told.length === 2", "the message")
    assert stage.ann.run(f"return {told}[1]") == ["cid", "without an at sign", False]
    group = cid.create("direct", stage.user, "dan")
    speaker(stage, group, stage.user).send("said by myself on the phone")
    cid.send("hello both")
    stage.ann.wait("window.told.length === 3", "the message")
    assert stage.ann.run(f"return {told}[2]") == ["cid, to cid, dan", "hello both", False]
    badge(stage.ann, direct, 1)
    stage.ann.run("window.told[1].dispatchEvent(new Event('click'))")
    is_in(stage.ann, "cid")
    badge(stage.ann, direct, 0)
    hide(stage.ann, True)
    cid.room = direct
    cid.send("are you there?")
    stage.ann.wait("window.told.length === 4", "what comes in a hidden page")
    hide(stage.ann, False)
    stage.ann.wait("window.told[3].isClosed", "it to be read")
