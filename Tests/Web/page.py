"""The page against a real server: two people with browsers, one in a terminal, and some with bare WebSockets."""

import itertools
import json
import os
import re
import subprocess
import tempfile
import time
import traceback
import urllib.request
import uuid
from contextlib import contextmanager
from pathlib import Path

from browser import Browser
from front import Front
from person import Person
from selenium.webdriver.common.keys import Keys
from server import Server, Terminal, wait_until

TESTS = []
# What Chromium says of a server that was killed, and of the empty pages that tests begin with.
EXPECTED = re.compile("WebSocket connection to|ERR_CONNECTION_(REFUSED|RESET)|ERR_SOCKET_NOT_CONNECTED|favicon.ico|/missing.png")
WEB = Path(__file__).parents[2] / "Web"
GRACE = 2  # seconds: a page is loaded again in less
SHOWN = 5  # people
SERVER = ["--members-tick", "250", "--members-grace", str(GRACE), "--members-shown", str(SHOWN)]
ROWS = "[...document.querySelectorAll('.row')]"
TEXTS = f"{ROWS}.map((row) => row.querySelector('.text').firstChild.textContent)"
ROW = f"{ROWS}.find((row) => row.querySelector('.text').textContent.startsWith(arguments[0]))"


def test(body):
    TESTS.append(body)
    return body


def results(options):
    stage = Stage(options.diffroomd, options.files)
    sentences = {body.__name__.replace("_", " "): body for body in TESTS}
    try:
        return [(f"page: {name}", attempt(body, stage)) for name, body in sentences.items() if options.match in name]
    finally:
        stage.end()


def attempt(body, stage):
    try:
        stage.next_room()
        body(stage)
        complaints = [said for page in (stage.ann, stage.bob) for said in page.complaints() if not EXPECTED.search(said)]
        return "\n".join(complaints)
    except Exception:  # noqa: BLE001, whatever it is, it is what the test found
        return traceback.format_exc()
    finally:
        stage.settle()


class Stage:
    """A server, ann's and bob's browsers, and a room of its own for each test.

    The page comes from the server itself if it serves one, else, or if `files` says so, from the front.
    """

    def __init__(self, diffroomd, files):
        self.diffroomd = diffroomd
        self._folder = tempfile.TemporaryDirectory(prefix="diffroom-web-")
        self.folder = self._folder.name
        self.server = Server(diffroomd, *SERVER, "--files", f"{self.folder}/files")
        self.front = Front(self.server.port)
        own = f"http://127.0.0.1:{self.server.port}"
        self.url = own if not files and fetch(own).headers["content-type"].startswith("text/html") else self.front.url
        self._numbers = itertools.count(1)
        self.people = []
        self.ann, self.bob = Page(self), Page(self)
        for page, name in ((self.ann, "ann"), (self.bob, "bob")):
            for url in (self.front.url, self.url):
                page.driver.get(f"{url}/favicon.svg")
                page.run("localStorage.setItem('diffroom.name', arguments[0]); localStorage.setItem('diffroom.hint', 'done')", name)

    def next_room(self):
        self.room = f"room-{next(self._numbers)}"

    def person(self, name):
        self.people.append(Person(self.server.port, name, self.room))
        return self.people[-1]

    def terminal(self, name):
        self.people.append(Terminal(self.diffroomd, self.server.port, name, self.room))
        return self.people[-1]

    def settle(self):
        for person in self.people:
            person.close()
        self.people = []
        self.server.keep_up()

    def end(self):
        self.ann.quit()
        self.bob.quit()
        self.server.stop()


