"""Blocked users: how they are blocked, what the page shows of them, and what comes back when they are unblocked."""

import json

from attention import TOLD
from following import reply
from keys import SMALL
from mentions import KEEP_NOTIFICATIONS, allow_notifications, called, there
from messagemenu import choose_at
from page import TYPING
from private import QUESTION, act, invited_to, name_of
from rooms import badge, enter, is_in, link, lists, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from threads import phone, shows

CARD = "document.getElementById('card')"
DIALOG = "document.getElementById('blocked')"
FOLDED = "A message of somebody you have blocked"
# What the list shows: of each row the name, and what can be done.
LISTED = "[...document.querySelectorAll('#blocked-list li')].map((row) => [row.querySelector('bdi').textContent, row.querySelector('button').textContent])"
SHOW = "document.querySelectorAll('#scroller .row .show')"
COUNT = "document.querySelector('#blocked-button .number').textContent"


def device(stage):
    """Returns another device of the user."""
    return stage.person(stage.user)


def stored(stage):
    """Returns the names that the server has."""
    person = device(stage)
    snapshot = person.ask(type="subscribe", list="me/blocked")
    person.close()
    return [row["id"] for row in snapshot["sections"][0]["rows"]]


def block_there(stage, user, on=True):
    """Blocks or unblocks a user from another device."""
    person = device(stage)
    answer = person.ask(type="block", user=user, on=on)
    person.close()
    assert answer["type"] == "ok", answer


def open_card(page, person):
    """Opens the card of somebody who has said something."""
    page.click("[...document.querySelectorAll('#scroller .heading .author')].find((one) => one.title === arguments[0])", person)
    page.wait(f"{CARD}.matches(':popover-open')", "the card")


def ask_to_block(page, person):
    open_card(page, person)
    page.click(f"{CARD}.querySelector('[data-act=block]')")
    page.wait(f"{QUESTION}.open", "the question")


def block(page, person):
    ask_to_block(page, person)
    page.click("document.getElementById('question-yes')")


def answer_yes(page, title):
    page.wait(f"{QUESTION}.open && document.getElementById('question-title').textContent === {json.dumps(title)}", title)
    page.click("document.getElementById('question-yes')")


def open_list(page):
    if not page.run(f"return {DIALOG}.open"):
        page.click("document.getElementById('blocked-button')")


def lists_blocked(page, *wanted):
    """Opens the list, and waits for its rows: of each the name, and what can be done."""
    open_list(page)
    page.wait(f"JSON.stringify({LISTED}) === JSON.stringify({json.dumps([list(row) for row in wanted])})", f"the rows {wanted}")


def unblock(page, person):
    page.click("[...document.querySelectorAll('#blocked-list li')].find((row) => row.dataset.name === arguments[0]).querySelector('button')", person)


def enter_den(stage, *others):
    den, *others = rooms(stage, "den", *others)
    setting(stage, den, *others)
    enter(stage, stage.ann, den)
    stage.ann.wait("!document.getElementById('show-blocked').hidden", "the server to have the list")
    return den, *others


def said(page):
    return page.run("return [...document.querySelectorAll('#scroller .row')].map((row) => row.querySelector('.text').firstChild.textContent)")


def choose_folded(page, label):
    choose_at(page, page.run("return document.querySelector('#scroller .row[data-blocked] .text span')"), label)


def sees(page, *texts):
    page.wait(f"JSON.stringify([...document.querySelectorAll('#scroller .row .text')].map((text) => text.firstChild.textContent)) === JSON.stringify({json.dumps(texts)})", f"the texts {texts}")


