"""Threads: the way to one below its message, the pane beside the room, and what is done there."""

import json
from contextlib import contextmanager

from files import GIVE
from keys import SMALL
from messagemenu import choose, choose_at
from page import ROW, STANDING, test
from selenium.webdriver.common.keys import Keys
from server import wait_until

PANE = "document.getElementById('thread')"
ROOT = "document.querySelector('#thread-root .text')?.firstChild.textContent"
REPLIES = "[...document.querySelectorAll('#thread-timeline .row .text')].map((text) => text.firstChild.textContent)"
FIELD = "document.getElementById('thread-text').value"
MODE = "document.getElementById('thread-mode-text').textContent"
HINT = "document.getElementById('thread-hint').textContent"
REPLY = "[...document.querySelectorAll('#thread-timeline .row')].find((row) => row.textContent.includes(arguments[0]))"
FOCUSED = "document.activeElement.id"


def begin(stage, *replies, text="Friday?"):
    """Makes a message with replies by nell. Returns its id and the name of its thread."""
    nell = stage.person("nell")
    root = nell.send(text)
    name = f"{stage.room}/thread/{root}"
    in_thread(nell, name, lambda: nell.send_all(list(replies)))
    return root, name


def in_thread(person, name, act):
    room, person.room = person.room, name
    try:
        return act()
    finally:
        person.room = room


def enter_thread(stage, page, root, more=""):
    page.driver.get(f"{stage.url}/?room={stage.room}&thread={root}{more}")
    page.online()


def open_thread(page, text):
    page.click(f"({ROW}).querySelector('.replies')", text)


def shows(page, *replies):
    """Waits until the pane shows exactly these replies, none of them pending."""
    page.wait(f"!{PANE}.hidden && !document.querySelector('#thread .row[data-state]') && JSON.stringify({REPLIES}) === JSON.stringify({json.dumps(replies)})", f"the replies {replies}")


def is_closed(page):
    page.wait(f"{PANE}.hidden && !location.search.includes('thread') && !document.querySelector('#thread .row')", "the thread to be closed")


def answer(page, text):
    page.run("document.getElementById('thread-text').focus()")
    page.press(text, Keys.ENTER)


@contextmanager
def phone(page):
    page.resize(390, 844, scale=2, phone=True)
    page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        yield
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        page.resize(1180, 760)


def is_stored(device, text, name):
    """Waits until the server has this draft in a thread; none for `None`."""

    def drafts():
        snapshot = device.ask(type="subscribe", list="me/drafts")
        device.ask(type="unsubscribe", list="me/drafts")
        return {row["id"]: row["text"] for row in snapshot["sections"][0]["rows"]}

    wait_until(lambda: drafts().get(name) == text, f"the server to have {text!r}")


# Opening and closing


@test
def a_message_with_replies_shows_who_has_replied_and_leads_to_them(stage):
    ann = stage.ann
    begin(stage, "ten", "two")
    ann.enter()
    ann.wait(f"({ROW.replace('arguments[0]', json.dumps('Friday'))})?.querySelector('.replies b')?.textContent === '2 replies'", "the replies")
    assert ann.row("Friday", "[...row.querySelectorAll('.replies .avatar')].map((face) => face.dataset.person)") == ["nell"]
    assert ann.row("Friday", "row.querySelector('.replies time').textContent")
    ann.row("Friday", "row.querySelector('.replies').focus()")
    ann.press(Keys.ENTER)
    shows(ann, "ten", "two")
    assert ann.run(f"return [{ROOT}, {FOCUSED}, document.getElementById('thread-of').textContent]") == ["Friday?", "thread-text", f"#{stage.room}"]
    ann.press(Keys.ESCAPE)
    is_closed(ann)
    assert ann.row("Friday", "row === document.activeElement")


