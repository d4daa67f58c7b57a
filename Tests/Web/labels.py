"""Labels: the real name of a room or a person is in sight beside whatever title or display name they have."""

from page import ROW, test
from rooms import enter, rooms, setting, with_rooms

# Whether an element is in sight, whole, in another one; and how wide it is.
IN = """
const [inner, outer] = args.slice(0, 2).map((one) => (Array.isArray(one) ? document.querySelector(one[0])?.querySelector(one[1]) : document.querySelector(one)));
const [a, b] = [inner.getBoundingClientRect(), outer.getBoundingClientRect()];
return [a.left >= b.left - 1 && a.right <= b.right + 1 && inner.scrollWidth <= inner.clientWidth + 1, Math.round(a.width)];
"""
TITLES = ["x" * 120, "a" + "\u3000" * 40 + "b", "\u05e9\u05dc\u05d5\u05dd " * 19 + "\u05e9", "😀" * 40]


@with_rooms
def the_name_of_an_open_room_is_in_sight_behind_any_title(stage):
    names = rooms(stage, *(f"t{number}" for number in range(len(TITLES))))
    setting(stage, *names)
    for name, title in zip(names, TITLES):
        stage.server.moderate(name, "title", text=title)
    try:
        for width, height, phone in ((1180, 760, False), (390, 844, True)):
            stage.ann.resize(width, height, phone=phone)
            for name in names:
                shows_the_name(stage, name, width, phone)
    finally:
        stage.ann.resize(1180, 760)


def shows_the_name(stage, name, width, phone):
    enter(stage, stage.ann, name, stage.front.url)
    stage.ann.wait("document.querySelector('#room-name .real')", "the title")
    assert stage.ann.run("return document.querySelector('#room-name .real').textContent") == f"({name})"
    assert stage.ann.run_async(IN, "#room-name .real", "#room-button")[0], (name, width)
    if phone:
        stage.ann.click("document.getElementById('sidebar-button')")
    link = f'#sidebar-list a[data-room="{name}"]'
    stage.ann.wait(f"document.querySelector('{link} .real')?.checkVisibility()", "the row")
    assert stage.ann.run_async(IN, [link, ".real"], link)[0], (name, width)
    assert stage.ann.run_async(IN, [link, ".title"], link)[1] > 20, (name, width)


@with_rooms
def a_long_name_of_a_room_leaves_its_title_in_sight(stage):
    name = f"{stage.room}-" + "n" * (60 - len(stage.room))
    setting(stage, name)
    stage.server.moderate(name, "title", text="Tea")
    enter(stage, stage.ann, name, stage.front.url)
    link = f'#sidebar-list a[data-room="{name}"]'
    stage.ann.wait(f"document.querySelector('{link} .real')", "the title")
    assert stage.ann.run_async(IN, [link, ".title"], link)[0], "Tea"


@test
def the_user_name_is_in_sight_behind_any_display_name_that_needs_it(stage):
    people = {"dora": "x" * 60, "dorb": "x" * 60, "hana": "\u05e9" * 30, "hanb": "\u05e9" * 30}
    for user, name in people.items():
        stage.server.profile(user, name)
        person = stage.person(user)
        person.send(f"by {user}")
        person.enter()
    stage.ann.enter(stage.front.url)
    for user in people:
        item = f'#people-online li[data-name="{user}"]'
        stage.ann.wait(f"document.querySelector('{item} .real')?.textContent === '({user})'", "the name")
        assert stage.ann.run_async(IN, [item, ".real"], item)[0], user
        place = stage.ann.run(f"const row = {ROW}, real = row.querySelector('.heading .real'), box = row.getBoundingClientRect(); return real && real.getBoundingClientRect().right <= box.right", f"by {user}")
        assert place, user
