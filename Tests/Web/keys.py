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
