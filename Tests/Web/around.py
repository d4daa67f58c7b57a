"""Around messages: what is quoted, the day that is read, long messages, and printing."""

from page import ROW, TEXTS, test

MANY = 300  # messages: more than are loaded at first
QUOTE = f"({ROW}).querySelector('.quote').textContent"


@test
def a_reply_shows_a_message_that_is_not_loaded(stage):
    cid = stage.person("cid")
    old = cid.send("the old question")
    gone = cid.send("soon gone")
    cid.send_all([f"message {number}" for number in range(MANY)])
    cid.send("the answer", replyTo=old)
    cid.send("to nobody", replyTo=gone)
    cid.change("delete", gone)
    stage.ann.enter()
    stage.ann.wait(f"{TEXTS}.at(-1) === 'to nobody'", "the last message")
    stage.ann.wait("[...document.querySelectorAll('.quote')].map((one) => one.textContent).join() === 'cid the old question,a message that is gone'", "the messages that are answered")
    assert "the old question" not in stage.ann.texts(), "it is not one of the loaded rows"
    assert not stage.ann.run("return Boolean(document.querySelector('.missing'))")
    stage.ann.row("the answer", "row.querySelector('.quote').click()")
    stage.ann.wait("document.activeElement.querySelector('.text')?.textContent === 'the old question'", "the message itself")
