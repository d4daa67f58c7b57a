"""The display settings: theme, density and times, for this browser."""

import re

from page import test

PAPER = "getComputedStyle(document.body).backgroundColor"
SIZE = "getComputedStyle(document.documentElement).fontSize"
TIME = "document.querySelector('.row .heading time').textContent"


def choose(page, name, value):
    page.click("document.getElementById('show-display')")
    page.run("const field = document.getElementById('display-form').elements[arguments[0]]; field.value = arguments[1]; field.dispatchEvent(new Event('change', { bubbles: true }))", name, value)


@test
def the_display_is_as_the_user_sets_it_also_after_a_reload(stage):
    ann = stage.ann
    stage.person("cid").send("hello")
    try:
        ann.look("light")
        ann.enter()
        ann.sees(["hello"])
        ann.run("document.getElementById('text').value = 'draft'; document.getElementById('text').dispatchEvent(new Event('input'))")
        light, usual = ann.run(f"return {PAPER}"), ann.run(f"return {SIZE}")
        choose(ann, "theme", "dark")
        dark = ann.run(f"return {PAPER}")
        assert dark != light
        assert ann.run("return [...document.querySelectorAll('meta[name=theme-color]')].map((meta) => meta.content)") == [dark, dark]
        choose(ann, "theme", "contrast")
        assert ann.run(f"return {PAPER}") == "rgb(255, 255, 255)"
        choose(ann, "density", "compact")
        assert ann.run(f"return parseFloat({SIZE})") < float(usual.removesuffix("px"))
        ann.run("window.isBefore = true")
        choose(ann, "hours", "h23")
        ann.wait("!window.isBefore", "the page to begin anew")
        ann.online()
        ann.sees(["hello"])
        assert re.fullmatch(r"\d\d:\d\d", ann.run(f"return {TIME}"))
        assert ann.run("return document.getElementById('text').value") == "draft"
        assert ann.run(f"return {PAPER}") == "rgb(255, 255, 255)", "the theme stays"
        choose(ann, "hours", "h12")
        ann.wait(f"document.querySelector('.row') && /[AP]M$/.test({TIME})", "the other times")
        ann.online()
        choose(ann, "theme", "")
        assert ann.run(f"return {PAPER}") == light, "and goes"
    finally:
        ann.run("for (const name of ['theme', 'density', 'hours']) localStorage.removeItem(`diffroom.${name}`)")
        ann.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@test
def dates_are_in_the_language_that_the_user_sets_and_notifications_are_set_there_too(stage):
    ann = stage.ann
    stage.person("cid").send("hello")
    day = "document.querySelector('.row .day').textContent"
    try:
        ann.enter()
        ann.sees(["hello"])
        english = ann.run(f"return {day}")
        choose(ann, "language", "de")
        ann.wait(f"document.querySelector('.row .day') && {day} !== {english!r}", "the other language")
        assert ann.run(f"return {day} === new Intl.DateTimeFormat('de', {{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }}).format(Date.now())")
        ann.online()
        ann.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["notifications"], "origin": stage.url})
        choose(ann, "notify", "on")
        ann.wait("localStorage.getItem('diffroom.notify') === 'on' && document.getElementById('notify').ariaPressed === 'true'", "notifications")
        ann.run("localStorage.setItem('diffroom.language', 'no language!')")
        ann.enter_again()
        ann.wait(f"document.querySelector('.row .day') && {day} === {english!r}", "a language that there is")
    finally:
        ann.run("for (const name of ['language', 'notify']) localStorage.removeItem(`diffroom.${name}`)")
