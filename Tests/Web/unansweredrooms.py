"""What the server has not answered about rooms, and what it refuses: the second half of the table in unanswered.py.

The table is each command of COMMANDS, done offline, in each way in which its page can end; and each of REFUSALS, in each of ENDS.
"""


from messagemenu import choose
from page import away
from private import QUESTION, answer, click, menu
from rooms import enter, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until
from unanswered import COUNT, ENDS, HINT, OFFLINE, end, tabs

KINDS = ["den", "leave", "pin", "archive", "mark"]
PINS = "Number(document.getElementById('pins-count').textContent)"


def changing(room):
    return f"document.querySelector('#sidebar [data-room=\"{room}\"]')?.matches('[data-changing]')"


def say_yes(page):
    page.wait(f"{QUESTION}.open", "the question")
    click(page, "question-yes")


def in_menu(page, room, act):
    page.click(f"document.querySelector('#sidebar [data-room=\"{room}\"]').parentNode.querySelector('.more')")
    page.click(f"document.querySelector('#room-menu [data-act={act}]')")


def accept(page, at):
    answer(page, "Come", "Accept")
    page.click(f"document.querySelector('#sidebar [data-room=\"{at['den']}\"]')")


def decline(page, _at):
    answer(page, "Go", "Decline")
    say_yes(page)


def create(page, _at):
    click(page, "new-room")
    page.press("Made", Keys.ENTER)
    page.press(Keys.ESCAPE)


def pin_message(page, _at):
    choose(page, "other", "Pin")


def entitle(page, _at):
    menu(page)
    click(page, "entitle")
    for field, value in {"input": "Titled", "topic": "A topic", "slow": 5000}.items():
        page.run(f"document.getElementById('entitle-{field}').value = arguments[0]", value)
    page.click("document.getElementById('entitle-read-only')")
    page.click("document.querySelector('#entitle-form [type=submit]')")
    page.press(Keys.ESCAPE)


def on_person(page, person, act):
    page.click(f"document.querySelector('#people [aria-label=\"Moderate {person}\"]')")
    page.click(f"document.querySelector('#person-menu [data-act={act}]')")


def ban(page, _at):
    on_person(page, "eve", "ban")
    say_yes(page)


def appoint(page, _at):
    on_person(page, "bea", "role")
    page.click("document.querySelector('#role-form [value=moderate]')")
    page.click("document.querySelector('#role-form [type=submit]')")
    page.press(Keys.ESCAPE)


def rows(phone):
    """The rooms of the user: name → (section, row)."""
    sections = phone.ask(type="subscribe", list="me/rooms")["sections"]
    phone.ask(type="unsubscribe", list="me/rooms")
    return {row["id"]: (section["id"], row) for section in sections for row in section["rows"]}


def audited(phone, *wanted):
    # The server limits how often it is asked.
    actions = [entry["action"] for entry in phone.ask(type="audit", room=phone.room).get("entries", []) if entry["author"] != "desk"]
    return all(actions.count(action) == 1 for action in wanted)


# Of each command how it is done, what the page shows until it is answered, and whether the server has it. `at` has the names of the rooms.
COMMANDS = {
    "join": (accept, lambda at: changing(at["Come"]), lambda phone, at: rows(phone)[at["Come"]][0] == "rooms"),
    "decline": (decline, lambda at: changing(at["Go"]), lambda phone, at: at["Go"] not in rows(phone)),
    "leave": (lambda page, at: in_menu(page, at["leave"], "leave"), lambda at: changing(at["leave"]), lambda phone, at: at["leave"] not in rows(phone)),
    "pin a room": (lambda page, at: in_menu(page, at["pin"], "pin"), lambda at: changing(at["pin"]), lambda phone, at: rows(phone)[at["pin"]][0] == "pinned"),
    "archive": (lambda page, at: in_menu(page, at["archive"], "archive"), lambda at: changing(at["archive"]), lambda phone, at: rows(phone)[at["archive"]][0] == "archived"),
    "mark": (lambda page, at: in_menu(page, at["mark"], "mark"), lambda at: changing(at["mark"]), lambda phone, at: rows(phone)[at["mark"]][1].get("marked")),
    "create": (create, lambda at: "true", lambda phone, at: [row.get("title") for _, row in rows(phone).values()].count("Made") == 1),
    "pin a message": (pin_message, lambda at: f"{PINS} === 1", lambda phone, at: audited(phone, "pin")),
    "change a room": (entitle, lambda at: "true", lambda phone, at: audited(phone, "title", "topic", "slow", "readOnly")),
    "ban": (ban, lambda at: "true", lambda phone, at: audited(phone, "ban")),
    "appoint": (appoint, lambda at: "true", lambda phone, at: audited(phone, "appoint")),
}
SENT = len(COMMANDS) + 3  # the change of a room is four


