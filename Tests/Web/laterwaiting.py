"""Scheduled messages and reminders without a connection: no command is lost or done twice, its row shows that, and a refused text comes back.

The table is each command of COMMANDS, done offline, in each way in which its page can end; and the refusals in each of ENDS.
"""

import time

from later import (
    DIALOG,
    HOUR,
    SCHEDULE,
    TIMES,
    WAITING,
    act,
    choose_time,
    close_list,
    counts,
    device,
    lists,
    schedule_there,
    send_later,
    stored,
)
from messagemenu import choose
from opening import KEPT_ROOMS
from page import FIELD, away
from private import QUESTION
from rooms import enter, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from unanswered import COUNT, ENDS, HINT, OFFLINE, end, tabs

KEPT = KEPT_ROOMS.replace("me/rooms", "me/later")
NOTHING_KEPT = "!Object.keys(localStorage).some((key) => key.startsWith(`diffroom.command ${document.querySelector('#me bdi').textContent} `))"
TOMORROW = 24 * HOUR


def send(page):
    send_later(page, "new")


def remind(page):
    choose(page, "hello", "Remind me…")
    choose_time(page, "In 20 minutes")


def edit(page):
    act(page, "old", "Edit")
    page.wait("document.activeElement.name === 'text'", "the dialog")
    page.press(Keys.END, " and more")
    page.click("document.getElementById('time-yes')")


def snooze(page):
    act(page, "hello", "Snooze")
    choose_time(page, "Tomorrow", "document.getElementById('later-menu')")


def send_now(page):
    act(page, "soon", "Send now")


def cancel(page):
    act(page, "doomed", "Cancel")
    page.wait(f"{QUESTION}.open", "the question")
    page.click("document.getElementById('question-yes')")


# Those that are given in the conversation, and then in the list.
COMMANDS = {"send": send, "remind": remind, "edit": edit, "snooze": snooze, "send now": send_now, "cancel": cancel}
# What the list shows while they wait: of each row its text, and what it says about the command.
SHOWN = "[...document.querySelectorAll('#later li')].map((row) => row.querySelector('.words').textContent + (row.matches('[data-going]') ? ' going' : row.matches('[data-changing]') ? ' changing' : '')).sort().join()"
WAITS = "cid: hello changing,cid: hello changing,doomed going,new changing,old and more changing,soon changing"


def prepare(stage):
    """The user has a due reminder, and three messages that wait."""
    stage.room = rooms(stage, "den")[0]
    setting(stage, stage.room)
    hello = speaker(stage, stage.room).send("hello")
    schedule_there(stage, stage.room, -1, message=hello)
    for hence, text in enumerate(("old", "soon", "doomed"), 2):
        schedule_there(stage, stage.room, hence * HOUR, text=text)
    enter(stage, stage.ann, stage.room, stage.front.url)
    stage.ann.sees(["hello"])
    counts(stage.ann, "1")
    wait_until(lambda: "doomed" in stage.ann.run_async(KEPT), "the browser to keep the list")
    lists(stage.ann, ["Due", "cid: hello", "Done Snooze"], *[["Waiting", text, WAITING] for text in ("old", "soon", "doomed")])
    close_list(stage.ann)


def do_all(stage):
    page = stage.ann
    for name, do in COMMANDS.items():
        if name == "edit":
            page.click("document.getElementById('later-button')")
        do(page)
    shows_all(page)


def shows_all(page):
    if not page.run(f"return {DIALOG}.open"):
        page.click("document.getElementById('later-button')")
    page.wait(f"{SHOWN} === '{WAITS}'", "the rows to show what waits")


def has_all(stage):
    """Waits until the server has all, and each once."""
    den = stage.room
    wait_until(lambda: sorted(row.get("text", "a reminder") for row in stored(stage)) == ["a reminder", "a reminder", "new", "old and more"], f"the server to have all: {stored(stage)}")
    now = time.time() * 1000
    assert all(row["section"] == "waiting" and row["at"] > now + 10 * 60_000 for row in stored(stage)), stored(stage)
    wait_until(lambda: speaker(stage, den, "nell").texts() == ["hello", "soon"], "the message to be in the room")
    stage.ann.wait(f"!document.querySelector('#later [data-changing], #later [data-going]') && {NOTHING_KEPT}", "no mark")
    assert speaker(stage, den, "nell").texts() == ["hello", "soon"]


