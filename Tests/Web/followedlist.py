"""The list of the threads that the user follows: what it shows, what is done there, and what waits for a connection."""

import json

from following import BUTTON, DIALOG, ITEM, act, begin, close_thread, counts, enter_den, follow, go_to, lists, reply
from keys import SMALL
from opening import KEPT_ROOMS
from page import away
from rooms import enter, rooms, setting, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from threads import REPLIES, is_closed, open_thread, phone, shows


@with_rooms
def a_muted_thread_counts_mentions_only_and_a_done_one_is_folded_away(stage):
    (den,) = enter_den(stage)
    ann, me = stage.ann, stage.user
    one, two = begin(stage, den, "One?"), begin(stage, den, "Two?")
    for thread, text in ((one, "One"), (two, "Two")):
        reply(stage, thread, "ten")
        follow(ann, text, "ten")
        close_thread(ann)
    lists(ann, ["cid: Two?", "nell: ten", ""], ["cid: One?", "nell: ten", ""])
    act(ann, "One", "mute")
    ann.wait(f"({ITEM.replace('arguments[0]', json.dumps('One'))}).querySelector('.muted')", "the sign")
    act(ann, "Two", "archive")
    lists(ann, ["cid: One?", "nell: ten", ""])
    assert ann.run("return document.querySelector('#threads-done .number').textContent") == "1"
    reply(stage, one, "two")
    reply(stage, two, "two")
    lists(ann, ["cid: One?", "nell: two", "1"])
    ann.run("document.getElementById('threads-done').open = true")
    lists(ann, ["cid: One?", "nell: two", "1"], ["cid: Two?", "nell: two", "1"])
    counts(ann, "")
    reply(stage, one, f"@{me}?", mentions=[me])
    counts(ann, "@1")
    act(ann, "One", "read")
    counts(ann, "")
    act(ann, "Two", "unarchive")
    counts(ann, "1")
    act(ann, "One", "unmute")
    reply(stage, one, "three")
    counts(ann, "2")
    act(ann, "Two", "read")
    counts(ann, "1")
    act(ann, "Two", "mark")
    counts(ann, "2")


@with_rooms
def a_thread_whose_message_was_deleted_says_so_and_is_still_followed(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    thread = begin(stage, den)
    cid = stage.people[-1]
    reply(stage, thread, "ten")
    follow(ann, "Friday", "ten")
    close_thread(ann)
    cid.change("delete", thread.split("/")[-1])
    lists(ann, ["The message was deleted", "nell: ten", ""])
    go_to(ann, "deleted")
    shows(ann, "ten")
    ann.wait("document.getElementById('thread-root').textContent === 'This message was deleted.'", "that it is gone")
    ann.click(BUTTON)
    ann.wait(f"{BUTTON}.hidden", "no way to follow it again")


@with_rooms
def the_list_is_used_with_keys(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    for text in ("One?", "Two?"):
        reply(stage, begin(stage, den, text), "ten")
        follow(ann, text, "ten")
        close_thread(ann)
    ann.press(Keys.CONTROL, "k")
    ann.press("threads that I follow", Keys.ENTER)
    ann.wait(f"{DIALOG}.open && document.activeElement.textContent.includes('Two?')", "the first row to have the focus")
    ann.press(Keys.ARROW_DOWN)
    ann.press(Keys.SHIFT, Keys.F10)
    ann.wait("document.activeElement.dataset.act === 'mark'", "the menu")
    ann.press(Keys.ENTER)
    counts(ann, "1")
    ann.wait("document.activeElement.closest('#threads li')?.textContent.includes('One?')", "the focus on the row again")
    ann.press(Keys.HOME, Keys.ENTER)
    shows(ann, "ten")
    assert ann.run("return document.getElementById('thread-text') === document.activeElement")


@with_rooms
def what_is_done_without_a_connection_waits_and_the_list_stays(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    ann = stage.ann
    enter(stage, ann, den, stage.front.url)
    one, two = begin(stage, den, "One?"), begin(stage, den, "Two?")
    reply(stage, one, "ten")
    reply(stage, two, "ten")
    follow(ann, "One", "ten")
    close_thread(ann)
    open_thread(ann, "Two")
    shows(ann, "ten")
    kept = KEPT_ROOMS.replace("me/rooms", "me/threads")
    wait_until(lambda: one in ann.run_async(kept), "the browser to keep the list")
    with away(stage, ann):
        ann.click(BUTTON)
        ann.wait(f"{BUTTON}.ariaPressed === 'true' && {BUTTON}.matches('[data-changing]')", "the button to show what waits")
        lists(ann, ["cid: One?", "nell: ten", ""])
        act(ann, "One", "mute")
        ann.wait("document.querySelector('#threads li[data-changing]')", "the row to show what waits")
        ann.driver.refresh()
        ann.wait("document.body.dataset.state === 'waiting'", "the page")
        lists(ann, ["cid: One?", "nell: ten", ""])
    lists(ann, ["cid: Two?", "nell: ten", ""], ["cid: One?", "nell: ten", ""])
    ann.wait(f"({ITEM.replace('arguments[0]', json.dumps('One'))}).querySelector('.muted') && !document.querySelector('#threads [data-changing]')", "the sign")


@with_rooms
def on_a_phone_the_list_leads_to_a_thread_and_back(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    thread = begin(stage, den)
    reply(stage, thread, "ten")
    follow(ann, "Friday", "ten")
    close_thread(ann)
    reply(stage, thread, "two")
    counts(ann, "1")
    with phone(ann):
        ann.wait("document.getElementById('sidebar-count').textContent === '1'", "the news on the button of the rooms")
        ann.click("document.getElementById('sidebar-button')")
        lists(ann, ["cid: Friday?", "nell: two", "1"])
        small = ann.run(SMALL)
        assert not small, small
        assert ann.run(f"return {DIALOG}.scrollWidth <= {DIALOG}.clientWidth && {DIALOG}.getBoundingClientRect().right <= innerWidth")
        go_to(ann, "Friday")
        shows(ann, "ten", "two")
        small = ann.run(SMALL)
        assert not small, small
        counts(ann, "")
        ann.driver.back()
        is_closed(ann)
        assert ann.run(f"return {REPLIES}") == []
