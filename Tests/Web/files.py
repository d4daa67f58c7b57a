"""Files in messages: chosen, pasted and dropped, uploaded while the user writes, shown, enlarged and saved."""

import struct
import zlib
from contextlib import contextmanager
from pathlib import Path

from page import FIELD, TEXTS, test
from selenium.webdriver.common.keys import Keys
from server import wait_until

HINT = "document.getElementById('hint').textContent"
TRAY = "[...document.querySelectorAll('#tray li')]"
STATES = f"{TRAY}.map((one) => `${{one.querySelector('bdi').textContent}} ${{one.dataset.state}}`).join()"
WAITING = "document.getElementById('tray-text').textContent"
FILES = "[...document.querySelectorAll('.files li')]"
PICTURES = "[...document.querySelectorAll('.files img')].filter((one) => one.complete && one.naturalWidth)"
SETTLED = "document.querySelectorAll('.row').length && !document.querySelector('.row[data-state]')"
LIGHTBOX = "document.getElementById('lightbox')"
SHOWN = "document.querySelector('#lightbox-shown img')"
# Holds the bytes of uploads back until they are let go.
HOLD = """
const { send } = XMLHttpRequest.prototype;
const held = [];
XMLHttpRequest.prototype.send = function (body) { held.push(() => send.call(this, body)); };
window.letGo = () => { XMLHttpRequest.prototype.send = send; for (const go of held) go(); };
"""
# Sends uploads to an address that the server does not know, until `mend` is called.
ASTRAY = """
const { open } = XMLHttpRequest.prototype;
XMLHttpRequest.prototype.open = function (method) { return open.call(this, method, '/api/uploads/astray'); };
window.mend = () => { XMLHttpRequest.prototype.open = open; };
"""
# Gives files to the page as another program does.
GIVE = """
const [type, target, names] = arguments;
const data = new DataTransfer();
for (const name of names) data.items.add(new File([`in ${name}`], name, { type: 'text/plain' }));
const options = { bubbles: true, cancelable: true };
const made = type === 'paste' ? new ClipboardEvent(type, { ...options, clipboardData: data }) : new DragEvent(type, { ...options, dataTransfer: data });
document.querySelector(target).dispatchEvent(made);
return made.defaultPrevented;
"""


def picture(folder, name, width, height):
    """Writes a PNG of one colour."""
    rows = zlib.compress((b"\0" + b"\x2a\x75\x64" * width) * height)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", rows), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts]
    return written(folder, name, b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def written(folder, name, content):
    path = Path(folder) / name
    path.write_bytes(content)
    return path


def choose(page, *paths):
    page.driver.find_element("id", "attach-input").send_keys("\n".join(map(str, paths)))


def ready(page, count):
    page.wait(f"{TRAY}.length === {count} && {TRAY}.every((one) => one.dataset.state === 'done')", "the uploads")


def say(page, text=""):
    page.run("document.getElementById('text').focus()")
    page.press(text, Keys.ENTER)


@contextmanager
def slow_uploads(page, rate):
    """Lets so many bytes a second out of the browser meanwhile."""
    conditions = {"offline": False, "latency": 0, "downloadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": rate})
    try:
        yield
    finally:
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": -1})


@test
def a_picture_is_sent_with_its_text_and_shown_in_its_proportions(stage):
    stage.ann.enter()
    stage.bob.enter()
    assert not stage.ann.run("return document.getElementById('attach').hidden")
    choose(stage.ann, picture(stage.folder, "green.png", 720, 480))
    ready(stage.ann, 1)
    say(stage.ann, "look")
    for page in (stage.ann, stage.bob):
        page.wait(f"{TEXTS}.join() === 'look' && {PICTURES}.length === 1", "the picture")
        box = page.run("const { width, height } = document.querySelector('.frame').getBoundingClientRect(); return [width, height]")
        assert box == [360, 240], box
        assert page.run(f"return {PICTURES}[0].alt") == "green.png"
    (message,) = stage.person("cid").messages()
    (file,) = message["files"]
    assert (file["name"], file["media"], file["width"], file["height"]) == ("green.png", "image/png", 720, 480), file
    assert 0 < len(file["preview"]) <= 2048 and "proof" not in file, file


