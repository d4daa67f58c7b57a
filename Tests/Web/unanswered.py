"""What the server has not answered: no command is lost or done twice, its row is marked, and a refused text comes back.

The table is each command of COMMANDS, done offline, in each way in which its page can end; and each text, refused, in each of ENDS.
"""

import json
from contextlib import contextmanager

from page import FIELD, MODE, ROW, away, test
from private import QUESTION
from rooms import badge, enter, hide, link, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until

# Counts what each tab sends: by type, and by what identifies a command.
COUNT = """
window.sentFrames = [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  const { type, id, command } = JSON.parse(data);
  if (!['hello', 'ping', 'read', 'typing', 'subscribe', 'people', 'page', 'draft'].includes(type)) window.sentFrames.push(`${type} ${command ?? id ?? ''}`);
  return send.call(this, data);
};
"""
# Loses what a tab sends about the user's reading.
LOSE_READS = """
window.lostReads = [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  const { type, room } = JSON.parse(data);
  if (type === 'read') window.lostReads.push(room);
  else send.call(this, data);
};
"""
HINT = "document.getElementById('hint').textContent"
OFFLINE = "document.body.dataset.state === 'waiting'"
PARTS = ["mine", "doomed", "other"]


def tool(page, text, act):
    page.select(text)
    page.click(f"document.querySelector('#tools [data-act={act}]')")


def send(page):
    page.say("new")


def edit(page):
    tool(page, "mine", "edit")
    page.press(Keys.END, " and more", Keys.ENTER)


def delete(page):
    tool(page, "doomed", "delete")
    page.wait(f"{QUESTION}.open", "the question")
    page.click("document.getElementById('question-yes')")


def react(page):
    tool(page, "other", "react")
    page.wait("document.activeElement.closest('#picker')", "the emojis")
    page.press(Keys.ENTER)


def mute_room(page):
    page.click(f"{link(page.stage.room)}.parentNode.querySelector('.more')")
    page.click("document.querySelector('#room-menu [data-act=mute]')")


def mute_person(page):
    page.click("document.querySelector('#people [aria-label=\"Moderate eve\"]')")
    page.click("document.querySelector('#person-menu [data-act=mute-600000]')")


def marked(text, attribute):
    return f"Boolean(({ROW.replace('arguments[0]', json.dumps(text))})?.matches('[data-{attribute}]'))"


def row_of(stage, text):
    return next((row for row in stage.person("cid").messages() if row["text"] == text), None)


def row_in(person, room):
    """The row of a room in a person's list of rooms."""
    rows = [row for section in person.ask(type="subscribe", list="me/rooms")["sections"] for row in section["rows"]]
    person.ask(type="unsubscribe", list="me/rooms")
    return next(row for row in rows if row["id"] == room)


def my_room(stage):
    return row_in(stage.person("ann"), stage.room)


def audited(stage):
    return [entry["action"] for entry in stage.person("ann").ask(type="audit", room=stage.room)["entries"]]


# Of each command how it is done, what the page shows until it is answered, and whether the server has it.
COMMANDS = {
    "send": (send, marked("new", "state=waiting"), lambda stage: stage.person("cid").texts().count("new") == 1),
    "edit": (edit, marked("mine", "changing"), lambda stage: row_of(stage, "mine and more")),
    "delete": (delete, marked("doomed", "deleting"), lambda stage: not row_of(stage, "doomed")),
    "react": (react, marked("other", "changing"), lambda stage: row_of(stage, "other").get("reactions")),
    "settings": (mute_room, "{link}.matches('[data-changing]')", lambda stage: my_room(stage).get("muted")),
    "moderate": (mute_person, "true", lambda stage: audited(stage).count("mute") == 1),
}


