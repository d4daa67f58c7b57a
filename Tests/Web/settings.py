"""The page with rooms that are pinned, muted, archived and marked as unread."""

import json

from mentions import KEEP_NOTIFICATIONS, allow_notifications
from private import row_of
from rooms import enter, hide, is_in, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from server import wait_until

SECTIONS = "Object.fromEntries([...document.querySelectorAll('#sidebar ul')].filter((list) => list.children.length).map((list) => [list.id.split('-')[0], [...list.children].map((one) => one.firstChild.dataset.room)]))"
# Only those that are pinned have an order that nothing else changes.
SORTED = "((lists) => JSON.stringify(Object.entries(lists).map(([id, rooms]) => [id, id === 'pinned' ? rooms : [...rooms].sort()]).sort()))"
LISTS = {"pinned": "pinned", "rooms": "sidebar", "archived": "archived"}
MENU = "document.getElementById('room-menu')"
CHOICES = f"[...{MENU}.children].map((one) => one.textContent)"
SPOKEN = "document.getElementById('spoken').textContent"


def link(room):
    return f"document.querySelector('#sidebar li > a[data-room=\"{room}\"]')"


def stand(page, **sections):
    """Waits until the sections have these rooms; the pinned ones in this order."""
    wanted = {LISTS[name]: names for name, names in sections.items() if names}
    try:
        page.wait(f"{SORTED}({SECTIONS}) === {SORTED}({json.dumps(wanted)})", "the rooms")
    except TimeoutError as error:
        raise AssertionError(f"expected {wanted}, found {page.run(f'return {SECTIONS}')}") from error


def open_menu(page, room):
    """Opens the menu of a room by its button. Returns what it offers."""
    page.click(f"{link(room)}.parentNode.querySelector('.more')")
    return page.run(f"return {CHOICES}")


def choose(page, room, choice):
    assert choice in open_menu(page, room), page.run(f"return {CHOICES}")
    page.click(f"[...{MENU}.children].find((one) => one.textContent === '{choice}')")
    assert not page.run(f"return {MENU}.matches(':popover-open')")


def is_marked(page, room, marked):
    page.wait(f"Boolean({link(room)}.querySelector('.marked')) === {json.dumps(marked)}", f"{room} to be marked: {marked}")


def set_(stage, room, **what):
    """Sets something on another device of the user."""
    answer = stage.person(stage.user).ask(type="settings", room=room, **what)
    assert answer["type"] == "ok", answer


def pinned(stage, *names):
    """Rooms that are pinned in this order."""
    for place, room in enumerate(names, 1):
        set_(stage, room, pinned=place << 20)


def element(page, room):
    return page.driver.find_element(By.CSS_SELECTOR, f'#sidebar li > a[data-room="{room}"]')


def drag(page, room, to, by):
    """Drags a room by the mouse to so many pixels below the middle of another row."""
    by_mouse = ActionChains(page.driver).move_to_element(element(page, room)).click_and_hold().move_by_offset(0, -12)
    by_mouse.move_to_element(element(page, to)).move_by_offset(0, by).perform()
    return ActionChains(page.driver)


@with_rooms
def rooms_are_pinned_muted_and_archived_in_their_menu(stage):
    den, tea, attic = rooms(stage, "den", "tea", "attic")
    setting(stage, attic, tea, den)
    enter(stage, stage.ann, den)
    stand(stage.ann, rooms=[den, tea, attic])
    assert open_menu(stage.ann, tea) == ["Pin", "Mute", "Notify of all messages", "Mark as unread", "Archive", "Leave"]
    assert stage.ann.run(f"return [{MENU}.role, {MENU}.ariaLabel, document.activeElement.textContent]") == ["menu", f"#{tea}", "Pin"]
    stage.ann.press(Keys.ESCAPE)
    assert stage.ann.run(f"return [{MENU}.matches(':popover-open'), document.activeElement.ariaLabel]") == [False, f"Actions for #{tea}"]

    choose(stage.ann, attic, "Pin")
    stand(stage.ann, pinned=[attic], rooms=[den, tea])
    choose(stage.ann, tea, "Pin")
    stand(stage.ann, pinned=[attic, tea], rooms=[den])
    speaker(stage, tea).send("hello")
    badge_of(stage.ann, tea, 1)
    stand(stage.ann, pinned=[attic, tea], rooms=[den])
    assert open_menu(stage.ann, tea) == ["Unpin", "Move up", "Mute", "Notify of all messages", "Mark as read", "Archive", "Leave"]
    choose(stage.ann, tea, "Move up")
    stand(stage.ann, pinned=[tea, attic], rooms=[den])
    choose(stage.ann, tea, "Archive")
    stand(stage.ann, pinned=[attic], rooms=[den], archived=[tea])
    assert stage.ann.run(f"return [{link(tea)}.checkVisibility(), document.querySelector('#archived summary').innerText.replace(/\\s+/g, ' ')]") == [False, "Archived 1"]
    choose(stage.ann, tea, "Unarchive")
    stand(stage.ann, pinned=[tea, attic], rooms=[den])
    choose(stage.ann, attic, "Unpin")
    stand(stage.ann, pinned=[tea], rooms=[den, attic])
    choose(stage.ann, attic, "Leave")
    stand(stage.ann, pinned=[tea], rooms=[den])
    stage.ann.enter_again()
    stand(stage.ann, pinned=[tea], rooms=[den])