def prepare(stage):
    """The user owns a room with three people, is in four others, and invited to two. Returns their names."""
    at = dict(zip(KINDS, rooms(stage, *KINDS)))
    setting(stage, *at.values())
    cid = speaker(stage, at["den"], "cid")
    at["Come"], at["Go"] = (cid.create("private", stage.user, title=title) for title in ("Come", "Go"))
    cid.room = at["den"]
    cid.send("other")
    own(stage, at)
    for name in ("eve", "bea"):
        speaker(stage, at["den"], name).enter()
    enter(stage, stage.ann, at["den"], stage.front.url)
    stage.ann.sees(["other"])
    ready = " && ".join(f"document.querySelector('#people [aria-label=\"Moderate {name}\"]')" for name in ("eve", "bea"))
    stage.ann.wait(f"{ready} && document.getElementById('role').textContent === 'owner'", "to own the room")
    stage.ann.wait("document.querySelectorAll('#invited-list li').length === 2", "the invitations")
    return at


def own(stage, at, role="own"):
    stage.server.moderate(at["den"], "appoint", user=stage.user, role=role)


def do_all(page, at):
    for act, _, _ in COMMANDS.values():
        act(page, at)


def shows_all(page, at):
    for name, (_, mark, _) in COMMANDS.items():
        page.wait(mark(at), f"the mark of what waits: {name}")


def keeps_nothing(stage):
    stage.ann.wait("!document.querySelector('[data-changing]')", "no mark")
    kept = f"Object.keys(localStorage).some((key) => key.startsWith('diffroom.command {stage.user} '))"
    stage.ann.wait(f"!{kept}", "nothing to be kept")


def has_all(stage, at):
    phone = speaker(stage, at["den"], stage.user)
    for name, (_, _, is_done) in COMMANDS.items():
        wait_until(lambda is_done=is_done: is_done(phone, at), f"the server to have it: {name}")
    keeps_nothing(stage)


@with_rooms
def what_waits_for_an_answer_about_a_room_is_marked_and_done(stage):
    at = prepare(stage)
    with away(stage, stage.ann):
        do_all(stage.ann, at)
        shows_all(stage.ann, at)
    has_all(stage, at)


@with_rooms
def no_command_about_a_room_is_lost_with_a_reload(stage):
    at = prepare(stage)
    with away(stage, stage.ann):
        do_all(stage.ann, at)
        for _ in range(2):
            stage.ann.driver.refresh()
            stage.ann.wait(OFFLINE, "the page")
            shows_all(stage.ann, at)
    has_all(stage, at)


@with_rooms
def no_command_about_a_room_is_lost_with_its_tab(stage):
    at = prepare(stage)
    with tabs(stage) as (first, _open_another, go_to, close):
        with away(stage, stage.ann):
            do_all(stage.ann, at)
            stage.ann.driver.switch_to.new_window("tab")
            second = stage.ann.driver.current_window_handle
            go_to(first)
            close(second)
            stage.ann.driver.get(f"{stage.front.url}/?room={at['den']}")
            stage.ann.wait(OFFLINE, "the page")
            shows_all(stage.ann, at)
        has_all(stage, at)