def prepare(stage):
    """Ann is the moderator of a room of hers with three messages, in which eve is, too."""
    stage.server.moderate(stage.room, "appoint", user="ann", role="moderate")
    ann, cid = stage.person("ann"), stage.person("cid")
    assert ann.ask(type="join", room=stage.room)["type"] == "ok"
    stage.person("eve").enter()
    for person, text in ((ann, "mine"), (ann, "doomed"), (cid, "other")):
        person.send(text)
    stage.ann.enter(stage.front.url)
    stage.ann.sees(PARTS)
    stage.ann.wait("document.querySelector('#people [aria-label=\"Moderate eve\"]') && document.getElementById('role').textContent === 'moderator'", "eve")
    stage.ann.wait(f"Boolean({link(stage.room)})", "the room")


def do_all(stage, page):
    for act, _, _ in COMMANDS.values():
        act(page)


def shows_all(stage, page, but=()):
    for name, (_, mark, _) in COMMANDS.items():
        if name not in but:
            page.wait(mark.replace("{link}", link(stage.room)), f"the mark of what waits: {name}")


def has_all(stage):
    for name, (_, _, is_done) in COMMANDS.items():
        wait_until(lambda is_done=is_done: is_done(stage), f"the server to have it: {name}")
    stage.ann.wait("!document.querySelector('[data-changing], [data-deleting], .row[data-state]')", "no mark")
    stage.ann.wait("!Object.keys(localStorage).some((key) => key.startsWith('diffroom.command ann '))", "nothing to be kept")


@contextmanager
def tabs(stage):
    """Ann's tab, and functions that open another one with the same room, go to one, and close the one that is shown. One is left in the end."""
    driver = stage.ann.driver

    def open_another():
        driver.switch_to.new_window("tab")
        driver.get(f"{stage.front.url}/?room={stage.room}")
        return driver.current_window_handle

    def go_to(one):
        driver.switch_to.window(one)
        driver.execute_cdp_cmd("Page.bringToFront", {})  # or it has no focus

    def close(then):
        driver.close()
        go_to(then)

    try:
        yield driver.current_window_handle, open_another, go_to, close
    finally:
        last, *others = driver.window_handles
        for other in others:
            driver.switch_to.window(other)
            driver.close()
        go_to(last)


def end_deletion(page):
    """The time in which a deletion can be taken back ends when the page goes, or when another action has it."""
    page.run("dispatchEvent(new Event('pagehide'))")


@test
def what_waits_for_an_answer_is_marked(stage):
    prepare(stage)
    with away(stage, stage.ann):
        do_all(stage, stage.ann)
        end_deletion(stage.ann)
        shows_all(stage, stage.ann)
    has_all(stage)


@test
def no_command_is_lost_with_a_reload(stage):
    prepare(stage)
    with away(stage, stage.ann):
        do_all(stage, stage.ann)
        for _ in range(2):
            stage.ann.driver.refresh()
            stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "what was said")
            assert stage.ann.run("return document.querySelectorAll('.row[data-state=waiting]').length") == 1
    has_all(stage)


@test
def no_command_is_lost_with_its_tab(stage):
    prepare(stage)
    with tabs(stage) as (first, _open_another, go_to, close):
        with away(stage, stage.ann):
            do_all(stage, stage.ann)
            stage.ann.driver.switch_to.new_window("tab")
            second = stage.ann.driver.current_window_handle
            go_to(first)
            end_deletion(stage.ann)
            close(second)
            stage.ann.driver.get(f"{stage.front.url}/?room={stage.room}")
            stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "what was said")
        has_all(stage)


@test
def another_tab_does_what_a_closed_one_has_left_and_nothing_twice(stage):
    prepare(stage)
    with tabs(stage) as (first, open_another, go_to, close):
        second = open_another()
        stage.ann.online()
        stage.ann.run(COUNT)
        go_to(first)
        with away(stage, stage.ann):
            do_all(stage, stage.ann)
            end_deletion(stage.ann)
            go_to(second)
            stage.ann.wait(OFFLINE, "the other tab to notice")
            shows_all(stage, stage.ann, but=["send"])
            assert stage.ann.run("return document.querySelectorAll('.row[data-state]').length") == 0, "the first tab sends it"
            go_to(first)
            close(second)
            stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "this tab to send it")
        has_all(stage)
        sent = stage.ann.run("return window.sentFrames")
        assert len(sent) == len(set(sent)) == len(COMMANDS), sent


