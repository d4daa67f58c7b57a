"""What the page tells the server that its user has read."""

from messagemenu import choose
from page import Page, test
from private import row_of
from rooms import badge, enter, hide, link, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys
from server import wait_until

SWITCHER = "document.getElementById('switcher').open"
DRAWER = "document.getElementById('room').inert"


def has_unread(person, room, count, last):
    """Waits until the person has so much unread in the room, by a row that tells what was said last."""

    def is_right():
        row = row_of(person, room)[1]
        return row["unread"] == count and row.get("last", {}).get("text") == last

    wait_until(is_right, f"{count} to be unread")


def is_unread_while(stage, covering, cover):
    """Lets somebody talk for two seconds while something is in front of the messages: the list tells four times a second."""
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    cover()
    stage.ann.wait(covering, "what is in front")
    phone, cid = stage.person(stage.user), speaker(stage, den)
    for number in range(1, 9):
        cid.send(f"said {number}")
        has_unread(phone, den, number, f"said {number}")
        badge(stage.ann, den, number)
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait(f"!{covering}", "the messages")
    has_unread(phone, den, 0, "said 8")
    badge(stage.ann, den, 0)


@with_rooms
def what_comes_behind_a_dialog_is_not_read(stage):
    is_unread_while(stage, SWITCHER, lambda: stage.ann.press(Keys.CONTROL + "k"))


@with_rooms
def what_comes_behind_a_drawer_is_not_read(stage):
    stage.ann.resize(375, 667, scale=2, phone=True)
    try:
        is_unread_while(stage, DRAWER, lambda: stage.ann.click("document.getElementById('sidebar-button')"))
    finally:
        stage.ann.resize(1180, 760)


@with_rooms
def what_was_read_a_moment_before_the_page_goes_is_read(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    speaker(stage, den).send("just in time")
    stage.ann.sees(["just in time"])
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    has_unread(stage.person(stage.user), den, 0, "just in time")


@with_rooms
def what_was_read_a_moment_before_the_page_is_hidden_and_frozen_is_read(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    page = Page(stage)  # of its own: it does not come back
    try:
        enter(stage, page, den)
        speaker(stage, den).send("just in time")
        page.sees(["just in time"])
        hide(page, True)
        page.driver.execute_cdp_cmd("Page.setWebLifecycleState", {"state": "frozen"})
        has_unread(stage.person(stage.user), den, 0, "just in time")
    finally:
        page.quit()


@test
def what_the_user_wrote_without_a_connection_is_not_new_to_them(stage):
    stage.ann.enter()
    stage.ann.say("before")
    stage.ann.sees(["before"])
    stage.server.kill()
    stage.ann.wait("document.body.dataset.state === 'waiting'", "the page to notice")
    stage.ann.say("mine")
    stage.ann.wait("document.querySelectorAll('.row[data-state=waiting]').length === 1", "it to wait")
    stage.ann.press(Keys.CONTROL + "k")
    stage.ann.wait(SWITCHER, "what is in front")
    stage.server.start()
    stage.ann.sees(["before", "mine"])
    assert not stage.ann.run("return Boolean(document.querySelector('.since'))"), "nothing is new"
    stage.person("cid").send("theirs")
    stage.ann.wait("document.querySelector('.since')?.textContent === '1 new since you last read'", "what somebody else has said")
    stage.ann.press(Keys.ESCAPE)


@with_rooms
def what_is_marked_unread_keeps_its_line_also_above_a_message_of_the_users_own(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    enter(stage, stage.ann, den)
    stage.ann.say("mine")
    stage.ann.sees(["mine"])
    speaker(stage, den).send("theirs")
    stage.ann.sees(["mine", "theirs"])
    line = "document.querySelector('.since')?.textContent === '2 new since you last read'"
    choose(stage.ann, "mine", "Mark unread from here")
    stage.ann.wait(line, "the line")
    stage.ann.click(link(tea))
    stage.ann.wait(f"document.title.includes('{tea}')", "the other room")
    stage.ann.click(link(den))
    stage.ann.sees(["mine", "theirs"])
    stage.ann.wait(line, "the line, where it was")
