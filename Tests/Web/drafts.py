"""Drafts on all devices of a person: ann's browser and bob's are two devices of one user here, and a bare WebSocket is a third."""

import json

from page import FIELD, MODE, test
from rooms import enter, hide, leave, link, rooms, setting
from selenium.webdriver.common.keys import Keys
from server import wait_until

# Counts the drafts that a page sends.
COUNT = """
window.sentDrafts = [];
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  const { type, room, text } = JSON.parse(data);
  if (type === 'draft') window.sentDrafts.push([room, text ?? null]);
  return send.call(this, data);
};
"""


def with_devices(body):
    """A test with two devices of a user of its own, who is in the den and the tea room, and sees the den."""

    def run(stage):
        den, tea = rooms(stage, "den", "tea")
        setting(stage, den, tea)
        pages = (stage.ann, stage.bob)
        scripts = [page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNT}) for page in pages]
        try:
            for page in pages:
                enter(stage, page, den, stage.front.url)
            body(stage, den, tea)
        finally:
            stage.front.mend()
            for page, script in zip(pages, scripts, strict=True):
                page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
            leave(stage)

    run.__name__ = body.__name__
    return test(run)


def focus(page):
    page.run(f"{FIELD.removesuffix('.value')}.focus()")


def blur(page):
    page.run("document.activeElement.blur()")


def shows(page, text, what="the draft"):
    page.wait(f"{FIELD} === {json.dumps(text)}", what)


def stored(stage):
    """Returns the user's drafts at the server."""
    snapshot = stage.people[0].ask(type="subscribe", list="me/drafts")
    stage.people[0].ask(type="unsubscribe", list="me/drafts")
    (section,) = snapshot["sections"]
    return {row["id"]: row for row in section["rows"]}


def is_stored(stage, room, text):
    """Waits until the server has this draft of a room; none for `None`."""
    wait_until(lambda: stored(stage).get(room, {}).get("text") == text, f"the server to have {text!r}")


def count(page):
    return len(page.run("return window.sentDrafts"))


@with_devices
def a_draft_is_on_the_other_device_and_goes_when_it_is_sent_there(stage, den, _tea):
    focus(stage.ann)
    stage.ann.press("half a thought")
    blur(stage.bob)
    shows(stage.bob, "half a thought")
    focus(stage.bob)
    stage.bob.press(Keys.END, " and the other", Keys.ENTER)
    stage.bob.sees(["half a thought and the other"])
    shows(stage.ann, "")
    is_stored(stage, den, None)