@with_rooms
def of_two_tabs_one_sends_what_is_done_about_a_room_and_the_other_when_that_is_closed(stage):
    for closes in (False, True):
        at = prepare(stage)
        with tabs(stage) as (first, _open_another, go_to, close):
            stage.ann.driver.switch_to.new_window("tab")
            stage.ann.driver.get(f"{stage.front.url}/?room={at['den']}")
            second = stage.ann.driver.current_window_handle
            stage.ann.online()
            stage.ann.run(COUNT)
            go_to(first)
            stage.ann.run(COUNT)
            with away(stage, stage.ann):
                do_all(stage.ann, at)
                go_to(second)
                stage.ann.wait(OFFLINE, "the other tab to notice")
                shows_all(stage.ann, at)
                go_to(first)
                if closes:
                    close(second)
            has_all(stage, at)
            sent = stage.ann.run("return window.sentFrames")
            assert len(sent) == len(set(sent)) == SENT, sent
            if not closes:
                go_to(second)
                assert stage.ann.run("return window.sentFrames") == []
        stage.next_room()


# Refusals


def evict(stage, at):
    """The user loses each right in the room."""
    own(stage, at, "read")


def uninvite(stage, at):
    speaker(stage, at["Come"]).moderate("appoint", user=stage.user, role="none")


def mute_user(stage, at):
    own(stage, at, "write")
    stage.server.moderate(at["den"], "mute", user=stage.user, **{"for": 60_000})


def leave_elsewhere(which):
    return lambda stage, at: speaker(stage, at[which], stage.user).ask(type="leave", room=at[which])


def create_refused(page, _at):
    click(page, "new-room")
    page.press("ö" * 150, Keys.ENTER)
    page.press(Keys.ESCAPE)


def tool(page, text, act):
    page.run("const row = [...document.querySelectorAll('.row')].find((row) => row.querySelector('.text').textContent.startsWith(arguments[0])); row.focus(); document.querySelector(`#tools [data-act=${arguments[1]}]`).click()", text, act)


def delete_other(page, _at):
    tool(page, "other", "delete")
    say_yes(page)
    page.run("dispatchEvent(new Event('pagehide'))")


def react(page, _at):
    tool(page, "other", "react")
    page.wait("document.activeElement.closest('#picker')", "the emojis")
    page.press(Keys.ENTER)


# Of each command how it is done, why the server refuses it meanwhile, and a part of the reason that the page gives; none if the
# user has what they wanted.
REFUSALS = {
    "delete": (delete_other, evict, "the message is somebody else's"),
    "react": (react, mute_user, "muted"),
    "join": (accept, uninvite, "this needs the role 'read'"),
    "leave": (COMMANDS["leave"][0], leave_elsewhere("leave"), ""),
    "pin a room": (COMMANDS["pin a room"][0], leave_elsewhere("pin"), "not a member"),
    "archive": (COMMANDS["archive"][0], leave_elsewhere("archive"), "not a member"),
    "mark": (COMMANDS["mark"][0], leave_elsewhere("mark"), "not a member"),
    "create": (create_refused, lambda stage, at: None, "200"),
    "pin a message": (pin_message, evict, "role"),
    "change a room": (entitle, evict, "role"),
    "ban": (ban, evict, "role"),
    "appoint": (appoint, evict, "role"),
}
OF_EACH_METHOD = ["delete", "react", "join", "leave", "pin a room", "create", "ban"]


@with_rooms
def what_the_server_refuses_about_a_room_is_told_and_marked_no_more(stage):
    for name, (act, refuse, reason) in REFUSALS.items():
        for ends in ENDS if name in OF_EACH_METHOD else ENDS[:2]:
            at = prepare(stage)
            with away(stage, stage.ann):
                act(stage.ann, at)
                end(stage, ends)
                refuse(stage, at)
            stage.ann.wait("document.body.dataset.state === 'online'", "the page")
            keeps_nothing(stage)
            hint = stage.ann.run(f"return {HINT}")
            assert (reason in hint) if reason else not hint, (name, ends, hint)
            stage.settle()
            stage.next_room()