@with_rooms
def a_user_is_blocked_from_their_card_after_a_question_and_unblocked(stage):
    (den,) = enter_den(stage)
    ann, bob = stage.ann, speaker(stage, den, "bob")
    bob.send("one")
    speaker(stage, den, "eve").send("two")
    sees(ann, "one", "two")
    ask_to_block(ann, "bob")
    assert ann.run("return [document.getElementById('question-title').textContent, document.activeElement.id]") == ["Block bob?", "question-no"]
    assert "They are not told." in ann.run("return document.getElementById('question-text').textContent")
    ann.press(Keys.ESCAPE)
    ann.wait(f"!{QUESTION}.open", "the end of it")
    assert stored(stage) == [] and said(ann) == ["one", "two"]
    block(ann, "bob")
    sees(ann, FOLDED, "two")
    wait_until(lambda: stored(stage) == ["bob"], "the server to have it")
    assert ann.run("return document.querySelector('#scroller').textContent.includes('bob')") is False
    bob.send("three")
    sees(ann, FOLDED, "two", FOLDED)
    lists_blocked(ann, ["bob", "Unblock"])
    unblock(ann, "bob")
    lists_blocked(ann)
    ann.wait("document.activeElement.id === 'blocked-close' && document.getElementById('blocked-said').textContent === 'bob is not blocked any more.'", "it to be said")
    sees(ann, "one", "two", "three")
    wait_until(lambda: stored(stage) == [], "the server to have it")
    ann.press(Keys.ESCAPE)
    ann.wait("!document.getElementById('blocked-button').checkVisibility()", "no way to an empty list")


@with_rooms
def a_message_of_a_blocked_user_is_shown_by_key_and_alone(stage):
    (den,) = enter_den(stage)
    ann, bob, eve = stage.ann, speaker(stage, den, "bob"), speaker(stage, den, "eve")
    block_there(stage, "bob")
    first = bob.send("one", mentions=[stage.user])
    bob.send("two")
    eve.send("three", replyTo=first)
    eve.change("react", first, emoji="👍", on=True)
    sees(ann, FOLDED, FOLDED, "three")
    assert ann.run("return [document.querySelector('.quote').textContent, document.querySelectorAll('.chip, [data-called], .row[data-blocked] > :not(.text, .day, #tools)').length]") == [FOLDED, 0]
    assert ann.run(f"return [...{SHOW}].map((one) => [one.textContent, one.ariaLabel, one.tabIndex])") == [["Show", "Show the message", 0]] * 2
    ann.run(f"{SHOW}[0].focus()")
    ann.press(Keys.ENTER)
    sees(ann, "one", FOLDED, "three")
    ann.wait("document.activeElement.dataset.id === arguments[0] && document.querySelector('.quote').textContent === 'bob one' && document.querySelector('.chip')".replace("arguments[0]", json.dumps(first)), "the quote and the reaction")
    assert ann.run("return document.querySelectorAll('.heading .author[title=bob]').length") == 1
    choose_folded(ann, "Show")
    sees(ann, "one", "two", "three")
    bob.send("four")
    sees(ann, "one", "two", "three", FOLDED)
    choose_folded(ann, "Unblock the author")
    sees(ann, "one", "two", "three", "four")
    assert "Unblock" not in ann.run("document.querySelector('.row:last-child').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true })); return document.getElementById('message-menu').textContent")


