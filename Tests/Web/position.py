"""The reader's place in a room: what is read stays where it is on the screen, whatever comes and however the window changes."""

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


@test
def a_window_that_is_turned_and_made_narrow_keeps_what_is_read(stage):
    for has_anchoring in (True, False):
        for seed in range(4):
            chance = random.Random(seed)
            with engine(stage.ann, has_anchoring):
                long_room(stage, chance)
                row, top = read_somewhere(stage, chance)
                for _ in range(5):
                    width, height = chance.choice(SIZES)
                    stage.ann.resize(width, height)
                    _, now = place(stage.ann, row)
                    room = stage.ann.run("return document.getElementById('scroller').clientHeight")
                    assert now is not None and (abs(now - top) <= 2 or (top > room - 60 and 0 <= now < room)), f"{now} px in {width} × {height}, {top} before, seed {seed}, {has_anchoring}"
                stage.ann.resize(1180, 760)
                stays(stage.ann, row, top, f"turning there and back, seed {seed}, {has_anchoring}")
            stage.next_room()


@test
def what_comes_changes_and_goes_elsewhere_does_not_move_what_is_read(stage):
    for has_anchoring in (True, False):
        for seed in range(4):
            chance = random.Random(seed)
            with engine(stage.ann, has_anchoring):
                cid = long_room(stage, chance)
                ids = [message["id"] for message in cid.messages()]
                row, top = read_somewhere(stage, chance)
                for step in range(12):
                    act = chance.choice(["send", "edit", "delete", "react"])
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
                    last = cid.send(f"step {step}")
                    stage.ann.wait(f"Boolean(document.querySelector('.row[data-id=\"{last}\"]'))", "the last change")
                    stays(stage.ann, row, top, f"{act}, step {step}, seed {seed}, {has_anchoring}")
            stage.next_room()


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
