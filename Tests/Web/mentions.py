"""The page and mentions: who is offered, what stands out, what is counted, and what is told."""

import json

from page import let_be_refused
from rooms import badge, enter, enter_elsewhere, hide, is_in, link, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys

FIELD = "document.getElementById('text')"
OFFERED = "[...document.querySelectorAll('#offer li')].map((one) => one.dataset.name)"
# The real notifications, kept where a test sees them.
KEEP_NOTIFICATIONS = """
window.told = [];
window.Notification = class extends Notification {
  constructor(title, options) {
    super(title, options);
    window.told.push(this);
    this.addEventListener('close', () => (this.isClosed = true));
  }
  close() {
    super.close();
    this.isClosed = true;
  }
};
"""


def there(stage, room, *names):
    """People who are online in the room, as the page sees them. Returns them."""
    people = [speaker(stage, room, name) for name in names]
    for person in people:
        person.enter()
    for name in names:
        stage.ann.wait(f"[...document.querySelectorAll('#people-online bdi')].some((one) => one.textContent === '{name}')", f"{name} to be there")
    return people


def offers(page, names):
    page.wait(f"{OFFERED}.join() === {','.join(names)!r}", f"{names} to be offered")


def called(page, room, number):
    """Waits until the room shows this number of mentions; none for 0."""
    shown = f"({link(room)}?.querySelector('.call.badge')?.firstChild.textContent ?? '')"
    page.wait(f"{shown} === '{f'@{number}' if number else ''}'", f"{room} to have {number} mentions")


def allow_notifications(stage, page, setting="granted", url=None):
    page.driver.execute_cdp_cmd("Browser.setPermission", {"origin": url or stage.url, "permission": {"name": "notifications"}, "setting": setting})


