"""The pinned messages of a room: the button and the panel, for those who moderate and those who do not."""

import json
import uuid

from messagemenu import choose
from page import ROW, test
from private import click
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

BUTTON = "document.getElementById('pins-button')"
ITEMS = "[...document.querySelectorAll('#pins-list li')]"
SHOWN = f"{ITEMS}.map((item) => item.querySelector('.said').textContent)"
ITEM = f"{ITEMS}.find((item) => item.querySelector('.said').textContent === arguments[0])"
CHANGING = f"{ITEMS}.filter((item) => item.matches('[data-changing]')).length"
SAID = "document.getElementById('pins-said').textContent"


def compact(texts):
    return json.dumps(texts, separators=(",", ":"))


def counts(page, number):
    shown = f"{BUTTON}.checkVisibility() ? Number(document.getElementById('pins-count').textContent) : 0"
    page.wait(f"({shown}) === {number}", f"{number} pinned messages")


def lists(page, texts):
    try:
        page.wait(f"JSON.stringify({SHOWN}) === '{compact(texts)}' && {CHANGING} === 0", "the pinned messages")
    except TimeoutError as error:
        raise AssertionError(f"expected {texts}, found {page.run(f'return {SHOWN}')}") from error


def enter(stage, role="moderate", url=None):
    """Ann comes with a role, and bob without; there are three messages."""
    cid = stage.person("cid")
    stage.ids = {text: cid.send(text) for text in ("one", "two", "three")}
    if role:
        stage.server.moderate(stage.room, "appoint", user="ann", role=role)
    stage.ann.enter(url)
    stage.bob.enter()
    for page in (stage.ann, stage.bob):
        page.sees(["one", "two", "three"])


def pin(stage, *texts):
    for text in texts:
        stage.server.moderate(stage.room, "pin", message=stage.ids[text])
    for page in (stage.ann, stage.bob):
        counts(page, len(texts))


def move(page, text, key):
    page.run(f"({ITEM}).querySelector('.open').focus()", text)
    page.press(Keys.ALT, key, Keys.NULL)


def has_focus(page, text):
    page.wait(f"document.activeElement.matches('#pins-list .open') && document.activeElement.querySelector('.said').textContent === '{text}'", "the focus")


def drag(page, text, to):
    """Drags a row by its handle to the middle of another one, or past it."""
    item, other = page.run(f"return [{ITEM}, {ITEMS}.find((item) => item.querySelector('.said').textContent === arguments[1])]", text, to)
    grip = item.find_element("css selector", ".grip")
    far = page.run("return arguments[1].getBoundingClientRect().top - arguments[0].getBoundingClientRect().top", item, other)
    by = round(far + (8 if far > 0 else -8))
    ActionChains(page.driver, duration=50).click_and_hold(grip).move_by_offset(0, by).release().perform()


@test
def a_moderator_pins_orders_and_unpins_messages_and_the_others_see_it(stage):
    ann, bob = stage.ann, stage.bob
    enter(stage)
    counts(ann, 0)
    for number, text in enumerate(("one", "two", "three"), 1):
        choose(ann, text, "Pin")
        for page in (ann, bob):
            counts(page, number)
    assert bob.run(f"return {BUTTON}.ariaLabel") == "Pinned messages: 3"
    for page in (ann, bob):
        click(page, "pins-button")
        lists(page, ["one", "two", "three"])
    assert bob.run("return document.querySelectorAll('#pins-list :is(.grip, .unpin)').length") == 0
    move(bob, "one", Keys.ARROW_DOWN)
    has_focus(bob, "one")
    move(ann, "one", Keys.ARROW_DOWN)
    for page in (ann, bob):
        lists(page, ["two", "one", "three"])
    has_focus(ann, "one")
    has_focus(bob, "one")
    ann.wait(f"{SAID} === 'Moved to place 2 of 3.'", "the progress")
    ann.press(Keys.ALT, Keys.ARROW_DOWN, Keys.NULL)
    ann.press(Keys.ALT, Keys.ARROW_DOWN, Keys.NULL)
    for page in (ann, bob):
        lists(page, ["two", "three", "one"])
    drag(ann, "one", "two")
    for page in (ann, bob):
        lists(page, ["one", "two", "three"])
    drag(ann, "one", "two")
    for page in (ann, bob):
        lists(page, ["two", "one", "three"])
    ann.click(f"({ITEM}).querySelector('.unpin')", "one")
    for page in (ann, bob):
        lists(page, ["two", "three"])
    ann.press(Keys.ESCAPE)
    choose(ann, "two", "Unpin")
    choose(ann, "three", "Unpin")
    lists(bob, [])
    for page in (ann, bob):
        counts(page, 0)
    actions = [entry["action"] for entry in stage.person("ann").ask(type="audit", room=stage.room)["entries"]]
    assert actions.count("pin") == 7 and actions.count("unpin") == 3, actions