def badge_of(page, room, unread):
    page.wait(f"({link(room)}?.querySelector('.badge:not(.call)')?.firstChild.textContent ?? '') === '{unread or ''}'", f"{room} to have {unread} unread")


@with_rooms
def a_menu_opens_by_the_other_button_of_the_mouse_and_by_key(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    enter(stage, stage.ann, den)
    stand(stage.ann, rooms=[den, tea])
    ActionChains(stage.ann.driver).context_click(element(stage.ann, tea)).perform()
    stage.ann.wait(f"{MENU}.matches(':popover-open') && document.activeElement.textContent === 'Pin'", "the menu")
    stage.ann.press(Keys.ARROW_UP)
    assert stage.ann.run("return document.activeElement.textContent") == "Leave"
    stage.ann.press("m")
    assert stage.ann.run("return document.activeElement.textContent") == "Mute"
    ActionChains(stage.ann.driver).move_to_element(stage.ann.driver.find_element(By.ID, "scroller")).click().perform()
    assert not stage.ann.run(f"return {MENU}.matches(':popover-open')")

    stage.ann.run(f"{link(tea)}.focus()")
    stage.ann.press(Keys.SHIFT, Keys.F10)
    stage.ann.wait(f"{MENU}.matches(':popover-open')", "the menu")
    stage.ann.press(Keys.ENTER)
    stand(stage.ann, pinned=[tea], rooms=[den])
    assert stage.ann.run(f"return document.activeElement === {link(tea)}"), stage.ann.run("return document.activeElement.outerHTML.slice(0,300)")
    stage.ann.press(Keys.ARROW_RIGHT, Keys.ENTER)
    assert stage.ann.run(f"return {CHOICES}")[0] == "Unpin"
    stage.ann.press(Keys.TAB)
    assert stage.ann.run("return document.activeElement.className") == "more"


@with_rooms
def pinned_rooms_are_dragged_by_the_mouse(stage):
    one, two, three, tea = rooms(stage, "one", "two", "three", "tea")
    setting(stage, tea, three, two, one)
    pinned(stage, one, two, three)
    enter(stage, stage.ann, one)
    stand(stage.ann, pinned=[one, two, three], rooms=[tea])
    drag(stage.ann, three, one, -9).perform()
    stage.ann.wait("document.getElementById('drop').checkVisibility()", "the line")
    ActionChains(stage.ann.driver).release().perform()
    stand(stage.ann, pinned=[three, one, two], rooms=[tea])
    drag(stage.ann, tea, one, 9).release().perform()
    stand(stage.ann, pinned=[three, one, tea, two], rooms=[])
    assert stage.ann.run(f"return {SPOKEN}") == f"#{tea}: 3 of 4 pinned rooms"
    drag(stage.ann, tea, three, 0).send_keys(Keys.ESCAPE).release().perform()
    assert stage.ann.run("return [document.getElementById('drop').hidden, document.querySelector('[data-dragged]'), location.search]") == [True, None, f"?room={one}"]
    stand(stage.ann, pinned=[three, one, tea, two], rooms=[])
    choose(stage.ann, two, "Unpin")
    stand(stage.ann, pinned=[three, one, tea], rooms=[two])
    drag(stage.ann, one, two, 0).release().perform()
    stand(stage.ann, pinned=[three, tea], rooms=[two, one])
    assert stage.ann.run("return location.search") == f"?room={one}", "a dragged room was opened"


@with_rooms
def a_finger_rests_on_a_room_and_takes_it_along(stage):
    one, two, tea = rooms(stage, "one", "two", "tea")
    setting(stage, tea, two, one)
    enter(stage, stage.ann, one)
    stand(stage.ann, rooms=[one, two, tea])
    stage.ann.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        touch(stage.ann, "touchStart", place(stage.ann, tea))
        stage.ann.wait("document.querySelector('[data-dragged]')", "the row to come off")
        touch(stage.ann, "touchEnd")
        stage.ann.wait(f"{MENU}.matches(':popover-open')", "the menu")
        stage.ann.press(Keys.ESCAPE)

        at = place(stage.ann, tea)
        touch(stage.ann, "touchStart", at)
        stage.ann.wait("document.querySelector('[data-dragged]')", "the row to come off")
        to = stage.ann.run("const { top, left } = document.getElementById('pinned').getBoundingClientRect(); return [left + 40, top + 8]")
        for step in range(1, 9):
            touch(stage.ann, "touchMove", [at[0], at[1] + (to[1] - at[1]) * step / 8])
        touch(stage.ann, "touchEnd")
        stand(stage.ann, pinned=[tea], rooms=[one, two])
        assert stage.ann.run("return location.search") == f"?room={one}"
        touch(stage.ann, "touchStart", place(stage.ann, two))
        touch(stage.ann, "touchEnd")
        is_in(stage.ann, two)
    finally:
        stage.ann.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def place(page, room):
    return page.run(f"const {{ top, left, height }} = {link(room)}.getBoundingClientRect(); return [left + 40, top + height / 2]")


def touch(page, kind, *points):
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})


