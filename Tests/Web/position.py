"""The reader's place in a room: what is read stays where it is on the screen, whatever comes and however the window changes."""

import json
import random
from contextlib import contextmanager

from page import ROWS, test

SIZES = [(1180, 760), (390, 844), (844, 390), (700, 500), (320, 568), (1180, 300)]
FRAMES = "for (let frames = 0; frames < 8; frames++) await new Promise(requestAnimationFrame);"

# The first row that begins on the screen, of those that are drawn: its id, and its place below the top of the messages.
PLACE = f"""
const {{ top }} = document.getElementById('scroller').getBoundingClientRect();
const row = args[0] ? document.querySelector(`.row[data-id="${{args[0]}}"]`) : {ROWS}.find((row) => row.checkVisibility({{ contentVisibilityAuto: true }}) && row.getBoundingClientRect().top >= top);
return [row?.dataset.id, row && row.getBoundingClientRect().top - top];
"""

# An engine without scroll anchoring, as WebKit is.
NO_ANCHORING = """
const { supports } = CSS;
CSS.supports = (...args) => !/overflow-anchor/.test(args.join()) && supports.apply(CSS, args);
addEventListener('DOMContentLoaded', () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { overflow-anchor: none !important; }');
  document.adoptedStyleSheets = [sheet];
});
"""


@contextmanager
def engine(page, has_anchoring):
    added = None if has_anchoring else page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NO_ANCHORING})
    try:
        yield
    finally:
        if added:
            page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        page.resize(1180, 760)


def place(page, row=None):
    return page.run_async(f"{FRAMES} {PLACE}", row)


def long_room(stage, chance, count=400):
    cid = stage.person("cid")
    texts = [f"message {number} {'and more words ' * chance.choice([0, 1, 3, 30, 120])}" for number in range(count)]
    cid.send_all(texts)
    return cid


def read_somewhere(stage, chance):
    """Enters the room and scrolls up, some screens at a time."""
    stage.ann.enter(stage.front.url)
    stage.ann.wait(f"{ROWS}.length >= 50", "the first rows")
    for _ in range(chance.randrange(3, 9)):
        stage.ann.run_async(f"document.getElementById('scroller').scrollTop -= {chance.randrange(300, 3000)}; {FRAMES}")
    return place(stage.ann)


def stays(page, row, top, what):
    _, now = place(page, row)
    assert now is not None and abs(now - top) <= 2, f"what is read moved from {top} to {now} by {what}"


def fits(page, now, top):
    """Returns whether a row is at its place, or as low as a screen that has become smaller allows."""
    room = page.run("return document.getElementById('scroller').clientHeight")
    return now is not None and (abs(now - top) <= 2 or (top > room - 60 and 0 <= now < room))


def resized(stage, chance, what):
    """a window that is turned and made narrow keeps what is read"""
    long_room(stage, chance)
    row, top = read_somewhere(stage, chance)
    for _ in range(5):
        width, height = chance.choice(SIZES)
        stage.ann.resize(width, height)
        _, now = place(stage.ann, row)
        assert fits(stage.ann, now, top), f"{now} px in {width} × {height}, {top} before, {what}"
    stage.ann.resize(1180, 760)
    stays(stage.ann, row, top, f"turning there and back, {what}")


def change(stage, chance, cid, ids, row, act):
    """Lets another person do something elsewhere in the room, and waits until the page has it."""
    other = chance.choice([id for id in ids if id != row])
    if act == "send":
        cid.send_all([f"more {number} {'and more words ' * chance.choice([0, 40])}" for number in range(chance.choice([1, 8]))])
    elif act == "edit":
        cid.change("edit", other, text=f"edited {'and other words ' * chance.choice([0, 150])}")
    elif act == "react":
        cid.change("react", other, emoji="👍", on=True)
    else:
        ids.remove(other)
        cid.change("delete", other)
    shows(stage, cid.send(f"after {act}"))


def shows(stage, id):
    stage.ann.wait(f"Boolean(document.querySelector('.row[data-id=\"{id}\"]'))", "the last change")


