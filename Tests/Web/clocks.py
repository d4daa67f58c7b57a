"""The page in a browser whose clock is another than the server's: deadlines are right, and times are shown as the server has them."""

import time
from contextlib import contextmanager

from page import STANDING, guarded, notice, test

HOUR = 3_600_000
# A page whose clock is so many milliseconds ahead, which nothing but `performance.now()` can notice.
SHIFT = """
const by = %d;
const Original = Date;
globalThis.Date = class extends Original {
  constructor(...parts) {
    if (parts.length) super(...parts);
    else super(Original.now() + by);
  }
  static now() {
    return Original.now() + by;
  }
};
"""


@contextmanager
def shifted(page, by):
    """Sets the clock of the pages that are loaded meanwhile."""
    added = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SHIFT % by})
    page.run("localStorage.removeItem('diffroom.clock')")
    try:
        yield
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        page.run("localStorage.removeItem('diffroom.clock')")


def ends(page, seconds=6):
    page.wait(f"!{STANDING}.checkVisibility()", "the end of it", seconds)


@test
def a_mute_lasts_as_long_as_the_server_says_whatever_the_time_here(stage):
    with guarded(stage) as (moderator, _come):
        for by in (-HOUR, HOUR):
            with shifted(stage.ann, by):
                moderator.moderate("mute", user="ann", **{"for": 4_000})
                stage.ann.enter_again()
                notice(stage.ann, "You are muted until ")
                ends(stage.ann)


@test
def slow_mode_counts_from_ones_last_message_whatever_the_time_here(stage):
    with guarded(stage) as (moderator, _come):
        stage.ann.say("long ago")
        stage.ann.sees(["long ago"])
        for number, by in enumerate((-HOUR, HOUR)):
            moderator.moderate("slow", **{"for": 0})
            with shifted(stage.ann, by):
                stage.ann.enter_again()
                stage.ann.say(f"now {number}")
                stage.ann.wait("!document.querySelector('.row[data-state]')", "the message")
                moderator.moderate("slow", **{"for": 8_000})
                waits(stage.ann)
                stage.ann.enter_again()
                waits(stage.ann)
                stage.ann.wait(f"{STANDING}.textContent === 'Slow mode: one message each 8 s.'", "the time to write", 8)
                stage.ann.enter_again()
                stage.ann.wait(f"{STANDING}.checkVisibility()", "the room to be slow")
                assert stage.ann.run(f"return {STANDING}.textContent") == "Slow mode: one message each 8 s.", "it is not counted again"


def waits(page):
    notice(page, "Slow mode: you can write again in ")
    seconds = int(page.run(f"return {STANDING}.textContent").split(" in ")[1].removesuffix(" s"))
    assert 1 <= seconds <= 8, seconds


@test
def what_waits_to_be_sent_has_the_time_that_it_gets(stage):
    times = "[...document.querySelectorAll('.heading time')].map((time) => time.dateTime)"
    for by in (-HOUR, HOUR):
        with shifted(stage.ann, by):
            stage.ann.enter(stage.front.url)
            stage.ann.say("before")
            stage.ann.wait("!document.querySelector('.row[data-state]')", "the message")
            stage.front.cut()
            try:
                stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
                stage.ann.say("offline")
                stage.ann.wait("document.querySelector('.row[data-state=waiting]')", "it to wait")
                shown = stage.ann.run(f"return {times}.map(Date.parse)")
                assert [abs(one - time.time() * 1000) < 60_000 for one in shown] == [True, True], shown
            finally:
                stage.front.mend()
            stage.ann.run("dispatchEvent(new Event('online'))")
            stage.ann.wait("!document.querySelector('.row[data-state]')", "the message")
        stage.next_room()