@test
def of_two_tabs_the_one_in_which_it_was_done_sends_it(stage):
    prepare(stage)
    with tabs(stage) as (first, open_another, go_to, _close):
        second = open_another()
        stage.ann.online()
        stage.ann.run(COUNT)
        go_to(first)
        stage.ann.run(COUNT)
        with away(stage, stage.ann):
            do_all(stage, stage.ann)
            end_deletion(stage.ann)
        has_all(stage)
        sent = stage.ann.run("return window.sentFrames")
        go_to(second)
        stage.ann.wait("document.body.dataset.state === 'online'", "the other tab")
        others = stage.ann.run("return window.sentFrames")
        assert (len(sent), len(set(sent)), others) == (len(COMMANDS), len(COMMANDS), []), (sent, others)


@test
def no_command_is_lost_where_the_browser_has_no_locks(stage):
    source = {"source": "Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })"}
    added = stage.ann.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", source)
    try:
        prepare(stage)
        assert not stage.ann.run("return navigator.locks")
        with away(stage, stage.ann):
            do_all(stage, stage.ann)
            stage.ann.driver.refresh()
            stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "what was said")
        has_all(stage)
    finally:
        stage.ann.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


@test
def the_commands_of_a_user_are_not_sent_by_the_next_one(stage):
    stage.ann.enter(stage.front.url)
    with away(stage, stage.ann):
        stage.ann.say("by ann")
        stage.ann.run("localStorage.setItem('diffroom.name', 'zoe')")
        stage.ann.driver.refresh()
        stage.ann.wait(OFFLINE, "the next user")
    stage.ann.online()
    stage.ann.say("by zoe")
    stage.ann.sees(["by zoe"])
    stage.ann.run("localStorage.setItem('diffroom.name', 'ann')")
    stage.ann.driver.refresh()
    stage.ann.sees(["by zoe", "by ann"])
    assert [(row["author"], row["text"]) for row in stage.person("cid").messages()] == [("zoe", "by zoe"), ("ann", "by ann")]


@with_rooms
def a_room_that_was_read_offline_stays_read_and_the_server_learns_it(stage):
    """The read mark does not reach the server, as when the connection ends at that moment."""
    room, elsewhere = rooms(stage, "news", "elsewhere")
    setting(stage, room, elsewhere)
    speaker(stage, room).send("news")
    enter(stage, stage.ann, elsewhere, stage.front.url)
    badge(stage.ann, room, 1)
    stage.ann.run(LOSE_READS)
    stage.ann.click(link(room))
    stage.ann.sees(["news"])
    stage.ann.wait(f"window.lostReads.includes('{room}')", "the read mark")
    stage.ann.click(link(elsewhere))
    with away(stage, stage.ann):
        stage.ann.driver.get(f"{stage.front.url}/?room={elsewhere}")
        stage.ann.wait(f"{OFFLINE} && document.title === '#{elsewhere} · Diffroom'", "a title without news")
        badge(stage.ann, room, 0)
    badge(stage.ann, room, 0)
    phone = stage.person(stage.user)
    wait_until(lambda: row_in(phone, room)["unread"] == 0, "the server to know it")
    stage.ann.wait(f"!Object.keys(localStorage).some((key) => key.startsWith('diffroom.reading {stage.user} '))", "nothing to be kept")


# Refusals


ENDS = ["stays", "reloads", "closes"]  # of a page with a command that is refused


def end(stage, ends):
    """Ends ann's page, which has no connection, and begins another one, in its tab or in a new one. The address stays."""
    driver = stage.ann.driver
    if ends == "reloads":
        driver.refresh()
    if ends == "closes":
        url, first = driver.current_url, driver.current_window_handle
        driver.switch_to.new_window("tab")
        second = driver.current_window_handle
        driver.switch_to.window(first)
        driver.close()
        driver.switch_to.window(second)
        driver.execute_cdp_cmd("Page.bringToFront", {})
        driver.get(url)
    stage.ann.wait(OFFLINE, "the page")