@with_rooms
def what_is_scheduled_without_a_connection_is_shown_and_done_once(stage):
    prepare(stage)
    stage.ann.run(COUNT)
    with away(stage, stage.ann):
        do_all(stage)
        counts(stage.ann, "")
    has_all(stage)
    assert len(stage.ann.run("return window.sentFrames.filter((frame) => frame.startsWith('later'))")) == len(COMMANDS)


@with_rooms
def what_is_scheduled_is_not_lost_with_a_reload(stage):
    prepare(stage)
    with away(stage, stage.ann):
        do_all(stage)
        for _ in range(2):
            stage.ann.driver.refresh()
            stage.ann.wait(OFFLINE, "the page")
            shows_all(stage.ann)
    has_all(stage)


@with_rooms
def what_is_scheduled_is_not_lost_with_its_tab(stage):
    prepare(stage)
    with tabs(stage):
        with away(stage, stage.ann):
            do_all(stage)
            end(stage, "closes")
            stage.ann.driver.get(f"{stage.front.url}/?room={stage.room}")
            shows_all(stage.ann)
        has_all(stage)


@with_rooms
def another_tab_schedules_what_a_closed_one_has_left_and_nothing_twice(stage):
    prepare(stage)
    with tabs(stage) as (first, open_another, go_to, close):
        second = open_another()
        stage.ann.online()
        stage.ann.run(COUNT)
        go_to(first)
        with away(stage, stage.ann):
            do_all(stage)
            go_to(second)
            stage.ann.wait(OFFLINE, "the other tab to notice")
            shows_all(stage.ann)
            go_to(first)
            close(second)
        has_all(stage)
        sent = stage.ann.run("return window.sentFrames.filter((frame) => frame.startsWith('later'))")
        assert len(sent) == len(COMMANDS), sent


@with_rooms
def of_two_tabs_the_one_in_which_it_was_scheduled_sends_it(stage):
    prepare(stage)
    with tabs(stage) as (first, open_another, go_to, _close):
        second = open_another()
        stage.ann.online()
        stage.ann.run(COUNT)
        go_to(first)
        with away(stage, stage.ann):
            do_all(stage)
        has_all(stage)
        go_to(second)
        stage.ann.wait("document.body.dataset.state === 'online'", "the other tab")
        assert stage.ann.run("return window.sentFrames.filter((frame) => frame.startsWith('later'))") == []


# Refusals: there are as many as may be, and a message was sent before its cancel came.


def fill(stage):
    """Makes the user's list full."""
    person = device(stage)
    for number in range(100 - len(stored(stage))):
        id = f"{number:08x}-0000-4000-8000-000000000000"
        assert person.ask(type="later", id=id, room=stage.room, at=int(time.time() * 1000) + TOMORROW, text="full")["type"] == "ok"


@with_rooms
def a_message_that_is_not_scheduled_comes_back_into_the_field(stage):
    for ends in ENDS:
        with tabs(stage):
            stage.room = rooms(stage, "den")[0]
            setting(stage, stage.room)
            enter(stage, stage.ann, stage.room, stage.front.url)
            stage.ann.wait(f"!{SCHEDULE}.hidden", "the server to have the list")
            with away(stage, stage.ann):
                send(stage.ann)
                assert stage.ann.run(f"return {FIELD}") == ""
                fill(stage)
                end(stage, ends)
            stage.ann.wait(f"{FIELD} === 'new'", f"the text: {ends}")
            stage.ann.wait(f"{HINT}.startsWith('The text is in the field again. It is not scheduled: ')", f"the reason: {ends}")
            stage.ann.wait(NOTHING_KEPT, "nothing to be kept")
            stage.ann.run("document.getElementById('text').focus()")
            stage.ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
            assert not [row for row in stored(stage) if row["text"] == "new"]


@with_rooms
def a_cancel_that_comes_too_late_says_so(stage):
    prepare(stage)
    ann = stage.ann
    (doomed,) = [row for row in stored(stage) if row.get("text") == "doomed"]
    with away(stage, ann):
        ann.click("document.getElementById('later-button')")
        cancel(ann)
        ann.wait(f"{SHOWN}.includes('doomed going')", "the row to show what waits")
        answer = device(stage).ask(type="later", id=doomed["id"], room=stage.room, at=0, text="doomed")
        assert answer["type"] == "ok", answer
        wait_until(lambda: "doomed" in speaker(stage, stage.room, "nell").texts(), "the message to be sent")
    ann.wait("document.getElementById('later-said').textContent === 'It is too late: the message was sent.'", "the reason")
    lists(ann, ["Due", "cid: hello", "Done Snooze"], *[["Waiting", text, WAITING] for text in ("old", "soon")])
    assert not ann.run(f"return {TIMES}.matches(':popover-open')")