@test
def files_without_a_text_have_their_names_for_other_clients(stage):
    stage.ann.enter()
    choose(stage.ann, written(stage.folder, "notes.txt", b"abc"), written(stage.folder, "<b>.zip", b"z" * 2560))
    ready(stage.ann, 2)
    say(stage.ann)
    stage.ann.wait(f"{SETTLED} && {FILES}.length === 2", "the message")
    assert stage.ann.run("return document.querySelector('.row .text').textContent") == ""
    assert stage.ann.run(f"return {FILES}.map((one) => one.querySelector('.words').innerText)") == ["notes.txt\n3 bytes", "<b>.zip\n2.5 kB"]
    assert stage.person("cid").texts() == ["notes.txt, <b>.zip"]
    stage.ann.wait(f"{FILES}.every((one) => one.querySelector('a').href.endsWith('?download'))", "the links")
    content = stage.ann.run_async(f"return (await fetch({FILES}[0].querySelector('a').href)).text()")
    assert content == "abc", content


@test
def a_message_waits_for_its_files_until_the_user_does_not_want_it_to(stage):
    stage.ann.enter()
    stage.ann.run(HOLD)
    choose(stage.ann, written(stage.folder, "one.txt", b"1"), written(stage.folder, "two.txt", b"2"), written(stage.folder, "three.txt", b"3"))
    stage.ann.wait(f"{TRAY}.length === 3", "the tray")
    say(stage.ann, "all of them")
    stage.ann.wait(f"{WAITING} === '3 files are still being uploaded. The message is sent when they are there.'", "what it waits for")
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait(f"{WAITING} === '' && {FIELD} === 'all of them'", "the wait to end")
    stage.ann.press(Keys.ENTER)
    stage.ann.press("!")
    stage.ann.wait(f"{WAITING} === '' && {FIELD} === 'all of them!'", "the wait to end with another text")
    stage.ann.press(Keys.ENTER)
    stage.ann.run("window.letGo()")
    stage.ann.wait(f"{SETTLED} && {TEXTS}.join() === 'all of them!' && {FIELD} === '' && !{TRAY}.length", "the message")
    assert [file["name"] for file in stage.person("cid").messages()[0]["files"]] == ["one.txt", "two.txt", "three.txt"]


@test
def a_message_that_waits_is_sent_to_its_room_when_another_one_is_shown(stage):
    stage.ann.enter()
    stage.ann.run(HOLD)
    choose(stage.ann, written(stage.folder, "late.txt", b"1"))
    stage.ann.wait(f"{TRAY}.length === 1", "the tray")
    say(stage.ann, "later")
    stage.ann.press(Keys.CONTROL, "k")
    stage.ann.press(f"{stage.room}-other", Keys.ENTER)
    stage.ann.wait(f"!{TRAY}.length && {FIELD} === '' && {WAITING} === ''", "the other room")
    stage.ann.run("window.letGo()")
    cid = stage.person("cid")
    wait_until(lambda: cid.texts() == ["later"], "the message in its room")
    stage.ann.enter()
    stage.ann.wait(f"{TEXTS}.join() === 'later' && {FIELD} === '' && {FILES}.length === 1", "the room")


@test
def an_upload_that_fails_stays_and_can_be_tried_again_or_removed(stage):
    stage.ann.enter()
    stage.ann.run(ASTRAY)
    choose(stage.ann, written(stage.folder, "one.txt", b"1"), written(stage.folder, "two.txt", b"2"))
    stage.ann.wait(f"{STATES} === 'one.txt failed,two.txt failed'", "the failures")
    assert stage.ann.run(f"return {TRAY}[0].querySelector('[role=alert]').textContent").startswith("Not uploaded: ")
    say(stage.ann, "both")
    stage.ann.wait(f"{HINT} === 'one.txt was not uploaded: try again, or remove it.' && {FIELD} === 'both'", "what is wrong")
    stage.ann.run("window.mend()")
    stage.ann.click(f"{TRAY}[0].querySelector('[data-act=again]')")
    stage.ann.wait(f"{STATES} === 'one.txt done,two.txt failed'", "the other try")
    stage.ann.click(f"{TRAY}[1].querySelector('[aria-label=\"Remove two.txt\"]')")
    say(stage.ann)
    stage.ann.wait(f"{SETTLED} && {TEXTS}.join() === 'both' && {FILES}.length === 1", "the message")
    stage.ann.complaints()  # of the address that the server does not know


