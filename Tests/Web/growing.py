"""Messages that grow: drawn piece by piece, without a jump, a flicker or a word too many."""

import random
import uuid

from messagemenu import CHOICES, MENU
from page import ROW, test
from position import FRAMES, engine, long_room, place, read_somewhere
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

LAST = "[...document.querySelectorAll('.row')].at(-1)"
CARET = f"{LAST}.querySelector('.growing')"
PARTS = ".avatar, .heading, .text, a, code, strong, .chip"
SPOKEN = "document.getElementById('spoken').textContent"


class Writer:
    """Somebody's message that grows."""

    def __init__(self, person, text="", **more):
        self.person, self.size, self.text = person, len(text.encode()), text
        self.id = person.send(text, open=True, **more)

    def append(self, text):
        self.person.change("append", self.id, at=self.size, text=text)
        self.size += len(text.encode())
        self.text += text

    def close(self, **ended):
        self.person.change("close", self.id, **ended)


def shows(page, text):
    page.wait(f"{LAST}?.querySelector('.text').textContent === {text!r}", f"the text {text!r}")


@test
def a_message_that_grows_has_a_caret_until_it_is_complete(stage):
    stage.ann.enter()
    writer = Writer(stage.person("cid"))
    stage.ann.wait(f"{LAST} && Boolean({CARET})", "the message")
    for piece in ["The tea", " *is*", " ready", "\n\n- hot\n- str", "ong", "\n\n```js\nlet five", " = 5;"]:
        writer.append(piece)
    stage.ann.wait(f"{LAST}.querySelector('code')?.textContent === 'let five = 5;'", "the code")
    assert stage.ann.run(f"return {CARET}.parentNode.matches('code') && !{LAST}.querySelector('[class^=hljs]')")
    assert stage.ann.run(f"return {LAST}.querySelector('em').textContent + {LAST}.querySelector('li:last-child').textContent") == "isstrong"
    writer.close()
    stage.ann.wait(f"!{CARET} && {LAST}.querySelector('.hljs-keyword')?.textContent === 'let'", "the end, with colours", 30)
    assert stage.ann.run(f"return {LAST}.querySelectorAll('small').length") == 0
    for ended in ["stopped", "failed"]:
        writer = Writer(stage.person("cid"), f"so far {ended}")
        stage.ann.wait(f"Boolean({CARET})", "the message")
        writer.close(ended=ended)
        shows(stage.ann, f"so far {ended} {ended}")
        assert stage.ann.run(f"return {LAST}.querySelector('small').textContent === ' {ended}' && !{CARET}")


@test
def growth_is_drawn_once_a_frame_and_leaves_what_is_equal(stage):
    ann = stage.ann
    ann.enter()
    writer = Writer(stage.person("cid"), "see https://a.example/x and `code`, **all** of it: ", mentions=["bob"])
    stage.person("bob").change("react", writer.id, emoji="👍", on=True)
    ann.wait(f"Boolean({LAST}?.querySelector('.chip'))", "the message")
    ann.run(f"""
        const row = {LAST};
        window.nodes = [row, ...row.querySelectorAll({PARTS!r})];
        getSelection().selectAllChildren(row.querySelector('strong'));
        row.querySelector('a').focus();
        [window.frames_, window.draws] = [0, 0];
        const count = () => {{ window.frames_++; requestAnimationFrame(count); }};
        requestAnimationFrame(count);
        new MutationObserver(() => window.draws++).observe(row.querySelector('.text'), {{ subtree: true, childList: true, characterData: true }});
    """)
    for number in range(100):
        writer.append(f"{number} ")
    ann.wait(f"{LAST}.querySelector('.text').textContent.endsWith('98 99 ')", "the text")
    frames, draws = ann.run("return [window.frames_, window.draws]")
    assert 0 < draws <= min(frames, 100), (frames, draws)
    same = f"const row = {LAST}; const nodes = [row, ...row.querySelectorAll({PARTS!r})]; return nodes.length === 8 && nodes.every((node, index) => node === window.nodes[index])"
    assert ann.run(same), "an element was replaced"
    assert ann.run("return [getSelection().toString(), document.activeElement.tagName]") == ["all", "A"]
    writer.append("\n\n> a quote")
    writer.close()
    ann.wait(f"Boolean({LAST}.querySelector('blockquote')) && !{CARET}", "the end")


@test
def a_reader_at_the_end_stays_there_while_a_message_grows(stage):
    ann = stage.ann
    long_room(stage, random.Random(7), 60)
    ann.enter(stage.front.url)
    writer = Writer(stage.person("dana"), "one")
    ann.wait(f"{LAST}.querySelector('.text').textContent === 'one'", "the message")
    for number in range(40):
        writer.append(f"\n\n{number} {'word ' * 30}")
        if number % 8 == 0:
            ends = f"{FRAMES} return [document.getElementById('scroller').scrollTop, {LAST}.querySelector('.growing').getBoundingClientRect().bottom <= document.getElementById('scroller').getBoundingClientRect().bottom]"
            assert ann.run_async(ends) == [0, True]
    assert not ann.run(f"return {LAST}.querySelector('.text').hasAttribute('data-folded')")
    writer.close()
    ann.wait(f"!{CARET} && {LAST}.querySelector('.fold')?.textContent === 'Show less'", "the end")
    assert ann.run("return document.getElementById('scroller').scrollTop") == 0