@test
def a_reply_goes_to_the_thread_and_to_nobody_elses_room(stage):
    ann, bob = stage.ann, stage.bob
    begin(stage, "ten")
    ann.enter()
    bob.enter()
    for page in (ann, bob):
        open_thread(page, "Friday")
        shows(page, "ten")
    bob.press("t")
    ann.wait("document.getElementById('thread-typing').textContent.startsWith('bob')", "that bob types")
    assert not ann.run("return document.getElementById('typing').textContent")
    bob.press("wo", Keys.ENTER)
    shows(ann, "ten", "two")
    shows(bob, "ten", "two")
    ann.wait(f"({ROW.replace('arguments[0]', json.dumps('Friday'))}).querySelector('.replies b').textContent === '2 replies'", "the number")
    assert ann.row("Friday", "[...row.querySelectorAll('.replies .avatar')].map((face) => face.dataset.person)") == ["bob", "nell"]
    assert ann.run("return document.querySelectorAll('#timeline .row').length") == 1
    assert not ann.run("return [...document.querySelectorAll('#sidebar a')].some((link) => link.dataset.room?.includes('thread'))")


@test
def a_thread_begins_by_the_menu_and_by_a_key(stage):
    ann = stage.ann
    ann.enter()
    ann.say("first")
    ann.say("second")
    ann.sees(["first", "second"])
    choose(ann, "first", "Reply in thread")
    ann.wait(f"{ROOT} === 'first' && document.getElementById('thread-beginning').textContent === 'No replies yet'", "the thread")
    ann.press(Keys.ESCAPE)
    is_closed(ann)
    ann.run("document.getElementById('text').focus()")
    ann.press(Keys.ARROW_UP, "t")
    ann.wait(f"{ROOT} === 'second' && {FOCUSED} === 'thread-text' && document.getElementById('selecting').hidden", "the other thread")
    ann.press("a reply", Keys.ENTER)
    shows(ann, "a reply")
    ann.wait("document.getElementById('thread-follow').ariaPressed === 'true'", "ann to follow the thread")
    ann.press(Keys.ARROW_UP, Keys.SHIFT, Keys.F10)
    ann.wait("document.getElementById('message-menu').matches(':popover-open')", "the menu")
    acts = ann.run("return [...document.querySelectorAll('#message-menu button')].map((one) => one.textContent)")
    assert acts == ["Reply", "Quote", "Forward", "React", "Edit", "Copy text", "Copy link", "Mark unread from here", "Remind me…", "Delete"], acts


@test
def the_address_names_the_thread_and_back_closes_it(stage):
    ann = stage.ann
    root, name = begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    assert ann.run("return location.search") == f"?room={stage.room}&thread={root}"
    ann.enter_again()
    shows(ann, "ten")
    ann.driver.back()
    is_closed(ann)
    ann.driver.forward()
    shows(ann, "ten")
    ann.run("document.getElementById('thread-close').click()")
    is_closed(ann)
    ann.driver.get(f"{stage.url}/?room={name}")
    ann.online()
    shows(ann, "ten")
    ann.run("document.getElementById('thread-close').click()")
    is_closed(ann)


