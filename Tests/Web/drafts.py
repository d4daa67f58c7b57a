"""Drafts on all devices of a person: ann's browser and bob's are two devices of one user here, and a bare WebSocket is a third.

The table is each of ACTS in each of SITUATIONS.
"""

import json
from contextlib import contextmanager

from page import FIELD, MODE, away, test
from rooms import enter, hide, leave, link, rooms, setting, speaker
from selenium.webdriver.common.keys import Keys
from server import wait_until
from unanswered import HINT, tabs, tool

# Counts the drafts that a page sends.
COUNT = """
window.sentDrafts ??= [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  const { type, room, text } = JSON.parse(data);
  if (type === 'draft') window.sentDrafts.push([room, text ?? null]);
  return send.call(this, data);
};
"""
# The server that there is, but without drafts.
OLDER_SERVER = """
window.WebSocket = class extends WebSocket {
  send(text) {
    const { type, list, ref } = JSON.parse(text);
    if (type !== 'draft' && list !== 'me/drafts') return super.send(text);
    (window.refused ??= []).push(type);
    this.onmessage({ data: JSON.stringify({ type: 'error', error: 'bad_request', message: 'no such list', ref }) });
  }
};
"""
CLEAR = (Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
MOST = 100  # drafts of a person at the server
SETTLED = 6  # s after which no tab has anything to write


@contextmanager
def scripts(pages, source):
    """Runs a script in each new document of these pages."""
    added = [page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source}) for page in pages]
    try:
        yield
    finally:
        for page, script in zip(pages, added, strict=True):
            page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def with_devices(body):
    """A test with two devices of a user of its own, who is in two rooms and sees the first one, which is `stage.room`."""

    def run(stage):
        stage.room, stage.tea = rooms(stage, "den", "tea")
        setting(stage, stage.room, stage.tea)
        try:
            with scripts((stage.ann, stage.bob), COUNT):
                for page in (stage.ann, stage.bob):
                    enter(stage, page, stage.room, stage.front.url)
                body(stage)
        finally:
            leave(stage)

    run.__name__ = body.__name__
    return test(run)


def focus(page):
    page.run("document.getElementById('text').focus()")


def write(page, text):
    focus(page)
    page.press(Keys.CONTROL, Keys.END, Keys.NULL, text)


def rest(page):
    """The page is not open any more."""
    page.driver.get(f"{page.stage.front.url}/favicon.svg")


def blur(page):
    page.run("document.activeElement.blur()")


def shows(page, text, what="the draft"):
    page.wait(f"{FIELD} === {json.dumps(text)}", what)


def stored(stage):
    """Returns the user's drafts at the server, by room."""
    snapshot = stage.people[0].ask(type="subscribe", list="me/drafts")
    stage.people[0].ask(type="unsubscribe", list="me/drafts")
    (section,) = snapshot["sections"]
    return {row["id"]: row for row in section["rows"]}


def is_stored(stage, text, room=None):
    """Waits until the server has this draft of a room; none for `None`. Returns its row."""
    try:
        wait_until(lambda: stored(stage).get(room or stage.room, {}).get("text") == text, f"the server to have {text!r}")
    except TimeoutError as error:
        raise AssertionError(f"{error}; it has {stored(stage)}") from error
    return stored(stage).get(room or stage.room)


def store(stage, text, room=None, **more):
    """Stores a draft as a third device does."""
    answer = stage.people[0].ask(type="draft", room=room or stage.room, **({"text": text} if text else {}), **more)
    assert answer["type"] == "ok", answer


def kept(page):
    """Returns what the browser keeps of the draft."""
    return page.run("return JSON.parse(localStorage.getItem(arguments[0]) ?? '{}')", f"diffroom.draft {page.stage.room} {page.stage.user}")


def message_of(draft):
    return message_of(draft.get("aside") or {}) if draft.get("mode", {}).get("edit") else draft


def texts_of(draft):
    return [draft.get("text", ""), *(texts_of(draft["aside"]) if draft.get("aside") else [])]


