"""The menu of a message: by pointer and by key, with what the user may do."""

from page import FIELD, ROW, test
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

MENU = "document.getElementById('message-menu')"
CHOICES = f"[...{MENU}.querySelectorAll('button')].map((one) => one.textContent)"
COPIED = "navigator.clipboard.writeText = async (text) => { window.copied = text; };"


def choose(page, text, label):
    choose_at(page, page.run(f"return ({ROW}).querySelector('.text')", text), label)


def choose_at(page, node, label):
    ActionChains(page.driver).context_click(node).perform()
    page.wait(f"{MENU}.matches(':popover-open')", "the menu")
    page.click(f"[...{MENU}.querySelectorAll('button')].find((one) => one.textContent === arguments[0])", label)


@test
def the_menu_of_a_message_copies_quotes_and_marks(stage):
    ann = stage.ann
    assert stage.person("ann").ask(type="join", room=stage.room)["type"] == "ok"
    first = stage.person("cid").send("one\ntwo")
    stage.person("cid").send("three")
    ann.enter()
    ann.sees(["one\ntwo", "three"])
    ann.wait(f"Boolean(document.querySelector('#sidebar-list a[data-room=\"{stage.room}\"]'))", "the room")
    ann.run(COPIED)
    choose(ann, "one", "Copy text")
    ann.wait("window.copied === 'one\\ntwo' && document.getElementById('hint').textContent === 'The text is copied.'", "the text")
    choose(ann, "one", "Copy link")
    ann.wait(f"window.copied === `${{location.origin}}/?room={stage.room}&message={first}`", "the link")
    ann.run("document.getElementById('text').value = 'mine'")
    choose(ann, "one", "Quote")
    assert ann.run(f"return {FIELD}") == "> cid:\n> one\n> two\nmine"
    ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    choose(ann, "three", "Mark unread from here")
    ann.wait("document.querySelector('#sidebar-list .marked') && document.querySelector('.since')?.textContent.startsWith('1 new')", "it to be unread")


@test
def the_menu_of_a_message_opens_by_key_and_button_with_what_one_may_do(stage):
    ann = stage.ann
    ann.enter()
    ann.say("mine")
    stage.person("cid").send("other")
    ann.sees(["mine", "other"])
    ann.wait("!document.getElementById('schedule').hidden", "the server to have reminders")
    ann.press(Keys.ARROW_UP, Keys.SHIFT, Keys.F10)
    ann.wait(f"{MENU}.matches(':popover-open')", "the menu")
    assert ann.run(f"return {CHOICES}") == ["Reply", "Reply in thread", "Quote", "Forward", "React", "Copy text", "Copy link", "Remind me…"]
    ann.press(Keys.ESCAPE)
    ann.wait("document.activeElement.matches('.row')", "the message")
    ann.select("mine")
    ann.click("document.querySelector('#tools [data-act=menu]')")
    assert ann.run(f"return {CHOICES}") == ["Reply", "Reply in thread", "Quote", "Forward", "React", "Edit", "Copy text", "Copy link", "Remind me…", "Delete"]
    ann.press("e", Keys.ENTER)
    ann.wait("document.getElementById('mode-text').textContent === 'Edit your message'", "the edit")
    ann.press(Keys.ESCAPE)


@test
def a_message_is_forwarded_into_the_field_of_another_room(stage):
    ann = stage.ann
    other = f"{stage.room}-other"
    cid = stage.person("cid")
    cid.send("one\ntwo")
    ann.enter()
    ann.sees(["one\ntwo"])
    choose(ann, "one", "Forward")
    ann.wait("document.getElementById('switcher').open && document.activeElement.placeholder === 'Forward to a room'", "the rooms")
    ann.press(other, Keys.ENTER)
    ann.wait(f"document.getElementById('room-name').textContent === '{other}' && {FIELD} === '> cid:\\n> one\\n> two\\n'", "the message in the field")
    assert ann.run("return document.activeElement.id") == "text"
    ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    ann.press(Keys.CONTROL, "k")
    ann.press("not-forwarded", Keys.ENTER)
    ann.wait("document.getElementById('room-name').textContent === 'not-forwarded'", "the room")
    assert ann.run(f"return {FIELD}") == "", "a switch afterwards forwards nothing"
