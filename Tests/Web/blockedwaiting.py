"""Blocks without a connection: each is done at once on the screen, none is lost or done twice, and a refusal says why.

The table is each command of COMMANDS, done offline, in each way in which its page can end; and a refusal in each of ENDS.
"""

from blocking import FOLDED, block, block_there, device, lists_blocked, open_list, sees, stored, unblock
from opening import KEPT_ROOMS
from page import away
from rooms import enter, lists, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from unanswered import COUNT, ENDS, HINT, OFFLINE, end, tabs

KEPT = KEPT_ROOMS.replace("me/rooms", "me/blocked")
NOTHING_KEPT = "!Object.keys(localStorage).some((key) => key.startsWith(`diffroom.command ${document.querySelector('#me bdi').textContent} `))"
# What the list shows while commands wait: of each row the name, and what it says about the command.
SHOWN = "[...document.querySelectorAll('#blocked-list li')].map((row) => row.dataset.name + (row.matches('[data-going]') ? ' going' : row.matches('[data-changing]') ? ' changing' : '')).join()"
WAITS = "bob changing,nell,eve going"


def block_bob(page):
    block(page, "bob")


def unblock_eve(page):
    open_list(page)
    unblock(page, "eve")
    page.press(Keys.ESCAPE)


COMMANDS = {"block": block_bob, "unblock": unblock_eve}


def prepare(stage):
    """The user has blocked eve and nell, and has a direct room with bob, who has said something in the den, as eve has."""
    stage.room = rooms(stage, "den")[0]
    setting(stage, stage.room)
    for user in ("eve", "nell"):
        block_there(stage, user)
    bob = speaker(stage, stage.room, "bob")
    bob.send("one")
    bob.create("direct", stage.user)
    speaker(stage, stage.room, "eve").send("two")
    enter(stage, stage.ann, stage.room, stage.front.url)
    sees(stage.ann, "one", FOLDED)
    lists(stage.ann, [stage.room, "bob"])
    wait_until(lambda: "nell" in stage.ann.run_async(KEPT), "the browser to keep the list")


def do_all(stage):
    for do in COMMANDS.values():
        do(stage.ann)
    shows_all(stage)


def shows_all(stage):
    page = stage.ann
    sees(page, FOLDED, "two")
    lists(page, [stage.room])
    open_list(page)
    page.wait(f"{SHOWN} === '{WAITS}'", "the rows to show what waits")
    page.press(Keys.ESCAPE)


def has_all(stage):
    """Waits until the server has all."""
    wait_until(lambda: stored(stage) == ["nell", "bob"], f"the server to have all: {stored(stage)}")
    lists_blocked(stage.ann, ["bob", "Unblock"], ["nell", "Unblock"])
    stage.ann.wait(f"!document.querySelector('#blocked [data-changing], #blocked [data-going]') && {NOTHING_KEPT}", "no mark")
    sees(stage.ann, FOLDED, "two")
    lists(stage.ann, [stage.room])
    assert stored(stage) == ["nell", "bob"]


def sent_blocks(page):
    return page.run("return window.sentFrames.filter((frame) => frame.startsWith('block'))")


@with_rooms
def who_is_blocked_without_a_connection_is_blocked_at_once_and_the_server_has_it_once(stage):
    prepare(stage)
    stage.ann.run(COUNT)
    with away(stage, stage.ann):
        do_all(stage)
    has_all(stage)
    assert len(sent_blocks(stage.ann)) == len(COMMANDS)


@with_rooms
def a_block_is_not_lost_with_a_reload(stage):
    prepare(stage)
    with away(stage, stage.ann):
        do_all(stage)
        for _ in range(2):
            stage.ann.driver.refresh()
            stage.ann.wait(OFFLINE, "the page")
            shows_all(stage)
    has_all(stage)


@with_rooms
def a_block_is_not_lost_with_its_tab(stage):
    prepare(stage)
    with tabs(stage):
        with away(stage, stage.ann):
            do_all(stage)
            end(stage, "closes")
            stage.ann.driver.get(f"{stage.front.url}/?room={stage.room}")
            shows_all(stage)
        has_all(stage)


@with_rooms
def another_tab_blocks_whom_a_closed_one_has_left_and_nobody_twice(stage):
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
            shows_all(stage)
            go_to(first)
            close(second)
        has_all(stage)
        sent = sent_blocks(stage.ann)
        assert len(sent) == len(COMMANDS), sent


@with_rooms
def of_two_tabs_the_one_in_which_a_user_was_blocked_sends_it(stage):
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
        has_all(stage)
        assert sent_blocks(stage.ann) == []


@with_rooms
def of_blocks_and_unblocks_that_wait_the_last_one_holds(stage):
    prepare(stage)
    with away(stage, stage.ann):
        do_all(stage)
        open_list(stage.ann)
        for user in ("bob", "eve", "eve"):
            stage.ann.run("document.querySelector(`#blocked-list [data-name=${arguments[0]}] button`).click()", user)
        stage.ann.wait(f"{SHOWN} === 'nell,eve going'", "the last of each")
        stage.ann.press(Keys.ESCAPE)
        sees(stage.ann, "one", "two")
    wait_until(lambda: stored(stage) == ["nell"], f"the server to have the last of each: {stored(stage)}")
    stage.ann.wait(NOTHING_KEPT, "nothing to be kept")
    sees(stage.ann, "one", "two")
    lists(stage.ann, [stage.room, "bob"])


# Refusals: the user has blocked as many as may be.


def fill(stage):
    """Makes the user's list full."""
    person = device(stage)
    most = person.ask(type="hello", user=stage.user).get("limits", {}).get("blocked", 1000)
    for number in range(most - len(stored(stage))):
        answer = person.ask(type="block", user=f"full {number}", on=True)
        assert answer["type"] == "ok", answer
    person.close()


@with_rooms
def a_block_that_the_server_refuses_says_why_and_ends(stage):
    prepare(stage)
    for ends in ENDS:
        with tabs(stage):
            stage.ann.wait("document.body.dataset.state === 'online'", "the page")
            with away(stage, stage.ann):
                block_bob(stage.ann)
                sees(stage.ann, FOLDED, FOLDED)
                fill(stage)
                end(stage, ends)
            stage.ann.wait(f"{HINT}.startsWith('bob is not blocked: ')", f"the reason: {ends}")
            sees(stage.ann, "one", FOLDED)
            lists(stage.ann, [stage.room, "bob"])
            stage.ann.wait(NOTHING_KEPT, "nothing to be kept")
    assert "bob" not in stored(stage)
