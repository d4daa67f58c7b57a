"""The elements of a long list of rooms: those on the screen and near it, in order, whatever comes and wherever one scrolls."""

import random

from page import test
from rooms import leave, setting
from selenium.webdriver.common.keys import Keys
from server import wait_until

COUNT = 300  # rooms
MOST = 90  # rows with elements
FRAMES = "for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);"

# The rooms on the screen, as [place, room], from a point in each row's middle; and the number of rows with elements.
SEEN = f"""
{FRAMES}
const list = document.getElementById('sidebar-list');
const {{ bottom: top }} = document.getElementById('sidebar-top').getBoundingClientRect();
const {{ bottom }} = document.getElementById('sidebar').getBoundingClientRect();
const {{ left, top: begin, height }} = list.getBoundingClientRect();
const count = Number(list.firstElementChild.ariaSetSize);
const pitch = height / count;
const seen = [];
for (let at = Math.max(0, Math.ceil((top - begin) / pitch)); at < Math.min(count, Math.floor((bottom - begin) / pitch)); at++) {{
  const item = document.elementFromPoint(left + 60, begin + (at + .5) * pitch)?.closest('li');
  seen.push([at, item?.firstChild.dataset.room, Number(item?.ariaPosInSet) - 1]);
}}
const places = [...list.children].map((item) => Number(item.ariaPosInSet));
const isInOrder = places.every((place, index) => index === 0 || place > places[index - 1]);
return [seen, document.querySelectorAll('#sidebar li').length, isInOrder, document.activeElement.dataset.room ?? null];
"""


def enter(stage, names):
    stage.ann.driver.get(f"{stage.url}/favicon.svg")
    stage.ann.run("localStorage.setItem('diffroom.name', arguments[0])", stage.user)
    stage.ann.driver.get(f"{stage.url}/?room={names[-1]}")
    stage.ann.online()
    stage.ann.click("document.getElementById('find')")
    stage.ann.driver.find_element("id", "switcher-input").send_keys(stage.room)
    stage.ann.wait(f"document.getElementById('sidebar-list').firstElementChild?.ariaSetSize === '{len(names)}'", "all rooms")
    stage.ann.run("document.getElementById('switcher').close()")


def shows(page, order, focused=None):
    """Waits until the rows on the screen are those of this order, and few others have elements."""

    def is_shown():
        seen, count, is_in_order, focus = page.run_async(SEEN)
        return seen and count <= MOST and is_in_order and focus == focused and all(order[at] == room and at == place for at, room, place in seen)

    try:
        wait_until(is_shown, "the rows", 10)
    except TimeoutError as error:
        raise AssertionError(f"expected {order}, focus {focused}; found {page.run_async(SEEN)}") from error


@test
def a_long_list_of_rooms_has_elements_for_the_rows_in_sight(stage):
    names = [f"{stage.room}-{number:03}" for number in range(COUNT)]
    setting(stage, *names)
    cid = stage.person("cid")
    try:
        enter(stage, names)
        page = stage.ann
        page.run("document.activeElement.blur()")
        order = names[::-1]
        chance = random.Random(1)
        for step in range(25):
            act = chance.choice(["scroll", "scroll", "message", "leave", "resize"])
            if act == "scroll":
                page.run("document.getElementById('sidebar').scrollTop = arguments[0]", chance.randrange(COUNT * 52))
            elif act == "resize":
                page.resize(1180, chance.choice([300, 760, 1400]))
            elif act == "message":
                cid.room = chance.choice(order)
                cid.send(f"step {step}")
                order.remove(cid.room)
                order.insert(0, cid.room)
            elif len(order) > COUNT - 3:
                gone = chance.choice(order[:-1])
                stage.people[0].ask(type="leave", room=gone)
                order.remove(gone)
            shows(page, order)
    finally:
        stage.ann.resize(1180, 760)
        leave(stage)


@test
def the_keys_reach_rooms_that_have_no_element_and_keep_the_focus(stage):
    names = [f"{stage.room}-{number:03}" for number in range(COUNT)]
    setting(stage, *names)
    cid = stage.person("cid")
    try:
        enter(stage, names)
        page = stage.ann
        order = names[::-1]
        page.run("document.querySelector('#sidebar-list [tabindex=\"0\"]').focus()")
        page.press(Keys.END)
        shows(page, order, order[-1])
        for _ in range(30):
            page.press(Keys.ARROW_UP)
        shows(page, order, order[-31])
        page.run("document.getElementById('sidebar').scrollTop = 0")
        shows(page, order, order[-31])
        cid.room = order[-31]
        cid.send("to the top")
        order.insert(0, order.pop(-31))
        shows(page, order, order[0])
        page.press(Keys.HOME)
        page.press(Keys.ARROW_DOWN)
        shows(page, order, order[1])
    finally:
        leave(stage)
