"""The keys of the page on other keyboards: other scripts, Caps Lock, and the one on a phone's screen."""

from page import FIELD, ROWS, test
from selenium.webdriver.common.keys import Keys
from server import wait_until

SWITCHER = "document.getElementById('switcher').open"


def press(page, key, code, **modifiers):
    """Presses a key as a keyboard of another layout does: it types `key` at the place of `code`. Returns whether the page has used it."""
    return page.run(
        "return !document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { ...arguments[0], bubbles: true, cancelable: true }))",
        {"key": key, "code": code, **modifiers},
    )


@test
def keys_work_where_the_layout_has_no_latin_letters(stage):
    stage.person("cid").send("hello")
    stage.ann.enter()
    stage.ann.sees(["hello"])
    for key in ("л", "Л", "k", "K"):  # Cyrillic, and with Caps Lock
        assert press(stage.ann, key, "KeyK", ctrlKey=True), key
        assert stage.ann.run(f"return {SWITCHER}"), key
        stage.ann.press(Keys.ESCAPE)
        stage.ann.wait(f"!{SWITCHER}", "the end of it")
    for key in ("к", "К", "r", "R", "ㄱ"):
        stage.ann.run("document.getElementById('text').focus()")
        stage.ann.press(Keys.ARROW_UP)
        stage.ann.wait("document.activeElement.matches('.row')", "the message")
        assert press(stage.ann, key, "KeyR"), key
        stage.ann.wait("document.getElementById('mode-text').textContent === 'Reply to cid: hello'", f"the reply by {key}")
        stage.ann.press(Keys.ESCAPE)


@test
def a_letter_of_another_place_is_that_letter(stage):
    stage.ann.enter()
    assert not press(stage.ann, "t", "KeyK", ctrlKey=True), "Dvorak has another letter there"
    assert not stage.ann.run(f"return {SWITCHER}")
    assert press(stage.ann, "k", "KeyV", ctrlKey=True)
    assert stage.ann.run(f"return {SWITCHER}")
    stage.ann.press(Keys.ESCAPE)


@test
def on_a_phone_enter_begins_a_line(stage):
    touch = "Emulation.setTouchEmulationEnabled"
    stage.ann.resize(375, 667, scale=2, phone=True)
    stage.ann.driver.execute_cdp_cmd(touch, {"enabled": True})
    try:
        stage.ann.enter()
        assert stage.ann.run("return matchMedia('(hover: none) and (pointer: coarse)').matches")
        stage.ann.run("document.getElementById('text').focus()")
        stage.ann.press("one", Keys.ENTER, "two")
        assert stage.ann.run(f"return [{FIELD}, document.getElementById('text').enterKeyHint]") == ["one\ntwo", "enter"]
        assert not stage.ann.run(f"return {ROWS}.length")
        stage.ann.run("document.querySelector('#composer [type=submit]').click()")
        wait_until(lambda: stage.person("cid").texts() == ["one\ntwo"], "the message")
    finally:
        stage.ann.driver.execute_cdp_cmd(touch, {"enabled": False})
        stage.ann.resize(1180, 760)


SHORTCUTS = "document.getElementById('shortcuts').open"


@test
def a_question_mark_and_control_slash_show_all_keys(stage):
    stage.person("cid").send("hello")
    stage.ann.enter()
    stage.ann.sees(["hello"])
    stage.ann.run("document.getElementById('text').focus()")
    stage.ann.press("what?")
    assert stage.ann.run(f"return [{SHORTCUTS}, {FIELD}]") == [False, "what?"], "it is text there"
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    for key, code in (("/", "Slash"), ("/", "Digit7"), (".", "Slash")):  # also on a German and a Russian keyboard
        for is_open in (True, False):
            assert press(stage.ann, key, code, ctrlKey=True), (key, code)
            assert stage.ann.run(f"return {SHORTCUTS}") == is_open, (key, code)
    assert not press(stage.ann, "-", "Slash", ctrlKey=True), "it is the browser's zoom"
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.wait("document.activeElement.matches('.row')", "the message")
    stage.ann.press("?")
    stage.ann.wait(SHORTCUTS, "the keys")
    shown = stage.ann.run("return document.getElementById('shortcuts-list').innerText")
    for does in ("Send the message", "Mark unread from here", "Move a pinned room"):
        assert does in shown, shown
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait(f"!{SHORTCUTS} && document.activeElement.matches('.row')", "the messages again")
    stage.ann.run("document.getElementById('room-button').click(); document.getElementById('show-keys').click()")
    stage.ann.wait(f"{SHORTCUTS} && !document.getElementById('menu').matches(':popover-open')", "the keys, by the menu")
    stage.ann.press(Keys.ESCAPE)


@test
def control_k_finds_actions_too(stage):
    assert stage.person("ann").ask(type="join", room=stage.room)["type"] == "ok"
    stage.ann.enter()
    stage.ann.wait(f"document.querySelector('#sidebar-list a[data-room=\"{stage.room}\"]')", "the room")
    options = "[...document.querySelectorAll('#switcher-list li')].map((one) => one.querySelector('.name').textContent)"
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press(">")
    offered = stage.ann.run(f"return {options}")
    for label in ("New room", "Keyboard shortcuts", "Go to a day in this room", f"Mute: #{stage.room}", f"Leave: #{stage.room}"):
        assert label in offered, offered
    assert "Moderation" not in offered, "which this user may not do"
    stage.ann.press("new")
    assert stage.ann.run(f"return {options}") == ["New room"]
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"document.getElementById('new-dialog').open && !{SWITCHER}", "the form")
    stage.ann.press(Keys.ESCAPE)
    for does in ("Mute", "Unmute"):
        stage.ann.press(Keys.CONTROL, "k")
        stage.ann.press(f"{does.lower()}:", Keys.ENTER)
        is_muted = str(does == "Mute").lower()
        stage.ann.wait(f"document.querySelector('#sidebar-list a[data-room=\"{stage.room}\"]').matches('[data-muted]') === {is_muted}", does)
