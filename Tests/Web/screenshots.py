"""Pictures of the page for the README, made with a real server."""

import time
import uuid

from browser import Browser
from front import Front
from person import Person
from selenium.webdriver.common.keys import Keys
from server import Server

ROOM = "lobby"
LIMIT = 200_000  # bytes


def make(diffroomd, folder):
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(diffroomd, "--members-grace", "1")
    front = Front(server.port)
    browser = Browser()
    try:
        browser.driver.get(f"{front.url}/favicon.svg")
        browser.run("localStorage.setItem('diffroom.name', 'ann')")
        bob, cid = talk_before(server)
        join(server)
        browser.driver.get(f"{front.url}/?room={ROOM}")
        browser.wait("document.querySelectorAll('.row').length >= 6", "the history")
        people = [bob, cid, *come(server)]
        dana = talk_after(server, browser, bob)
        read(browser, people)
        take(browser, folder, [bob, dana])
        take_thread(server, browser, folder)
        take_followed(server, browser, folder)
        take_later(server, browser, folder)
        take_private(server, browser, folder)
        take_settings(server, browser, folder)
        take_moderation(server, browser, folder)
        take_offline(server, browser, folder)
    finally:
        browser.quit()
        server.stop()
    return 0


def talk_before(server):
    bob, cid = Person(server.port, "bob", ROOM), Person(server.port, "cid", ROOM)
    first = bob.send("Morning! The new build has been on the staging box since six.")
    bob.send("It came back from a kill -9 in the middle of 4,000 messages. Nothing lost, nothing twice.")
    cid.change("react", first, emoji="🎉", on=True)
    cid.send("Nice. Did the readers notice anything?", replyTo=first)
    bob.send("One state line for two seconds. They resumed from where they were: one diff each, 31 kB for all of it.")
    numbers = cid.send("I put the numbers here: https://example.org/diffroom/2026-11-21.html")
    for person in (bob, cid):
        person.change("react", numbers, emoji="👍", on=True)
    cid.send("מישהו בדק את זה גם מימין לשמאל? yes, twice")
    return bob, cid


def join(server):
    """Ann's rooms, and what is said in them while she is elsewhere."""
    ann = Person(server.port, "ann", ROOM)
    for room in ("garden", "release-1.0", "tea", "design", ROOM):
        assert ann.ask(type="join", room=room)["type"] == "ok"
    ann.close()
    for room, name, texts in [
        ("release-1.0", "Goran", ["All checks are green.", "@ann, will you tag it?"]),
        ("design", "Frederike", ["Second draft is up", "And a third, with less of everything", "Which one do you like?"]),
        ("tea", "ines", ["Kettle’s on ☕"]),
    ]:
        person = Person(server.port, name, room)
        for text in texts:
            person.send(text, mentions=["ann"] if "@ann" in text else [])
        person.close()


def come(server):
    """Other people, who send nothing; two of them have left."""
    people = [Person(server.port, name, ROOM) for name in ("עדי", "Frederike", "Goran", "Hilde", "ines")]
    for person in people:
        person.enter()
    for person in people[3:]:
        person.close()
    return people[:3]


def read(browser, people):
    for person in people:
        person.read(person.enter())
    browser.wait("document.querySelector('.seen') && document.querySelectorAll('#people-offline li').length === 2", "the marks")


def talk_after(server, browser, bob):
    dana = Person(server.port, "Dana Österlund", ROOM)
    dana.enter()
    asked = dana.send("@ann or @bob: can I still edit what I said while I was offline?", mentions=["ann", "bob"])
    browser.wait("document.querySelectorAll('.row').length >= 7", "the question")
    browser.run("document.getElementById('text').focus()")
    browser.driver.switch_to.active_element.send_keys("Yes: it waits, and goes out with the same id when you are back.\n")
    browser.wait("!document.querySelector('[data-state]:not(body)') && document.querySelector('.author.own')", "the answer")
    mine = browser.run("return document.querySelector('.author.own').closest('.row').dataset.id")
    thanks = dana.send("Then I have no more questions.", replyTo=mine)
    dana.change("edit", thanks, text="Then I have no more questions for today.")
    for person, emoji in ((bob, "❤️"), (dana, "❤️"), (bob, "😂")):
        person.change("react", mine, emoji=emoji, on=True)
    dana.change("react", asked, emoji="👀", on=True)
    browser.wait("document.querySelectorAll('.chip').length === 5", "the reactions")
    return dana


def write(browser, people):
    for person in people:
        person.ask(type="typing", room=ROOM, on=True)
    browser.wait(f"document.querySelectorAll('#people li .dots').length === {len(people)}", "them to type")