@with_rooms
def of_a_folded_message_nothing_is_copied_or_answered(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    block_there(stage, "bob")
    speaker(stage, den, "bob").send("one")
    sees(ann, FOLDED)
    ann.run("document.getElementById('text').focus()")
    ann.press(Keys.ARROW_UP, "r", "t")
    assert ann.run("return [document.activeElement.matches('.row'), document.getElementById('mode').checkVisibility(), document.getElementById('thread').hidden]") == [True, False, True]
    ann.run("document.querySelector('.row').dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true }))")
    assert ann.run("return [...document.querySelectorAll('#message-menu button')].map((one) => one.textContent)") == ["Show", "Copy link", "Mark unread from here", "Unblock the author"]


@with_rooms
def a_thread_the_pins_and_a_search_do_not_show_what_a_blocked_user_says(stage):
    (den,) = enter_den(stage)
    ann, bob = stage.ann, speaker(stage, den, "bob")
    stage.server.moderate(den, "appoint", user="cid", role="moderate")
    root = bob.send("secret plan")
    speaker(stage, den).moderate("pin", message=root)
    thread = f"{den}/thread/{root}"
    reply(stage, thread, "ten")
    reply(stage, thread, "hidden", author="bob")
    block_there(stage, "bob")
    ann.wait(f"document.querySelector('.row[data-id=\"{root}\"]')?.matches('[data-blocked]')", "it to be folded")
    ann.click("document.getElementById('pins-button')")
    ann.wait(f"document.querySelector('#pins-list .said')?.textContent === '{FOLDED}'", "the pinned message")
    ann.press(Keys.ESCAPE)
    ann.press(Keys.CONTROL, "k")
    ann.press("secret plan")
    ann.wait(f"document.querySelector('#switcher-found .said')?.textContent === '{FOLDED}'", "the found message")
    ann.press(Keys.ESCAPE)
    ann.driver.get(f"{stage.url}/?room={den}&thread={root}")
    shows(ann, "ten", FOLDED)
    ann.wait(f"document.querySelector('#thread-root .text').firstChild.textContent === '{FOLDED}'", "the message of the thread")
    assert "secret" not in ann.run("return document.body.innerText")
    ann.click("document.querySelector('#thread-root .show')")
    ann.wait("document.querySelector('#thread-root .text').textContent === 'secret plan' && document.querySelector('#scroller').textContent.includes('secret plan')", "both places to show it")
    shows(ann, "ten", FOLDED)
    ann.click("document.querySelector('#thread-timeline .show')")
    shows(ann, "ten", "hidden")


@with_rooms
def typing_and_the_last_message_of_a_blocked_user_are_not_shown(stage):
    den, tea = enter_den(stage, "tea")
    ann = stage.ann
    bob, eve = there(stage, den, "bob", "eve")
    block_there(stage, "bob")
    ann.wait("[...document.querySelectorAll('#people li')].some((row) => row.dataset.name === 'bob' && row.textContent.includes('blocked'))", "the list of people to show it")
    bob.ask(type="typing", room=den, on=True)
    eve.ask(type="typing", room=den, on=True)
    ann.wait(f"{TYPING} === 'eve is typing…'", "eve to type")
    eve.ask(type="typing", room=den, on=False)
    ann.wait(f"{TYPING} === ''", "nobody to be seen typing")
    assert ann.run(f"return document.querySelectorAll('#people .dots').length + {link(den)}.querySelectorAll('.typing').length") == 0
    speaker(stage, tea, "bob").send("hidden")
    ann.wait(f"{link(tea)}.querySelector('.said')?.textContent === 'Blocked user'", "the row of the room")
    badge(ann, tea, 1)
    block_there(stage, "bob", on=False)
    ann.wait(f"{link(tea)}.querySelector('.said').textContent === 'bob: hidden'", "the text")


@with_rooms
def a_blocked_user_raises_no_notification_and_no_sound(stage):
    _den, tea, plan = enter_den(stage, "tea", "plan")
    ann = stage.ann
    speaker(stage, plan, "bob").send(f"@{stage.user} look", mentions=[stage.user])
    called(ann, plan, 1)
    allow_notifications(stage, ann)
    ann.run(KEEP_NOTIFICATIONS + """
        localStorage.setItem('diffroom.notify', 'on');
        localStorage.setItem('diffroom.sound', 'on');
        localStorage.removeItem('diffroom.rung');
        window.tones = 0;
        const { prototype } = OscillatorNode;
        const { start } = prototype;
        prototype.start = function (...times) { window.tones += 1; return start.apply(this, times); };
    """)
    ann.run("localStorage.setItem('diffroom.loud ' + arguments[0], arguments[1])", stage.user, tea)
    try:
        block_there(stage, "bob")
        called(ann, plan, 0)
        bob, eve = speaker(stage, tea, "bob"), speaker(stage, tea, "eve")
        bob.send("for anyone")
        bob.send(f"@{stage.user} look", mentions=[stage.user])
        badge(ann, tea, 2)
        called(ann, tea, 0)
        bob.create("direct", "eve", stage.user)
        bob.send("to both")
        ann.wait("document.querySelectorAll('#sidebar-list li').length >= 2", "the rooms")
        ann.run_async("await new Promise((resolve) => setTimeout(resolve, 3000))")  # a notification comes after two seconds
        told = ann.run(f"return [{TOLD}, window.tones]")
        assert told == [[], 0], told
        eve.send("from eve")
        ann.wait(f"JSON.stringify({TOLD}) === JSON.stringify([['eve in #{tea}', 'from eve']]) && window.tones === 2", "the call of the other")
    finally:
        ann.run("localStorage.removeItem('diffroom.notify'); localStorage.removeItem('diffroom.sound')")


@with_rooms
def a_blocked_user_reaches_the_user_again_when_unblocked(stage):
    (den,) = enter_den(stage)
    ann, bob = stage.ann, speaker(stage, den, "bob")
    direct = bob.create("direct", stage.user)
    bob.send("psst")
    plans = bob.create("private", stage.user, title="Plans")
    bob.room = den
    bob.send(f"@{stage.user} look", mentions=[stage.user])
    lists(ann, [den, "bob"])
    invited_to(ann, ["Plans"])
    ann.wait("document.querySelector('#scroller .row')?.textContent.includes('look')", "the message")
    block(ann, "bob")
    lists(ann, [den])
    invited_to(ann, [])
    bob.room = direct
    bob.send("are you there?")
    ann.click("document.getElementById('mentions-button')")
    ann.wait("document.getElementById('mentions-said').textContent === 'No message in your rooms mentions you.'", "no mention")
    ann.press(Keys.ESCAPE)
    ann.enter_again()
    lists(ann, [den])
    invited_to(ann, [])
    lists_blocked(ann, ["bob", "Unblock"])
    unblock(ann, "bob")
    ann.press(Keys.ESCAPE)
    lists(ann, ["bob", den])
    invited_to(ann, ["Plans"])
    badge(ann, direct, 2)
    ann.click("document.getElementById('mentions-button')")
    ann.wait("document.querySelectorAll('#mentions-list li').length === 1", "the mention")
    assert plans


@with_rooms
def the_direct_room_with_a_user_is_left_when_they_are_blocked_here_or_elsewhere(stage):
    (den,) = enter_den(stage)
    ann, (bob,) = stage.ann, there(stage, den, "bob")
    act(ann, "Message", "bob")
    is_in(ann, "bob")
    bob.room = name_of(ann)
    bob.send("psst")
    sees(ann, "psst")
    block(ann, "bob")
    is_in(ann, den)
    lists(ann, [den])

    def is_away():
        people = bob.ask(type="subscribe", list=f"room/{bob.room}/members")["sections"]
        return stage.user not in [row["id"] for section in people if section["id"] == "online" for row in section["rows"]]

    wait_until(is_away, "the other not to see the user there")
    ann.driver.get(f"{stage.url}/?room={bob.room}")
    is_in(ann, den)
    block_there(stage, "bob", on=False)
    lists(ann, ["bob", den])
    ann.click(f"document.querySelector('#sidebar-list a[data-room=\"{bob.room}\"]')")
    is_in(ann, "bob")
    block_there(stage, "bob")
    is_in(ann, den)


@with_rooms
def who_writes_to_a_blocked_user_or_invites_them_is_asked_to_unblock_them_first(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    there(stage, den, "bob", "eve")
    for user in ("bob", "eve"):
        block_there(stage, user)
    ann.wait(f"{COUNT} === '2'", "both to be blocked")
    act(ann, "Message", "bob")
    ann.wait(f"{QUESTION}.open", "the question")
    ann.click("document.getElementById('question-no')")
    ann.wait(f"!{QUESTION}.open", "the end of it")
    assert sorted(stored(stage)) == ["bob", "eve"]
    is_in(ann, den)
    act(ann, "Message", "bob")
    answer_yes(ann, "Unblock bob?")
    is_in(ann, "bob")
    lists(ann, ["bob", den])
    wait_until(lambda: stored(stage) == ["eve"], "the server to have it")
    ann.click("document.getElementById('new-room')")
    ann.run("document.getElementById('new-person').focus()")
    ann.press("bob, eve", Keys.ENTER)
    ann.click("document.getElementById('new-create')")
    answer_yes(ann, "Unblock eve?")
    is_in(ann, "Private room")
    wait_until(lambda: stored(stage) == [], "the server to have it")
    block_there(stage, "eve")
    ann.wait(f"{COUNT} === '1'", "eve to be blocked")
    ann.click("document.getElementById('room-button')")
    ann.click("document.getElementById('invite')")
    ann.press("eve", Keys.ENTER)
    answer_yes(ann, "Unblock eve?")
    ann.wait("document.getElementById('invite-said').textContent.startsWith('eve is invited.')", "it to be done")


@with_rooms
def the_list_is_found_by_its_name_and_used_with_keys(stage):
    enter_den(stage)
    ann = stage.ann
    ann.press(Keys.CONTROL, "k")
    ann.press("whom i have blocked", Keys.ENTER)
    ann.wait(f"{DIALOG}.open && document.getElementById('blocked-none').checkVisibility() && document.activeElement.id === 'blocked-close'", "the empty list")
    for user in ("bob", "eve", "nell"):
        block_there(stage, user)
    lists_blocked(ann, ["nell", "Unblock"], ["eve", "Unblock"], ["bob", "Unblock"])
    ann.press(Keys.ESCAPE)
    open_list(ann)
    ann.wait("document.activeElement.ariaLabel === 'Unblock nell'", "the first row to have the focus")
    ann.press(Keys.END)
    ann.wait("document.activeElement.ariaLabel === 'Unblock bob'", "the last row")
    ann.press(Keys.ARROW_UP, Keys.ENTER)
    lists_blocked(ann, ["nell", "Unblock"], ["bob", "Unblock"])
    ann.wait("document.activeElement.ariaLabel === 'Unblock bob'", "the focus on the next row")


@with_rooms
def a_moderator_blocks_from_the_menu_of_a_person(stage):
    (den,) = enter_den(stage)
    stage.server.moderate(den, "appoint", user=stage.user, role="moderate")
    ann = stage.ann
    there(stage, den, "bob")
    act(ann, "Moderate", "bob")
    ann.click("document.querySelector('#person-menu [data-act=block]')")
    answer_yes(ann, "Block bob?")
    wait_until(lambda: stored(stage) == ["bob"], "the server to have it")
    act(ann, "Moderate", "bob")
    ann.click("document.querySelector('#person-menu [data-act=unblock]')")
    wait_until(lambda: stored(stage) == [], "the server to have it")


@with_rooms
def on_a_phone_a_folded_message_and_the_list_fit(stage):
    (den,) = enter_den(stage)
    ann = stage.ann
    block_there(stage, "bob")
    speaker(stage, den, "bob").send("one")
    with phone(ann):
        sees(ann, FOLDED)
        ann.click("document.getElementById('room-button')")
        ann.click("document.getElementById('show-blocked')")
        lists_blocked(ann, ["bob", "Unblock"])
        assert ann.run(SMALL) == []
        assert ann.run("return document.documentElement.scrollWidth <= innerWidth")
        ann.click("document.getElementById('blocked-close')")
        ann.click("document.querySelector('.row .show')")
        sees(ann, "one")