def sent(page):
    return page.run("return window.sentDrafts.map(([, text]) => text)")


def pause(page, seconds):
    """Waits for a time in which nothing is to happen."""
    page.run_async(f"await new Promise((resolve) => setTimeout(resolve, {seconds * 1000}))")


# The table


def begin_typed(stage):
    write(stage.ann, "typed")
    is_stored(stage, "typed")
    shows(stage.bob, "typed")


def begin_mine(stage):
    stage.people[0].room = stage.room
    stage.people[0].send("mine")
    stage.ann.sees(["mine"])


def begin_question(stage):
    speaker(stage, stage.room).send("question")
    stage.ann.sees(["question"])


def edit(stage):
    tool(stage.ann, "mine", "edit")
    stage.ann.press(Keys.END, " and more")


def reply(stage):
    tool(stage.ann, "question", "reply")
    stage.ann.press("typed")


def change_room(stage):
    write(stage.ann, "typed")
    stage.ann.click(link(stage.tea))
    stage.ann.wait(f"document.getElementById('room-name').textContent === '{stage.tea}'", "the other room")


def reload(stage):
    write(stage.ann, "typed")
    stage.ann.driver.refresh()
    stage.ann.wait(f"{FIELD} === 'typed'", "the draft")


def close_tab(stage):
    """Closes a tab right after the last key press in it."""
    driver = stage.ann.driver
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    driver.get(f"{stage.front.url}/?room={stage.room}")
    write(stage.ann, "typed")
    driver.close()
    driver.switch_to.window(first)


def nothing(_stage):
    pass


# Of each act what comes before it, what is done, and what the server has in the end.
ACTS = {
    "typing": (nothing, lambda stage: write(stage.ann, "typed"), "typed"),
    "editing": (begin_mine, edit, None),
    "replying": (begin_question, reply, "typed"),
    "sending": (begin_typed, lambda stage: stage.ann.press(Keys.ENTER), None),
    "clearing": (begin_typed, lambda stage: stage.ann.press(*CLEAR), None),
    "leaving_the_field": (nothing, lambda stage: (write(stage.ann, "typed"), blur(stage.ann)), "typed"),
    "changing_rooms": (nothing, change_room, "typed"),
    "reloading": (nothing, reload, "typed"),
    "closing_the_tab": (nothing, close_tab, "typed"),
}


def has_all(stage, text, page=None):
    """The server has the draft, and the browser has the same, with no text of an edit or of a message that was sent in it."""
    row = is_stored(stage, text)
    wait_until(lambda: message_of(kept(page or stage.ann)).get("text", "") == (text or ""), "the browser to have the same")
    return row


def online(stage, act, text):
    rest(stage.bob)
    act(stage)
    has_all(stage, text)


def offline(stage, act, text):
    with away(stage, stage.ann):
        act(stage)
    has_all(stage, text)
    stage.bob.wait("document.body.dataset.state === 'online'", "the connection")
    has_all(stage, text, stage.bob)


def with_another_tab(stage, act, text):
    rest(stage.bob)
    with tabs(stage) as (first, open_another, go_to, _close):
        second = open_another()
        stage.ann.online()
        go_to(first)
        act(stage)
        go_to(second)
        has_all(stage, text)
        shows(stage.ann, texts_of(kept(stage.ann))[0], "what the tabs have in common, edits too")


def with_an_idle_device(stage, act, text):
    blur(stage.bob)
    act(stage)
    row = has_all(stage, text)
    shows(stage.bob, text or "")
    if row and "replyTo" in row:
        stage.bob.wait(f"{MODE} === 'Reply to cid: question'", "what it answers")


