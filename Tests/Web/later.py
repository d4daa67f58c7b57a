"""Scheduled messages and reminders: how they are made, what their list shows, and what becomes of them."""

import json
import time
import uuid

from clocks import shifted
from following import begin, close_thread, reply
from keys import SMALL
from mentions import KEEP_NOTIFICATIONS, allow_notifications
from messagemenu import choose
from opening import watched
from page import FIELD
from private import QUESTION
from rooms import enter, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from threads import open_thread, phone, shows
from unanswered import tool

DIALOG = "document.getElementById('later')"
COUNT = "document.getElementById('later-count').textContent"
SCHEDULE = "document.getElementById('schedule')"
EDIT = "document.getElementById('time-dialog')"
TIMES = "document.getElementById('times-menu')"
NOTE = "document.getElementById('hint').textContent"
# What the list shows: of each row its section, its text, and what can be done with it.
LISTED = """[...document.querySelectorAll('#later li')].map((row) => [
  row.closest('section').querySelector('h3').textContent, row.querySelector('.words').textContent, [...row.querySelectorAll('.does button')].map((one) => one.textContent).join(' '),
])"""
ITEM = "[...document.querySelectorAll('#later li')].find((row) => row.querySelector('.words').textContent.includes(arguments[0]))"
WAITING = "Send now Edit Cancel"
HOUR = 3_600_000


def device(stage):
    """Returns another device of the user."""
    return stage.person(stage.user)


def stored(stage):
    """Returns the rows that the server has."""
    person = device(stage)
    snapshot = person.ask(type="subscribe", list="me/later")
    person.close()
    return [row | {"section": section["id"]} for section in snapshot["sections"] for row in section["rows"]]


def schedule_there(stage, room, hence, **what):
    """Schedules something from another device, so many milliseconds from now. Returns its id."""
    id = str(uuid.uuid4())
    answer = device(stage).ask(type="later", id=id, room=room, at=int(time.time() * 1000) + hence, **what)
    assert answer["type"] == "ok", answer
    return id


def write(page, text):
    page.run("document.getElementById('text').focus()")
    page.press(text)


def choose_time(page, label, menu=TIMES):
    page.wait(f"{menu}.matches(':popover-open')", "the menu of times")
    page.click(f"[...{menu}.querySelectorAll('button')].find((one) => one.textContent.startsWith(arguments[0]))", label)


def send_later(page, text, label="In 1 hour"):
    write(page, text)
    page.click(SCHEDULE)
    choose_time(page, label)


def lists(page, *wanted):
    """Opens the list, and waits for its rows: of each the section, the text, and what can be done."""
    if not page.run(f"return {DIALOG}.open"):
        page.click("document.getElementById('later-button')")
    page.wait(f"JSON.stringify({LISTED}) === JSON.stringify({json.dumps([list(row) for row in wanted])})", f"the rows {wanted}")


def act(page, text, label):
    page.click(f"[...({ITEM}).querySelectorAll('.does button')].find((one) => one.textContent === arguments[1])", text, label)


def close_list(page):
    page.click("document.getElementById('later-close')")


def counts(page, text):
    page.wait(f"{COUNT} === '{text}'", f"{text!r} that are due")


def enter_den(stage, *others):
    den, *others = rooms(stage, "den", *others)
    setting(stage, den, *others)
    enter(stage, stage.ann, den)
    stage.ann.wait(f"!{SCHEDULE}.hidden", "the server to have the list")
    return den, *others


