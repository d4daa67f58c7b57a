"""Commands that are typed as a message: none is posted by mistake."""

from moderation import QUESTION
from page import FIELD, test
from selenium.webdriver.common.keys import Keys

HINT = "document.getElementById('hint').textContent"
SHORTCUTS = "document.getElementById('shortcuts').open"


@test
def help_that_is_typed_shows_the_keys(stage):
    stage.ann.enter()
    stage.ann.say("/help")
    stage.ann.wait(SHORTCUTS, "the keys")
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait(f"!{SHORTCUTS} && {FIELD} === ''", "the field")
    assert stage.person("cid").texts() == []


@test
def a_command_that_is_none_is_sent_only_if_the_user_wants_it(stage):
    stage.ann.enter()
    stage.ann.say("/shrug well")
    stage.ann.wait(f"{QUESTION}.open", "the question")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"!{QUESTION}.open && {FIELD} === '/shrug well'", "the text")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{QUESTION}.open", "the question again")
    stage.ann.click("document.getElementById('question-yes')")
    stage.ann.sees(["/shrug well"])
    assert stage.ann.run(f"return {FIELD}") == ""
    for text in ("/usr/bin/env is a path", "/ alone", "and /help inside"):
        stage.ann.say(text)
    stage.ann.sees(["/shrug well", "/usr/bin/env is a path", "/ alone", "and /help inside"])


@test
def a_moderator_mutes_by_a_command(stage):
    stage.ann.enter()
    stage.ann.say("/mute eve 10m")
    stage.ann.wait(f"{HINT} === 'Only moderators can mute a person here.' && {FIELD} === '/mute eve 10m'", "why not")
    stage.server.moderate(stage.room, "appoint", user="ann", role="moderate")
    stage.ann.wait("document.getElementById('role').textContent === 'moderator'", "the role")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{HINT} === 'eve is muted for 10 minutes.' && {FIELD} === ''", "it to be done")
    for typed, told in (("/mute", "Whom? /mute NAME 10m"), ("/unmute @eve", "eve is not muted any more."), ("/mute Bo Derek 2h", "Bo Derek is muted for 2 hours.")):
        stage.ann.press(Keys.CONTROL, "a", Keys.NULL, typed, Keys.ENTER)
        stage.ann.wait(f"{HINT} === {told!r}", told)
    assert stage.person("cid").texts() == []