def with_a_device_that_types(stage, act, text):
    """Whoever comes last, both devices and the server have the same in the end, and each text is in one of them."""
    write(stage.bob, "by bob")
    act(stage)
    stage.bob.press("!")

    def are_the_same():
        texts = {message_of(kept(page)).get("text") for page in (stage.ann, stage.bob)}
        return texts == {stored(stage).get(stage.room, {}).get("text")}

    try:
        wait_until(are_the_same, "all to have the same")
    except TimeoutError as error:
        raise AssertionError([kept(stage.ann), kept(stage.bob), stored(stage)]) from error
    texts = texts_of(kept(stage.ann)) + texts_of(kept(stage.bob))
    for wanted in filter(None, ("by bob!", text)):
        assert any(wanted in one for one in texts), (wanted, texts)
    assert "mine and more" not in texts_of(kept(stage.bob)), "an edit stays where it is"


SITUATIONS = {
    "online": online,
    "offline": offline,
    "with_another_tab": with_another_tab,
    "with_an_idle_device": with_an_idle_device,
    "with_a_device_that_types": with_a_device_that_types,
}


def add_cell(name, act, text, before, situation, where):
    def body(stage):
        before(stage)
        situation(stage, act, text)

    body.__name__ = f"a_draft_is_where_it_belongs_after_{name}_{where}"
    with_devices(body)


for act_name, (preparation, deed, result) in ACTS.items():
    for place, way in SITUATIONS.items():
        add_cell(act_name, deed, result, preparation, way, place)


# When it is written


@with_devices
def a_draft_goes_when_it_is_sent_on_another_device(stage):
    write(stage.ann, "half a thought")
    shows(stage.bob, "half a thought")
    write(stage.bob, " and the other")
    stage.bob.press(Keys.ENTER)
    stage.bob.sees(["half a thought and the other"])
    shows(stage.ann, "")
    is_stored(stage, None)


@with_devices
def a_draft_is_written_at_once_when_the_user_goes(stage):
    steps = {
        "leaves the field": "document.activeElement.blur()",
        "goes to another tab": "Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); delete document.hidden",
        "closes the page": "dispatchEvent(new PageTransitionEvent('pagehide'))",
        "goes to another room": f"document.querySelector('a[data-room=\"{stage.tea}\"]').click()",
    }
    texts = []
    for step, (name, script) in enumerate(steps.items()):
        write(stage.ann, f"{step}")
        texts.append("".join(map(str, range(step + 1))))
        found = stage.ann.run(f"const before = sentDrafts.length; {script}; return [before, sentDrafts.map(([, text]) => text)]")
        assert found == [step, texts], f"{name}: {found}"


@with_devices
def nothing_is_written_that_has_not_changed(stage):
    write(stage.ann, "typed")
    is_stored(stage, "typed")
    for _ in range(3):
        blur(stage.ann)
        focus(stage.ann)
        stage.ann.press("x", Keys.BACKSPACE)
        hide(stage.ann, True)
        hide(stage.ann, False)
    stage.ann.click(link(stage.tea))
    stage.ann.driver.refresh()
    stage.ann.online()
    pause(stage.ann, SETTLED)
    assert sent(stage.ann) == [] and sent(stage.bob) == [], "the tabs have nothing to write"
    assert stored(stage)[stage.room]["rev"] == 1, "the draft was written once"


@with_devices
def two_devices_in_turn_send_each_change_once(stage):
    text = ""
    for turn in range(6):
        page, other = (stage.ann, stage.bob) if turn % 2 == 0 else (stage.bob, stage.ann)
        write(page, f"{turn} ")
        text += f"{turn} "
        shows(other, text)
    pause(stage.ann, SETTLED)
    assert [sent(stage.ann), sent(stage.bob)] == [["0 ", "0 1 2 ", "0 1 2 3 4 "], ["0 1 ", "0 1 2 3 ", text]]
    assert texts_of(kept(stage.ann)) == texts_of(kept(stage.bob)) == [text]


@with_devices
def two_tabs_send_each_change_once(stage):
    rest(stage.bob)
    with tabs(stage) as (first, open_another, go_to, _close):
        second = open_another()
        stage.ann.online()
        stage.ann.run(COUNT)
        for turn in range(4):
            go_to((first, second)[turn % 2])
            write(stage.ann, f"{turn} ")
            is_stored(stage, "0 1 2 3 "[: 2 * turn + 2])
        pause(stage.ann, SETTLED)
        counts = []
        for tab in (second, first):
            go_to(tab)
            counts.append(sent(stage.ann))
    assert counts == [["0 1 ", "0 1 2 3 "], ["0 ", "0 1 2 "]], counts