@with_rooms
def people_are_offered_after_an_at_sign(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    (bob, *_) = there(stage, den, "bob", "Bo Derek", "anna", "Åse")
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press("hello @")
    offers(stage.ann, ["anna", "Bo Derek", "bob", "Åse"])
    chosen = f"document.getElementById({FIELD}.getAttribute('aria-activedescendant'))"
    described = f"[{FIELD}.role, {FIELD}.ariaExpanded, {FIELD}.getAttribute('aria-controls'), {chosen}.role, {chosen}.ariaSelected, {chosen}.dataset.name]"
    assert stage.ann.run(f"return {described}") == ["combobox", "true", "offer", "option", "true", "anna"]
    stage.ann.press("B")
    offers(stage.ann, ["Bo Derek", "bob"])
    stage.ann.press(Keys.ARROW_DOWN)
    assert stage.ann.run(f"return {chosen}.dataset.name") == "bob"
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press(Keys.ENTER)
    assert stage.ann.run(f"return [{FIELD}.value, {FIELD}.role, {OFFERED}.length]") == ["hello @Bo Derek ", None, 0]
    stage.ann.press("and @der")
    offers(stage.ann, ["Bo Derek"])
    stage.ann.press(Keys.ARROW_UP, Keys.TAB, "@BOB", Keys.TAB)
    assert stage.ann.run("return document.activeElement.id") == "text"
    assert "hello @Bo Derek and @Bo Derek @bob " in stage.ann.run(f"return JSON.stringify([{FIELD}.value, localStorage])"), "the draft has it, too"
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.querySelectorAll('.mention').length === 3 && !document.querySelector('[data-state]:not(body)')", "the message")
    assert [row["mentions"] for row in bob.messages()] == [["Bo Derek", "bob"]]


@with_rooms
def escape_leaves_the_offer_and_an_address_begins_none(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    (bob,) = there(stage, den, "bob")
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press("mail bob@")
    offers(stage.ann, [])
    stage.ann.press(" or @b")
    offers(stage.ann, ["bob"])
    stage.ann.press(Keys.ESCAPE)
    offers(stage.ann, [])
    stage.ann.press("o")
    offers(stage.ann, [])
    stage.ann.press(Keys.ENTER)
    stage.ann.sees(["mail bob@ or "])
    assert bob.messages()[0].get("mentions") == ["bo"], "whoever that is"
    stage.ann.press("@b")
    offers(stage.ann, ["bob"])
    stage.ann.run("document.querySelector('#offer li').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true }))")
    stage.ann.click("document.querySelector('#offer li bdi')")
    assert stage.ann.run(f"return [{FIELD}.value, document.activeElement.id, {OFFERED}.length]") == ["@bob ", "text", 0]
    stage.ann.press(Keys.BACKSPACE, Keys.BACKSPACE, Keys.BACKSPACE, Keys.BACKSPACE, Keys.BACKSPACE, "@")
    offers(stage.ann, ["bob"])
    stage.ann.run(f"{FIELD}.blur()")
    offers(stage.ann, [])


@with_rooms
def mentions_stand_out_and_those_of_oneself_have_a_bar(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    me = stage.user
    bob = speaker(stage, den, "bob")
    id = bob.send(f"@{me}, @Dana Österlund and @<b>.*: see https://example.org/?to=@{me} (@{me}) @cid", mentions=[me, "Dana Österlund", "<b>.*"])
    bob.send(f"@{me} is only text here")
    bob.send("@cid alone", mentions=["cid"])
    stage.ann.wait("document.querySelectorAll('.row').length === 3", "the messages")
    marked = "[...document.querySelectorAll('.mention')].map((one) => [one.textContent, one.className])"
    own = [f"@{me}", "own mention"]
    others = [["@Dana Österlund", "mention"], ["@<b>.*", "mention"]]
    assert stage.ann.run(f"return {marked}") == [own, *others, own, ["@cid", "mention"]]
    assert stage.ann.run("return document.querySelector('.text a').getAttribute('href')") == f"https://example.org/?to=@{me}"
    assert stage.ann.run("return document.querySelector('.text').textContent").startswith(f"@{me}, @Dana Österlund and @<b>.*: see")
    with_bar = "[...document.querySelectorAll('.row[data-called]')].map((row) => row.dataset.id)"
    assert stage.ann.run(f"return {with_bar}") == [id]
    assert stage.ann.run("return getComputedStyle(document.querySelector('.row[data-called]')).boxShadow").startswith("rgb")

    bob.change("react", id, emoji="👍", on=True)
    stage.ann.wait("document.querySelector('.chip')", "the reaction")
    assert stage.ann.run(f"return [{with_bar}.length, {marked}.length]") == [1, 5]
    bob.change("edit", id, text="@cid", mentions=["cid"])
    stage.ann.wait(f"{with_bar}.length === 0 && {marked}.length === 2", "the edit")
    stage.ann.say(f"I am @{me}. ")
    stage.ann.wait("document.querySelector('.own.mention') && !document.querySelector('[data-state]:not(body)')", "the message")
    assert stage.ann.run(f"return {with_bar}") == [], "one does not call oneself"


@with_rooms
def everybody_is_mentioned_where_one_may(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    (bob,) = there(stage, den, "bob")
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press("@")
    offers(stage.ann, ["bob"])
    stage.ann.press("room", Keys.ENTER)
    stage.ann.wait("document.querySelector('.row:not([data-state])')", "the message")
    assert [(row.get("mentions"), row.get("everyone")) for row in bob.messages()] == [(None, None)], "a writer's @room is text"
    assert stage.ann.run("return document.querySelectorAll('.mention').length") == 0

    cid = speaker(stage, den, "cid")
    plans = cid.create("private", stage.user, title="Plans")
    cid.room = plans
    id = cid.send("@room, come", everyone=True)
    stage.ann.wait("document.querySelector('#invited-list button')", "the invitation")
    stage.ann.click("document.querySelector('#invited-list [aria-label^=Accept]')")
    stage.ann.wait("document.querySelector('.own.mention')?.textContent === '@room'", "the message to everybody")
    assert stage.ann.run("return [...document.querySelectorAll('.row[data-called]')].map((row) => row.dataset.id)") == [id]
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press("@roo")
    offers(stage.ann, ["room"])
    stage.ann.press(Keys.TAB, "lunch", Keys.ENTER)
    stage.ann.wait("document.querySelectorAll('.row:not([data-state]) .mention').length === 2", "the message")
    assert [(row.get("text"), row.get("everyone")) for row in cid.messages()] == [("@room, come", True), ("@room lunch", True)]
    assert stage.ann.run("return document.querySelectorAll('.row[data-called]').length") == 1, "one does not call oneself"


@with_rooms
def the_mentions_are_listed_and_lead_to_their_messages(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    items = "[...document.querySelectorAll('#mentions-list button')].map((one) => [one.querySelector('bdi').textContent, one.querySelector('.said').textContent, one.className])"
    cid = speaker(stage, tea, "cid")
    first = cid.send(f"@{stage.user} <b>first</b>", mentions=[stage.user])
    cid.send_all([f"no. {number}" for number in range(300)])
    called(stage.ann, tea, 1)
    stage.ann.wait("document.getElementById('mentions-button').ariaLabel === 'Mentions, 1 unread'", "the count")
    stage.ann.click("document.getElementById('mentions-button')")
    stage.ann.wait(f"JSON.stringify({items}) === {json.dumps(json.dumps([['cid', f'@{stage.user} <b>first</b>', 'unread']], separators=(',', ':')))}", "the mention")
    second = cid.send(f"@{stage.user} second", mentions=[stage.user])
    stage.ann.wait(f"{items}.map(([, said]) => said).join() === '@{stage.user} second,@{stage.user} <b>first</b>'", "the newest on top")
    cid.change("edit", second, text="nobody")
    stage.ann.wait(f"{items}.length === 1", "the edit")
    stage.ann.click("document.querySelector('#mentions-list button')")
    is_in(stage.ann, tea)
    seen = f"document.querySelector('.row[data-id=\"{first}\"]')"
    stage.ann.wait(f"{seen} && {seen}.getBoundingClientRect().top >= 0 && {seen}.getBoundingClientRect().bottom <= innerHeight", "the message")
    assert stage.ann.run("return document.getElementById('mentions').open") is False
    stage.ann.click("document.getElementById('mentions-button')")
    stage.ann.wait(f"{items}.length === 1", "the list again")
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait("!document.getElementById('mentions').open", "it to close")


@with_rooms
def older_mentions_come_by_a_click_and_by_scrolling_until_there_are_none(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    said = "[...document.querySelectorAll('#mentions-list .said')].map((one) => one.textContent)"
    older = "document.getElementById('mentions-older')"
    texts = [f"@{stage.user} no. {number}" for number in range(320)]
    cid = speaker(stage, tea, "cid")
    cid.send_all(texts, mentions=[stage.user])
    stage.ann.click("document.getElementById('mentions-button')")
    stage.ann.wait(f"{said}.length === 100 && {older}.checkVisibility()", "the newest")
    stage.ann.click(older)
    stage.ann.wait(f"{said}.length === 200", "older ones")
    new = cid.send(f"@{stage.user} new", mentions=[stage.user])
    stage.ann.wait(f"{said}.length === 201 && {said}[0] === '@{stage.user} new'", "another one, and none to be missing")
    stage.ann.wait(f"(document.getElementById('mentions-list').scrollTop = 1e9, {said}.length === 321)", "all")
    stage.ann.wait(f"!{older}.checkVisibility()", "no others to be offered")
    cid.change("delete", new)
    stage.ann.wait(f"{said}.length === 320", "it to go")
    assert stage.ann.run(f"return {said}") == texts[::-1]
    stage.ann.click("[...document.querySelectorAll('#mentions-list button')].at(-1)")
    is_in(stage.ann, tea)
    stage.ann.wait(f"[...document.querySelectorAll('.row')].some((row) => row.innerText.includes('{texts[0]}'))", "the first message")


@with_rooms
def an_edit_keeps_the_names_and_takes_others(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    (cid,) = there(stage, den, "cid")
    speaker(stage, den, stage.user).send("@Dana Österlund, who is not here", mentions=["Dana Österlund"])
    stage.ann.wait("document.querySelector('.mention')", "the message")
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press(Keys.ARROW_UP, "e", " and @cid", Keys.ESCAPE, Keys.ENTER)
    stage.ann.wait("document.querySelectorAll('.mention').length === 2", "the edit")
    assert [row["mentions"] for row in cid.messages()] == [["Dana Österlund", "cid"]]


@with_rooms
def mentions_elsewhere_are_counted_until_they_are_read(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    cid = speaker(stage, tea)
    cid.send("for everybody")
    cid.send(f"@{stage.user} come", mentions=[stage.user])
    id = cid.send(f"@{stage.user} now", mentions=[stage.user])
    badge(stage.ann, tea, 3)
    called(stage.ann, tea, 2)
    stage.ann.wait(f"document.title === '(@2) #{den} · Diffroom'", "the title")
    assert "@2 mentioning you" in stage.ann.run(f"return {link(tea)}.innerText").replace("\n", " ")
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.wait("document.querySelector('#switcher-list .call.badge')?.firstChild.textContent === '@2'", "the same in the switcher")
    stage.ann.press(Keys.ESCAPE)
    cid.change("edit", id, text="now")
    called(stage.ann, tea, 1)
    badge(stage.ann, tea, 3)

    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        count = "document.getElementById('sidebar-count')"
        stage.ann.wait(f"{count}.checkVisibility() && {count}.textContent === '@1' && document.getElementById('sidebar-button').ariaLabel === 'Your rooms, 3 unread, 1 mentioning you'", "the badge")
    finally:
        stage.ann.resize(1180, 760)
    called(enter_elsewhere(stage, den), tea, 1)
    stage.ann.click(link(tea))
    is_in(stage.ann, tea)
    for page in (stage.ann, stage.bob):
        called(page, tea, 0)
        badge(page, tea, 0)
    stage.bob.wait(f"document.title === '#{den} · Diffroom'", "the title")


@with_rooms
def a_mention_in_the_room_of_a_hidden_page_shows_until_it_is_looked_at(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    cid = speaker(stage, den)
    cid.send(f"@{stage.user} seen", mentions=[stage.user])
    stage.ann.wait("document.querySelector('.own.mention')", "the message")
    hide(stage.ann, True)
    cid.send(f"@{stage.user} unseen", mentions=[stage.user])
    called(stage.ann, den, 1)
    stage.ann.wait(f"document.title === '(@1) #{den} · Diffroom'", "the title")
    stage.ann.wait("window.told.length", "to be told")
    assert stage.ann.run("return window.told.map(({ body }) => body)") == [f"@{stage.user} unseen"]
    hide(stage.ann, False)
    called(stage.ann, den, 0)
    assert stage.ann.run("return window.told[0].isClosed")
    stage.ann.wait(f"document.title === '#{den} · Diffroom'", "the title")


@with_rooms
def what_waits_or_was_refused_keeps_its_mentions(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    stage.room = den
    enter(stage, stage.ann, den, stage.front.url)
    there(stage, den, "Dana Österlund")
    stage.server.kill()
    stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
    stage.ann.say("@Dana Österlund ")
    stage.ann.wait("document.querySelector('.row[data-state=waiting] .mention')", "the message to wait")
    stage.ann.driver.get(f"{stage.front.url}/?room={den}")
    stage.ann.wait("document.querySelector('.row[data-state=waiting] .mention')?.textContent === '@Dana Österlund'", "it to wait again")
    stage.server.start()
    stage.ann.wait("document.querySelector('.row:not([data-state]) .mention')", "the message")
    assert [row["mentions"] for row in speaker(stage, den).messages()] == [["Dana Österlund"]]

    let_be_refused(stage.ann, "@Dana Österlund, no")
    stage.ann.run(f"{FIELD}.value = '@Dana Österlund, no'; {FIELD}.focus()")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.querySelector('.row[data-state=failed] .mention')", "the refusal")
    stage.ann.click("document.querySelector('[data-act=again]')")
    stage.ann.run(f"{FIELD}.value = '@Dana Österlund?'")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.querySelectorAll('.row:not([data-state]) .mention').length === 2", "the message")


@with_rooms
def notifications_are_asked_for_by_a_click_and_come_for_rooms_one_does_not_look_at(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    allow_notifications(stage, stage.ann, "prompt")
    enter(stage, stage.ann, den)
    stage.ann.run(KEEP_NOTIFICATIONS)
    stage.ann.run("window.asked = 0; Notification.requestPermission = async () => { window.asked++; }")
    button = "document.getElementById('notify')"
    stage.ann.click("document.getElementById('room-button')")
    assert stage.ann.run(f"return [{button}.checkVisibility(), {button}.textContent, {button}.ariaPressed, window.asked]") == [True, "Notify me of mentions and direct messages", "false", 0]
    cid, dan = speaker(stage, tea), speaker(stage, den, "dan")
    cid.send(f"@{stage.user} too early", mentions=[stage.user])
    called(stage.ann, tea, 1)
    stage.ann.click(button)
    assert stage.ann.run("return window.asked") == 1
    allow_notifications(stage, stage.ann)
    stage.ann.run("document.getElementById('menu').hidePopover()")
    stage.ann.click("document.getElementById('room-button')")
    stage.ann.wait(f"{button}.ariaPressed === 'true'", "the browser to let us")
    stage.ann.run("document.getElementById('menu').hidePopover()")

    dan.send(f"@{stage.user} you look at it", mentions=[stage.user])
    cid.send("for everybody")
    cid.send(f"@{stage.user} <b>come</b>", mentions=[stage.user])
    called(stage.ann, tea, 2)
    stage.ann.wait("window.told.length", "to be told")
    told = "window.told.map(({ title, body, isClosed = false }) => [title, body, isClosed])"
    assert stage.ann.run(f"return {told}") == [[f"cid in #{tea}", f"@{stage.user} <b>come</b>", False]]
    stage.ann.run("window.told[0].dispatchEvent(new Event('click'))")
    is_in(stage.ann, tea)
    called(stage.ann, tea, 0)
    assert stage.ann.run("return window.told[0].isClosed")


@with_rooms
def a_mention_that_is_read_on_another_device_is_not_told_or_taken_back(stage):
    den, tea, attic = rooms(stage, "den", "tea", "attic")
    setting(stage, den, tea, attic)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    enter(stage, stage.bob, tea)
    speaker(stage, tea).send(f"@{stage.user} read at once", mentions=[stage.user])
    cid = speaker(stage, attic)
    for text in ("one", "two"):
        cid.send(f"@{stage.user} {text}", mentions=[stage.user])
    cid.send("the last calls nobody")
    stage.ann.wait("window.told.length", "to be told")
    told = "window.told.map(({ title, body, isClosed = false }) => [title, body, isClosed])"
    assert stage.ann.run(f"return {told}") == [[f"#{attic}", "2 messages mention you.", False]]
    stage.bob.click(link(attic))
    stage.ann.wait("window.told[0].isClosed", "it to be taken back")
    assert stage.ann.run("return window.told.length") == 1


@with_rooms
def notifications_that_the_browser_blocks_are_not_offered(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    allow_notifications(stage, stage.ann, "denied")
    try:
        enter(stage, stage.ann, den)
        stage.ann.click("document.getElementById('room-button')")
        button = "document.getElementById('notify')"
        assert stage.ann.run(f"return [{button}.disabled, {button}.textContent]") == [True, "Notifications are blocked by the browser"]
    finally:
        allow_notifications(stage, stage.ann)
