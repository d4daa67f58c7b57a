"""Following threads: who follows one, and what counts until it is read on any device."""

import json

from mentions import KEEP_NOTIFICATIONS, allow_notifications, called
from messagemenu import choose
from opening import watched
from rooms import enter, rooms, setting, speaker, with_rooms
from threads import answer, in_thread, is_closed, open_thread, shows

COUNT = "document.getElementById('threads-count')"
BUTTON = "document.getElementById('thread-follow')"
DIALOG = "document.getElementById('threads')"
# What the list shows: of each row the message and the newest reply, with the numbers behind it.
LISTED = """[...document.querySelectorAll('#threads-list > li, #threads-done[open] li')].map((row) => [
  row.querySelector('.root').textContent, row.querySelector('.last')?.textContent ?? '', [...row.querySelectorAll('.badge')].map((one) => one.firstChild.textContent).join(' '),
])"""
ITEM = "[...document.querySelectorAll('#threads li')].find((row) => row.querySelector('.root').textContent.includes(arguments[0]))"


def begin(stage, room, text="Friday?", author="cid"):
    """Makes a message, and returns the name of its thread."""
    return f"{room}/thread/{speaker(stage, room, author).send(text)}"


def reply(stage, thread, text, author="nell", **more):
    person = stage.person(author)
    return in_thread(person, thread, lambda: person.send(text, **more))


def enter_den(stage, *others):
    """The user's page in a room. Returns the room's name, and those of others that the user is in."""
    den, *others = rooms(stage, "den", *others)
    setting(stage, den, *others)
    enter(stage, stage.ann, den)
    return den, *others


def follow(page, text, *replies):
    open_thread(page, text)
    shows(page, *replies)
    page.click(BUTTON)
    follows(page, True)


def follows(page, on):
    page.wait(f"!{BUTTON}.hidden && {BUTTON}.ariaPressed === '{str(on).lower()}' && !{BUTTON}.matches('[data-changing]')", f"the button to show {on}")


def counts(page, text):
    page.wait(f"{COUNT}.textContent === '{text}'", f"{text!r} threads with news")


def lists(page, *wanted):
    """Opens the list, and waits for its rows: of each the message, the newest reply and the numbers."""
    if not page.run(f"return {DIALOG}.open"):
        page.click("document.getElementById('threads-button')")
    page.wait(f"JSON.stringify({LISTED}) === JSON.stringify({json.dumps([list(row) for row in wanted])})", f"the threads {wanted}")


def act(page, text, what):
    """Does something by the menu of a row."""
    page.click(f"({ITEM})?.querySelector('.more')", text)
    page.click(f"document.querySelector('#threads-menu [data-act={what}]')")


def close_list(page):
    page.click("document.getElementById('threads-close')")


def go_to(page, text):
    page.click(f"({ITEM})?.firstChild", text)


def close_thread(page):
    page.click("document.getElementById('thread-close')")
    is_closed(page)


@with_rooms
def a_thread_is_followed_and_its_replies_count_until_they_are_read_on_any_device(stage):
    den, tea = enter_den(stage, "tea")
    ann, bob = stage.ann, stage.bob
    enter(stage, bob, tea)
    thread = begin(stage, den)
    reply(stage, thread, "ten")
    follow(ann, "Friday", "ten")
    close_thread(ann)
    lists(bob, ["cid: Friday?", "nell: ten", ""])
    reply(stage, thread, "two")
    for page in (ann, bob):
        counts(page, "1")
    assert ann.run("return document.getElementById('threads-button').ariaLabel") == "Threads, 1 unread"
    lists(bob, ["cid: Friday?", "nell: two", "1"])
    go_to(bob, "Friday")
    shows(bob, "ten", "two")
    bob.wait("document.querySelector('#thread-timeline .since')?.textContent.includes('1 new since you last read')", "the line above the new reply")
    for page in (ann, bob):
        counts(page, "")
    follows(bob, True)


@with_rooms
def an_author_of_a_reply_and_a_mentioned_person_follow_without_a_click(stage):
    den, tea = enter_den(stage, "tea")
    ann, me = stage.ann, stage.user
    mine = begin(stage, den, "Mine?")
    open_thread_of(ann, "Mine")
    follows(ann, False)
    answer(ann, "I reply")
    shows(ann, "I reply")
    follows(ann, True)
    close_thread(ann)
    other = begin(stage, tea, "Other?")
    reply(stage, other, f"look, @{me}", mentions=[me])
    counts(ann, "@1")
    called(ann, tea, 1)
    assert ann.run(f"return {COUNT}.classList.contains('call')")
    reply(stage, mine, "and more")
    lists(ann, ["cid: Mine?", "nell: and more", "1"], ["cid: Other?", f"nell: look, @{me}", "@1 1"])
    go_to(ann, "Other")
    shows(ann, "look, ")
    counts(ann, "1")
    called(ann, tea, 0)