@with_devices
def the_draft_of_a_tab_that_has_ended_without_a_word_is_written_by_another(stage):
    rest(stage.bob)
    with tabs(stage) as (first, open_another, _go_to, close):
        second = open_another()
        stage.ann.online()
        stage.ann.run("WebSocket.prototype.send = () => {}")
        write(stage.ann, "last words")
        close(first)
        assert second not in stage.ann.driver.window_handles
        is_stored(stage, "last words")


# Two texts


@with_devices
def of_two_changes_the_one_here_stays_and_the_other_follows_it(stage):
    write(stage.ann, "one")
    shows(stage.bob, "one")
    with away(stage, stage.ann):
        stage.ann.press(*CLEAR, "two")
        store(stage, "three")
    is_stored(stage, "two")
    stage.ann.wait(f"{HINT}.includes('on another device')", "to know of it")
    shows(stage.ann, "two")
    assert texts_of(kept(stage.ann)) == ["two", "three"]
    shows(stage.bob, "two")
    focus(stage.ann)
    stage.ann.press(Keys.ENTER)
    shows(stage.ann, "three")
    is_stored(stage, "three")
    shows(stage.bob, "three")


@with_devices
def what_another_device_has_sent_or_changed_meanwhile_comes_with_the_connection(stage):
    write(stage.ann, "one")
    is_stored(stage, "one")
    with away(stage, stage.ann):
        store(stage, "two")
        store(stage, "tea", stage.tea)
    shows(stage.ann, "two")
    with away(stage, stage.ann):
        store(stage, None)
        store(stage, None, stage.tea)
    shows(stage.ann, "")
    stage.ann.wait(f"!{link(stage.tea)}.querySelector('.draft')", "the other draft to go")
    assert sent(stage.ann) == ["one"], "what comes is not sent back"


@with_devices
def a_text_is_not_replaced_while_the_user_writes(stage):
    rest(stage.bob)
    write(stage.ann, "mine")
    is_stored(stage, "mine")
    stage.ann.press("!")
    stage.ann.run("setTimeout(() => window.late = document.getElementById('text').value, 1500)")
    store(stage, "theirs")
    stage.ann.wait("window.late === 'mine!'", "the text to stay")
    is_stored(stage, "mine!")
    assert texts_of(kept(stage.ann)) == ["mine!", "theirs"]


@with_devices
def a_text_that_another_device_goes_on_with_is_behind_the_draft_once(stage):
    with away(stage, stage.ann):
        write(stage.ann, "mine")
        store(stage, "th")
    is_stored(stage, "mine")
    for text in ("the", "their", "theirs"):
        with away(stage, stage.ann):
            write(stage.ann, "!")
            store(stage, text)
        is_stored(stage, message_of(kept(stage.ann))["text"])
    assert texts_of(kept(stage.ann)) == ["mine!!!", "theirs"]


@with_devices
def a_draft_that_comes_during_an_edit_waits_for_its_end(stage):
    begin_mine(stage)
    edit(stage)
    store(stage, "theirs")
    wait_until(lambda: texts_of(kept(stage.ann)) == ["mine and more", "theirs"], "the draft behind the edit")
    assert stage.ann.run(f"return [{FIELD}, {MODE}]") == ["mine and more", "Edit your message"]
    stage.ann.press(Keys.ENTER)
    shows(stage.ann, "theirs")
    stage.ann.sees(["mine and more"])
    assert sent(stage.ann) == []


@with_devices
def a_draft_that_the_server_drops_stays_in_its_browser(stage):
    write(stage.ann, "the oldest")
    is_stored(stage, "the oldest")
    for number in range(MOST):
        store(stage, "another", f"{stage.room}-{number}")
    wait_until(lambda: stage.room not in stored(stage), "the oldest to go")
    pause(stage.ann, SETTLED)
    assert [kept(page)["text"] for page in (stage.ann, stage.bob)] == ["the oldest"] * 2
    assert sent(stage.ann) == ["the oldest"] and sent(stage.bob) == []
    write(stage.ann, "!")
    is_stored(stage, "the oldest!")
    shows(stage.bob, "the oldest!")