def refused(stage, how, ends):
    """Edits a message offline; meanwhile it can no longer be edited. Returns what the field has then."""
    ann = stage.person("ann")
    id = ann.send("mine")
    stage.ann.enter(stage.front.url)
    stage.ann.sees(["mine"])
    with away(stage, stage.ann):
        edit(stage.ann)
        how(ann, id)
        end(stage, ends)
    stage.ann.wait(f"{HINT} !== ''", "the reason")
    return stage.ann.run(f"return [{FIELD}, {MODE}, {HINT}]")


def gone(ann, id):
    ann.change("delete", id)


def muted(stage):
    return lambda _ann, _id: stage.server.moderate(stage.room, "mute", user="ann", **{"for": 60_000})


@test
def the_text_of_an_edit_comes_back_when_its_message_is_gone(stage):
    for ends in ENDS:
        field, mode, hint = refused(stage, gone, ends)
        assert [field, mode] == ["mine and more", ""]
        assert hint == "The message that you edited is gone. The text is in the field again.", hint
        stage.ann.press(Keys.ENTER)
        stage.ann.sees(["mine and more"])
        stage.next_room()


@test
def the_text_of_a_refused_edit_comes_back_as_an_edit(stage):
    for ends in ENDS:
        field, mode, hint = refused(stage, muted(stage), ends)
        assert [field, mode] == ["mine and more", "Edit your message"]
        assert hint.startswith("Not changed: ") and hint.endswith(" The text is in the field again."), hint
        stage.ann.click("document.getElementById('mode-cancel')")
        stage.next_room()


@test
def the_text_of_a_refused_edit_waits_for_what_is_being_written(stage):
    ann = stage.person("ann")
    id = ann.send("mine")
    stage.ann.enter(stage.front.url)
    stage.ann.sees(["mine"])
    with away(stage, stage.ann):
        edit(stage.ann)
        ann.change("delete", id)
        stage.ann.press("half a ")
    stage.ann.wait(f"{HINT}.includes('when you have sent what you write')", "the reason")
    stage.ann.press("thought")
    assert stage.ann.run(f"return {FIELD}") == "half a thought"
    stage.ann.driver.refresh()
    stage.ann.online()
    assert stage.ann.run(f"return {FIELD}") == "half a thought"
    stage.ann.press(Keys.ENTER)
    stage.ann.sees(["half a thought"])
    assert stage.ann.run(f"return {FIELD}") == "mine and more"


@test
def the_text_of_a_refused_edit_comes_back_in_its_room(stage):
    ann = stage.person("ann")
    id = ann.send("mine")
    stage.ann.enter(stage.front.url)
    stage.ann.sees(["mine"])
    room = stage.room
    with away(stage, stage.ann):
        edit(stage.ann)
        ann.change("delete", id)
        stage.ann.press(Keys.CONTROL, "k")
        stage.ann.press(f"{room}-other", Keys.ENTER)
        stage.ann.wait(f"document.getElementById('room-name').textContent === '{room}-other'", "the other room")
    stage.ann.wait(f"{HINT}.includes('is a draft in its room')", "the reason")
    assert stage.ann.run(f"return {FIELD}") == ""
    stage.ann.driver.back()
    stage.ann.wait(f"{FIELD} === 'mine and more'", "the text")


@test
def a_refused_message_waits_in_the_field_of_the_next_tab(stage):
    stage.ann.enter(stage.front.url)
    with away(stage, stage.ann):
        stage.ann.say("to be refused")
        stage.server.moderate(stage.room, "mute", user="ann", **{"for": 60_000})
    stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')", "the refusal")
    with tabs(stage) as (first, open_another, go_to, close):
        second = open_another()
        stage.ann.online()
        assert stage.ann.run(f"return {FIELD}") == "", "it waits in the other tab"
        go_to(first)
        close(second)
        stage.ann.wait(f"{FIELD} === 'to be refused'", "it to be in the field")
        stage.ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)