@with_rooms
def pinned_rooms_are_moved_by_the_keyboard(stage):
    one, two, tea = rooms(stage, "one", "two", "tea")
    setting(stage, tea, two, one)
    pinned(stage, one, two)
    enter(stage, stage.ann, one)
    stand(stage.ann, pinned=[one, two], rooms=[tea])
    stage.ann.run(f"{link(two)}.focus()")
    move(stage.ann, Keys.ARROW_UP, f"#{two}: 1 of 2 pinned rooms")
    stand(stage.ann, pinned=[two, one], rooms=[tea])
    move(stage.ann, Keys.ARROW_UP, f"#{two}: the first of the pinned rooms")
    assert stage.ann.run(f"return document.activeElement === {link(two)}")
    stage.ann.run(f"{link(tea)}.focus()")
    move(stage.ann, Keys.ARROW_DOWN, f"#{tea}: not pinned")
    move(stage.ann, Keys.ARROW_UP, f"#{tea}: 3 of 3 pinned rooms")
    stand(stage.ann, pinned=[two, one, tea], rooms=[])
    assert stage.ann.run(f"return [document.activeElement === {link(tea)}, location.search]") == [True, f"?room={one}"]


def move(page, key, said):
    page.press(Keys.ALT, Keys.SHIFT, key)
    page.wait(f"{SPOKEN} === {said!r}", said)


@with_rooms
def one_device_has_the_order_of_the_other(stage):
    one, two, three = rooms(stage, "one", "two", "three")
    setting(stage, three, two, one)
    for page in (stage.ann, stage.bob):
        enter(stage, page, one)
        stand(page, rooms=[one, two, three])
    for room in (one, two, three):
        choose(stage.ann, room, "Pin")
    stand(stage.bob, pinned=[one, two, three], rooms=[])
    choose(stage.bob, three, "Move up")
    stand(stage.ann, pinned=[one, three, two], rooms=[])
    choose(stage.bob, one, "Mute")
    stage.ann.wait(f"{link(one)}.matches('[data-muted]')", "the mute")


@with_rooms
def between_rooms_without_a_key_between_them_all_are_pinned_anew(stage):
    one, two, three = rooms(stage, "one", "two", "three")
    setting(stage, three, two, one)
    set_(stage, one, pinned=1)
    set_(stage, two, pinned=1)  # the next free one
    set_(stage, three, pinned=3)
    enter(stage, stage.ann, one)
    stand(stage.ann, pinned=[one, two, three], rooms=[])
    choose(stage.ann, three, "Move up")
    stand(stage.ann, pinned=[one, three, two], rooms=[])
    choose(stage.ann, two, "Move up")
    stand(stage.ann, pinned=[one, two, three], rooms=[])