@test
def files_are_pasted_and_dropped_and_have_limits(stage):
    stage.ann.enter()
    assert stage.ann.run(GIVE, "paste", "#text", ["pasted.txt"])
    ready(stage.ann, 1)
    assert stage.ann.run(GIVE, "dragover", "#scroller", ["dropped.txt"])
    assert stage.ann.run("return document.getElementById('room').hasAttribute('data-dropping')")
    assert stage.ann.run(GIVE, "drop", "#scroller", ["dropped.txt"])
    ready(stage.ann, 2)
    assert not stage.ann.run("return document.getElementById('room').hasAttribute('data-dropping')")
    assert stage.ann.run(GIVE, "drop", "header", ["beside.txt"]), "it would replace the page"
    choose(stage.ann, written(stage.folder, "empty.txt", b""))
    stage.ann.wait(f"{HINT} === 'empty.txt is empty.'", "the fault")
    stage.ann.run(GIVE, "drop", "#scroller", [f"{number}.txt" for number in range(9)])
    stage.ann.wait(f"{HINT} === 'A message has at most 10 files.'", "the limit")
    ready(stage.ann, 10)
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{SETTLED} && {FILES}.length === 10", "the message")


@test
def an_upload_goes_on_after_the_connection_was_lost(stage):
    stage.ann.enter(stage.front.url)
    with slow_uploads(stage.ann, 400_000):
        choose(stage.ann, written(stage.folder, "large.bin", bytes(range(256)) * 8_000))
        stage.ann.wait("document.querySelector('#tray progress')?.value > 600000", "a part")
        stage.front.cut()
        stage.front.mend()
        ready(stage.ann, 1)
    say(stage.ann)
    stage.ann.wait(f"{SETTLED} && {FILES}[0]?.querySelector('a').href", "the message")
    size = stage.ann.run_async(f"return (await (await fetch({FILES}[0].querySelector('a').href)).arrayBuffer()).byteLength")
    assert size == 2_048_000, size


@test
def a_pending_message_keeps_its_files_when_the_page_is_loaded_again(stage):
    stage.ann.enter(stage.front.url)
    choose(stage.ann, picture(stage.folder, "kept.png", 300, 200))
    ready(stage.ann, 1)
    stage.front.cut()
    stage.ann.wait("document.body.dataset.state === 'waiting'", "the loss")
    say(stage.ann, "as soon as I can")
    stage.ann.wait("document.querySelector('#pending .row .frame')", "the pending message")
    stage.ann.driver.refresh()
    stage.ann.wait("document.querySelector('#pending .row .frame')", "the pending message again")
    stage.front.mend()
    stage.ann.wait(f"{SETTLED} && {PICTURES}.length === 1", "the message")
    assert stage.person("cid").messages()[0]["files"][0]["name"] == "kept.png"