@test
def a_pinned_message_leads_to_its_place_and_is_shown_as_it_is_edited_and_deleted(stage):
    ann = stage.ann
    enter(stage, None)
    pin(stage, "one", "three")
    click(ann, "pins-button")
    lists(ann, ["one", "three"])
    cid = stage.person("cid")
    cid.change("edit", stage.ids["one"], text="better")
    lists(ann, ["better", "three"])
    cid.change("delete", stage.ids["three"])
    lists(ann, ["better"])
    ann.press(Keys.ENTER)
    ann.wait("!document.getElementById('pins').open && document.querySelector('.row[data-found] .text')?.textContent.startsWith('better')", "the message")


@test
def without_a_connection_what_is_pinned_waits_also_over_a_reload(stage):
    ann, bob = stage.ann, stage.bob
    enter(stage, url=stage.front.url)
    pin(stage, "one", "two")
    click(bob, "pins-button")
    stage.front.cut()
    try:
        ann.wait("document.body.dataset.state === 'waiting'", "the end of the connection")
        choose(ann, "three", "Pin")
        counts(ann, 3)
        click(ann, "pins-button")
        move(ann, "three", Keys.ARROW_UP)
        ann.wait(f"JSON.stringify({SHOWN}) === '{compact(['one', 'three', 'two'])}' && {CHANGING} === 1", "the order that waits")
        has_focus(ann, "three")
    finally:
        stage.front.mend()
    lists(bob, ["one", "three", "two"])
    lists(ann, ["one", "three", "two"])
    stage.front.cut()
    try:
        ann.wait("document.body.dataset.state === 'waiting'", "the end of the connection")
        move(ann, "three", Keys.ARROW_UP)
        ann.wait(f"JSON.stringify({SHOWN}) === '{compact(['three', 'one', 'two'])}'", "the order that waits")
    finally:
        stage.front.mend()
    ann.enter_again()
    lists(bob, ["three", "one", "two"])
    click(ann, "pins-button")
    lists(ann, ["three", "one", "two"])


@test
def a_message_goes_back_if_the_server_refuses_its_place(stage):
    ann = stage.ann
    enter(stage, url=stage.front.url)
    pin(stage, "one", "two", "three")
    click(ann, "pins-button")
    lists(ann, ["one", "two", "three"])
    stage.front.cut()
    try:
        ann.wait("document.body.dataset.state === 'waiting'", "the end of the connection")
        move(ann, "one", Keys.ARROW_DOWN)
        ann.wait(f"JSON.stringify({SHOWN}) === '{compact(['two', 'one', 'three'])}'", "the order that waits")
        stage.server.moderate(stage.room, "unpin", message=stage.ids["two"])
    finally:
        stage.front.mend()
    lists(ann, ["one", "three"])
    ann.wait("document.getElementById('pins-said').matches('.refusal') && document.getElementById('pins-said').textContent", "the reason")
    stage.front.cut()
    try:
        ann.wait("document.body.dataset.state === 'waiting'", "the end of the connection")
        move(ann, "one", Keys.ARROW_DOWN)
        ann.press(Keys.ESCAPE)
        stage.server.moderate(stage.room, "unpin", message=stage.ids["three"])
    finally:
        stage.front.mend()
    ann.wait("document.getElementById('hint').textContent.includes('is not pinned')", "the reason, without the panel")
    counts(ann, 1)
    click(ann, "pins-button")
    stage.server.moderate(stage.room, "appoint", user="ann", role="write")
    ann.wait("!document.querySelector('#pins-list :is(.grip, .unpin)')", "that ann may not")


@test
def the_people_of_a_direct_room_pin_its_messages(stage):
    ann = stage.person("ann")
    room = ann.ask(type="create", kind="direct", command=str(uuid.uuid4()), people=["bob"])["list"].split("/")[1]
    stage.room = ann.room = room
    ann.send("one")
    stage.ann.enter()
    stage.bob.enter()
    choose(stage.bob, "one", "Pin")
    for page in (stage.ann, stage.bob):
        counts(page, 1)
    choose(stage.ann, "one", "Unpin")
    for page in (stage.ann, stage.bob):
        counts(page, 0)