@with_rooms
def a_muted_room_calls_nobody_but_by_a_mention_in_its_row(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    set_(stage, tea, muted=True)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run("localStorage.setItem('diffroom.notify', 'on')")
    stage.ann.run(KEEP_NOTIFICATIONS)
    try:
        cid = speaker(stage, tea)
        cid.send("for everybody")
        badge_of(stage.ann, tea, 1)
        assert stage.ann.run(f"return [document.title, {link(tea)}.matches('[data-unread]'), document.getElementById('sidebar-count').hidden]") == [f"#{den} · Diffroom", False, True]
        cid.send(f"@{stage.user}: for you", mentions=[stage.user])
        stage.ann.wait(f"document.title === '(@1) #{den} · Diffroom'", "the title")
        assert stage.ann.run(f"return [{link(tea)}.matches('[data-unread]'), {link(tea)}.innerText.includes('muted')]") == [True, True]
        assert stage.ann.run("return [document.getElementById('sidebar-count').hidden, document.getElementById('sidebar-count').textContent]") == [False, "@1"]
        choose(stage.ann, tea, "Unmute")
        stage.ann.wait(f"!{link(tea)}.matches('[data-muted]')", "the sound")
        cid.send(f"@{stage.user}: again", mentions=[stage.user])
        stage.ann.wait("window.told.length", "to be told")
        assert stage.ann.run("return window.told.map(({ body }) => body)") == [f"@{stage.user}: again"]
    finally:
        stage.ann.run("localStorage.removeItem('diffroom.notify')")


@with_rooms
def the_next_unread_room_is_none_that_is_muted(stage):
    den, one, two, three = rooms(stage, "den", "one", "two", "three")
    setting(stage, three, two, one, den)
    pinned(stage, den, one, two, three)
    set_(stage, one, muted=True)
    enter(stage, stage.ann, den)
    stand(stage.ann, pinned=[den, one, two, three])
    set_(stage, three, marked=True)
    speaker(stage, one).send("noise")
    badge_of(stage.ann, one, 1)
    stage.ann.press(Keys.ALT, Keys.SHIFT, Keys.ARROW_DOWN)
    is_in(stage.ann, three)


def is_unread(stage, room, count):
    """Waits until the server says so: it tells news of rooms once a tick."""
    def is_so():
        row = row_of(stage.person(stage.user), room)[1]
        return row.get("marked") and row["unread"] == count

    wait_until(is_so, f"{room} to be marked, with {count} unread")


def is_left_and_entered_again(stage, room, other, count):
    """The user looks away and back, which reads nothing, and goes to another room, which shows as many unread in this one."""
    hide(stage.ann, True)
    hide(stage.ann, False)
    is_unread(stage, room, count)
    stage.ann.click(link(other))
    is_in(stage.ann, other)
    badge_of(stage.ann, room, count)
    stage.ann.click(link(room))
    is_in(stage.ann, room)


@with_rooms
def a_room_that_is_marked_as_unread_stays_so_until_one_comes_back(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    enter(stage, stage.ann, den)
    stand(stage.ann, rooms=[den, tea])
    choose(stage.ann, tea, "Mark as unread")
    is_marked(stage.ann, tea, True)
    assert open_menu(stage.ann, tea)[3] == "Mark as read"
    stage.ann.press(Keys.ESCAPE)
    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    is_marked(stage.ann, tea, False)
    choose(stage.ann, tea, "Mark as unread")
    is_marked(stage.ann, tea, True)
    speaker(stage, tea).send("one more")
    stage.ann.sees(["one more"])
    is_left_and_entered_again(stage, tea, den, 1)
    stage.ann.click(link(den))
    badge_of(stage.ann, tea, 0)
    is_marked(stage.ann, tea, False)

    choose(stage.ann, den, "Mark as unread")
    is_marked(stage.ann, den, True)
    stage.ann.click(link(den))
    is_marked(stage.ann, den, False)
    # The page shows it before the server has it.
    wait_until(lambda: "marked" not in row_of(stage.person(stage.user), den)[1], "the server to have the room as read")


@with_rooms
def a_shown_room_that_another_device_marks_as_unread_stays_so_until_it_is_read_there(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    cid = speaker(stage, den)
    cid.send("one")
    stage.ann.sees(["one"])
    set_(stage, den, marked=True)
    is_marked(stage.ann, den, True)
    cid.send("two")
    stage.ann.sees(["one", "two"])
    is_unread(stage, den, 1)
    assert stage.person(stage.user).ask(type="read", room=den)["type"] == "ok"
    is_marked(stage.ann, den, False)
    cid.send("three")
    stage.ann.sees(["one", "two", "three"])

    def read():
        row = row_of(stage.person(stage.user), den)[1]
        return row["last"]["text"] == "three" and row["unread"] == 0 and row["read"]

    set_(stage, den, marked=wait_until(read, "it to be read here"))
    stage.ann.wait("document.querySelector('.since')?.textContent === '1 new since you last read'", "the line")
    is_unread(stage, den, 1)


@with_rooms
def a_message_and_all_behind_it_are_marked_as_unread(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, tea)
    bob = speaker(stage, tea)
    for text in ["one", "two", "three"]:
        bob.send(text)
    stage.ann.sees(["one", "two", "three"])
    stage.ann.wait(f"{link(tea)} && !{link(tea)}.querySelector('.badge')", "all to be read")
    stage.ann.run("document.getElementById('text').focus()")
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("u")
    line = "document.querySelector('.since')?.textContent"
    stage.ann.wait(f"{line} === '2 new since you last read'", "the line")
    is_marked(stage.ann, tea, True)
    bob.send("four")
    stage.ann.sees(["one", "two", "three", "four"])
    is_left_and_entered_again(stage, tea, den, 3)
    stage.ann.wait(f"{line} === '3 new since you last read'", "the line, again")
    is_marked(stage.ann, tea, False)


@with_rooms
def all_rooms_are_read_at_once_after_a_question_if_they_are_many(stage):
    names = rooms(stage, *[f"r{number:02}" for number in range(22)])
    den, muted, archived, *others = names
    setting(stage, *reversed(names))
    set_(stage, muted, muted=True)
    set_(stage, archived, archived=True)
    enter(stage, stage.ann, den)
    button = "document.getElementById('read-all')"
    assert not stage.ann.run(f"return {button}.checkVisibility()")
    for room in [muted, archived, *others[:3]]:
        speaker(stage, room).send("hello")
    set_(stage, others[3], marked=True)
    is_marked(stage.ann, others[3], True)
    badge_of(stage.ann, others[2], 1)
    stage.ann.click(button)
    stage.ann.wait(f"!{button}.checkVisibility() && !document.querySelector('#sidebar :is(.badge, .marked):not(#sidebar-count)')", "all to be read")
    assert not stage.ann.run("return document.getElementById('question').open")

    for room in names[1:]:
        set_(stage, room, marked=True)
    stage.ann.wait("document.querySelectorAll('#sidebar li .marked').length === 21", "the marks")
    stage.ann.click(button)
    asked = "[document.getElementById('question').open, document.getElementById('question-title').textContent, document.activeElement.id]"
    assert stage.ann.run(f"return {asked}") == [True, "Mark 21 rooms as read?", "question-no"]
    stage.ann.press(Keys.ENTER)
    assert stage.ann.run("return document.querySelectorAll('#sidebar li .marked').length") == 21
    stage.ann.click(button)
    stage.ann.click("document.getElementById('question-yes')")
    stage.ann.wait("!document.querySelector('#sidebar .marked')", "all to be read")


@with_rooms
def archived_rooms_are_folded_and_found(stage):
    den, tea, attic = rooms(stage, "den", "tea", "attic")
    setting(stage, attic, tea, den)
    pinned(stage, den, tea)
    set_(stage, attic, archived=True)
    enter(stage, stage.ann, den)
    stand(stage.ann, pinned=[den, tea], archived=[attic])
    stage.ann.run(f"{link(tea)}.focus()")
    stage.ann.press(Keys.ARROW_DOWN)
    assert stage.ann.run("return document.activeElement.dataset.room") == tea
    choose(stage.ann, tea, "Archive")
    stand(stage.ann, pinned=[den], archived=[tea, attic])
    assert stage.ann.run("return document.activeElement.dataset.room") == den
    stage.ann.press(Keys.ALT, Keys.ARROW_DOWN)  # there is none
    assert stage.ann.run("return location.search") == f"?room={den}"
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press("attic")
    assert stage.ann.run("return document.querySelector('#switcher-list small').textContent") == "archived"
    stage.ann.press(Keys.ENTER)
    is_in(stage.ann, attic)
    assert stage.ann.run(f"return [{link(attic)}.checkVisibility(), {link(attic)}.ariaCurrent]") == [True, "page"]
    speaker(stage, tea).send("hello")
    badge_of(stage.ann, tea, 1)
    stand(stage.ann, pinned=[den], archived=[tea, attic])
    stage.ann.enter_again()
    stage.ann.wait(f"{link(attic)}?.checkVisibility()", "the room on the screen")


@with_rooms
def what_the_server_refuses_is_told(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, tea, den)
    enter(stage, stage.ann, den)
    stand(stage.ann, rooms=[den, tea])
    stage.ann.click(f"{link(tea)}.parentNode.querySelector('.more')")
    stage.person(stage.user).ask(type="leave", room=tea)
    stand(stage.ann, rooms=[den])
    stage.ann.click(f"[...{MENU}.children].find((one) => one.textContent === 'Mute')")
    stage.ann.wait("document.getElementById('hint').checkVisibility()", "the refusal")