@with_devices
def a_mention_is_in_the_draft(stage):
    people = [speaker(stage, stage.room, name) for name in ("Bo Derek", "bob")]
    for person in people:
        person.enter()
    stage.ann.wait("document.querySelector('#people-online [title=\"Bo Derek\"]')", "them to be there")
    write(stage.ann, "hello @Bo Derek and `@bob`")
    assert is_stored(stage, "hello @Bo Derek and `@bob`").get("mentions") == ["Bo Derek"]


@with_devices
def a_server_without_drafts_is_no_trouble(stage):
    with scripts((stage.ann,), OLDER_SERVER):
        enter(stage, stage.ann, stage.room, stage.front.url)
        write(stage.ann, "typed")
        blur(stage.ann)
        stage.ann.driver.refresh()
        stage.ann.online()
        shows(stage.ann, "typed")
        assert stage.ann.run("return window.refused") == ["subscribe"]
        stage.ann.say("")
        stage.ann.sees(["typed"])
        assert stored(stage) == {}


# The row of the room

ROW = "{link}.querySelector('.said').innerText.replace(/\\s+/g, ' ').trim()"
SIZES = "JSON.stringify([...document.querySelectorAll('#sidebar-list li')].map((one) => [one.firstChild.dataset.room, one.offsetHeight, one.offsetTop, one.querySelector('.name').getBoundingClientRect().top]))"


def says(page, room, text):
    page.wait(f"{link(room)}?.querySelector('.said') && {ROW.replace('{link}', link(room))} === {json.dumps(text)}", f"{room} to say {text}")


@with_devices
def the_row_of_a_room_has_its_draft_in_place_of_the_last_message(stage):
    for room in (stage.room, stage.tea):
        speaker(stage, room).send("the last message")
        says(stage.ann, room, "cid: the last message")
    for room in (stage.tea, stage.room):
        stage.ann.click(link(room))
        stage.ann.wait(f"document.getElementById('room-name').textContent === '{room}' && !{link(stage.tea)}.querySelector('.badge')", "the room to be read")
    sizes = stage.ann.run(f"return {SIZES}")
    store(stage, "**half** a thought", stage.tea)
    says(stage.ann, stage.tea, "Draft: half a thought")
    assert "Draft: half a thought" in stage.ann.driver.find_element("css selector", f"a[data-room='{stage.tea}']").accessible_name
    assert stage.ann.run(f"return {SIZES}") == sizes, "no row moves"
    write(stage.ann, "written here")
    says(stage.ann, stage.room, "cid: the last message")
    stage.ann.click(link(stage.tea))
    says(stage.ann, stage.room, "Draft: written here")
    says(stage.ann, stage.tea, "cid: the last message")
    shows(stage.ann, "**half** a thought")
    assert stage.ann.run(f"return {SIZES}") == sizes, "no row moves"
    says(stage.bob, stage.tea, "Draft: half a thought")
    shows(stage.bob, "written here")
    stage.bob.run("document.getElementById('text').focus()")
    stage.bob.press(Keys.ENTER)
    says(stage.ann, stage.room, "You: written here")


@with_devices
def a_room_without_a_message_shows_its_draft_and_typing_covers_it(stage):
    store(stage, "half a thought", stage.tea)
    says(stage.ann, stage.tea, "Draft: half a thought")
    cid = speaker(stage, stage.tea)
    cid.enter()
    assert cid.ask(type="typing", room=stage.tea, on=True)["type"] == "ok"
    says(stage.ann, stage.tea, "typing…")
    says(stage.ann, stage.tea, "Draft: half a thought")
    store(stage, None, stage.tea)
    stage.ann.wait(f"!{link(stage.tea)}.querySelector('.said')", "nothing to be said")
