"""The page and what people are called: names and pictures in the place of user names."""

from mentions import FIELD, offers, there
from rooms import enter, rooms, setting, speaker, with_rooms
from selenium.webdriver.common.keys import Keys

AUTHORS = "[...document.querySelectorAll('.author')].map((one) => [one.textContent, one.title])"
PEOPLE = "[...document.querySelectorAll('#people-online li')].filter(({ dataset }) => dataset.name !== arguments[0]).map((one) => one.querySelector('bdi').textContent)"


@with_rooms
def people_are_shown_by_what_they_are_called(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    enter(stage, stage.ann, den)
    bob, cid = there(stage, den, "bob", "cid")
    first = bob.send("hello")
    cid.send("hi", replyTo=first)
    stage.ann.wait(f"{AUTHORS}.join() === 'bob,bob,cid,cid'", "the messages")
    stage.server.profile("bob", name="Robert <b>Example</b>")
    stage.ann.wait(f"{AUTHORS}.join() === 'Robert <b>Example</b>,bob,cid,cid'", "the name")
    assert stage.ann.run("return document.querySelector('.row > .avatar').textContent") == "R"
    assert stage.ann.run("return document.querySelector('.quote bdi').textContent") == "Robert <b>Example</b>"
    assert stage.ann.run(f"return {PEOPLE}", stage.user) == ["Robert <b>Example</b>", "cid"]
    stage.server.profile("cid", name="Robert <b>Example</b>")
    stage.ann.wait(f"{AUTHORS}.join() === 'Robert <b>Example</b> (bob),bob,Robert <b>Example</b> (cid),cid'", "both to be told apart")
    stage.server.profile("cid", name="bob")
    stage.ann.wait(f"{AUTHORS}.join() === 'Robert <b>Example</b>,bob,bob (cid),cid'", "nobody to pass for bob")
    for user in ("bob", "cid"):
        stage.server.profile(user)
    stage.ann.wait(f"{AUTHORS}.join() === 'bob,bob,cid,cid'", "the user names again")


@with_rooms
def people_are_found_by_what_they_are_called_and_mentioned_by_their_user_names(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    stage.server.profile("bob", name="Robert Example")
    enter(stage, stage.ann, den)
    bob = speaker(stage, den, "bob")
    bob.enter()
    stage.ann.wait("[...document.querySelectorAll('#people-online bdi')].some((one) => one.textContent === 'Robert Example')", "them to be there")
    stage.ann.run(f"{FIELD}.focus()")
    stage.ann.press("@exa")
    offers(stage.ann, ["bob"])
    stage.ann.press(Keys.TAB, Keys.ENTER)
    stage.ann.wait("document.querySelector('.mention')?.textContent === '@bob' && !document.querySelector('[data-state]:not(body)')", "the message")
    assert [row["mentions"] for row in bob.messages()] == [["bob"]]
    stage.server.profile("bob")
