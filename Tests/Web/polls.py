"""Polls: made, voted in and counted, by the page and by clients that do not know polls."""

from page import FIELD, TEXTS, test
from selenium.webdriver.common.keys import Keys

HINT = "document.getElementById('hint').textContent"
OPTIONS = "[...document.querySelectorAll('.poll button')]"
VOTES = f"{OPTIONS}.map((one) => `${{one.querySelector('bdi').textContent}} ${{one.querySelector('.votes').textContent}} ${{one.ariaPressed}}`).join()"


def make(stage):
    stage.ann.enter()
    stage.ann.say("/poll Lunch? | Pizza | Sushi")
    stage.ann.wait(f"{VOTES} === 'Pizza 0 false,Sushi 0 false' && {FIELD} === ''", "the poll")
    stage.ann.wait(f"{OPTIONS}.every((one) => !one.disabled)", "its place")


@test
def a_poll_is_typed_and_everybody_votes_in_it(stage):
    make(stage)
    cid = stage.person("cid")
    (poll,) = cid.messages()
    assert poll["text"] == "Lunch?\n1️⃣ Pizza\n2️⃣ Sushi"
    assert poll["data"] == {"kind": "poll", "question": "Lunch?", "options": ["Pizza", "Sushi"]}
    stage.ann.click(f"{OPTIONS}[1]")
    stage.ann.wait(f"{VOTES} === 'Pizza 0 false,Sushi 1 true'", "the vote")
    cid.change("react", poll["id"], emoji="2️⃣", on=True)
    cid.change("react", poll["id"], emoji="👍", on=True)
    stage.ann.wait(f"{VOTES} === 'Pizza 0 false,Sushi 2 true'", "the vote of a client that does not know polls")
    stage.ann.wait("[...document.querySelectorAll('.chip')].map((one) => one.textContent).join() === '👍 1'", "the other reaction, and no vote")
    stage.ann.run(f"{OPTIONS}[1].focus()")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{VOTES} === 'Pizza 0 false,Sushi 1 false'", "the vote to be taken back")
    assert stage.ann.run("return document.activeElement.dataset.emoji") == "2️⃣", "the focus stays"


@test
def a_poll_that_is_none_stays_in_the_field(stage):
    stage.ann.enter()
    stage.ann.say("/poll Lunch?")
    stage.ann.wait(f"{HINT} === 'A poll has a question and two to nine options: /poll Lunch? | Pizza | Sushi' && {FIELD} === '/poll Lunch?'", "what a poll is")
    assert stage.person("cid").texts() == []


@test
def a_poll_cannot_be_edited_and_its_data_is_never_markup(stage):
    stage.ann.enter()
    data = {"kind": "poll", "question": "<b>Which?</b>", "options": ["<img src=x onerror=alert(1)>", "**two**"]}
    stage.person("ann").send("Which?", data=data)
    stage.ann.wait(f"{VOTES} === '<img src=x onerror=alert(1)> 0 false,**two** 0 false'", "the options")
    assert stage.ann.run("return document.querySelector('.poll p').textContent") == "<b>Which?</b>"
    stage.ann.run("document.querySelector('.row').focus()")
    stage.ann.wait("!document.getElementById('tools').hidden", "the tools")
    assert stage.ann.run("return document.querySelector('#tools [data-act=edit]').hidden")
    stage.person("ann").send("no poll", data={"kind": "poll", "question": "Which?"})
    stage.ann.wait(f"{TEXTS}.at(-1) === 'no poll'", "the text of what is no poll")
