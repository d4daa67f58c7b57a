"""Around messages: what is quoted, the day that is read, long messages, and printing."""

from page import ROW, TEXTS, test
from rooms import enter, setting, with_rooms

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
    stage.ann.click_in_row("the answer", ".quote")
    stage.ann.wait("document.activeElement.querySelector('.text')?.textContent === 'the old question'", "the message itself")


SCROLLER = "document.getElementById('scroller')"
DAY = "document.getElementById('day')"


@test
def the_day_is_above_the_messages_while_one_scrolls(stage):
    stage.person("cid").send_all([f"message {number}" for number in range(200)])
    page = stage.ann
    page.enter()
    page.wait(f"{TEXTS}.includes('message 199')", "the messages")
    assert not page.run(f"return {DAY}.checkVisibility()")
    page.run(f"{SCROLLER}.scrollTop = -400")
    page.wait(f"{DAY}.checkVisibility()", "the day")
    assert page.run(f"return {DAY}.textContent === new Intl.DateTimeFormat(undefined, {{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }}).format(Date.now())")
    page.wait(f"!{DAY}.checkVisibility()", "it to go")
    page.run(f"{SCROLLER}.scrollTop = -500")
    page.wait(f"{DAY}.checkVisibility()", "the day")
    page.click("document.getElementById('newer')")
    page.wait(f"!{DAY}.checkVisibility()", "it to go at the end", 1)


LONG = "\n".join(f"line {number}" for number in range(60))
HEIGHT = f"({ROW}).getBoundingClientRect().height"
TOP = f"({ROW}).querySelector('.text').getBoundingClientRect().top"


@test
def a_long_message_is_folded_and_its_beginning_stays_where_it_is(stage):
    cid = stage.person("cid")
    cid.send_all([f"message {number}" for number in range(40)])
    id = cid.send(LONG)
    cid.change("react", id, emoji="👍", on=True)
    page = stage.ann
    page.enter()
    page.wait(f"{TEXTS}.includes('message 39')", "the messages")
    folded, top = page.run(f"return [{HEIGHT}, {TOP}]", "line 0")
    assert folded < 500, folded
    order = "[...row.children].map((one) => one.className).filter((name) => ['text', 'fold', 'reactions'].includes(name)).join()"
    assert page.row("line 0", order) == "text,fold,reactions"
    page.click_in_row("line 0", ".fold")
    whole, now = page.run(f"return [{HEIGHT}, {TOP}]", "line 0")
    assert whole > 1200 and abs(now - top) <= 2, (whole, top, now)
    assert page.row("line 0", "row.querySelector('.fold').textContent") == "Show less"
    cid.change("edit", id, text=f"{LONG}\nedited")
    page.wait("[...document.querySelectorAll('.text')].some((one) => one.textContent.includes('line 59\\nedited'))", "the edit")
    assert page.run(f"return {HEIGHT}", "line 0") > 1200, "it stays unfolded"
    page.run(f"{SCROLLER}.scrollTop = 0")
    page.click_in_row("line 0", ".fold")
    page.wait(f"({ROW.replace('arguments[0]', repr('line 0'))}).getBoundingClientRect().height < 500", "it to be folded")
    top, bottom = page.run(f"const row = ({ROW}).getBoundingClientRect(); const box = {SCROLLER}.getBoundingClientRect(); return [row.top - box.top, box.bottom - row.top]", "line 0")
    assert top > -60 and bottom > 0, (top, bottom)


# Texts of any characters in parts of any size: each fits, nothing that is seen is lost, and no character is broken.
PARTS = """
const { partsOf } = await import('/parts.js');
let seed = 7;
const below = (limit) => (seed = (seed * 48271) % 2147483647) % limit;
const pieces = ['a', 'word ', 'line\\n', '\\n\\n', '  indent', 'é', 'e\\u0301', '漢', '👩‍👩‍👧', '🇩🇪', ' ', 'x'.repeat(30)];
const bytes = (text) => new TextEncoder().encode(text).length;
const bare = (text) => text.replace(/\\s/g, '');
const characters = (text) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment).filter((one) => one.trim());
for (let turn = 0; turn < 600; turn++) {
  const text = Array.from({ length: below(120) + 1 }, () => pieces[below(pieces.length)]).join('').trim();
  const limit = 30 + below(200);
  const parts = partsOf(text, limit);
  const wrong = parts.find((part) => bytes(part) > limit || !part.trim());
  if (wrong !== undefined || bare(parts.join('')) !== bare(text)) return [turn, limit, text, parts];
  if (parts.flatMap(characters).join('|') !== characters(text).join('|')) return ['broken', turn, limit, text, parts];
}
return null;
"""


@test
def a_text_in_parts_loses_and_breaks_nothing(stage):
    stage.ann.enter(stage.front.url)
    assert stage.ann.run_async(PARTS) is None