@test
def a_picture_is_shown_large_among_those_of_its_message(stage):
    stage.ann.enter()
    names = ["first.png", "second.png"]
    choose(stage.ann, *(picture(stage.folder, name, 900, 600) for name in names), written(stage.folder, "beside.txt", b"1"))
    ready(stage.ann, 3)
    say(stage.ann)
    stage.ann.wait(f"{PICTURES}.length === 2", "the pictures")
    stage.ann.run("document.querySelector('.frame').focus()")
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{LIGHTBOX}.open && {SHOWN}?.alt === 'first.png' && {SHOWN}.naturalWidth === 900", "the large view")
    stage.ann.press(Keys.ARROW_RIGHT)
    stage.ann.wait(f"{SHOWN}?.alt === 'second.png' && document.getElementById('lightbox-size').textContent.startsWith('2 of 2')", "the next one")
    stage.ann.press(Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    stage.ann.wait(f"{SHOWN}?.alt === 'first.png'", "the one before")
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait(f"!{LIGHTBOX}.open && document.activeElement === document.querySelector('.frame')", "the message again")


@test
def an_address_that_has_expired_is_asked_for_again(stage):
    stage.ann.enter()
    choose(stage.ann, picture(stage.folder, "again.png", 300, 200))
    ready(stage.ann, 1)
    say(stage.ann)
    stage.ann.wait(f"{PICTURES}.length === 1", "the picture")
    stage.ann.run(f"{PICTURES}[0].src = '/api/files/expired'")
    stage.ann.wait(f"{PICTURES}.length === 1 && !{PICTURES}[0].src.endsWith('expired')", "the picture again")
    stage.ann.complaints()  # of the address that has expired


@test
def a_message_with_files_is_edited_and_keeps_them(stage):
    stage.ann.enter()
    choose(stage.ann, picture(stage.folder, "cat.png", 300, 200))
    ready(stage.ann, 1)
    say(stage.ann, "a cat")
    stage.ann.wait(f"{SETTLED} && {PICTURES}.length === 1", "the picture")
    stage.ann.run(f"document.querySelector('.row').focus(); window.before = {PICTURES}[0]")
    stage.ann.click("document.querySelector('#tools [data-act=edit]')")
    stage.ann.wait(f"{FIELD} === 'a cat'", "the text")
    stage.ann.run(GIVE, "paste", "#text", ["more.txt"])
    stage.ann.wait(f"{HINT} === 'An edit keeps the files of the message. Send another message with these.'", "why not")
    stage.ann.press(Keys.END, "!", Keys.ENTER)
    stage.ann.wait(f"{TEXTS}.join() === 'a cat!' && document.querySelector('.text small')", "the edit")
    assert stage.ann.run(f"return {PICTURES}[0] === window.before"), "the picture stays"
    (message,) = stage.person("cid").messages()
    assert [file["name"] for file in message["files"]] == ["cat.png"], message


@test
def a_refused_message_gives_its_files_back_to_the_field(stage):
    for ends in ("stays", "reloads"):
        stage.next_room()
        stage.ann.enter(stage.front.url)
        choose(stage.ann, picture(stage.folder, "mine.png", 300, 200))
        ready(stage.ann, 1)
        stage.front.cut()
        stage.ann.wait("document.body.dataset.state === 'waiting'", "the loss")
        say(stage.ann)
        stage.ann.wait("document.querySelector('#pending .row .frame')", "the pending message")
        stage.server.moderate(stage.room, "mute", user="ann", **{"for": 60_000})
        stage.front.mend()
        stage.ann.wait("document.querySelector('.row[data-state=failed] .refusal')", "the refusal")
        if ends == "reloads":
            stage.ann.enter_again()
        else:
            stage.ann.click("document.querySelector('.refusal [data-act=again]')")
        stage.ann.wait(f"{STATES} === 'mine.png done' && {FIELD} === ''", "the file in the tray")
        stage.server.moderate(stage.room, "unmute", user="ann")
        stage.ann.wait("!document.getElementById('composer').hasAttribute('data-barred')", "the end of the mute")
        say(stage.ann, "after all")
        stage.ann.wait(f"{SETTLED} && {TEXTS}.join() === 'after all' && {PICTURES}.length === 1", "the message")


@test
def a_file_that_is_gone_says_so_and_one_that_is_no_picture_can_be_saved(stage):
    stage.ann.enter()
    choose(stage.ann, picture(stage.folder, "gone.png", 300, 200), written(stage.folder, "wrong.png", b"no picture"))
    ready(stage.ann, 2)
    say(stage.ann, "two")
    stage.ann.wait(f"{PICTURES}.length === 1 && {FILES}[1].querySelector('a.card')?.href", "the picture, and the card")
    assert stage.ann.run(f"return {FILES}[1].dataset.shown") == "card"
    stage.ann.run(f"{PICTURES}[0].src = '/missing.png'")
    stage.ann.wait(f"{FILES}[0].textContent === 'This file was deleted'", "that it is gone")