@test
def a_link_and_a_search_lead_to_a_reply(stage):
    ann = stage.ann
    assert stage.person("ann").ask(type="join", room=stage.room)["type"] == "ok"
    root, name = begin(stage, *[f"answer {number}" for number in range(80)])
    nell = stage.people[-1]
    wanted = in_thread(nell, name, lambda: nell.send("the zebra"))
    in_thread(nell, name, lambda: nell.send_all([f"more {number}" for number in range(80)]))
    enter_thread(stage, ann, root, f"&message={wanted}")
    ann.wait("document.querySelector('#thread-timeline [data-found]')?.textContent.includes('zebra')", "the reply")
    ann.run("window.copied = ''; navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    choose(ann, "the zebra", "Copy link")
    ann.wait(f"window.copied === `${{location.origin}}/?room={stage.room}&thread={root}&message={wanted}`", "the link")
    ann.enter()
    ann.press(Keys.CONTROL, "k")
    ann.press("zebra")
    ann.wait("document.querySelector('#switcher-found small bdi')?.textContent.startsWith('Thread in ')", "the result")
    ann.click("document.querySelector('#switcher-found li')")
    ann.wait("document.querySelector('#thread-timeline [data-found]')?.textContent.includes('zebra')", "the reply again")
    assert ann.run("return location.search") == f"?room={stage.room}&thread={root}"


@test
def another_room_closes_the_thread(stage):
    ann = stage.ann
    begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    ann.press(Keys.CONTROL, "k")
    ann.press(f"{stage.room}-other", Keys.ENTER)
    ann.wait(f"document.getElementById('room-name').textContent === '{stage.room}-other'", "the other room")
    is_closed(ann)
    ann.driver.back()
    shows(ann, "ten")


# The message that it answers


@test
def the_message_of_a_thread_is_as_the_room_has_it(stage):
    ann = stage.ann
    root, _ = begin(stage, "ten")
    nell = stage.people[-1]
    nell.send_all([f"later {number}" for number in range(150)])  # so that the page does not have it
    enter_thread(stage, ann, root)
    ann.wait(f"{ROOT} === 'Friday?'", "the message")
    nell.change("edit", root, text="Monday?")
    ann.wait(f"{ROOT} === 'Monday?'", "the edit")
    nell.change("react", root, emoji="👍", on=True)
    ann.wait("document.querySelector('#thread-root .chip')?.dataset.emoji === '👍'", "the reaction")
    ann.click("document.querySelector('#thread-root .chip')")
    ann.wait("document.querySelector('#thread-root .chip').ariaPressed === 'true'", "the reaction of ann")


@test
def a_thread_whose_message_was_deleted_is_closed_and_the_text_stays(stage):
    ann = stage.ann
    root, _ = begin(stage, "ten")
    nell = stage.people[-1]
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    ann.press("two is")
    nell.change("delete", root)
    ann.wait("document.getElementById('thread-root').textContent === 'This message was deleted.'", "that it is gone")
    ann.wait("document.getElementById('thread-standing').textContent.startsWith('The message of this thread was deleted.')", "why nobody can reply")
    ann.press(" better", Keys.ENTER)
    assert ann.run(f"return [{FIELD}, {HINT}.slice(0, 11)]") == ["two is better", "The message"]
    shows(ann, "ten")


# What is done there


@test
def replies_are_quoted_edited_reacted_to_and_deleted(stage):
    ann = stage.ann
    begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    choose(ann, "ten", "Reply")
    ann.wait(f"{MODE} === 'Reply to nell: ten' && {FOCUSED} === 'thread-text'", "the quote")
    assert ann.run("return document.getElementById('mode').hidden")
    ann.press("too early", Keys.ENTER)
    shows(ann, "ten", "too early")
    assert ann.run(f"return ({REPLY}).querySelector('.quote').textContent", "too early") == "nell ten"
    ann.press(Keys.ARROW_UP, "e")
    ann.wait(f"{FIELD} === 'too early'", "the edit")
    ann.press("!", Keys.ENTER)
    shows(ann, "ten", "too early!")
    ann.press(Keys.ARROW_UP, "+")
    ann.press(Keys.ENTER)
    ann.wait(f"({REPLY.replace('arguments[0]', json.dumps('too early!'))})?.querySelector('.chip')", "the reaction")
    ann.run("document.getElementById('thread-text').focus()")
    ann.press(Keys.ARROW_UP, "d")
    ann.click("document.getElementById('question-yes')")
    ann.wait("!document.getElementById('thread-undo').hidden && document.getElementById('undo').hidden", "the notice")
    wait_until(lambda: ann.run(f"return {REPLIES}") == ["ten"], "the reply to be deleted", 20)


@test
def files_go_to_the_thread_into_whose_pane_they_are_given(stage):
    ann = stage.ann
    begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    assert ann.run(GIVE, "paste", "#thread-text", ["notes.txt"])
    ann.wait("document.querySelector('#thread-tray li[data-state=done]')", "the upload")
    assert ann.run(GIVE, "drop", "#room", ["plan.txt"])
    ann.wait("document.querySelector('#tray li[data-state=done] bdi')?.textContent === 'plan.txt'", "the other upload")
    assert ann.run("return document.querySelectorAll('#thread-tray li').length") == 1
    answer(ann, "here")
    ann.wait("document.querySelector('#thread-timeline .files bdi')?.textContent === 'notes.txt'", "the file")


@test
def a_draft_stays_in_its_thread(stage):
    ann = stage.ann
    _, name = begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    ann.press("two or")
    ann.press(Keys.ESCAPE)
    is_closed(ann)
    device = stage.person("ann")
    is_stored(device, "two or", name)
    assert not ann.run("return document.getElementById('text').value")
    open_thread(ann, "Friday")
    ann.wait(f"{FIELD} === 'two or'", "the draft")
    assert device.ask(type="draft", room=name, text="two or three")["type"] == "ok"
    ann.run("document.activeElement.blur()")
    ann.wait(f"{FIELD} === 'two or three'", "the draft of another device")
    answer(ann, "")
    shows(ann, "ten", "two or three")
    is_stored(device, None, name)


@test
def a_reply_without_a_connection_is_sent_later(stage):
    ann = stage.ann
    begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    stage.server.kill()
    ann.wait("document.body.dataset.state !== 'online'", "the end of the connection")
    answer(ann, "said offline")
    ann.wait("document.querySelector('#thread-pending .row')", "the reply to wait")
    stage.server.start()
    ann.online()
    shows(ann, "ten", "said offline")


@test
def older_replies_come_as_the_reader_goes_up(stage):
    ann = stage.ann
    begin(stage, *[f"answer {number}" for number in range(300)])
    ann.enter()
    open_thread(ann, "Friday")
    ann.wait(f"{REPLIES}.at(-1) === 'answer 299'", "the last replies")
    assert ann.run("return document.getElementById('thread-beginning').textContent") == "Older replies"
    up = "document.getElementById('thread-scroller').scrollTop = -1e6"
    wait_until(lambda: ann.run(f"{up}; return {REPLIES}[0]") == "answer 0", "the first reply", 30)
    ann.click("document.getElementById('thread-newer')")
    ann.wait("document.getElementById('thread-scroller').scrollTop === 0", "the end")


# Rights


@test
def the_rights_are_those_of_the_room(stage):
    ann = stage.ann
    begin(stage, "ten")
    ann.enter()
    open_thread(ann, "Friday")
    shows(ann, "ten")
    stage.server.moderate(stage.room, "readOnly", on=True)
    said = STANDING.replace("'standing'", "'thread-standing'")
    ann.wait(f"{said}.textContent.startsWith('The room is read-only')", "the room to be read-only")
    stage.server.moderate(stage.room, "readOnly", on=False)
    ann.wait(f"{said}.hidden", "the room to be as before")
    answer(ann, "two")
    shows(ann, "ten", "two")


@test
def who_is_put_out_of_a_private_room_is_put_out_of_its_threads_and_comes_back_to_them(stage):
    ann = stage.ann
    nell = stage.person("nell")
    stage.room = nell.create("private", "ann", title="Plans")
    root = nell.send("Friday?")
    in_thread(nell, f"{stage.room}/thread/{root}", lambda: nell.send("ten"))
    enter_thread(stage, ann, root)
    shows(ann, "ten")
    assert ann.run("return document.getElementById('thread-of').textContent") == "Plans"
    ann.press("my draft")
    nell.moderate("appoint", user="ann", role="none")
    ann.wait(f"{STANDING.replace('standing', 'thread-standing')}.textContent === 'You cannot write here.'", "ann to be put out")
    nell.moderate("invite", user="ann")
    ann.wait(f"{STANDING.replace('standing', 'thread-standing')}.hidden", "ann to be back")
    in_thread(nell, f"{stage.room}/thread/{root}", lambda: nell.send("two"))
    shows(ann, "ten", "two")
    assert ann.run(f"return {FIELD}") == "my draft"


# On a phone


@test
def on_a_phone_a_thread_stands_over_the_room(stage):
    ann = stage.ann
    begin(stage, "ten")
    with phone(ann):
        ann.enter()
        open_thread(ann, "Friday")
        shows(ann, "ten")
        assert ann.run("return [document.getElementById('scroller').checkVisibility({ visibilityProperty: true }), document.getElementById('thread').getBoundingClientRect().width]") == [False, 390]
        ann.run(f"({REPLY}).focus()", "ten")
        small = ann.run(SMALL)
        assert not small, small
        ann.driver.back()
        is_closed(ann)
        small = ann.run(SMALL)
        assert not small, small
        open_thread(ann, "Friday")
        shows(ann, "ten")
        ann.click("document.getElementById('sidebar-button')")
        ann.click(f"document.querySelector('#sidebar [data-room=\"{stage.room}\"]')")
        is_closed(ann)
        open_thread(ann, "Friday")
        shows(ann, "ten")
        choose_at(ann, ann.run("return document.querySelector('#thread-root .avatar')"), "Quote")
        is_closed(ann)
        ann.wait("document.getElementById('text').value.startsWith('> nell')", "the quote in the room")
        ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