@test
def a_message_that_is_too_long_is_offered_as_several(stage):
    page = stage.ann
    stage.person("cid").send("Tell me all")
    page.enter()
    page.sees(["Tell me all"])
    page.run("document.getElementById('text').focus()")
    text = "\n\n".join(f"{number} " + "words " * 300 for number in range(10))
    page.select("Tell me all")
    page.press("\ue007")
    page.press("r")
    page.run("const field = document.getElementById('text'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", text)
    page.press("\ue007")
    question = "document.getElementById('question')"
    page.wait(f"{question}.open", "the question")
    title = page.run("return document.getElementById('question-title').textContent")
    page.press("\ue007")  # the harmless answer
    page.wait(f"!{question}.open", "the answer")
    assert page.run("return document.getElementById('text').value") == text, "the text stays"
    page.press("\ue007")
    page.wait(f"{question}.open", "the question")
    page.click("document.getElementById('question-yes')")
    count = int(title.split()[3])
    assert count > 1, title
    page.wait(f"{TEXTS}.length === {count + 1} && !document.querySelector('.row[data-state]')", "the messages")
    sent = page.texts()[1:]
    assert "".join(sent).split() == text.split() or " ".join(sent).split() == text.split(), sent
    assert page.run("return document.querySelectorAll('.quote').length") == 1, "the first one answers"
    assert page.run("return document.getElementById('text').value") == ""


# Sets the clocks of the page and of the server to some seconds before midnight.
MIDNIGHT = """
const Original = Date;
const start = new Original();
const by = new Original(start.getFullYear(), start.getMonth(), start.getDate() + 1).getTime() - start.getTime() - 4_000;
globalThis.Date = class extends Original {
  constructor(...parts) {
    if (parts.length) super(...parts);
    else super(Original.now() + by);
  }
  static now() {
    return Original.now() + by;
  }
};
const { parse } = JSON;
JSON.parse = (...text) => {
  const made = parse(...text);
  if (made?.type === 'welcome') made.time += by;
  return made;
};
"""


@test
def the_times_of_rooms_become_days_at_midnight(stage):
    assert stage.person("ann").ask(type="join", room=stage.room)["type"] == "ok"
    stage.person("cid").send("today")
    page = stage.ann
    page.run("localStorage.removeItem('diffroom.clock')")
    added = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": MIDNIGHT})
    try:
        page.enter()
        time = f"document.querySelector('#sidebar-list a[data-room=\"{stage.room}\"] time')?.textContent"
        page.wait(f"/:/.test({time})", "a time of day")
        page.wait(f"/^[A-Z][a-z]+$/.test({time})", "the day of the week")
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        page.run("localStorage.removeItem('diffroom.clock')")


@with_rooms
def the_list_of_rooms_keeps_its_head_in_sight(stage):
    names = [f"{stage.room}-{number}" for number in range(60)]
    setting(stage, *names)
    page = stage.ann
    enter(stage, page, names[0])
    page.wait("document.getElementById('sidebar').scrollHeight > 2500", "the rooms")
    page.run("document.getElementById('sidebar').scrollTop = 1000")
    hit = "const { left, top, width, height } = document.getElementById('find').getBoundingClientRect(); return Boolean(document.elementFromPoint(left + width / 2, top + height / 2).closest('#find'))"
    assert page.run(hit)
    above = "const { left, top } = document.getElementById('sidebar').getBoundingClientRect(); return document.elementFromPoint(left + 40, top + 3).closest('li') === null"
    assert page.run(above), "a row shows above the head"


@test
def the_people_see_themselves_write_nothing(stage):
    page = stage.ann
    page.enter()
    page.wait("document.querySelector('#people li[data-name=ann]')", "herself")
    stage.person("bea").enter()
    page.run("document.getElementById('text').focus()")
    page.press("a")
    stage.bob.enter()
    stage.bob.wait("document.querySelector('#people li[data-name=ann] .dots')", "ann to write")
    page.press("b")
    page.wait("document.querySelector('#people li[data-name=bea]')", "what comes later")
    assert not page.run("return Boolean(document.querySelector('#people li[data-name=ann] .dots'))")


@test
def back_closes_the_drawer_and_then_goes_to_the_room_before(stage):
    page = stage.ann
    page.enter()
    first = stage.room
    stage.next_room()
    page.enter()
    drawn = "document.getElementById('room').inert"
    room = "new URLSearchParams(location.search).get('room')"
    page.resize(390, 844)
    try:
        for panel in ("sidebar", "people"):
            page.wait(f"document.getElementById('{panel}-button').checkVisibility()", "the button")
            page.click(f"document.getElementById('{panel}-button')")
            page.wait(drawn, "the drawer")
            page.driver.back()
            page.wait(f"!{drawn}", "the drawer to go")
            assert page.run(f"return {room}") == stage.room
        page.click("document.getElementById('sidebar-button')")
        page.wait(drawn, "the drawer")
        page.click("document.getElementById('sidebar-close')")
        page.wait(f"!{drawn} && !history.state?.drawer", "the step to go")
        page.click("document.getElementById('people-button')")
        page.wait(drawn, "the drawer")
        page.press("\ue00c")
        page.wait(f"!{drawn} && !history.state?.drawer", "the step to go")
        page.driver.back()
        page.wait(f"{room} === '{first}'", "the room before")
    finally:
        page.resize(1180, 760)


# What is not the room's is not printed, and what is, is whole.
PRINTED = """
const shown = (id) => document.getElementById(id).checkVisibility();
const rows = [...document.querySelectorAll('.row')];
const { scrollHeight, clientHeight } = document.getElementById('scroller');
return [['sidebar', 'people', 'composer', 'me'].filter(shown), shown('room-name'), rows.every((row) => row.checkVisibility({ contentVisibilityAuto: true })), scrollHeight === clientHeight, document.body.scrollHeight > 1000];
"""


@test
def printing_prints_the_room(stage):
    stage.person("cid").send_all([f"message {number}" for number in range(120)])
    page = stage.ann
    page.enter()
    page.wait(f"{TEXTS}.includes('message 119')", "the messages")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert page.run(PRINTED) == [[], True, True, True, True]
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