class Page(Browser):
    def __init__(self, stage):
        super().__init__()
        self.stage = stage

    def enter(self, url=None):
        self.driver.get(f"{url or self.stage.url}/?room={self.stage.room}")
        self.online()

    def enter_again(self):
        self.driver.refresh()
        self.online()

    def online(self):
        self.wait("document.body.dataset.state === 'online' && Boolean(document.getElementById('beginning').textContent)", "the room")

    def press(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def say(self, text):
        self.run("document.getElementById('text').focus()")
        self.press(text, Keys.ENTER)

    def texts(self):
        return self.run(f"return {TEXTS}")

    def sees(self, texts):
        """Waits until the page shows exactly these messages, none of them pending."""
        settled = f"!document.querySelector('.row[data-state]') && JSON.stringify({TEXTS}) === JSON.stringify({json.dumps(texts)})"
        try:
            self.wait(settled, "the messages")
        except TimeoutError as error:
            state = self.run("return [document.body.dataset.state, document.getElementById('state').innerText]")
            raise AssertionError(f"expected {texts}, found {self.texts()}, {state}") from error

    def section(self, name):
        return self.run(f"return [...document.querySelectorAll('#{name} .text')].map((text) => text.firstChild.textContent)")

    def row(self, text, script):
        return self.run(f"const row = {ROW}; return {script}", text)

    def click_in_row(self, text, selector):
        self.click(f"({ROW}).querySelector('{selector}')", text)

    def select(self, text):
        self.run(f"({ROW}).focus()", text)


def fetch(url):
    with urllib.request.urlopen(url) as answer:
        return answer


def fetch_text(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read().decode()


# Coming


@test
def the_page_comes_with_a_strict_policy(stage):
    files = re.findall(r'(?:href|src)="((?:app|style)[^"]+)"', fetch_text(f"{stage.url}/"))
    assert len(files) == 2, files
    kinds = {".js": "text/javascript", "css": "text/css"}
    for file, kind in [("", "text/html"), ("sw.js", "text/javascript"), *((file, kinds[file[-3:]]) for file in files), ("favicon.svg", "image/svg+xml"), ("favicon-unread.svg", "image/svg+xml")]:
        headers = fetch(f"{stage.url}/{file}").headers
        assert headers["content-type"].startswith(kind), headers
        assert headers["x-content-type-options"] == "nosniff", headers
        policy = headers["content-security-policy"]
        for part in ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"):
            assert part in policy and "unsafe" not in policy, policy


@test
def the_server_has_the_library_in_one_file(stage):
    declared = set(re.findall(r"^export (?:class|function) (\w+)", fetch_text(f"{stage.url}/diffroom.d.ts"), re.MULTILINE))
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    exported = stage.ann.run_async("return Object.keys(await import('/diffroom.js'))")
    assert "Diffroom" in declared and declared <= set(exported), exported
    text = fetch_text(f"{stage.url}/diffroom.js")
    comment = re.search(r"/\*\*.*?\*/", (WEB / "diffroom/replica.js").read_text())[0]
    assert stage.url == stage.front.url or (comment in text and "import " not in text), text[:1000]


@test
def the_server_has_the_types_and_signs_as_they_stand(stage):
    for name in ("diffroom.d.ts", "favicon.svg", "manifest.webmanifest"):
        with urllib.request.urlopen(f"{stage.url}/{name}") as answer:
            assert answer.read() == (WEB / name).read_bytes(), name


@test
def asks_for_a_name_once(stage):
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    stage.ann.run("localStorage.removeItem('diffroom.name')")
    stage.ann.driver.get(f"{stage.url}/?room={stage.room}")
    stage.ann.wait("document.getElementById('name-dialog').open", "the question")
    stage.ann.press("ann", Keys.ENTER)
    stage.ann.online()
    stage.ann.enter()
    assert stage.ann.run("return document.querySelector('#me bdi').textContent") == "ann"


@test
def a_name_that_the_server_refuses_is_asked_for_again(stage):
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    stage.ann.run("localStorage.setItem('diffroom.name', 'an\\u202En')")
    stage.ann.driver.get(f"{stage.url}/?room={stage.room}")
    stage.ann.wait("document.getElementById('name-dialog').open", "the question")
    assert stage.ann.run("return document.getElementById('name-error').textContent")
    stage.ann.press(Keys.CONTROL, "a")
    stage.ann.run("document.getElementById('name-input').value = ''")
    stage.ann.press("ann", Keys.ENTER)
    stage.ann.online()


@test
def a_token_comes_by_the_fragment_or_is_asked_for(stage):
    secret = Path(stage.folder) / "secret"
    secret.write_bytes(os.urandom(32))
    make = [stage.diffroomd, "token", "--secret", secret, "--user", "eve", "--grant", f"{stage.room}=write"]
    token = subprocess.run(make, check=True, capture_output=True, text=True).stdout.strip()
    server = Server(stage.diffroomd, "--secret", secret)
    try:
        front = Front(server.port)
        where = f"{front.url}/?room={stage.room}"
        stage.ann.driver.get(f"{where}#token={token}")
        stage.ann.online()
        assert stage.ann.run("return location.hash") == "" and token not in stage.ann.driver.current_url
        assert stage.ann.run("return document.querySelector('#me bdi').textContent") == "eve"
        stage.ann.driver.refresh()
        stage.ann.online()
        stage.ann.run("sessionStorage.removeItem('diffroom.token')")
        stage.ann.driver.get(where)
        stage.ann.wait("document.getElementById('name-dialog').open", "the question")
        assert stage.ann.run("return document.getElementById('name-input').hidden")
        stage.ann.press(token, Keys.ENTER)
        stage.ann.online()
    finally:
        server.stop()


@test
def what_was_there_is_history_and_what_came_is_socket(stage):
    stage.person("cid").send("before")
    stage.ann.enter()
    stage.ann.sees(["before"])
    assert not stage.ann.run("return document.getElementById('joined').checkVisibility()")
    stage.person("dan").send("after")
    stage.ann.sees(["before", "after"])
    assert (stage.ann.section("history"), stage.ann.section("socket")) == (["before"], ["after"])
    assert stage.ann.run("return document.getElementById('joined').checkVisibility()")


@test
def a_server_without_a_list_of_people_is_no_trouble(stage):
    script = stage.ann.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": OLDER_SERVER})
    try:
        stage.ann.enter()
        stage.ann.wait("window.refused", "the refusal")
        for part in ("people", "people-button", "scrim"):
            assert not stage.ann.run("return document.getElementById(arguments[0]).checkVisibility()", part)
        stage.ann.say("hello")
        stage.ann.sees(["hello"])
    finally:
        stage.ann.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


# The server that there is, but for the list of people.
OLDER_SERVER = """
window.WebSocket = class extends WebSocket {
  send(text) {
    const { type, list, ref } = JSON.parse(text);
    if (type === 'typing' || type === 'read' || !list?.endsWith('/members')) return super.send(text);
    window.refused = true;
    this.onmessage({ data: JSON.stringify({ type: 'error', error: 'not_found', message: 'no such list', ref }) });
  }
};
"""


# Who is there


def pane(section):
    """Returns the names in a section of the pane, and its text about the others."""
    return f"[...document.querySelectorAll('#people-{section} :is(li bdi, .rest:not([hidden]))')].map((one) => one.textContent).join('|')"


def stands(page, online, offline=""):
    page.wait(f"{pane('online')} === '{online}' && {pane('offline')} === '{offline}'", f"{online} online, {offline} offline")


@test
def two_pages_and_a_terminal_stand_in_the_pane_once_each(stage):
    stage.ann.enter()
    stands(stage.ann, "ann")
    stage.bob.enter()
    stands(stage.ann, "ann|bob")
    stage.terminal("tess")
    for page in (stage.ann, stage.bob):
        stands(page, "ann|bob|tess")
        assert page.run("return document.getElementById('people').checkVisibility()")
        assert page.run("return document.getElementById('people-count').textContent") == "3"
    second = stage.person("bob")
    second.enter()
    stage.person("dan").enter()
    stands(stage.ann, "ann|bob|dan|tess")


@test
def who_leaves_is_offline_after_the_grace(stage):
    stage.ann.enter()
    for name in ("cid", "dan"):
        stage.person(name).enter()
    stands(stage.ann, "ann|cid|dan")
    left = time.monotonic()
    stage.people[0].close()
    stands(stage.ann, "ann|dan", "cid")
    assert time.monotonic() - left >= GRACE
    stage.person("cid").enter()
    stands(stage.ann, "ann|cid|dan")
    assert not stage.ann.run("return document.getElementById('people-offline').checkVisibility()")


@test
def a_reload_within_the_grace_is_seen_by_nobody(stage):
    stage.ann.enter()
    stage.bob.enter()
    stands(stage.ann, "ann|bob")
    stage.ann.run(WATCH_PANE)
    stage.bob.enter()
    stage.person("cid").enter()
    stands(stage.ann, "ann|bob|cid")
    assert stage.ann.run("return window.shown") == ["+cid"]


# Who comes into the pane and who goes out of it.
WATCH_PANE = """
window.shown = [];
const told = (sign) => (node) => node.localName === 'li' && window.shown.push(sign + node.querySelector('bdi').textContent);
const observer = new MutationObserver((changes) => {
  for (const { removedNodes, addedNodes } of changes) {
    removedNodes.forEach(told('-'));
    addedNodes.forEach(told('+'));
  }
});
observer.observe(document.getElementById('people'), { subtree: true, childList: true });
"""


TYPING = "document.getElementById('typing').textContent"


@test
def typing_shows_and_ends(stage):
    stage.ann.enter()
    stage.bob.enter()
    stands(stage.ann, "ann|bob")
    stage.bob.press("h")
    stage.ann.wait(f"{TYPING} === 'bob is typing…'", "bob to type")
    assert stage.ann.run("return document.querySelector('#people .dots').closest('li').querySelector('bdi').textContent") == "bob"
    assert stage.bob.run(f"return {TYPING}") == ""
    stage.bob.press("i", Keys.ENTER)
    stage.ann.sees(["hi"])
    stage.ann.wait(f"{TYPING} === '' && !document.querySelector('#people .dots')", "the end")
    stage.bob.press("more")
    stage.ann.wait(f"{TYPING} === 'bob is typing…'", "bob to type again")
    stage.bob.press(Keys.BACKSPACE * 4)
    stage.ann.wait(f"{TYPING} === ''", "the end of what was deleted", 4)


@test
def several_who_type_share_a_line(stage):
    stage.ann.enter()
    for number, shown in enumerate(["p1 is", "p1 and p2 are", "p1, p2 and p3 are", "Several people are"], 1):
        person = stage.person(f"p{number}")
        person.enter()
        for one in stage.people:
            one.ask(type="typing", room=stage.room, on=True)
        stage.ann.wait(f"{TYPING} === '{shown} typing…'", shown)
    stage.ann.wait(f"{TYPING} === ''", "the end of it by itself")



def seen(page, text, names):
    """Waits until the mark stands at a message, with these names."""
    mark = "document.querySelector('.seen')"
    page.wait(f"{mark}?.closest('.row').querySelector('.text').textContent === {json.dumps(text)} && {mark}.title === 'Seen by {names}'", f"{text} to be seen by {names}")


@test
def what_others_have_read_is_marked(stage):
    stage.ann.enter()
    people = [stage.person(name) for name in ("cid", "dan", "eve")]
    for person in people:
        person.enter()
    stage.ann.say("one")
    stage.ann.say("two")
    stage.ann.sees(["one", "two"])
    assert not stage.ann.run("return document.querySelector('.seen')")
    people[0].read(1)
    seen(stage.ann, "one", "cid")
    people[1].read(2)
    seen(stage.ann, "two", "dan")
    for person in people:
        person.read(2)
    seen(stage.ann, "two", "cid, dan, eve")
    assert stage.ann.run("return document.querySelector('.seen').innerText.split('\\n')[0]").startswith("Seen by 3")
    assert stage.ann.run("return document.querySelectorAll('.seen').length") == 1

    people[0].send("three")
    people[0].read(3)
    stage.ann.sees(["one", "two", "three"])
    stage.ann.wait("!document.querySelector('.seen')", "no mark: who wrote it has read it")
    people[1].read(3)
    seen(stage.ann, "three", "dan")


@test
def what_is_in_view_is_read(stage):
    stage.ann.enter()
    stage.bob.enter()
    stage.ann.say("hello")
    seen(stage.ann, "hello", "bob")
    assert stage.ann.run("return document.querySelector('.seen').textContent") == "Seen by bob"
    stage.person("cid").send_all([f"message {number}" for number in range(60)])
    seen(stage.ann, "message 59", "bob")
    stage.bob.run_async("document.getElementById('scroller').scrollTop = -400; for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)")
    stage.person("dan").send("below")
    stage.ann.wait(f"{TEXTS}.at(-1) === 'below'", "the message")
    stage.bob.wait("document.getElementById('newer').checkVisibility()", "bob to be told")
    seen(stage.ann, "message 59", "bob")
    stage.bob.click("document.getElementById('newer')")
    seen(stage.ann, "below", "bob")


@test
def what_was_read_is_known_again_after_a_restart(stage):
    stage.ann.enter()
    stage.bob.enter()
    stage.ann.say("hello")
    seen(stage.ann, "hello", "bob")
    stage.server.kill()
    stage.server.start()
    seen(stage.ann, "hello", "bob")
    stands(stage.ann, "ann|bob")


@test
def more_people_than_are_listed_are_counted(stage):
    stage.ann.enter()
    for number in range(1, SHOWN + 2):
        stage.person(f"p{number}").enter()
    stands(stage.ann, "ann|p1|p2|p3|p4|and 2 more")
    assert stage.ann.run("return document.getElementById('people-count').textContent") == "7"
    assert stage.ann.run("return document.getElementById('people-button').ariaLabel") == "People: 7 online"


@test
def the_user_is_among_the_people_also_of_a_long_list(stage):
    people = [stage.person(f"p{number}") for number in range(1, SHOWN + 2)]
    for person in people:
        person.enter()
    stage.ann.enter()
    stands(stage.ann, "ann|p1|p2|p3|p4|p5|and 1 more")
    people[0].close()
    stands(stage.ann, "ann|p2|p3|p4|p5|p6", "p1")
    people[1].close()
    stands(stage.ann, "ann|p3|p4|p5|p6", "p1|p2")


@test
def the_pane_is_closed_and_opened_and_stays_so(stage):
    opened = "document.getElementById('people').checkVisibility()"
    stage.ann.enter()
    stage.ann.wait(opened, "the pane")
    stage.ann.click("document.getElementById('people-close')")
    stage.ann.enter()
    stage.ann.wait("document.getElementById('people-button').checkVisibility()", "the button")
    assert not stage.ann.run(f"return {opened}")
    stage.ann.run("document.getElementById('people-button').focus()")
    stage.ann.press(Keys.ENTER)
    assert stage.ann.run(f"return {opened} && document.getElementById('people-button').ariaExpanded") == "true"


@test
def the_pane_is_a_drawer_on_a_phone(stage):
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        stage.ann.enter()
        stage.ann.wait("document.getElementById('people-button').checkVisibility()", "the button")
        assert not stage.ann.run("return document.getElementById('people').checkVisibility()")
        for close in ("document.getElementById('scrim')", "document.getElementById('people-close')", None):
            stage.ann.click("document.getElementById('people-button')")
            assert stage.ann.run("return [document.getElementById('room').inert, document.activeElement.id]") == [True, "people-close"]
            stage.ann.wait("document.getElementById('people').getBoundingClientRect().right === innerWidth", "the drawer to be all in")
            assert stage.ann.run("return document.querySelector('header').getBoundingClientRect().left") == 0
            stage.ann.click(close) if close else stage.ann.press(Keys.ESCAPE)
            assert stage.ann.run("return [document.getElementById('room').inert, document.activeElement.id]") == [False, "people-button"]
    finally:
        stage.ann.resize(1180, 760)


# Talking


@test
def two_pages_and_a_socket_see_the_same(stage):
    stage.ann.enter()
    stage.bob.enter()
    cid = stage.person("cid")
    stage.ann.say("from ann")
    stage.bob.sees(["from ann"])
    stage.bob.say("from bob")
    stage.ann.sees(["from ann", "from bob"])
    cid.send("from cid")
    for page in (stage.ann, stage.bob):
        page.sees(["from ann", "from bob", "from cid"])
    assert cid.texts() == ["from ann", "from bob", "from cid"]


@test
def a_message_of_several_lines_is_one(stage):
    stage.ann.enter()
    stage.ann.run("document.getElementById('text').focus()")
    stage.ann.press("one", Keys.SHIFT, Keys.ENTER, Keys.SHIFT, "two", Keys.ENTER)
    stage.ann.sees(["one\ntwo"])


@test
def what_others_write_is_never_markup(stage):
    stage.ann.enter()
    hostile = ["<img src=x onerror=document.title='owned'>", "<script>document.title='owned'</script>", "javascript:alert(1)", "&lt;b&gt;", "{{7*7}}"]
    cid = stage.person("<b>cid</b>")
    for text in hostile:
        cid.send(text)
    stage.ann.sees(hostile)
    assert stage.ann.run("return document.querySelectorAll('#timeline :is(img, script, b)').length") == 0
    assert stage.ann.run("return document.querySelector('.author').textContent") == "<b>cid</b>"
    assert "owned" not in stage.ann.driver.title


@test
def links_open_nothing_by_themselves_and_tell_nothing(stage):
    stage.ann.enter()
    stage.person("cid").send("see https://example.org/a?b=1, or javascript:alert(1)")
    stage.ann.wait("document.querySelectorAll('.text a').length === 1", "the link")
    href, rel = stage.ann.run("const a = document.querySelector('.text a'); return [a.href, a.rel]")
    assert href == "https://example.org/a?b=1" and {"noopener", "noreferrer"} <= set(rel.split())


@test
def names_and_texts_keep_their_direction_to_themselves(stage):
    stage.ann.enter()
    stage.person("עדי").send("abc עברית")
    stage.person("dan").send("עברית abc")
    stage.ann.sees(["abc עברית", "עברית abc"])
    directions = stage.ann.run("return [...document.querySelectorAll('.text')].map((text) => getComputedStyle(text).direction)")
    assert directions == ["ltr", "rtl"]
    assert stage.ann.run("return [...document.querySelectorAll('.heading')].every((line) => line.querySelector('bdi.author') && getComputedStyle(line).direction === 'ltr')")


# By keyboard


@test
def the_keyboard_selects_replies_and_goes_back(stage):
    stage.ann.enter()
    cid = stage.person("cid")
    asked = cid.send("a question")
    cid.send("another")
    stage.ann.sees(["a question", "another"])
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("r")
    stage.ann.press("an answer", Keys.ENTER)
    stage.ann.sees(["a question", "another", "an answer"])
    assert cid.messages()[-1]["replyTo"] == asked
    assert stage.ann.row("an answer", "row.querySelector('.quote').textContent") == "cid a question"
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press(Keys.ESCAPE)
    assert stage.ann.run("return document.activeElement.id") == "text"


@test
def the_keyboard_edits(stage):
    stage.ann.enter()
    stage.bob.enter()
    stage.ann.say("teh word")
    stage.bob.sees(["teh word"])
    stage.ann.sees(["teh word"])
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("e")
    assert stage.ann.run("return document.activeElement.value") == "teh word"
    stage.ann.run("document.activeElement.value = ''")
    stage.ann.press("the word", Keys.ENTER)
    for page in (stage.ann, stage.bob):
        page.sees(["the word"])
        assert page.row("the word", "row.querySelector('small').textContent") == " edited"


GOING = "document.querySelectorAll('.row[data-going]').length"


def ask_to_delete_the_last(page):
    page.press(Keys.ARROW_UP)
    page.press("d")
    page.wait("document.getElementById('question').open && document.activeElement.id === 'question-no'", "the question, and the harmless answer")


@test
def the_keyboard_deletes_after_a_question_and_can_take_it_back(stage):
    stage.ann.enter()
    stage.bob.enter()
    for text in ("keep", "drop"):
        stage.ann.say(text)
    stage.bob.sees(["keep", "drop"])
    stage.ann.sees(["keep", "drop"])

    ask_to_delete_the_last(stage.ann)
    stage.ann.press(Keys.ENTER)
    assert stage.ann.run(f"return [document.getElementById('question').open, {GOING}]") == [False, 0]
    stage.ann.run("document.getElementById('text').focus()")

    ask_to_delete_the_last(stage.ann)
    stage.ann.press(Keys.TAB, Keys.ENTER)
    stage.ann.wait(f"{GOING} === 1 && document.getElementById('undo').checkVisibility()", "the message to be going")
    stage.ann.click("document.getElementById('undo-button')")
    assert stage.ann.run(f"return [{GOING}, document.getElementById('undo').hidden]") == [0, True]
    stage.ann.run("document.getElementById('text').focus()")

    ask_to_delete_the_last(stage.ann)
    stage.ann.press(Keys.TAB, Keys.ENTER)
    for page in (stage.ann, stage.bob):
        page.sees(["keep"])
    assert stage.ann.run("return document.activeElement.innerText.includes('keep')"), "the selection goes to the neighbour"


@test
def what_was_deleted_is_gone_though_the_page_is_left_at_once(stage):
    stage.ann.enter()
    stage.bob.enter()
    stage.ann.say("drop")
    stage.ann.sees(["drop"])
    stage.bob.sees(["drop"])
    ask_to_delete_the_last(stage.ann)
    stage.ann.press(Keys.TAB, Keys.ENTER)
    stage.ann.wait(f"{GOING} === 1", "the message to be going")
    stage.ann.enter()
    stage.bob.sees([])


@test
def who_clicks_on_a_message_and_types_writes(stage):
    stage.ann.enter()
    stage.ann.say("mine")
    stage.ann.sees(["mine"])
    stage.ann.driver.find_element("css selector", ".row .text").click()
    assert not stage.ann.run("return document.getElementById('selecting').checkVisibility()")
    stage.ann.press(*"do it now, +1: reply d", Keys.ENTER)
    stage.ann.sees(["mine", "do it now, +1: reply d"])
    assert not stage.ann.run("return document.getElementById('question').open")


@test
def letters_are_commands_only_while_the_page_says_so(stage):
    shown = "document.getElementById('selecting').checkVisibility()"
    stage.ann.enter()
    stage.ann.say("mine")
    stage.ann.sees(["mine"])
    stage.ann.press(Keys.ARROW_UP)
    assert stage.ann.run(f"return {shown}")
    stage.ann.press("x")
    assert stage.ann.run(f"return [{shown}, document.getElementById('text').value]") == [True, ""]
    stage.ann.press(Keys.ESCAPE)
    assert stage.ann.run(f"return [{shown}, document.activeElement.id]") == [False, "text"]
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.driver.find_element("css selector", ".row .text").click()
    assert not stage.ann.run(f"return {shown}")
    stage.ann.press("d")
    assert stage.ann.run("return [document.getElementById('question').open, document.getElementById('text').value]") == [False, "d"]


@test
def nobody_edits_or_deletes_what_others_wrote(stage):
    stage.ann.enter()
    stage.person("cid").send("mine")
    stage.ann.sees(["mine"])
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("e", "d")
    assert not stage.ann.run("return document.getElementById('question').open")
    assert stage.ann.run("return [...document.querySelectorAll('#tools button')].filter((button) => button.checkVisibility()).map((button) => button.dataset.act)") == ["react", "reply", "thread", "menu"]


@test
def the_keyboard_reacts_and_takes_it_back(stage):
    stage.ann.enter()
    stage.bob.enter()
    stage.person("cid").send("good news")
    stage.ann.sees(["good news"])
    stage.bob.sees(["good news"])
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("+")
    stage.ann.wait("document.activeElement.parentNode.id === 'picker'", "the picker")
    stage.ann.press(Keys.ARROW_RIGHT)
    stage.ann.press(Keys.ENTER)
    chip = "document.querySelector('.chip')?.innerText.trim()"
    for page in (stage.ann, stage.bob):
        page.wait(f"{chip} === '❤️ 1'", "the reaction")
    stage.bob.click("document.querySelector('.chip')")
    stage.ann.wait(f"{chip} === '❤️ 2' && document.querySelector('.chip').ariaPressed === 'true'", "both")
    stage.ann.click("document.querySelector('.chip')")
    stage.bob.wait(f"{chip} === '❤️ 1'", "bob's alone")


@test
def everything_has_a_role_and_a_name(stage):
    stage.ann.enter()
    stage.person("cid").send("hello")
    stage.ann.sees(["hello"])
    stage.ann.wait("document.getElementById('spoken').textContent === 'cid: hello'", "the message to be read out")
    nodes = stage.ann.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = [(value(node, "role"), value(node, "name")) for node in nodes if not node.get("ignored")]
    for expected in [("log", "Messages"), ("list", "Since you joined"), ("textbox", "Message"), ("button", "Send")]:
        assert expected in named, f"{expected} in {named}"
    assert "listitem" in [role for role, _ in named]
    assert not [role for role, name in named if role in ("button", "textbox", "link", "dialog") and not name], named


def value(node, field):
    return node.get(field, {}).get("value")


# Writing


@test
def what_was_begun_survives_a_reload_and_an_edit(stage):
    text, mode = "document.getElementById('text').value", "document.getElementById('mode-text').textContent"
    stage.person("cid").send("a question")
    stage.ann.enter()
    stage.ann.say("mine")
    stage.ann.sees(["a question", "mine"])
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("r")
    stage.ann.press("half an ans")
    stage.ann.enter()
    stage.ann.sees(["a question", "mine"])
    assert stage.ann.run(f"return [{text}, {mode}]") == ["half an ans", "Reply to cid: a question"]

    stage.ann.select("mine")
    stage.ann.click("document.querySelector('#tools [data-act=edit]')")
    assert stage.ann.run(f"return {text}") == "mine"
    stage.ann.press(Keys.ESCAPE)
    assert stage.ann.run(f"return [{text}, {mode}]") == ["half an ans", "Reply to cid: a question"]
    stage.ann.press("wer", Keys.ENTER)
    stage.ann.sees(["a question", "mine", "half an answer"])
    stage.ann.enter()
    assert stage.ann.run(f"return {text}") == ""

    other = stage.room
    stage.ann.press("in one room")
    stage.next_room()
    stage.ann.enter()
    assert stage.ann.run(f"return {text}") == ""
    stage.room = other
    stage.ann.enter()
    assert stage.ann.run(f"return {text}") == "in one room"


FIELD = "document.getElementById('text').value"
MODE = "document.getElementById('mode-text').textContent"


@test
def an_edit_survives_a_reload_and_a_change_of_room_and_so_does_the_draft_from_before(stage):
    stage.ann.enter()
    stage.ann.say("mine")
    stage.ann.sees(["mine"])
    stage.ann.press("half a thought")
    stage.ann.select("mine")
    stage.ann.click("document.querySelector('#tools [data-act=edit]')")
    stage.ann.press(Keys.END, " and more")
    edited = ["mine and more", "Edit your message"]
    stage.ann.enter_again()
    stage.ann.sees(["mine"])
    assert stage.ann.run(f"return [{FIELD}, {MODE}]") == edited

    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press(f"{stage.room}-other", Keys.ENTER)
    stage.ann.wait(f"document.getElementById('room-name').textContent === '{stage.room}-other'", "the other room")
    assert stage.ann.run(f"return [{FIELD}, {MODE}]") == ["", ""]
    stage.ann.driver.back()
    stage.ann.sees(["mine"])
    assert stage.ann.run(f"return [{FIELD}, {MODE}]") == edited
    stage.ann.click("document.getElementById('mode-cancel')")
    assert stage.ann.run(f"return [{FIELD}, {MODE}]") == ["half a thought", ""]


@test
def the_next_user_of_a_tab_does_not_see_what_was_begun(stage):
    stage.ann.enter()
    stage.ann.press("for nobody else")
    for name, text in (("zoe", ""), ("ann", "for nobody else")):
        stage.ann.run("localStorage.setItem('diffroom.name', arguments[0])", name)
        stage.ann.enter()
        assert stage.ann.run(f"return [document.querySelector('#me bdi').textContent, {FIELD}]") == [name, text]


@test
def a_token_tells_at_once_whose_drafts_these_are(stage):
    with guarded(stage) as (_moderator, come):
        stage.ann.press("by ann")
        for name, text in (("zoë", ""), ("ann", "by ann")):
            come("write", name)
            assert stage.ann.run(f"return [document.querySelector('#me bdi').textContent, {FIELD}]") == [name, text]


@test
def a_link_makes_nobody_another_person_before_they_agree(stage):
    who = "return document.querySelector('#me bdi').textContent"
    kept = "return sessionStorage.getItem('diffroom.token')"
    with guarded(stage) as (_moderator, come):
        token = stage.ann.run(kept)
        come("write", "bob", answer="no")
        assert [stage.ann.run(who), stage.ann.run(kept)] == ["ann", token]
        stage.ann.driver.refresh()
        stage.ann.online()
        assert stage.ann.run(who) == "ann"
        come("read", "ann", answer="no")  # a fresh token of the same person asks nothing
        assert stage.ann.run(kept) != token
        come("write", "bob", answer="yes")
        assert stage.ann.run(who) == "bob"


def let_be_refused(page, text):
    """Has the server get nothing to see where the page sends this text, until the page is loaded again."""
    page.run(
        "const text = JSON.stringify(arguments[0]); const { send } = WebSocket.prototype;"
        "WebSocket.prototype.send = function (data) { send.call(this, data.replace(text, '\" \"')); }",
        text,
    )


@test
def what_no_message_can_have_is_left_out_and_told(stage):
    stage.ann.enter()
    cid = stage.person("cid")
    for typed, said, hint in [
        ("\u001b[31merror\u001b[0m", "error", "Left out control characters"),
        ("    an indent\n\ttab \n\n", "    an indent\n\ttab", ""),
        ("\n\n a\u2028b", " a\nb", ""),
    ]:
        stage.ann.run(f"{FIELD} = arguments[0]; document.getElementById('text').focus()", typed)
        stage.ann.press(Keys.ENTER)
        stage.ann.wait(f"{FIELD} === ''", "it to be sent")
        wait_until(lambda said=said: cid.texts()[-1:] == [said], f"{said!r} to be said")
        assert hint in stage.ann.run("return document.getElementById('hint').textContent")
    stage.ann.run(f"{FIELD} = arguments[0]; document.getElementById('text').focus()", "\u200b\u2800")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.getElementById('hint').textContent.includes('no visible characters')", "the hint")


@test
def a_refused_message_is_taken_back_in_front_of_what_was_written_since(stage):
    again = "document.querySelector('[data-act=again]')"
    stage.ann.enter()
    let_be_refused(stage.ann, "to be refused")
    stage.ann.say("mine")
    stage.ann.sees(["mine"])
    for is_editing in (False, True):
        stage.ann.press("to be refused", Keys.ENTER)
        stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')", "the refusal")
        stage.ann.press("half a thought")
        if is_editing:
            stage.ann.select("mine")
            stage.ann.click("document.querySelector('#tools [data-act=edit]')")
        stage.ann.click(again)
        if is_editing:
            assert stage.ann.run(f"return [{FIELD}, {MODE}]") == ["mine", "Edit your message"]
            stage.ann.press(Keys.ESCAPE)
        assert stage.ann.run(f"return {FIELD}") == "to be refused\nhalf a thought"
        stage.ann.sees(["mine"])
        stage.ann.press(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)


def leave_unsent(page, room, *messages, user="ann"):
    """Keeps messages as a tab that is gone has left them. Each is an id and a text."""
    for order, (id, text) in enumerate(messages):
        command = {"key": id, "tab": "gone", "order": order, "method": "send", "args": [room, text, {"id": id}]}
        page.run("localStorage.setItem(arguments[0], arguments[1])", f"diffroom.command {user} {id}", json.dumps(command))


@test
def what_somebody_else_kept_for_this_page_is_passed_over(stage):
    stage.ann.enter()
    for key in ("command ann x", f"draft {stage.room} ann"):
        for kept in ("{", "null", "7", '"text"', '{"key":"x","tab":"gone","method":"close","args":[]}', '{"key":"x","tab":"gone","method":"send","args":7}'):
            stage.ann.run("localStorage.setItem(arguments[0], arguments[1])", f"diffroom.{key}", kept)
            stage.ann.enter()
        stage.ann.run("localStorage.removeItem(arguments[0])", f"diffroom.{key}")
    stage.ann.say("hello")
    stage.ann.sees(["hello"])


@test
def an_enter_that_confirms_a_conversion_sends_nothing(stage):
    stage.ann.enter()
    stage.ann.press("nihongo")
    for init in ("isComposing: true", "keyCode: 229"):
        stage.ann.run(f"document.getElementById('text').dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true, cancelable: true, {init} }}))")
    assert stage.ann.run("return document.getElementById('text').value") == "nihongo"
    stage.ann.press(Keys.ENTER)
    stage.ann.sees(["nihongo"])


@test
def what_is_too_long_is_not_sent_and_locks_nobody_out(stage):
    stage.ann.enter()
    stage.ann.run("document.getElementById('text').value = 'x'.repeat(9000); document.getElementById('text').focus()")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.getElementById('question').open", "the offer of several messages")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait("document.getElementById('hint').textContent.includes('Too long by 808 bytes')", "the hint")
    stage.ann.run("document.getElementById('text').value = ''; document.getElementById('text').dispatchEvent(new Event('input'))")

    leave_unsent(stage.ann, stage.room, (str(uuid.uuid4()), "y" * 70_000), (str(uuid.uuid4()), "short"))
    stage.ann.enter()
    stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')?.textContent.includes('at most 8192')", "the reason")
    stage.ann.click("document.querySelector('[data-act=discard]')")
    stage.ann.sees(["short"])


JOINED = ["👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️‍🔥", "🤷🏽‍♀️", "👩‍⚕️", "👩‍⚖️", "👩‍✈️", "🏳️‍⚧️", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "🇩🇪", "🐻‍❄️", "🐈‍⬛", "🏴‍☠️", "⛹️‍♀️", "⛓️‍💥", "🏃‍➡️", "🙂‍↔️", "🙂‍↕️"]


@test
def each_part_of_a_joined_emoji_comes_from_one_font(stage):
    ranges = re.search("unicode-range: ([^;]+);", (WEB / "style.css").read_text())[1]
    ends = [[int(end, 16) for end in part.removeprefix("U+").split("-")] for part in ranges.split(", ")]
    parts = {part for emoji in JOINED for part in emoji}
    assert not [f"U+{ord(part):X}" for part in parts if not any(end[0] <= ord(part) <= end[-1] for end in ends)]


@test
def joined_emoji_stay_whole(stage):
    stage.person("cid").send("👀")
    for emoji in JOINED:
        stage.person("cid").send(emoji)
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length === {len(JOINED) + 1}", "the rows")
    widths = stage.ann.run_async(WIDTHS)
    assert len(set(widths)) == 1, dict(zip(["👀", *JOINED], widths))


WIDTHS = """
await document.fonts.ready;
const range = document.createRange();
return [...document.querySelectorAll('.row .text')].map((text) => {
  range.selectNodeContents(text);
  return Math.round(range.getBoundingClientRect().width);
});
"""


# What one may


@contextmanager
def guarded(stage):
    """A server with keys, a moderator's connection to it, and ann's page in the room."""
    secret = Path(stage.folder) / "room-secret"
    secret.write_bytes(os.urandom(32))
    server = Server(stage.diffroomd, "--secret", secret)
    try:
        def token(user, role):
            command = [stage.diffroomd, "token", "--secret", secret, "--user", user, "--grant", f"{stage.room}={role}"]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

        moderator = Person(server.port, "mod", stage.room, token("mod", "own"))
        stage.people.append(moderator)
        front = Front(server.port)

        def come(role, name="ann", answer="yes"):
            stage.ann.driver.get(f"{front.url}/favicon.svg")
            stage.ann.driver.get(f"{front.url}/?room={stage.room}#token={token(name, role)}")
            if stage.ann.run("return document.getElementById('question').open"):
                stage.ann.click(f"document.getElementById('question-{answer}')")
            stage.ann.online()

        come("write")
        yield moderator, come
    finally:
        server.stop()


STANDING = "document.getElementById('standing')"


def notice(page, text):
    page.wait(f"{STANDING}.checkVisibility() && {STANDING}.textContent.includes({json.dumps(text)})", text)


@test
def a_mute_lasts_as_long_as_the_server_says_whatever_the_clock_of_the_page_shows(stage):
    for hours in [-1, 1]:
        with guarded(stage) as (moderator, _come):
            stage.ann.run(f"const now = Date.now; Date.now = () => now() + {hours} * 3_600_000")
            moderator.moderate("mute", user="ann", **{"for": 2_000})
            notice(stage.ann, "You are muted until ")
            stage.ann.wait(f"!{STANDING}.checkVisibility()", "the end of the mute")
            stage.ann.say("said")
            stage.ann.sees(["said"])


@test
def a_mute_a_read_only_room_and_slow_mode_are_told_before_one_is_refused(stage):
    with guarded(stage) as (moderator, _come):
        assert not stage.ann.run(f"return {STANDING}.checkVisibility()")
        stage.ann.say("before")
        stage.ann.sees(["before"])
        moderator.moderate("mute", user="ann", **{"for": 3_600_000})
        notice(stage.ann, "You are muted until ")
        stage.ann.say("while muted")
        assert stage.ann.run("return [document.getElementById('hint').textContent.includes('muted until'), document.getElementById('text').value]") == [True, "while muted"]
        stage.ann.enter_again()
        notice(stage.ann, "You are muted until ")
        moderator.moderate("unmute", user="ann")
        stage.ann.wait(f"!{STANDING}.checkVisibility()", "the end of it")

        moderator.moderate("readOnly", on=True)
        notice(stage.ann, "read-only")
        moderator.moderate("readOnly", on=False)
        stage.ann.wait(f"!{STANDING}.checkVisibility()", "the end of it")

        moderator.moderate("slow", **{"for": 3_000})
        notice(stage.ann, "Slow mode: ")
        stage.ann.wait(f"{STANDING}.textContent === 'Slow mode: one message each 3 s.'", "the time to write")
        stage.ann.press(Keys.ENTER)
        notice(stage.ann, "Slow mode: you can write again in ")
        assert stage.ann.run(f"return [{STANDING}.firstChild.data, {STANDING}.lastChild.ariaHidden]") == ["Slow mode: you can write again", "true"], "what is read aloud"
        stage.ann.say("too soon")
        assert stage.ann.run("return document.getElementById('hint').textContent").startswith("Slow mode: you can write again in ")
        stage.ann.sees(["before", "while muted"])
        stage.ann.wait(f"{STANDING}.textContent === 'Slow mode: one message each 3 s.'", "the time to write")
        stage.ann.press(Keys.ENTER)
        stage.ann.sees(["before", "while muted", "too soon"])


@test
def a_mute_ends_by_itself(stage):
    with guarded(stage) as (moderator, _come):
        moderator.moderate("mute", user="ann", **{"for": 2_000})
        notice(stage.ann, "You are muted until ")
        stage.ann.wait(f"!{STANDING}.checkVisibility()", "the end of it", 5)


@test
def ones_role_is_shown(stage):
    with guarded(stage) as (moderator, come):
        role = "document.getElementById('role').textContent"
        assert stage.ann.run(f"return {role}") == ""
        moderator.send("hello")
        come("read")
        notice(stage.ann, "You can read here, not write.")
        assert stage.ann.run(f"return {role}") == "reader"
        stage.ann.sees(["hello"])
        stage.ann.select("hello")
        assert stage.ann.run("return [...document.querySelectorAll('#tools button')].filter((button) => button.checkVisibility()).map((button) => button.dataset.act)") == ["menu"]
        come("moderate")
        stage.ann.wait(f"{role} === 'moderator'", "the role")
        stage.ann.sees(["hello"])
        stage.ann.select("hello")
        shown = "[...document.querySelectorAll('#tools button')].filter((button) => button.checkVisibility()).map((button) => button.dataset.act)"
        assert stage.ann.run(f"return {shown}") == ["react", "reply", "thread", "delete", "menu"]


@test
def who_was_put_out_joins_again_where_they_stood(stage):
    with guarded(stage) as (moderator, _come):
        moderator.send("before")
        stage.ann.sees(["before"])
        moderator.moderate("kick", user="ann")
        stage.ann.wait("document.getElementById('state').checkVisibility() && document.getElementById('state-button').textContent === 'Join again'", "the page to say so")
        moderator.send("meanwhile")
        stage.ann.click("document.getElementById('state-button')")
        stage.ann.sees(["before", "meanwhile"])
        assert not stage.ann.run("return document.getElementById('state').checkVisibility()")
        stage.ann.say("back")
        stage.ann.sees(["before", "meanwhile", "back"])

        moderator.moderate("ban", user="ann")
        stage.ann.wait("document.getElementById('state').checkVisibility()", "the page to say so")
        stage.ann.click("document.getElementById('state-button')")
        stage.ann.wait("document.getElementById('state-text').textContent.includes('Disconnected: ')", "the refusal")
        moderator.moderate("unban", user="ann")
        stage.ann.click("document.getElementById('state-button')")
        stage.ann.wait("!document.getElementById('state').checkVisibility()", "the room")


@test
def who_was_put_out_stays_so_on_the_next_connection(stage):
    told = "document.getElementById('state-text').textContent"
    stage.ann.enter(stage.front.url)
    stage.server.moderate(stage.room, "kick", user="ann")
    stage.ann.wait(f"{told}.startsWith('Disconnected: ')", "the page to say so")
    with away(stage, stage.ann):
        pass
    stage.ann.wait(f"{told}.startsWith('Disconnected: ')", "the page to say so again")
    notice(stage.ann, "You cannot write here.")
    stage.ann.click("document.getElementById('state-button')")
    stage.ann.say("back")
    stage.ann.sees(["back"])


# Scrolling


@test
def older_pages_come_in_front_and_nothing_jumps(stage):
    cid = stage.person("cid")
    cid.send_all([f"message {number} {'and more words ' * (number % 40)}" for number in range(600)])
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length >= 50", "the first rows")
    for _ in range(4):
        jump = stage.ann.run_async(SCROLL_TO_TOP)
        assert abs(jump) <= 1, f"what was read moved by {jump} px"
    stage.ann.wait(f"(document.getElementById('scroller').scrollTop = -1e6, {ROWS}.length === 600)", "all of them")
    assert stage.ann.run(f"return {ROWS}.every((row, at) => row.querySelector('.text').textContent.startsWith(`message ${{at}} `))")
    assert stage.ann.run("return document.getElementById('beginning').textContent").startswith("The beginning")


# Scrolls to where the next page is asked for, waits until it has come, and tells by how much the row at the top has moved.
SCROLL_TO_TOP = """
const scroller = document.getElementById('scroller');
const frame = () => new Promise(requestAnimationFrame);
const rows = () => document.querySelectorAll('.row').length;
const before = rows();
scroller.scrollTop = scroller.clientHeight - scroller.scrollHeight + 300;
await frame();
const top = scroller.getBoundingClientRect().top;
const anchor = [...document.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().top >= top);
const at = anchor.getBoundingClientRect().top;
while (rows() === before) await frame();
await frame();
await frame();
return anchor.getBoundingClientRect().top - at;
"""


@test
def a_page_of_older_messages_is_shown_whole_or_not_at_all(stage):
    cid = stage.person("cid")
    cid.send_all([f"message {number} {'and more words ' * 40}" for number in range(200)])
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length === 50", "the first rows")
    with stage.ann.slowed(by=10):
        shown = stage.ann.run_async(ROWS_SHOWN_UNTIL, 150)
    assert shown == [50, 150], f"rows that were shown: {shown}"


# Scrolls to where the next page is asked for, and tells how many rows were shown in each frame until there are so many.
ROWS_SHOWN_UNTIL = """
const scroller = document.getElementById('scroller');
const shown = new Set();
scroller.scrollTop = scroller.clientHeight - scroller.scrollHeight + 300;
while (!shown.has(args[0])) {
  await new Promise(requestAnimationFrame);
  shown.add(document.querySelectorAll('.row').length);
}
return [...shown];
"""


@test
def follows_the_end_unless_scrolled_up(stage):
    cid = stage.person("cid")
    cid.send_all([f"message {number}" for number in range(60)])
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length >= 50", "the first rows")
    distance = "Math.round(-document.getElementById('scroller').scrollTop)"
    cid.send("at the end")
    stage.ann.wait(f"{TEXTS}.at(-1) === 'at the end'", "the message")
    assert stage.ann.run(f"return {distance}") == 0

    stage.ann.run_async("document.getElementById('scroller').scrollTop = -400; for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)")
    at = stage.ann.row("message 40", "row.getBoundingClientRect().top")
    cid.send_all(["one more", "two more"])
    stage.ann.wait("document.getElementById('newer').innerText.trim() === '2 new'", "the button")
    stage.ann.wait(f"{TEXTS}.at(-1) === 'two more'", "the rows")
    moved = stage.ann.row("message 40", "row.getBoundingClientRect().top") - at
    assert abs(moved) <= 1, f"what is read moved by {moved} px"
    stage.ann.click("document.getElementById('newer')")
    stage.ann.wait(f"{distance} === 0 && document.getElementById('newer').hidden", "the end")


# The row at the top of the screen, its text and its place.
AT_TOP = f"""
const {{ top }} = document.getElementById('scroller').getBoundingClientRect();
const row = {ROWS}.find((row) => row.getBoundingClientRect().top >= top);
return [row.dataset.id, row.getBoundingClientRect().top];
"""
PLACE = "return document.querySelector(`.row[data-id='${arguments[0]}']`).getBoundingClientRect().top"
FRAMES = "for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame)"
GAPS = "[...document.querySelectorAll('.missing')].map((gap) => gap.textContent)"


@contextmanager
def away(stage, page):
    """Cuts a page's connection, and mends it after what is done meanwhile."""
    stage.front.cut()
    try:
        page.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        yield
    finally:
        stage.front.mend()
    page.run("dispatchEvent(new Event('online'))")


def scroll(page, to):
    page.run_async(f"document.getElementById('scroller').scrollTop = {to}; {FRAMES}")


@test
def who_was_away_while_ten_thousand_came_stands_where_they_stood(stage):
    ann, cid = stage.ann, stage.person("cid")
    cid.send_all([f"message {number}" for number in range(200)])
    ann.enter(stage.front.url)
    ann.wait(f"{ROWS}.length >= 50", "the first rows")
    scroll(ann, -1500)
    ann.wait(f"{ROWS}.length >= 150", "an older page")
    scroll(ann, -3000)
    row, top = ann.run(AT_TOP)
    with away(stage, ann):
        cid.send_all([f"missed {number}" for number in range(10_000)])
    ann.wait(f"{TEXTS}.at(-1) === 'missed 9999'", "the newest")
    ann.run_async(FRAMES)
    moved = ann.run(PLACE, row) - top
    assert abs(moved) <= 1, f"what is read moved by {moved} px"
    assert ann.run(f"return {GAPS}") in (["Messages not loaded"], ["9,950 messages not loaded"]), ann.run(f"return {GAPS}")
    assert ann.texts()[-50:] == [f"missed {number}" for number in range(9_950, 10_000)]
    assert ann.run("return document.getElementById('newer').innerText.trim()") == "10,000 new"

    ann.run("document.getElementById('scroller').focus()")
    ann.press(Keys.END)
    ann.wait("document.getElementById('scroller').scrollTop === 0 && document.getElementById('newer').hidden", "the newest")


@test
def a_gap_loads_when_it_comes_on_the_screen_and_nothing_jumps(stage):
    ann, cid = stage.ann, stage.person("cid")
    cid.send_all([f"message {number}" for number in range(40)])
    ann.enter(stage.front.url)
    ann.sees([f"message {number}" for number in range(40)])
    scroll(ann, -2000)
    with away(stage, ann):
        cid.send_all([f"missed {number} {'and more words ' * (number % 40)}" for number in range(600)])
    ann.wait("document.querySelector('.missing')", "the gap")
    ann.run_async(FRAMES)
    assert ann.run(f"return {GAPS}") == ["550 messages not loaded"]
    for edge in ("above", "below"):
        moved, rows = ann.run_async(COME_TO_THE_GAP, edge)
        assert abs(moved) <= 1, f"what is read moved by {moved} px when the gap was reached from {edge}"
        assert rows == 100, rows
    while ann.run(f"return {GAPS}"):
        ann.run_async(COME_TO_THE_GAP, "above")
    texts = [" ".join(text.split()[:2]) for text in ann.texts()]
    assert texts == [f"message {number}" for number in range(40)] + [f"missed {number}" for number in range(600)]


# Scrolls so that the gap comes near from a side, waits until a part of it is there, and tells by how much the row that was
# read has moved, and how many rows came.
COME_TO_THE_GAP = """
const scroller = document.getElementById('scroller');
const frame = () => new Promise(requestAnimationFrame);
const rows = () => [...document.querySelectorAll('.row')];
const gap = document.querySelector('.missing');
const box = scroller.getBoundingClientRect();
const before = rows().length;
const come = (edge) => (scroller.scrollTop += gap.getBoundingClientRect().top - edge);
// First beside the screen, until the rows there have their heights.
for (let frames = 0; frames < 8; frames++) {
  come(args[0] === 'above' ? box.bottom + 500 : box.top - 600);
  await frame();
}
come(args[0] === 'above' ? box.bottom - 40 : box.top - 40);
const row = rows().find((row) => row.getBoundingClientRect().top >= box.top + box.height / 2);
const at = row.getBoundingClientRect().top;
while (rows().length === before) await frame();
await frame();
await frame();
return [row.getBoundingClientRect().top - at, rows().length - before];
"""


# As in a tab that is not shown. Tells the size of the largest table of messages.
NOT_DRAWN = """
window.requestAnimationFrame = () => 1;
const [maps, set] = [new Set(), Map.prototype.set];
Map.prototype.set = function (key, value) {
  if (key?.length === 36) maps.add(this);
  return set.call(this, key, value);
};
window.largest = () => Math.max(...[...maps].map(({ size }) => size));
"""


@test
def a_page_that_is_not_drawn_for_a_night_does_not_grow_for_ever(stage):
    ann, cid = stage.ann, stage.person("cid")
    ann.enter()
    ann.run(NOT_DRAWN)
    cid.send_all([f"message {number}" for number in range(40_000)])
    ann.wait("document.getElementById('spoken').textContent.includes('message 39999')", "all of them", 60)
    assert ann.run("return window.largest()") < 20_000


@test
def who_loads_a_gap_by_keyboard_does_not_lose_the_focus(stage):
    ann, cid = stage.ann, stage.person("cid")
    cid.send_all([f"message {number}" for number in range(40)])
    ann.enter(stage.front.url)
    ann.sees([f"message {number}" for number in range(40)])
    with away(stage, ann):
        cid.send_all([f"missed {number}" for number in range(300)])
    ann.wait("document.querySelector('.missing')", "the gap")
    ann.run("document.querySelector('.missing button').focus({ preventScroll: true })")
    ann.press(Keys.ENTER)
    ann.wait(f"JSON.stringify({GAPS}) === '[\"150 messages not loaded\"]'", "a part of it")
    assert ann.run("return document.activeElement.matches('.missing button')")
    for gaps in (["50 messages not loaded"], []):
        ann.press(Keys.ENTER)
        ann.wait(f"JSON.stringify({GAPS}) === '{json.dumps(gaps)}'", "another part")
    assert ann.run("return document.activeElement.matches('.row')"), "where the gap was"


@test
def a_quoted_message_is_gone_to_wherever_it_is(stage):
    ann, cid = stage.ann, stage.person("cid")
    first = cid.send("the first of all")
    cid.send_all([f"message {number}" for number in range(600)])
    cid.send("an answer to the first", replyTo=first)
    gone = cid.send("soon gone")
    cid.send("an answer to nothing", replyTo=gone)
    cid.change("delete", gone)
    ann.enter()
    ann.wait(f"{TEXTS}.at(-1) === 'an answer to nothing'", "the rows")
    ann.click_in_row("an answer to the first", ".quote")
    ann.wait(f"document.activeElement === {ROWS}[0] && {TEXTS}[0] === 'the first of all'", "the first message")
    ann.wait(IN_SIGHT, "it to be in sight")
    assert ann.run(f"return {GAPS}.length") == 1
    ann.row("an answer to the first", "row.querySelector('.quote').textContent")
    assert ann.row("an answer to the first", "row.querySelector('.quote').textContent") == "cid the first of all"
    ann.wait("document.getElementById('newer').innerText.trim() === 'Newest'", "the way back")
    ann.click("document.getElementById('newer')")
    ann.wait("document.getElementById('scroller').scrollTop === 0 && document.getElementById('newer').hidden", "the newest")
    ann.click_in_row("an answer to nothing", ".quote")
    ann.wait("document.getElementById('hint').textContent.includes('is gone')", "to be told")


# The focused row is in the middle of the screen.
IN_SIGHT = """(() => {
  const [row, box] = [document.activeElement, document.getElementById('scroller')].map((node) => node.getBoundingClientRect());
  return row.top > box.top && row.bottom < box.bottom;
})()"""


@test
def a_link_to_a_message_opens_around_it(stage):
    ann, cid = stage.ann, stage.person("cid")
    cid.send_all([f"message {number}" for number in range(300)])
    wanted = cid.send("the one that is linked")
    cid.send_all([f"later {number}" for number in range(300)])
    ann.driver.get(f"{stage.url}/?room={stage.room}&message={wanted}")
    ann.online()
    ann.wait(f"document.activeElement.dataset.id === '{wanted}' && {IN_SIGHT}", "the message")
    assert ann.run(f"return {GAPS}") == ["Messages not loaded"]

    ann.driver.get(f"{stage.url}/?room={stage.room}&message={uuid.uuid4()}")
    ann.online()
    ann.wait("document.getElementById('hint').textContent.includes('is gone')", "to be told")
    ann.wait(f"{TEXTS}.at(-1) === 'later 299'", "the newest")


SINCE = """(() => {
  const line = document.querySelector('.since');
  return line && [line.textContent, line.nextElementSibling?.querySelector('.text')?.textContent];
})()"""


@test
def what_is_new_since_one_last_read_is_marked_and_stays_so_after_a_reload(stage):
    ann, cid = stage.ann, stage.person("cid")
    ann.enter()
    cid.send_all([f"message {number}" for number in range(3)])
    ann.sees([f"message {number}" for number in range(3)])
    assert ann.run(f"return {SINCE}") is None, "what is read as it comes is not new"
    ann.driver.get(f"{stage.url}/favicon.svg")
    cid.send_all([f"new {number}" for number in range(4)])
    ann.enter()
    ann.wait(f"JSON.stringify({SINCE}) === '[\"4 new since you last read\",\"new 0\"]'", "the line")
    ann.enter_again()
    ann.wait(f"JSON.stringify({SINCE}) === '[\"4 new since you last read\",\"new 0\"]'", "the line, again")
    ann.say("seen")
    ann.wait("!document.querySelector('.row[data-state]') && !document.querySelector('.since')", "the line to go")

    cid.send_all([f"more {number}" for number in range(60)])
    ann.wait(f"{TEXTS}.at(-1) === 'more 59'", "what is read as it comes")
    assert ann.run(f"return {SINCE}") is None
    scroll(ann, -400)
    cid.send_all(["below 0", "below 1"])
    ann.wait(f"JSON.stringify({SINCE}) === '[\"2 new since you last read\",\"below 0\"]'", "the line, while one reads above")


@test
def another_browser_takes_the_read_mark_from_the_server(stage):
    ann, cid = stage.ann, stage.person("cid")
    stage.bob.enter()
    ann.enter()
    cid.send("read on the other machine")
    seen(stage.bob, "read on the other machine", "ann")
    ann.driver.get(f"{stage.url}/favicon.svg")
    ann.run("for (const area of [localStorage, sessionStorage]) for (const key of Object.keys(area)) if (!/name/.test(key)) area.removeItem(key)")
    cid.send_all(["new 0", "new 1"])
    ann.enter()
    ann.wait(f"JSON.stringify({SINCE}) === '[\"2 new since you last read\",\"new 0\"]'", "the line")


@test
def what_came_in_a_long_absence_is_counted_as_new(stage):
    ann, cid = stage.ann, stage.person("cid")
    ann.enter(stage.front.url)
    ann.say("good night")
    ann.sees(["good night"])
    with away(stage, ann):
        cid.send_all([f"missed {number}" for number in range(300)])
    ann.wait(f"{TEXTS}.at(-1) === 'missed 299'", "the newest")
    ann.wait("document.querySelector('.since')?.textContent === '300 new since you last read'", "the line")
    assert ann.run(f"return {GAPS}") == ["250 messages not loaded"]
    assert ann.run("return document.querySelector('.since').nextElementSibling.matches('.missing')"), "the gap is among what is new"
    assert ann.texts()[0] == "good night"


@test
def a_day_is_gone_to_by_keyboard(stage):
    ann, cid = stage.ann, stage.person("cid")
    cid.send_all([f"message {number}" for number in range(300)])
    ann.enter()
    ann.wait(f"{ROWS}.length === 50", "the rows")
    ann.run("document.getElementById('room-button').focus()")
    ann.press(Keys.ENTER)
    ann.run("document.getElementById('day-input').focus()")
    ann.press(time.strftime("%m%d%Y"))
    ann.press(Keys.ENTER)
    ann.wait(f"document.activeElement === {ROWS}[0] && {TEXTS}[0] === 'message 0' && !document.querySelector(':popover-open')", "the first of today")


@test
def a_change_touches_its_row_alone(stage):
    cid = stage.person("cid")
    ids = [cid.send(f"message {number}") for number in range(40)]
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length === 40", "the rows")
    stage.ann.run(WATCH)
    cid.change("react", ids[20], emoji="👍", on=True)
    cid.change("edit", ids[30], text="changed")
    stage.ann.wait(f"document.querySelector('.chip') && {TEXTS}.includes('changed')", "the changes")
    touched = stage.ann.run("return [...window.touched]")
    assert touched == [ids[20], ids[30]], touched


WATCH = """
window.touched = new Set();
const observer = new MutationObserver((changes) => {
  for (const { target } of changes) window.touched.add((target.closest ? target : target.parentNode).closest('.row')?.dataset.id ?? target.outerHTML);
});
observer.observe(document.getElementById('timeline'), { subtree: true, childList: true, attributes: true, characterData: true });
"""


@test
def fits_a_phone(stage):
    cid = stage.person("cid")
    cid.send("w" * 500)
    cid.send("https://example.org/" + "x" * 300)
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        stage.ann.enter()
        stage.ann.wait(f"{ROWS}.length === 2", "the rows")
        wide = "[...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > 376)"
        assert stage.ann.run(f"return {wide}.map((one) => one.outerHTML.slice(0, 100))") == []
        assert stage.ann.run("return document.getElementById('text').getBoundingClientRect().bottom <= innerHeight")
    finally:
        stage.ann.resize(1180, 760)


@test
def long_names_leave_a_phone_its_buttons(stage):
    stage.room = "w" * 64
    touch = "Emulation.setTouchEmulationEnabled"
    pinned = stage.person("cid").send("pinned")
    stage.server.moderate(stage.room, "pin", message=pinned)
    for width in (320, 375):
        stage.ann.resize(width, 640, scale=2, phone=True)
        stage.ann.driver.execute_cdp_cmd(touch, {"enabled": True})
        try:
            stage.ann.run("localStorage.setItem('diffroom.name', arguments[0])", "W" * 64)
            stage.ann.enter()
            for button in ("people", "pins"):
                stage.ann.wait(f"document.getElementById('{button}-button').checkVisibility()", f"the button: {button}")
            right, left, link = stage.ann.run("const { right, left } = document.getElementById('people-button').getBoundingClientRect(); return [right, left, document.getElementById('link').getBoundingClientRect().width]")
            assert 0 < left < right <= width and link > 0, (left, right, width, link)
            assert stage.ann.run("return document.documentElement.scrollWidth <= innerWidth")
            small = stage.ann.run("return [...document.querySelectorAll('header button')].map((one) => [one.id, one.getBoundingClientRect()]).filter(([, { width, height }]) => width < 44 || height < 44).map(([id]) => id)")
            assert small == [], small
            room = stage.ann.run("return document.getElementById('room-button').offsetWidth")
            assert room >= width / 4, f"{room} px of {width} are too few for the name of the room"
        finally:
            stage.ann.driver.execute_cdp_cmd(touch, {"enabled": False})
            stage.ann.resize(1180, 760)
            stage.ann.run("localStorage.setItem('diffroom.name', 'ann')")


# Going away and coming back


@test
def a_killed_server_loses_nothing_and_doubles_nothing(stage):
    stage.ann.enter()
    stage.bob.enter()
    terminal = stage.terminal("tess")
    terminal.say("before")
    stage.bob.sees(["before"])
    stage.ann.run("window.stillHere = true")
    expected = ["before"]
    for round in range(3):
        stage.server.kill()
        stage.ann.wait("document.getElementById('state').checkVisibility()", "the page to say so")
        stage.ann.say(f"while away {round}")
        stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "the message to wait")
        stage.server.start()
        expected.append(f"while away {round}")
        for page in (stage.ann, stage.bob):
            page.sees(expected)
            assert page.run("return document.getElementById('state').hidden")
        wait_until(lambda: terminal.inserted() == expected, f"{expected} in the terminal")
    terminal.say("from the terminal")
    expected.append("from the terminal")
    for page in (stage.ann, stage.bob):
        page.sees(expected)
    assert stage.person("dan").texts() == expected
    assert stage.ann.run("return window.stillHere")
    assert stage.ann.section("socket") == expected, "what came since joining stays there"


@test
def what_was_not_acknowledged_survives_a_reload(stage):
    stage.ann.enter(stage.front.url)
    stage.ann.say("before")
    stage.ann.sees(["before"])
    stage.server.kill()
    stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
    for text in ("one", "two"):
        stage.ann.say(text)
    said = "[...document.querySelectorAll('.row[data-state=waiting]')].map((row) => row.dataset.id)"
    stage.ann.wait(f"{said}.length === 2", "them to wait")
    ids = stage.ann.run(f"return {said}")
    for _ in range(2):
        stage.ann.driver.get(f"{stage.front.url}/?room={stage.room}")
        stage.ann.wait(f"{said}.length === 2", "what was said")
        assert stage.ann.run(f"return {said}") == ids
        assert not stage.ann.run("return document.getElementById('joined').checkVisibility()")
        first = stage.ann.run(f"return [{TEXTS}[0], document.getElementById('beginning').textContent]")
        assert first in (["before", f"The beginning of #{stage.room}"], ["one", ""]), "a beginning only where the browser has kept the first message"
    stage.server.start()
    stage.ann.sees(["before", "one", "two"])
    assert [row["id"] for row in stage.person("cid").messages()][1:] == ids, "each is said once"
    stage.ann.wait("!Object.keys(localStorage).some((key) => key.startsWith('diffroom.command'))", "nothing to be kept")
    stage.ann.enter(stage.front.url)
    stage.ann.sees(["before", "one", "two"])


@test
def what_was_carried_out_unheard_is_not_said_twice(stage):
    stage.ann.enter()
    stage.ann.say("hello")
    stage.ann.sees(["hello"])
    id = stage.person("cid").messages()[0]["id"]
    leave_unsent(stage.ann, stage.room, (id, "hello"), (str(uuid.uuid4()), "new"))
    stage.ann.enter()
    stage.ann.sees(["hello", "new"])


@test
def what_one_said_in_another_room_or_by_another_name_stays_there(stage):
    stage.ann.enter()
    leave_unsent(stage.ann, stage.room, (str(uuid.uuid4()), "not here"), user="bob")
    leave_unsent(stage.ann, f"{stage.room}x", (str(uuid.uuid4()), "not here"))
    stage.ann.enter()
    stage.ann.say("here")
    stage.ann.sees(["here"])


@test
def the_connection_and_its_latency_are_shown(stage):
    text = "document.getElementById('link-text').textContent"
    stage.ann.enter(stage.front.url)
    stage.ann.wait(f"/^\\d+ ms$/.test({text})", "the latency")
    assert stage.ann.run("return document.getElementById('link').title").startswith("Connected")
    stage.front.cut()
    try:
        stage.ann.wait(f"{text} === 'offline' && document.getElementById('link').title === 'Not connected'", "the end of it")
    finally:
        stage.front.mend()
    stage.ann.wait(f"/^\\d+ ms$/.test({text})", "the latency")


@test
def the_reason_of_the_server_is_shown_until_the_connection_is_back(stage):
    stage.ann.enter(stage.front.url)
    stage.ann.run(WATCH_STATE)
    stage.front.is_up = False
    try:
        stage.server.put_off("ann", "maintenance until noon")
        stage.ann.wait("window.told.filter((text) => text.startsWith('Connection lost: maintenance until noon – trying again')).length > 1", "the reason, also after a try in vain")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    stage.ann.wait("document.body.dataset.state === 'online'", "the connection")
    stage.ann.run("window.told.length = 0")
    with away(stage, stage.ann):
        stage.ann.wait("window.told.some((text) => text.startsWith('Connection lost – trying again'))", "no reason")
    assert not stage.ann.run("return window.told.some((text) => text.includes('maintenance'))")


# What is told above the messages, once for each time that it is told anew after something else.
WATCH_STATE = """
window.told = [];
const text = document.getElementById('state-text');
new MutationObserver(() => {
  const kind = (said) => said?.replace(/ in \\d+ s$/, '');
  if (text.textContent.trim() && kind(text.textContent) !== kind(window.told.at(-1))) window.told.push(text.textContent);
}).observe(text, { subtree: true, childList: true, characterData: true });
"""


@test
def a_cut_network_heals_by_itself(stage):
    stage.ann.enter(stage.front.url)
    stage.ann.say("before")
    stage.ann.sees(["before"])
    stage.front.cut()
    try:
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        stage.person("cid").send("meanwhile")
        stage.ann.say("said offline")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    stage.ann.sees(["before", "meanwhile", "said offline"])


@test
def what_the_server_refuses_can_be_taken_back(stage):
    stage.ann.enter()
    let_be_refused(stage.ann, "to be refused")
    stage.ann.press("to be refused", Keys.ENTER)
    stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')", "the refusal")
    stage.ann.click("document.querySelector('[data-act=discard]')")
    stage.ann.sees([])


@test
def what_was_refused_waits_in_the_field_after_a_reload(stage):
    stage.ann.enter()
    let_be_refused(stage.ann, "to be refused")
    stage.ann.press("to be refused", Keys.ENTER)
    stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')", "the refusal")
    for _ in range(2):
        stage.ann.driver.refresh()
        stage.ann.online()
        stage.ann.wait(f"{FIELD} === 'to be refused'", "it to be in the field")
        assert not stage.ann.run("return document.querySelector('.row')")
    stage.ann.press(Keys.CONTROL, "a", Keys.NULL, "no bell", Keys.ENTER)
    stage.ann.sees(["no bell"])


# Scrolls until a message is the first or the last of all, and tells the most rows that there were, and the most that the row in the
# middle has moved in a frame beside what was scrolled.
TRAVEL = """
const [text, by, place] = args;
const scroller = document.getElementById('scroller');
const rows = () => [...document.querySelectorAll('.row')];
const { top, bottom } = scroller.getBoundingClientRect();
const middle = () => document.elementFromPoint(300, (top + bottom) / 2).closest('.row');
let most = 0;
let moved = 0;
while (rows().at(place)?.querySelector('.text').firstChild.data !== text) {
  scroller.scrollTop += by;
  const row = middle();
  const before = row?.getBoundingClientRect().top;
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  most = Math.max(most, rows().length);
  if (row?.isConnected) moved = Math.max(moved, Math.abs(row.getBoundingClientRect().top - before));
}
return [most, moved];
"""


@test
def a_page_left_open_draws_two_thousand_rows_at_most_and_reaches_all(stage):
    cid = stage.person("cid")
    stage.ann.enter()
    total = 14_500
    cid.send_all([f"message {number}" for number in range(total)])
    stage.ann.wait(f"{TEXTS}.at(-1) === 'message {total - 1}'", "the last message", 180)
    assert stage.ann.run(f"return {ROWS}.length") <= 2_000
    up = stage.ann.run_async(TRAVEL, "message 0", -20_000, 0)
    assert up[0] <= 2_000, up
    assert stage.ann.run("return document.getElementById('beginning').checkVisibility({ visibilityProperty: true })")
    cid.send("one more")
    stage.ann.wait("document.getElementById('newer').textContent === '1 new'", "the button")
    assert stage.ann.run(f"return {TEXTS}.at(-1)") != "one more", "it is far below"
    down = stage.ann.run_async(TRAVEL, "one more", 20_000, -1)
    assert down[0] <= 2_000, down
    scroll(stage.ann, 0)
    stage.ann.wait("document.getElementById('newer').hidden", "the end")


@test
def a_slow_page_gets_to_the_end_of_what_came_at_once(stage):
    stage.ann.enter()
    with stage.ann.slowed(4):
        stage.person("cid").send_all([f"message {number}" for number in range(14_500)])
        stage.ann.wait(f"{TEXTS}.at(-1) === 'message 14499'", "the last message", 60)


@test
def what_is_read_stays_in_place_while_other_rows_are_drawn(stage):
    cid = stage.person("cid")
    cid.send_all([f"message {number} {'and more words ' * (number % 30)}" for number in range(4_000)])
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length >= 50", "the first rows")
    first, last = ("message 0 ", f"message 3999 {'and more words ' * (3999 % 30)}")
    for text, by, place in ((first, -900, 0), (last, 900, -1)):
        most, moved = stage.ann.run_async(TRAVEL, text, by, place)
        assert most <= 2_000, most
        assert moved <= 1, f"what is read moved by {moved} px on the way to {text}"


# Pulls the scrollbar to its end until the room's end is drawn. Returns the rows that were last and then far from the screen, and whether
# the button with the number of new messages, which are at the room's end, was hidden before.
PULL = """
const scroller = document.getElementById('scroller');
const last = () => [...document.querySelectorAll('.row')].at(-1);
const { top, bottom } = scroller.getBoundingClientRect();
const lost = [];
let isRead = false;
while (last().querySelector('.text').textContent !== args[0]) {
  scroller.scrollTop = 0;
  const row = last();
  for (let frame = 0; frame < 60 && last() === row; frame++) {
    await new Promise(requestAnimationFrame);
    isRead ||= last() === row && document.getElementById('newer').hidden;
  }
  for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
  const place = row.getBoundingClientRect();
  if (place.bottom < top - 50 || place.top > bottom + 50) lost.push([row.textContent.slice(0, 40), place.top]);
}
return [lost, isRead];
"""


@test
def what_is_read_stays_in_place_while_a_slow_page_draws_the_rows_below(stage):
    ann, cid, total = stage.ann, stage.person("cid"), 2_400
    texts = [f"message {number} {'and more words ' * (number % 30)}" for number in range(total)]
    cid.send_all(texts)
    ann.enter()
    ann.wait(f"{ROWS}.length >= 50", "the first rows")
    ann.run_async(TRAVEL, texts[0], -20_000, 0)
    with ann.slowed(6):
        most, moved = ann.run_async(TRAVEL, texts[-1], 900, -1)
    assert most <= 2_000, most
    assert moved <= 1, f"what is read moved by {moved} px"


@test
def a_reader_who_pulls_the_scrollbar_to_the_end_sees_and_reads_the_rows_before_it_first(stage):
    ann, cid, total = stage.ann, stage.person("cid"), 2_400
    cid.send_all([f"message {number} {'and more words ' * (number % 30)}" for number in range(total)])
    ann.enter()
    ann.wait(f"{ROWS}.length >= 50", "the first rows")
    ann.run_async(TRAVEL, "message 0 ", -20_000, 0)
    cid.send("one more")
    ann.wait("document.getElementById('newer').textContent === '1 new'", "the button")
    lost, is_read = ann.run_async(PULL, "one more")
    assert not lost, f"what was at the end is far away: {lost}"
    assert not is_read, "the messages that are not drawn yet are read"
    scroll(ann, 0)
    ann.wait("document.getElementById('newer').hidden", "the end")


# Goes to the top of what is drawn and, in the frame in which older rows are drawn above, into them: the browser skips these until the next
# frames, and where they are measured meanwhile it may hold on to one of them. Returns by how much the row that was on the screen has moved.
ENTER_NEW = """
const scroller = document.getElementById('scroller');
const { top, bottom } = scroller.getBoundingClientRect();
const rows = () => [...document.querySelectorAll('.row')];
const isSeen = (row) => row.checkVisibility({ contentVisibilityAuto: true }) && row.getBoundingClientRect().top >= top;
const isDrawn = (old) => new Promise((resolve) => {
  new MutationObserver((_, observer) => rows()[0] !== old && resolve(observer.disconnect())).observe(document.getElementById('timeline'), { subtree: true, childList: true });
});
const moved = [];
for (const by of args[0]) {
  const drawn = isDrawn(rows()[0]);
  scroller.scrollTop = -scroller.scrollHeight;
  await drawn;
  scroller.scrollTop -= by;
  const row = rows().find(isSeen);
  const before = row?.getBoundingClientRect().top;
  for (let frame = 0; frame < 6; frame++) {
    rows()[0].getBoundingClientRect();
    await new Promise(requestAnimationFrame);
  }
  if (before < bottom) moved.push(row.getBoundingClientRect().top - before);
}
return moved;
"""


@test
def a_reader_who_scrolls_into_rows_that_are_drawn_in_that_frame_keeps_what_they_read(stage):
    stage.person("cid").send_all([f"message {number} {'and more words ' * (number % 30)}" for number in range(1_550)])
    stage.ann.enter()
    stage.ann.wait(f"{ROWS}.length >= 50", "the first rows")
    moved = stage.ann.run_async(ENTER_NEW, [100, 200, 300, 400] * 3)
    assert len(moved) >= 6, moved
    assert all(abs(by) <= 1 for by in moved), f"what is read moved by {moved} px"


@test
def a_jump_to_the_end_and_back_draws_what_is_there(stage):
    ann, cid = stage.ann, stage.person("cid")
    wanted = cid.send("message 0")
    cid.send_all([f"message {number}" for number in range(1, 3_000)])
    cid.send("an answer", replyTo=wanted)
    ann.enter()
    ann.wait(f"{TEXTS}.at(-1) === 'an answer'", "the rows")
    ann.run_async(TRAVEL, "message 0", -20_000, 0)
    for _ in range(2):
        ann.click("document.getElementById('newer')")
        ann.wait(f"document.getElementById('scroller').scrollTop === 0 && {TEXTS}.at(-1) === 'an answer'", "the end")
        ann.click_in_row("an answer", ".quote")
        ann.wait(f"document.activeElement === {ROWS}[0] && {TEXTS}[0] === 'message 0' && {IN_SIGHT}", "the first message")
    ann.run("document.getElementById('text').focus()")
    ann.press(Keys.ARROW_UP)
    ann.wait("document.activeElement.querySelector('.text')?.firstChild.data === 'an answer'", "the last message to be selected")
    ann.press(Keys.HOME)
    ann.wait("document.activeElement.querySelector('.text')?.firstChild.data === 'message 0'", "the first one")
    ann.press(Keys.ARROW_DOWN)
    ann.wait("document.activeElement.querySelector('.text')?.firstChild.data === 'message 1'", "the second one")
    ann.press(Keys.END)
    ann.wait("document.activeElement.querySelector('.text')?.firstChild.data === 'an answer'", "the last one")
    ann.say("mine")
    ann.wait(f"document.getElementById('scroller').scrollTop === 0 && {TEXTS}.at(-1) === 'mine'", "the end")