def open_thread_of(page, text):
    """Opens the thread of a message that has no replies yet."""
    page.wait(f"[...document.querySelectorAll('#timeline .row')].some((row) => row.textContent.includes({json.dumps(text)}))", "the message")
    choose(page, text, "Reply in thread")
    page.wait("document.getElementById('thread-beginning').textContent === 'No replies yet'", "the thread")


@with_rooms
def a_thread_is_left_by_its_button_and_by_the_menu_of_its_row(stage):
    (den,) = enter_den(stage)
    ann, bob = stage.ann, stage.bob
    enter(stage, bob, den)
    one, two, three = (begin(stage, den, text) for text in ("One?", "Two?", "Three?"))
    for thread, text in ((one, "One"), (two, "Two"), (three, "Three")):
        reply(stage, thread, "ten")
        follow(ann, text, "ten")
    lists(bob, ["cid: Three?", "nell: ten", ""], ["cid: Two?", "nell: ten", ""], ["cid: One?", "nell: ten", ""])
    ann.click(BUTTON)
    follows(ann, False)
    close_thread(ann)
    lists(bob, ["cid: Two?", "nell: ten", ""], ["cid: One?", "nell: ten", ""])
    act(bob, "One", "leave")
    lists(bob, ["cid: Two?", "nell: ten", ""])
    bob.wait("document.activeElement.closest('#threads li')?.textContent.includes('Two?')", "the focus on the row beside it")
    for thread in (one, three, two):
        reply(stage, thread, "more")
    for page in (ann, bob):
        counts(page, "1")
        lists(page, ["cid: Two?", "nell: more", "1"])


@with_rooms
def who_is_put_out_of_a_room_loses_its_threads(stage):
    (den,) = enter_den(stage)
    ann, me = stage.ann, stage.user
    cid = stage.person("cid")
    plans = cid.create("private", me, title="Plans")
    assert speaker(stage, plans, me).ask(type="join", room=plans)["type"] == "ok"
    for room, text in ((den, "Banned?"), (plans, "Out?")):
        reply(stage, begin(stage, room, text), f"@{me}", "cid", mentions=[me])
    counts(ann, "@2")
    lists(ann, ["cid: Out?", f"cid: @{me}", "@1 1"], ["cid: Banned?", f"cid: @{me}", "@1 1"])
    close_list(ann)
    cid.moderate("appoint", user=me, role="none")
    counts(ann, "@1")
    lists(ann, ["cid: Banned?", f"cid: @{me}", "@1 1"])
    stage.server.moderate(den, "ban", user=me)
    counts(ann, "")
    lists(ann)
    assert ann.run("return document.getElementById('threads-none').checkVisibility()")


@with_rooms
def a_reply_is_marked_as_unread_on_all_devices(stage):
    (den,) = enter_den(stage)
    ann, bob = stage.ann, stage.bob
    enter(stage, bob, den)
    thread = begin(stage, den)
    reply(stage, thread, "ten")
    follow(ann, "Friday", "ten")
    for text in ("two", "three"):
        reply(stage, thread, text)
    shows(ann, "ten", "two", "three")
    choose(ann, "two", "Mark unread from here")
    lists(bob, ["cid: Friday?", "nell: three", "2"])
    lists(ann, ["cid: Friday?", "nell: three", "2"])
    go_to(ann, "Friday")
    counts(bob, "")
    lists(bob, ["cid: Friday?", "nell: three", ""])


@with_rooms
def a_reply_that_calls_the_user_raises_a_notification(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    ann, me = stage.ann, stage.user
    allow_notifications(stage, ann)
    enter(stage, ann, den)
    ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    thread = begin(stage, tea)
    reply(stage, thread, f"come, @{me}", mentions=[me])
    ann.wait("window.told.length", "to be told")
    assert ann.run("return window.told.map(({ title, body }) => [title, body])") == [[f"nell in a thread of #{tea}", f"come, @{me}"]]
    ann.run("window.told[0].dispatchEvent(new Event('click'))")
    shows(ann, "come, ")
    counts(ann, "")
    ann.wait("window.told[0].isClosed", "the notification to be closed")


@with_rooms
def a_server_without_followed_threads_is_no_trouble(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    ann = stage.ann
    reply(stage, begin(stage, den), "ten")
    with watched(ann, refused=["me/threads"]):
        enter(stage, ann, den)
        open_thread(ann, "Friday")
        shows(ann, "ten")
        ann.wait(f"{BUTTON}.hidden && document.getElementById('threads-button').hidden", "no way to follow it")
        answer(ann, "two")
        shows(ann, "ten", "two")