def take(browser, folder, writers):
    browser.resize(1200, 720, scale=1.25)
    browser.run("document.activeElement.blur()")
    for scheme in ("light", "dark"):
        browser.look(scheme)
        write(browser, writers)
        shoot(browser, folder / f"web-{scheme}.png")
    browser.look("light")
    begin_to_mention(browser)
    shoot(browser, folder / "web-mention.png")
    browser.driver.switch_to.active_element.send_keys(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    browser.resize(1000, 560, scale=1.2)
    browser.run("document.querySelector('.author.own').closest('.row').focus()")
    browser.click("document.querySelector('#tools [data-act=react]')")
    browser.click("document.querySelector('#picker [data-all]')")
    browser.wait("document.activeElement.id === 'picker-search' && document.querySelectorAll('#picker-found section').length >= 9", "the emoji")
    browser.driver.switch_to.active_element.send_keys("party")
    shoot(browser, folder / "web-react.png")
    browser.run("document.getElementById('picker').hidePopover()")
    browser.wait("document.activeElement.matches('.row')", "the message to be selected again")
    browser.run("document.activeElement.blur()")
    browser.resize(375, 667, scale=2, phone=True)
    for scheme in ("light", "dark"):
        browser.look(scheme)
        write(browser, writers[1:])
        shoot(browser, folder / f"web-phone-{scheme}.png")
    browser.look("light")
    browser.run("document.getElementById('people-button').click(); document.activeElement.blur()")
    shoot(browser, folder / "web-phone-people.png")
    browser.click("document.getElementById('scrim')")
    browser.run("document.getElementById('sidebar-button').click(); document.activeElement.blur()")
    shoot(browser, folder / "web-phone-rooms.png")
    browser.click("document.getElementById('scrim')")


def begin_to_mention(browser):
    browser.run("document.getElementById('text').focus()")
    browser.driver.switch_to.active_element.send_keys("It works, thanks to @Dana Österlund and @")
    browser.wait("document.querySelectorAll('#offer li').length > 2", "people to be offered")
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)


def take_thread(server, browser, folder):
    """The replies to a message, beside the room."""
    bob, cid, ines = (Person(server.port, name, ROOM) for name in ("bob", "cid", "ines"))
    row = "[...document.querySelectorAll('#timeline .row')].find((row) => row.textContent.includes('what I said'))"
    root = browser.run(f"return ({row}).dataset.id")
    for person, text in ((cid, "Also what you have deleted?"), (bob, "Yes. It asks first, and then waits as an edit does."), (ines, "And if somebody else deletes it meanwhile?")):
        person.room = f"{ROOM}/thread/{root}"
        person.send(text)
    bob.send("Then your text comes back to the field.")
    browser.resize(1200, 640)
    browser.wait(f"({row}).querySelector('.replies b')?.textContent === '4 replies'", "the replies")
    browser.click(f"({row}).querySelector('.replies')")
    browser.wait("document.querySelectorAll('#thread-timeline .row').length === 4", "the thread")
    browser.run("document.activeElement.blur()")
    shoot(browser, folder / "web-thread.png")
    browser.click("document.getElementById('thread-close')")
    browser.wait("document.getElementById('thread').hidden", "the room")


def take_followed(server, browser, folder):
    """Ann's threads: one is muted, and one mentions her."""
    ann, bob, frederike, goran = (Person(server.port, name, ROOM) for name in ("ann", "bob", "Frederike", "Goran"))
    design, release = frederike.ask(type="subscribe", list="room/design/messages"), goran.ask(type="subscribe", list="room/release-1.0/messages")
    roots = {room: snapshot["sections"][0]["rows"][-1]["id"] for room, snapshot in (("design", design), ("release-1.0", release))}
    for person, room, text in ((ann, "design", "The third one."), (frederike, "design", "Then the headings want more space, do you agree?"), (goran, "release-1.0", "@ann, the notes are ready, too.")):
        person.room = f"{room}/thread/{roots[room]}"
        person.send(text, mentions=["ann"] if "@ann" in text else [])
    noisy = bob.send("Logs of the night, for those who like numbers")
    for person, text in ((ann, "Thanks!"), (bob, "3,000 more"), (bob, "And 2,000 more")):
        person.room = f"{ROOM}/thread/{noisy}"
        person.send(text)
    assert ann.ask(type="settings", room=f"{ROOM}/thread/{noisy}", muted=True)["type"] == "ok"
    browser.resize(1000, 560, scale=1.2)
    browser.wait("document.querySelector('#threads-count').textContent", "the threads")
    browser.click("document.getElementById('threads-button')")
    browser.wait("document.querySelectorAll('#threads-list > li').length >= 3 && document.querySelector('#threads .muted')", "the list")
    browser.run("document.activeElement.blur()")
    shoot(browser, folder / "web-threads.png")
    browser.click("document.getElementById('threads-close')")