@test
def a_reader_elsewhere_is_not_moved_by_a_message_that_grows(stage):
    for seed, has_anchoring in ((1, True), (2, True), (1, False), (2, False)):
        stage.next_room()
        with engine(stage.ann, has_anchoring):
            read_while_one_grows(stage, random.Random(seed))


def read_while_one_grows(stage, chance):
    writer = Writer(long_room(stage, chance, 200), "one")
    row, top = read_somewhere(stage, chance)
    for number in range(20):
        writer.append(f"\n\n{number} {'word ' * 60}")
        if number % 5 == 0:
            now = place(stage.ann, row)[1]
            assert abs(now - top) < 2, f"{top} became {now}"
    writer.close(ended="stopped")
    stage.ann.wait(f"{LAST}.querySelector('.text').textContent.endsWith('stopped')", "the end")
    assert abs(place(stage.ann, row)[1] - top) < 2


@test
def a_reader_of_a_message_that_grows_is_not_moved(stage):
    for has_anchoring in (True, False):
        stage.next_room()
        with engine(stage.ann, has_anchoring):
            read_one_that_grows(stage)


def read_one_that_grows(stage):
    ann = stage.ann
    ann.enter(stage.front.url)
    writer = Writer(stage.person("dana"), "\n\n".join(f"{number} {'word ' * 30}" for number in range(30)))
    ann.wait(f"{LAST}?.clientHeight > 1500", "the message")
    ann.run_async(f"document.getElementById('scroller').scrollTop = -700; {FRAMES}")
    top = ann.run_async(f"{FRAMES} return {LAST}.querySelector('.text').getBoundingClientRect().top")
    for number in range(20):
        writer.append(f"\n\nand {number}")
    ann.wait(f"{LAST}.querySelector('.text').textContent.endsWith('and 19')", "the text")
    now = ann.run_async(f"{FRAMES} return {LAST}.querySelector('.text').getBoundingClientRect().top")
    assert abs(now - top) < 2, (top, now)


@test
def a_screen_reader_says_a_message_when_it_is_complete(stage):
    stage.ann.enter()
    writer = Writer(stage.person("cid"), "The tea")
    writer.append(" is")
    stage.person("dana").send("other")
    stage.ann.wait(f"{SPOKEN} === 'dana: other'", "the other message alone")
    writer.append(" ready")
    writer.close()
    stage.ann.wait(f"{SPOKEN} === 'cid: The tea is ready'", "the whole message")
    assert stage.ann.run(f"return document.getElementById('scroller').ariaLive === 'off' && {LAST}.closest('[aria-live]').id") == "scroller"


@test
def the_menu_of_a_message_that_grows_has_nothing_that_needs_its_end(stage):
    ann = stage.ann
    ann.enter()
    Writer(stage.person("cid"), "theirs")
    writer = Writer(stage.person("ann"), "mine")
    ann.wait("document.querySelectorAll('.row .growing').length === 2 && !document.getElementById('schedule').hidden", "the messages")
    for text, choices in [("theirs", ["Reply", "Reply in thread", "React", "Copy link", "Remind me…"]), ("mine", ["Reply", "Reply in thread", "React", "Stop", "Copy link", "Remind me…", "Delete"])]:
        node = ann.run(f"return ({ROW}).querySelector('.text')", text)
        ActionChains(ann.driver).context_click(node).perform()
        ann.wait(f"{MENU}.matches(':popover-open')", "the menu")
        assert ann.run(f"return {CHOICES}") == choices, text
        if text == "theirs":
            ann.press(Keys.ESCAPE)
    ann.click(f"[...{MENU}.querySelectorAll('button')].find((one) => one.textContent === 'Stop')")
    shows(ann, "mine stopped")
    refused = writer.person.ask(type="append", room=stage.room, command=str(uuid.uuid4()), id=writer.id, at=4, text="!")
    assert refused["reason"] == "not_open", refused


@test
def whoever_a_message_mentions_may_stop_it(stage):
    ann = stage.ann
    ann.enter()
    cid = stage.person("cid")
    Writer(cid, "for ann", mentions=["ann"])
    shows(ann, "for ann")
    ActionChains(ann.driver).context_click(ann.run(f"return ({ROW}).querySelector('.text')", "for ann")).perform()
    ann.wait(f"{MENU}.matches(':popover-open')", "the menu")
    ann.click(f"[...{MENU}.querySelectorAll('button')].find((one) => one.textContent === 'Stop')")
    shows(ann, "for ann stopped")