@test
def a_refused_reaction_is_told_and_not_marked_any_more(stage):
    for reload in (False, True):
        other = stage.person("cid")
        id = other.send("other")
        stage.person("cid").send("stays")
        stage.ann.enter(stage.front.url)
        stage.ann.sees(["other", "stays"])
        with away(stage, stage.ann):
            react(stage.ann)
            other.change("delete", id)
            if reload:
                stage.ann.driver.refresh()
        stage.ann.wait(f"{HINT} !== '' && !document.querySelector('[data-changing]')", "the reason")
        stage.ann.sees(["stays"])
        stage.next_room()


# Drafts


@test
def a_change_in_another_tab_comes_late_and_does_not_undo_what_was_typed(stage):
    """A browser may tell a tab of a change after the user has come to it."""
    stage.ann.enter(stage.front.url)
    arrive = "localStorage.setItem(arguments[0], JSON.stringify({ text: arguments[1] })); dispatchEvent(new StorageEvent('storage', { key: arguments[0] }))"
    key = f"diffroom.draft {stage.room} ann"
    stage.ann.run(arrive, key, "from the other tab")
    assert stage.ann.run(f"return {FIELD}") == "from the other tab"
    stage.ann.run(f"{FIELD.removesuffix('.value')}.focus()")
    stage.ann.press(Keys.END, "!")
    stage.ann.run("dispatchEvent(new StorageEvent('storage', { key: arguments[0] }))", key)
    assert stage.ann.run(f"return {FIELD}") == "from the other tab!"


@test
def a_draft_of_another_tab_is_not_written_back(stage):
    """It would undo what the other tab has written since."""
    stage.ann.enter(stage.front.url)
    key = f"diffroom.draft {stage.room} ann"
    count = "window.written = []; const { setItem } = Storage.prototype; Storage.prototype.setItem = function (...args) { written.push(args[0]); return setItem.apply(this, args); }"
    stage.ann.run(count)
    stage.ann.run(f"localStorage.setItem({json.dumps(key)}, JSON.stringify({{ text: 'from there' }})); window.written = []")
    stage.ann.run("dispatchEvent(new StorageEvent('storage', { key: arguments[0] }))", key)
    assert stage.ann.run(f"return [{FIELD}, written]") == ["from there", []]


@test
def typing_in_one_of_two_tabs_loses_no_letter_while_the_other_is_slow(stage):
    typed = " and more and more and more of it"
    stage.ann.enter(stage.front.url)
    with tabs(stage) as (first, open_another, go_to, _close), stage.ann.slowed(6):
        second = open_another()
        stage.ann.online()
        stage.ann.run(f"{FIELD.removesuffix('.value')}.focus()")
        stage.ann.press(typed)
        go_to(first)
        stage.ann.wait(f"{FIELD} === {json.dumps(typed)}", "what is written in the other tab")
        go_to(second)
        assert stage.ann.run(f"return {FIELD}") == typed
        go_to(first)


@test
def a_draft_that_a_hidden_tab_has_missed_is_there_when_the_user_comes(stage):
    stage.ann.enter(stage.front.url)
    hide(stage.ann, True)
    stage.ann.run("localStorage.setItem(arguments[0], JSON.stringify({ text: 'missed' }))", f"diffroom.draft {stage.room} ann")
    hide(stage.ann, False)
    assert stage.ann.run(f"return {FIELD}") == "missed"
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)


@test
def a_draft_outlives_its_tab_and_is_the_same_in_all_tabs(stage):
    stage.ann.enter(stage.front.url)
    stage.ann.press("half a thought")
    with tabs(stage) as (first, open_another, go_to, close):
        second = open_another()
        stage.ann.online()
        assert stage.ann.run(f"return {FIELD}") == "half a thought"
        stage.ann.run(f"{FIELD.removesuffix('.value')}.focus()")
        stage.ann.press(Keys.END, " more")
        go_to(first)
        stage.ann.wait(f"{FIELD} === 'half a thought more'", "what is written in the other tab")
        close(second)
        stage.ann.press(Keys.ENTER)
        stage.ann.sees(["half a thought more"])
        open_another()
        stage.ann.online()
        assert stage.ann.run(f"return {FIELD}") == ""
