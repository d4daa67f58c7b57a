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


LEFT = f"Number(/ in (\\d+) s$/.exec({STANDING}.textContent)?.[1])"  # seconds


def ends(page):
    page.wait(f"!{STANDING}.checkVisibility()", "the end of it")


@test
def a_mute_lasts_as_long_as_the_server_says_whatever_the_time_here(stage):
    with guarded(stage) as (moderator, _come):
        for by in (-HOUR, HOUR):
            with shifted(stage.ann, by):
                moderator.moderate("mute", user="ann", **{"for": 10_000})
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
                moderator.moderate("slow", **{"for": 60_000})
                stage.ann.wait(f"{LEFT} < 59", "the time to pass")
                left = stage.ann.run(f"return {LEFT}")
                stage.ann.enter_again()
                notice(stage.ann, "Slow mode: you can write again in ")
                assert 0 < stage.ann.run(f"return {LEFT}") <= left, "it is not counted again"
                moderator.moderate("slow", **{"for": 1_000})
                stage.ann.enter_again()
                stage.ann.wait(f"{STANDING}.checkVisibility()", "the room to be slow")
                assert stage.ann.run(f"return {STANDING}.textContent") == "Slow mode: one message each 1 s.", "the time is over"


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
