"""What calls the user while they look elsewhere: a window without the focus, many rooms at once, and browsers without notifications."""

from mentions import KEEP_NOTIFICATIONS, allow_notifications, called
from rooms import enter, rooms, setting, speaker, with_rooms
from settings import choose

TOLD = "window.told.filter((one) => !one.isClosed).map(({ title, body }) => [title, body])"


def focused(page, has_focus):
    page.run("document.hasFocus = () => arguments[0]; if (arguments[0]) dispatchEvent(new Event('focus'))", has_focus)


@with_rooms
def a_mention_in_a_window_without_the_focus_is_read_when_the_user_comes(stage):
    (den,) = rooms(stage, "den")
    setting(stage, den)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    focused(stage.ann, False)
    cid = speaker(stage, den)
    cid.send("not for anyone")
    stage.ann.sees(["not for anyone"])
    cid.send(f"@{stage.user} look", mentions=[stage.user])
    called(stage.ann, den, 1)
    stage.ann.wait(f"{TOLD}.length === 1", "to be notified")
    focused(stage.ann, True)
    called(stage.ann, den, 0)
    stage.ann.wait(f"{TOLD}.length === 0", "the notification to go")


@with_rooms
def a_direct_message_in_a_window_without_the_focus_is_read_when_the_user_comes(stage):
    setting(stage)
    cid = stage.person("cid")
    both = cid.create("direct", stage.user)
    enter(stage, stage.ann, both)
    focused(stage.ann, False)
    cid.send("hello")
    badge = f"document.querySelector('#sidebar a[data-room=\"{both}\"] .badge')?.firstChild.textContent ?? ''"
    stage.ann.wait(f"{badge} === '1'", "it to be unread")
    focused(stage.ann, True)
    stage.ann.wait(f"({badge}) === ''", "it to be read")


@with_rooms
def many_rooms_at_once_have_one_notification(stage):
    names = rooms(stage, *(f"r{number}" for number in range(9)))
    setting(stage, *names)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, names[0])
    stage.ann.run(KEEP_NOTIFICATIONS + "localStorage.setItem('diffroom.notify', 'on')")
    for name in names[1:8]:
        speaker(stage, name).send(f"@{stage.user} look", mentions=[stage.user])
    stage.ann.wait(f"{TOLD}.length === 1 && {TOLD}[0][0] === '7 rooms have messages for you'", "one for all")
    assert stage.ann.run(f"return {TOLD}[0][1]").endswith(" and 4 more")
    speaker(stage, names[8]).send(f"@{stage.user} look", mentions=[stage.user])
    stage.ann.wait(f"{TOLD}.length === 1 && {TOLD}[0][0] === '8 rooms have messages for you'", "another room in it")
    stage.ann.click("document.getElementById('read-all')")
    stage.ann.wait(f"{TOLD}.length === 0", "it to go")


@with_rooms
def a_browser_that_shows_no_notifications_of_a_page_is_told_of(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    stage.ann.run("""
        window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } };
        localStorage.setItem('diffroom.notify', 'on');
    """)
    speaker(stage, tea).send(f"@{stage.user} look", mentions=[stage.user])
    button = "document.getElementById('notify')"
    stage.ann.wait(f"{button}.disabled && {button}.textContent.startsWith('This browser shows no') && {button}.ariaPressed === 'false'", "the button to show it")


@with_rooms
def a_room_can_notify_of_all_its_messages_and_calls_can_ring(stage):
    den, tea = rooms(stage, "den", "tea")
    setting(stage, den, tea)
    allow_notifications(stage, stage.ann)
    enter(stage, stage.ann, den)
    page = stage.ann
    page.run(KEEP_NOTIFICATIONS + """
        localStorage.setItem('diffroom.notify', 'on');
        localStorage.removeItem('diffroom.rung');
        window.tones = 0;
        const { prototype } = OscillatorNode;
        const { start } = prototype;
        prototype.start = function (...times) { window.tones += 1; return start.apply(this, times); };
    """)
    try:
        cid = speaker(stage, tea)
        choose(page, tea, "Notify of all messages")
        cid.send("for anyone")
        page.wait(f"JSON.stringify({TOLD}) === JSON.stringify([['cid in #{tea}', 'for anyone']])", "to be notified of it")
        assert page.run("return window.tones") == 0
        choose(page, tea, "Notify of mentions only")
        page.run("window.told = []; document.getElementById('show-display').click()")
        page.run("const field = document.getElementById('display-form').elements.sound; field.value = 'on'; field.dispatchEvent(new Event('change', { bubbles: true })); document.getElementById('display').close()")
        cid.send("for nobody")
        cid.room = den
        cid.send("seen")
        page.sees(["seen"])
        cid.room = tea
        cid.send(f"@{stage.user} look", mentions=[stage.user])
        page.wait("window.told.length === 1 && window.tones === 2", "one call, with two tones")
    finally:
        page.run("localStorage.removeItem('diffroom.sound')")