@test
def what_is_pinned_is_shown_after_a_reload_without_a_connection(stage):
    ann = stage.ann
    enter(stage, url=stage.front.url)
    pin(stage, "two", "one")
    stage.front.cut()
    try:
        ann.wait("document.body.dataset.state === 'waiting'", "the end of the connection")
        choose(ann, "three", "Pin")
        counts(ann, 3)
        ann.driver.refresh()
        ann.wait("document.body.dataset.state === 'waiting'", "the page")
        counts(ann, 3)
        click(ann, "pins-button")
        ann.wait(f"JSON.stringify({SHOWN}) === '{compact(['two', 'one', 'three'])}' && {CHANGING} === 1", "what was pinned, and what waits")
        ann.press(Keys.ESCAPE)
        stage.server.moderate(stage.room, "unpin", message=stage.ids["two"])
    finally:
        stage.front.mend()
    ann.run("dispatchEvent(new Event('online'))")
    counts(ann, 2)
    click(ann, "pins-button")
    lists(ann, ["one", "three"])


@test
def the_hundred_and_first_pinned_message_is_refused_with_the_way_out(stage):
    ann = stage.ann
    enter(stage)
    cid = stage.person("cid")
    for number in range(100):
        stage.server.moderate(stage.room, "pin", message=cid.send(f"rule {number}"))
    counts(ann, 100)
    ann.wait(ROW.replace("arguments[0]", "'rule 99'"), "the last message")
    choose(ann, "rule 99", "Unpin")
    counts(ann, 99)
    for text in ("rule 99", "three"):
        ann.run(f"({ROW}).scrollIntoView()", text)
        choose(ann, text, "Pin")
    ann.wait(f"document.getElementById('hint').textContent === 'room {stage.room} has 100 pinned messages, which is the most: unpin one first'", "the reason")
    counts(ann, 100)


def touch(page, kind, x=0, y=0):
    points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
    page.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def grip(page, text):
    script = f"const {{ left, top, width, height }} = ({ITEM}).querySelector('.grip').getBoundingClientRect(); return [left + width / 2, top + height / 2]"
    return page.run(script, text)


@test
def on_a_phone_a_finger_drags_a_pinned_message_or_taps_its_handle_for_a_menu(stage):
    ann = stage.ann
    enter(stage)
    pin(stage, "one", "two", "three")
    ann.resize(390, 844, scale=2, phone=True)
    ann.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        click(ann, "pins-button")
        lists(ann, ["one", "two", "three"])
        small = ann.run("return [...document.querySelectorAll('#pins button')].map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width < 44 || height < 44).length")
        assert small == 0, f"{small} buttons are small"
        x, y = grip(ann, "one")
        to = grip(ann, "three")[1] + 8
        touch(ann, "touchStart", x, y)
        for step in range(1, 6):
            touch(ann, "touchMove", x, y + (to - y) * step / 5)
        touch(ann, "touchEnd")
        for page in (ann, stage.bob):
            counts(page, 3)
        lists(ann, ["two", "three", "one"])
        x, y = grip(ann, "one")
        touch(ann, "touchStart", x, y)
        touch(ann, "touchEnd")
        labels = "[...document.querySelectorAll('#pin-menu button')].map((one) => one.textContent)"
        ann.wait("document.getElementById('pin-menu').matches(':popover-open')", "the menu")
        assert ann.run(f"return {labels}") == ["Move to the top", "Move up"]
        ann.click("document.querySelector('#pin-menu [data-act=first]')")
        lists(ann, ["one", "two", "three"])
        ann.run(f"({ITEM}).querySelector('.grip').focus()", "one")
        ann.press(Keys.ENTER)
        ann.wait(f"JSON.stringify({labels}) === '{compact(['Move down', 'Move to the end'])}'", "the menu for keys")
        ann.press(Keys.ARROW_DOWN, Keys.ENTER)
        lists(ann, ["two", "three", "one"])
        assert ann.run("return document.activeElement.matches('#pins-list .grip') && document.activeElement.closest('li').dataset.id") == stage.ids["one"]
        ann.press(Keys.ENTER)
        ann.press(Keys.ESCAPE)
        assert ann.run("return document.getElementById('pins').open && !document.getElementById('pin-menu').matches(':popover-open')")
    finally:
        ann.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        ann.resize(1180, 760)