@with_rooms
def a_message_is_scheduled_and_sent_at_once_instead(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    assert not ann.run(f"return {SCHEDULE}.checkVisibility()")
    before = time.time() * 1000
    send_later(ann, "good morning")
    ann.wait(f"{FIELD} === '' && {NOTE}.startsWith('The message will be sent: ')", "the field to be empty")
    wait_until(lambda: stored(stage), "the server to have it")
    (row,) = stored(stage)
    assert (row["section"], row["room"], row["text"]) == ("waiting", den, "good morning"), row
    assert abs(row["at"] - before - HOUR) < 30_000, row
    lists(ann, ["Waiting", "good morning", WAITING])
    act(ann, "good morning", "Send now")
    lists(ann)
    assert speaker(stage, den, "nell").texts() == ["good morning"]
    close_list(ann)
    ann.sees(["good morning"])


@with_rooms
def a_scheduled_message_is_changed_and_cancelled(stage):
    _den, tea = enter_den(stage, "tea")
    ann = stage.ann
    id = schedule_there(stage, tea, HOUR, text="good morning")
    lists(ann, ["Waiting", "good morning", WAITING])
    act(ann, "good morning", "Edit")
    ann.wait(f"{EDIT}.open && document.activeElement.name === 'text'", "the dialog")
    ann.press(Keys.END, ", bob")
    ann.run("document.querySelector('#time-form [name=at]').value = '2020-01-01T09:00'")
    ann.click("document.getElementById('time-yes')")
    ann.wait("document.getElementById('time-said').textContent === 'This time is past.'", "a refusal")
    ann.run("const field = document.querySelector('#time-form [name=at]'); const day = new Date(Date.now() + 86400000 * 3); day.setHours(9, 0, 0, 0); field.value = new Date(day - day.getTimezoneOffset() * 60000).toISOString().slice(0, 16)")
    ann.click("document.getElementById('time-yes')")
    lists(ann, ["Waiting", "good morning, bob", WAITING])
    wait_until(lambda: [row["text"] for row in stored(stage)] == ["good morning, bob"], "the server to have the change")
    (row,) = stored(stage)
    assert (row["id"], row["room"]) == (id, tea) and row["at"] > time.time() * 1000 + 40 * HOUR, row
    act(ann, "good morning", "Cancel")
    ann.wait(f"{QUESTION}.open", "the question")
    ann.click("document.getElementById('question-no')")
    lists(ann, ["Waiting", "good morning, bob", WAITING])
    act(ann, "good morning", "Cancel")
    ann.click("document.getElementById('question-yes')")
    lists(ann)
    assert ann.run("return document.getElementById('later-none').checkVisibility() && document.activeElement.id") == "later-close"
    wait_until(lambda: not stored(stage), "the server to have nothing")
    assert not speaker(stage, tea, "nell").texts()


@with_rooms
def a_message_that_was_sent_while_it_was_changed_gives_the_text_back(stage):
    den, tea = enter_den(stage, "tea")
    ann = stage.ann
    id = schedule_there(stage, den, HOUR, text="good morning")
    lists(ann, ["Waiting", "good morning", WAITING])
    act(ann, "good morning", "Edit")
    ann.wait(f"{EDIT}.open && document.activeElement.name === 'text'", "the dialog")
    ann.press(Keys.END, ", bob")
    assert device(stage).ask(type="later", id=id, room=den, at=0, text="good morning")["type"] == "ok"
    ann.wait("!document.querySelector('#later li')", "the message to be sent")
    ann.click("document.getElementById('time-yes')")
    ann.wait(f"{FIELD} === 'good morning, bob' && {NOTE}.startsWith('The text is in the field again. ')", "the text")
    assert not stored(stage)
    assert speaker(stage, tea, "nell").texts() == []


@with_rooms
def a_reminder_becomes_due_with_one_notification_and_leads_to_its_message(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    ann = stage.ann
    allow_notifications(stage, ann)
    id = speaker(stage, den).send("ten o'clock")
    enter(stage, ann, den)
    ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    ann.wait(f"!{SCHEDULE}.hidden", "the server to have the list")
    choose(ann, "ten o'clock", "Remind me…")
    choose_time(ann, "In 3 hours")
    ann.wait(f"{NOTE}.startsWith('You will be reminded: ')", "a note")
    lists(ann, ["Waiting", "cid: ten o'clock", "Change the time Cancel"])
    (row,) = stored(stage)
    assert (row["message"], row["room"]) == (id, den), row
    assert device(stage).ask(type="later", id=row["id"], room=den, at=int(time.time() * 1000) + 500, message=id)["type"] == "ok"
    counts(ann, "1")
    lists(ann, ["Due", "cid: ten o'clock", "Done Snooze"])
    ann.wait("window.told.length", "to be told")
    assert ann.run("return window.told.map(({ title, body }) => [title, body])") == [[f"Reminder: cid in #{den}", "ten o'clock"]]
    act(ann, "ten", "Snooze")
    choose_time(ann, "In 1 hour", "document.getElementById('later-menu')")
    lists(ann, ["Waiting", "cid: ten o'clock", "Change the time Cancel"])
    counts(ann, "")
    ann.wait("window.told[0].isClosed && !document.querySelector('#later [data-changing]')", "the notification to go")
    assert device(stage).ask(type="later", id=row["id"], room=den, at=0, message=id)["type"] == "ok"
    lists(ann, ["Due", "cid: ten o'clock", "Done Snooze"])
    ann.wait("window.told.length === 2", "to be told again")
    ann.click(f"({ITEM}).firstChild", "ten")
    ann.wait("document.querySelector('.row[data-found]')?.textContent.includes('ten')", "the message")
    ann.enter_again()
    ann.run(KEEP_NOTIFICATIONS)
    counts(ann, "1")
    lists(ann, ["Due", "cid: ten o'clock", "Done Snooze"])
    act(ann, "ten", "Done")
    lists(ann)
    wait_until(lambda: not stored(stage), "the server to have nothing")
    assert ann.run("return window.told") == []


@with_rooms
def a_reminder_of_a_message_that_is_gone_says_so(stage):
    _den, tea = enter_den(stage, "tea")
    ann = stage.ann
    cid = speaker(stage, tea)
    id = cid.send("soon gone")
    schedule_there(stage, tea, -1, message=id)
    lists(ann, ["Due", "cid: soon gone", "Done Snooze"])
    close_list(ann)
    cid.change("delete", id)
    lists(ann, ["Due", "The message was deleted, or you may not read it any more.", "Done Snooze"])


@with_rooms
def a_message_that_the_server_could_not_send_says_why_and_is_sent_again(stage):
    (den,) = enter_den(stage)
    ann, me = stage.ann, stage.user
    allow_notifications(stage, ann)
    ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    stage.server.moderate(den, "mute", user=me, **{"for": 600_000})
    ann.wait("document.getElementById('standing').textContent.startsWith('You are muted')", "the mute")
    send_later(ann, "let me speak")
    lists(ann, ["Waiting", "let me speak", WAITING])
    act(ann, "let me", "Send now")
    lists(ann, ["Due", "let me speak", "Try again Edit Cancel"])
    assert ann.run("return document.querySelector('#later .refusal').textContent") == "Not sent: You were muted in the room."
    counts(ann, "1")
    ann.wait("window.told.length", "to be told")
    assert ann.run("return window.told.map(({ title, body }) => [title, body])") == [[f"Not sent to #{den}", "let me speak"]]
    stage.server.moderate(den, "unmute", user=me)
    act(ann, "let me", "Try again")
    lists(ann)
    assert speaker(stage, den, "nell").texts() == ["let me speak"]
    counts(ann, "")


@with_rooms
def a_reply_with_mentions_is_scheduled_and_files_commands_and_edits_are_not(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    nell = speaker(stage, den, "nell")
    nell.enter()
    id = nell.send("who comes?")
    ann.say("mine")
    ann.sees(["who comes?", "mine"])
    tool(ann, "who comes?", "reply")
    send_later(ann, "@nell and I")
    wait_until(lambda: stored(stage), "the server to have it")
    (row,) = stored(stage)
    assert (row["replyTo"], row["mentions"]) == (id, ["nell"]), row
    assert not ann.run("return document.getElementById('mode').checkVisibility()")
    for text in ("/mute nell 10m", "  "):
        write(ann, text)
        if text.strip():
            ann.click(SCHEDULE)
            ann.wait(f"{NOTE} === 'A command cannot be sent later.' && {FIELD} === '{text}'", "a refusal")
        ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    ann.press(Keys.ARROW_UP, "e")
    ann.click(SCHEDULE)
    ann.wait(f"{NOTE} === 'An edit cannot be sent later.' && {FIELD} === 'mine'", "a refusal")
    assert len(stored(stage)) == 1


@with_rooms
def a_reply_in_a_thread_is_scheduled_and_reminded_of(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    thread = begin(stage, den, "Friday?")
    reply(stage, thread, "ten")
    open_thread(ann, "Friday")
    shows(ann, "ten")
    ann.run("document.getElementById('thread-text').focus()")
    ann.press("at eleven")
    ann.press(Keys.CONTROL, "k")
    ann.press("send this reply later", Keys.ENTER)
    choose_time(ann, "Tomorrow")
    ann.wait("document.getElementById('thread-text').value === ''", "the field to be empty")
    choose(ann, "ten", "Remind me…")
    choose_time(ann, "In 20 minutes")
    lists(ann, ["Waiting", "nell: ten", "Change the time Cancel"], ["Waiting", "at eleven", WAITING])
    assert {row["room"] for row in stored(stage)} == {thread}
    close_thread_and_list(ann)
    ann.click("document.getElementById('later-button')")
    ann.click(f"({ITEM}).firstChild", "ten")
    shows(ann, "ten")
    ann.wait("document.querySelector('#thread .row[data-found]')?.textContent.includes('ten')", "the reply")


def close_thread_and_list(page):
    close_list(page)
    close_thread(page)


@with_rooms
def the_list_is_used_with_keys(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    one, two = (speaker(stage, den).send(text) for text in ("One?", "Two?"))
    ann.sees(["One?", "Two?"])
    for hence, message in ((-2000, one), (-1000, two)):
        schedule_there(stage, den, hence, message=message)
    counts(ann, "2")
    ann.press(Keys.CONTROL, "k")
    ann.press("messages and reminders", Keys.ENTER)
    ann.wait(f"{DIALOG}.open && document.activeElement.textContent.includes('One?')", "the first row to have the focus")
    ann.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    ann.wait("document.activeElement.textContent === 'Snooze'", "the button")
    ann.press(Keys.ENTER)
    ann.wait("document.activeElement.dataset.act === 'minutes'", "the menu of times")
    ann.press(Keys.ESCAPE)
    ann.wait("document.activeElement.textContent === 'Snooze'", "the focus to be back")
    ann.press(Keys.ARROW_LEFT)
    ann.press(Keys.ARROW_UP, Keys.ENTER)
    lists(ann, ["Due", "cid: Two?", "Done Snooze"])
    ann.wait("document.activeElement.closest('#later li')?.textContent.includes('Two?')", "the focus on the next row")
    counts(ann, "1")
    ann.press(Keys.ESCAPE)
    ann.wait(f"!{DIALOG}.open", "the list to be closed")


@with_rooms
def in_an_hour_is_by_the_clock_of_the_server(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    for by in (-5 * HOUR, 5 * HOUR):
        with shifted(stage.ann, by):
            enter(stage, stage.ann, den)
            stage.ann.wait(f"!{SCHEDULE}.hidden", "the server to have the list")
            before = time.time() * 1000
            send_later(stage.ann, f"by {by}")
            wait_until(lambda by=by: any(row["text"] == f"by {by}" for row in stored(stage)), "the server to have it")
            (row,) = [row for row in stored(stage) if row["text"] == f"by {by}"]
            assert abs(row["at"] - before - HOUR) < 30_000, row


@with_rooms
def a_server_without_such_a_list_is_no_trouble(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    ann = stage.ann
    with watched(ann, refused=["me/later"]):
        speaker(stage, den).send("hello")
        enter(stage, ann, den)
        ann.wait("document.getElementById('threads-button').checkVisibility()", "the lists")
        write(ann, "now")
        assert ann.run("return [document.getElementById('later-button'), document.getElementById('schedule')].map((one) => one.checkVisibility())") == [False, False]
        menu = "document.getElementById('message-menu')"
        choose(ann, "hello", "Copy text")
        assert "Remind" not in ann.run(f"return {menu}.textContent")


@with_rooms
def on_a_phone_a_finger_hits_what_it_means_in_the_list(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    id = speaker(stage, den).send("One?")
    schedule_there(stage, den, -1, message=id)
    schedule_there(stage, den, HOUR, text=("a long message " * 20).strip())
    with phone(ann):
        write(ann, "later")
        ann.wait(f"{SCHEDULE}.checkVisibility()", "the button")
        small = ann.run(SMALL)
        assert not small, small
        ann.click("document.getElementById('sidebar-button')")
        ann.wait("document.getElementById('later-button').checkVisibility()", "the button of the list")
        assert ann.run("return document.querySelector('#sidebar-top .bar').scrollWidth <= document.querySelector('#sidebar-top .bar').clientWidth")
        lists(ann, ["Due", "cid: One?", "Done Snooze"], ["Waiting", ("a long message " * 20).strip(), WAITING])
        small = ann.run(SMALL)
        assert not small, small
        assert ann.run(f"return {DIALOG}.scrollWidth <= {DIALOG}.clientWidth && {DIALOG}.getBoundingClientRect().right <= innerWidth")
        act(ann, "a long", "Edit")
        ann.wait(f"{EDIT}.open", "the dialog")
        small = ann.run(SMALL)
        assert not small, small
        ann.click("document.getElementById('time-no')")
        ann.click(f"({ITEM}).firstChild", "One")
        ann.wait("document.querySelector('.row[data-found]')?.textContent.includes('One')", "the message")