def take_later(server, browser, folder):
    """Ann's scheduled messages and reminders: one of each is due."""
    ann, goran = Person(server.port, "ann", ROOM), Person(server.port, "Goran", "release-1.0")
    asked = goran.send("Who looks at the notes once more before Friday?")
    server.moderate("tea", "mute", user="ann", **{"for": 600_000})
    now, hour = int(time.time() * 1000), 3_600_000
    for hence, room, what in (
        (-hour // 6, "release-1.0", {"message": asked}), (-hour // 9, "tea", {"text": "Tea at four, in the small room?"}),
        (3 * hour, "design", {"text": "The drawings are in the folder. Say which one you like."}), (70 * hour, ROOM, {"text": "Good morning! The new build is out."}),
    ):
        assert ann.ask(type="later", id=str(uuid.uuid4()), room=room, at=now + hence, **what)["type"] == "ok"
    browser.resize(1000, 560, scale=1.2)
    browser.wait("document.getElementById('later-count').textContent === '2'", "what is due")
    browser.click("document.getElementById('later-button')")
    browser.wait("document.querySelectorAll('#later li').length === 4 && document.querySelector('#later .refusal') && !document.querySelector('#later .words.gone')", "the list")
    browser.run("document.activeElement.blur()")
    shoot(browser, folder / "web-later.png")
    browser.click("document.getElementById('later-close')")
    server.moderate("tea", "unmute", user="ann")


def take_private(server, browser, folder):
    """Ann's private room, and an invitation to another."""
    ann, bob, cid, dana = (Person(server.port, name, ROOM) for name in ("ann", "bob", "cid", "Dana Österlund"))
    cid.create("private", "ann", title="Summer party")
    cid.send("Who brings the grill?")
    bob.create("direct", "ann")
    bob.send("Lunch at twelve?")
    room = ann.create("private", "bob", "Dana Österlund", title="The offer for Lund")
    ann.send("Nobody else knows of this room. The draft is ready.")
    for person, text in ((bob, "I would drop the second page."), (dana, "And ask for an answer this week.")):
        person.room = room
        assert person.ask(type="join", room=room)["type"] == "ok"
        person.enter()
        person.send(text)
    browser.resize(1000, 560, scale=1.5)
    browser.wait(f"document.querySelector('#sidebar-list [data-room=\"{room}\"] .badge')", "the room")
    browser.click(f"document.querySelector('#sidebar-list [data-room=\"{room}\"]')")
    browser.wait("document.querySelectorAll('.row').length === 3 && document.querySelectorAll('#people .acts').length === 2", "the messages and people")
    browser.run("document.activeElement.blur()")
    shoot(browser, folder / "web-private.png")
    browser.click(f"document.querySelector('#sidebar-list [data-room={ROOM}]')")
    browser.wait("document.querySelectorAll('.row').length >= 8", "the other room")


def take_settings(server, browser, folder):
    """Ann's rooms in an order of hers, with the menu of one."""
    ann = Person(server.port, "ann", ROOM)
    for room, what in [
        ("design", {"pinned": 1 << 20}), (ROOM, {"pinned": 2 << 20}), ("tea", {"muted": True}), ("garden", {"archived": True}),
    ]:
        assert ann.ask(type="settings", room=room, **what)["type"] == "ok"
    answer = ann.ask(type="subscribe", list="me/rooms")
    plans = next(row["id"] for section in answer["sections"] for row in section["rows"] if row.get("title") == "The offer for Lund")
    assert ann.ask(type="settings", room=plans, marked=True)["type"] == "ok"
    ann.close()
    browser.wait("document.querySelectorAll('#pinned-list li').length === 2 && document.querySelector('#archived:not([hidden])')", "the rooms")
    browser.resize(1000, 740, scale=1.2)
    browser.wait("innerHeight === 740 && document.querySelector('#sidebar .marked')", "the window and the mark")
    browser.run_async("for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)")
    browser.click("document.querySelector('#sidebar li > [data-room=design] + .more')")
    shoot(browser, folder / "web-rooms.png")
    browser.run("document.activeElement.blur()")


def take_moderation(server, browser, folder):
    """What ann, who moderates the room, can do with somebody in it."""
    server.moderate(ROOM, "appoint", user="ann", role="moderate")
    browser.resize(1000, 560, scale=1.2)
    browser.wait("document.getElementById('role').textContent === 'moderator'", "the role")
    browser.click("document.querySelector('#people [aria-label=\"Moderate Frederike\"]')")
    shoot(browser, folder / "web-moderation.png")
    browser.run("document.activeElement.blur()")
    server.moderate(ROOM, "appoint", user="ann", role="none")
    browser.wait("document.getElementById('role').textContent === ''", "no role")


def take_offline(server, browser, folder):
    browser.resize(1000, 520, scale=1.5)
    browser.look("light")
    server.kill()
    browser.wait("document.body.dataset.state === 'waiting'", "the page to notice")
    browser.run("document.getElementById('text').focus()")
    browser.driver.switch_to.active_element.send_keys("Typed while the server was away.\n")
    browser.wait("document.querySelector('.row[data-state]')", "the message to wait")
    shoot(browser, folder / "web-away.png")


def shoot(browser, file):
    browser.run_async("await document.fonts.ready; for (const one of document.getAnimations()) one.effect.getTiming().iterations === Infinity ? (one.currentTime = 600) : one.finish(); await new Promise(requestAnimationFrame); await new Promise(requestAnimationFrame)")
    browser.screenshot(file)
    size = file.stat().st_size
    print(f"{file}: {size} bytes")
    assert size < LIMIT, f"{file} is too large"
