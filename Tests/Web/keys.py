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
        stage.ann.click("document.querySelector('#composer [type=submit]')")
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
    stage.ann.click("document.getElementById('room-button')")
    stage.ann.click("document.getElementById('show-keys')")
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


# The buttons and fields in sight that a finger can miss: less than 44 px beside or above one another; and fields with small text.
SMALL = """
const targets = [...document.querySelectorAll('button, summary, select, textarea, input:not([type=radio], [type=checkbox]), #sidebar-list a')];
const hits = (node, x, y) => node.contains(document.elementFromPoint(x, y));
return targets.filter((node) => {
  if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true })) return false;
  const { left, top, width, height } = node.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  if (!hits(node, x, y)) return false; // it is behind something
  const isSmall = Math.max(width, 44) - width > 0.5 || [-21, 21].some((by) => !hits(node, x, y + by));
  return isSmall || (/^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) && parseFloat(getComputedStyle(node).fontSize) < 16);
}).map((node) => `${node.id || node.className || node.dataset.act} ${node.textContent.trim().slice(0, 20)} ${Math.round(node.getBoundingClientRect().width)} × ${Math.round(node.getBoundingClientRect().height)}`);
"""


@test
def on_a_phone_a_finger_hits_what_it_means(stage):
    touch = "Emulation.setTouchEmulationEnabled"
    ann = stage.ann
    assert stage.person("ann").ask(type="join", room=stage.room)["type"] == "ok"
    stage.person("eve").enter()
    cid = stage.person("cid")
    first = cid.send("hello")
    cid.change("react", first, emoji="👍", on=True)
    cid.send("an answer", replyTo=first)
    ann.resize(390, 844, scale=2, phone=True)
    ann.driver.execute_cdp_cmd(touch, {"enabled": True})
    try:
        ann.enter()
        ann.sees(["hello", "an answer"])
        ann.select("hello")
        small = ann.run(SMALL)
        assert not small, small
        for opener, closer in (("sidebar-button", "sidebar-close"), ("people-button", "people-close"), ("room-button", None), ("new-room", "new-close"), ("mentions-button", "mentions-close"), ("threads-button", "threads-close"), ("show-keys", "shortcuts-close"), ("find", None)):
            ann.click("document.getElementById(arguments[0])", opener)
            ann.run_async("await new Promise((done) => setTimeout(done, 300))")
            small = ann.run(SMALL)
            assert not small, (opener, small)
            if closer:
                ann.click("document.getElementById(arguments[0])", closer)
            else:
                ann.press(Keys.ESCAPE)
    finally:
        ann.driver.execute_cdp_cmd(touch, {"enabled": False})
        ann.resize(1180, 760)