def changed(stage, chance, what):
    """what comes changes and goes elsewhere does not move what is read"""
    cid = long_room(stage, chance)
    ids = [message["id"] for message in cid.messages()]
    row, top = read_somewhere(stage, chance)
    for step in range(12):
        act = chance.choice(["send", "edit", "delete", "react"])
        change(stage, chance, cid, ids, row, act)
        stays(stage.ann, row, top, f"{act}, step {step}, {what}")


def be_away(stage, cid, count):
    """Cuts the network while messages come, more than are loaded at once."""
    stage.front.cut()
    try:
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
        cid.send_all([f"missed {number}" for number in range(count)])
        last = cid.send("the end of the absence")
    finally:
        stage.front.mend()
    stage.ann.run("dispatchEvent(new Event('online'))")
    shows(stage, last)


GAPS = "[...document.querySelectorAll('.missing:not([data-busy])')].map((one) => `${one.previousElementSibling?.dataset.id} ${one.textContent}`).join()"


def fill_gap(stage):
    gaps = stage.ann.run(f"return {GAPS}")
    if not gaps:
        return
    stage.ann.click("[...document.querySelectorAll('.missing button')].at(-1)")
    stage.ann.wait(f"!document.querySelector('.missing[data-busy]') && {GAPS} !== {json.dumps(gaps)}", "the gap to load")


def mixed(stage, chance, what):
    """windows that change while messages come and change and gaps load keep what is read"""
    cid = long_room(stage, chance)
    ids = [message["id"] for message in cid.messages()]
    row, last = read_somewhere(stage, chance)
    for step in range(14):
        act = chance.choice(["send", "edit", "delete", "react", "resize", "resize", "away", "gap"])
        if act == "resize":
            stage.ann.resize(*chance.choice(SIZES))
        elif act == "away":
            be_away(stage, cid, chance.choice([20, 180]))
        elif act == "gap":
            fill_gap(stage)
        else:
            change(stage, chance, cid, ids, row, act)
        _, now = place(stage.ann, row)
        is_kept = act == "resize" and now is not None and 0 <= now < stage.ann.run("return document.getElementById('scroller').clientHeight")
        assert is_kept or fits(stage.ann, now, last), f"{now} px by {act}, {last} before, step {step}, {what}"
        last = now


def in_engines(stage, law, seeds, engines=(True, False)):
    for has_anchoring in engines:
        for seed in range(seeds):
            with engine(stage.ann, has_anchoring):
                law(stage, random.Random(seed), f"seed {seed}, anchoring {has_anchoring}")
            stage.next_room()


@test
def a_window_that_is_turned_and_made_narrow_keeps_what_is_read(stage):
    in_engines(stage, resized, 4)


@test
def what_comes_changes_and_goes_elsewhere_does_not_move_what_is_read(stage):
    in_engines(stage, changed, 4)


@test
def windows_that_change_while_messages_come_and_change_and_gaps_load_keep_what_is_read(stage):
    in_engines(stage, mixed, 3, engines=(True,))
    # Without anchoring the page keeps the place itself, in frames that depend on what the browser skips: it takes more seeds to see a fault.
    in_engines(stage, mixed, 9, engines=(False,))


@test
def a_message_that_is_written_in_many_lines_does_not_move_what_is_read(stage):
    chance = random.Random(1)
    long_room(stage, chance)
    _, top = read_somewhere(stage, chance)
    stage.ann.run(f"document.getElementById('scroller').scrollTop += {top - 20}")  # a screen with less room than the row's place shows it elsewhere
    row, top = place(stage.ann)
    stage.ann.run("document.getElementById('text').focus({ preventScroll: true })")
    stage.ann.press(*["line", "\ue008\ue007\ue000"] * 6)
    stays(stage.ann, row, top, "the lines of the field")
    stage.ann.press("\ue009", "a", "\ue000", "\ue003")
    stays(stage.ann, row, top, "the lines that are gone")
