"""Messages with Markdown, as the page draws them."""

import json

from page import test
from selenium.webdriver.common.keys import Keys

LAST = "[...document.querySelectorAll('.row .text')].at(-1)"
RICH = """*one* and **two**, ~~three~~ and `four`
see [the words](https://a.example/x) or https://b.example

> a quote
- an item
  1. inner
```js
let five = '<b>';
```"""


def drawn(stage, text, part, **more):
    """Sends a text; returns the markup of the message once the page shows `part` of it."""
    stage.person("cid").send(text, **more)
    stage.ann.wait(f"{LAST}?.textContent.includes({part!r})", "the message")
    return stage.ann.run(f"return {LAST}.innerHTML")


@test
def markdown_is_drawn_as_elements(stage):
    stage.ann.enter()
    markup = drawn(stage, RICH, "five")
    link = 'target="_blank" rel="noopener noreferrer nofollow ugc"'
    for part in [
        "<em>one</em> and <strong>two</strong>, <s>three</s> and <code dir=\"ltr\">four</code>\nsee ",
        f'<a href="https://a.example/x" title="https://a.example/x" {link}>the words</a>',
        f'<a href="https://b.example" title="" {link}>https://b.example</a>',
        '<blockquote><p class="part">a quote</p></blockquote>',
        '<ul><li><p class="part">an item</p><ol start="1"><li><p class="part">inner</p></li></ol></li></ul>',
        "let five = '&lt;b&gt;';",
    ]:
        assert part in markup, (part, markup)


@test
def a_mention_stands_out_in_emphasis_and_not_in_code(stage):
    stage.ann.enter()
    markup = drawn(stage, "*@ann* and `@ann`", "and", mentions=["ann"])
    assert '<em><b class="own mention" data-name="ann">@ann</b></em>' in markup, markup
    assert '<code dir="ltr">@ann</code>' in markup, markup


@test
def what_is_sent_and_edited_is_the_text_with_its_marks(stage):
    stage.ann.enter()
    stage.ann.say("a *word* of mine")
    stage.ann.wait(f"{LAST}?.querySelector('em')?.textContent === 'word'", "the message")
    stage.ann.run("document.getElementById('text').focus()")
    stage.ann.press(Keys.ARROW_UP)
    stage.ann.press("e")
    stage.ann.wait("document.getElementById('text').value === 'a *word* of mine'", "the source")


@test
def a_long_code_is_folded(stage):
    stage.ann.enter()
    drawn(stage, "```\n" + "line\n" * 60 + "```", "line")
    assert stage.ann.run(f"return {LAST}.hasAttribute('data-folded') && {LAST}.clientHeight < 600")


@test
def code_is_coloured_by_a_worker_that_is_loaded_for_it(stage):
    stage.ann.enter()
    loaded = "performance.getEntriesByType('resource').some(({ name }) => name.includes('highlighter'))"
    drawn(stage, "```\nplain\n```", "plain")
    assert not stage.ann.run(f"return {loaded}")
    code = "let text = \"<b>&amp;\" // 'why'"
    drawn(stage, f"```swift\n{code}\n```", "text")
    stage.ann.wait(f"{LAST}.querySelector('.hljs-keyword')?.textContent === 'let'", "the colours", 20)
    assert stage.ann.run(f"return {LAST}.querySelector('code').textContent") == code
    assert stage.ann.run(f"return {LAST}.querySelector('.hljs-comment').textContent") == "// 'why'"
    assert stage.ann.run(f"return {loaded}")
    drawn(stage, "```nonesuch\nlast\n```", "last")
    assert stage.ann.run(f"return {LAST}.querySelectorAll('code *').length") == 0


@test
def code_is_copied_without_its_fence(stage):
    stage.ann.enter()
    drawn(stage, "```\none\n  two\n```", "two")
    stage.ann.run("navigator.clipboard.writeText = async (text) => void (window.copied = text)")
    stage.ann.click(f"{LAST}.querySelector('.copy')")
    stage.ann.wait("window.copied === 'one\\n  two'", "the copy")


SILENT_WORKERS = """
window.begun = window.ended = 0;
window.Worker = class extends EventTarget {
  constructor() {
    super();
    window.begun++;
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { isReady: true } })));
  }
  postMessage() {}
  terminate() { window.ended++; }
};
"""


@test
def a_worker_that_does_not_answer_is_ended_and_the_code_stays(stage):
    stage.ann.enter()
    stage.ann.run(SILENT_WORKERS)
    for number in range(4):
        drawn(stage, f"```swift\nlet x = {number}\n```", f"x = {number}")
    stage.ann.wait("window.ended === 3", "the end of three workers")
    drawn(stage, "```swift\nlet x = 5\n```", "x = 5")
    assert stage.ann.run("return window.begun") == 3


@test
def keys_put_marks_around_what_is_selected_and_undo_takes_them_away(stage):
    stage.ann.enter()
    value, field = "return document.getElementById('text').value", "document.getElementById('text')"
    stage.ann.run(f"{field}.focus()")
    stage.ann.press("one two")
    stage.ann.run(f"{field}.setSelectionRange(4, 7)")
    stage.ann.press(Keys.CONTROL, "b", Keys.CONTROL)
    assert stage.ann.run(value) == "one **two**"
    stage.ann.press(Keys.CONTROL, "i", Keys.CONTROL)
    assert stage.ann.run(value) == "one ***two***"
    stage.ann.press(Keys.CONTROL, "b", Keys.CONTROL)
    assert stage.ann.run(value) == "one *two*"
    stage.ann.press(Keys.CONTROL, "z", Keys.CONTROL)
    assert stage.ann.run(value) == "one ***two***"
    stage.ann.run(f"{field}.setSelectionRange(0, 3)")
    stage.ann.press(Keys.CONTROL, "e", Keys.CONTROL)
    assert stage.ann.run(value) == "`one` ***two***"
    stage.ann.press(Keys.CONTROL, Keys.SHIFT, "x", Keys.SHIFT, Keys.CONTROL)
    assert stage.ann.run(value) == "`~~one~~` ***two***"
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"{LAST}?.querySelector('code')?.textContent === '~~one~~'", "the message")


@test
def the_name_of_an_emoji_is_completed(stage):
    stage.ann.enter()
    field, offered = "document.getElementById('text')", "[...document.querySelectorAll('#emoji-offer li')]"
    stage.ann.run(f"{field}.focus()")
    stage.ann.press("well, at 10:30 :thumbs")
    stage.ann.wait(f"{offered}.length >= 2", "the emoji")
    stage.ann.press(Keys.ARROW_DOWN)
    chosen = stage.ann.run("return document.querySelector('#emoji-offer [aria-selected=true]').dataset.name")
    stage.ann.press(Keys.ENTER)
    assert stage.ann.run(f"return {field}.value") == f"well, at 10:30 {chosen} "
    assert stage.ann.run("return document.getElementById('emoji-offer').hidden && !document.getElementById('text').hasAttribute('role')")
    stage.ann.press(":pizza", Keys.ESCAPE)
    stage.ann.press(Keys.ENTER)
    stage.ann.sees([f"well, at 10:30 {chosen} :pizza"])


FOUND = "[...document.querySelectorAll('#picker-found button')].map((button) => button.dataset.emoji)"
CHIPS = "[...document.querySelectorAll('.chip')].map((chip) => chip.innerText.trim().replace(/\\s+/g, ' '))"


@test
def any_emoji_is_found_by_its_name_and_the_last_ones_come_first(stage):
    stage.person("cid").send_all(["news", "good news"])
    stage.ann.enter()
    stage.ann.sees(["news", "good news"])
    for name, emoji in (("party_pop", "🎉"), ("germany", "🇩🇪")):
        stage.ann.press(Keys.ARROW_UP)
        stage.ann.press("+")
        stage.ann.wait("document.activeElement.closest('#picker')", "the picker")
        gap = stage.ann.run("return document.querySelector('.row[data-picked] .text').getBoundingClientRect().top - document.getElementById('picker').getBoundingClientRect().bottom")
        assert 0 <= gap <= 40, f"{gap} px above the message"
        stage.ann.click("document.querySelector('#picker [data-all]')")
        stage.ann.wait("document.activeElement.id === 'picker-search' && document.querySelectorAll('#picker-found section').length >= 9", "the groups")
        assert stage.ann.run("return document.querySelectorAll('#picker-found button').length") > 1_800
        stage.ann.press(name)
        stage.ann.wait(f"{FOUND}[0] === {json.dumps(emoji)}", "the emoji")
        stage.ann.press(Keys.ENTER)
        stage.ann.wait(f"{CHIPS}.includes({json.dumps(f'{emoji} 1')})", "the reaction")
        stage.ann.wait("document.activeElement.matches('.row')", "the message to be selected again")
        stage.ann.press(Keys.ESCAPE)
    stage.ann.click("document.getElementById('emojis')")
    stage.ann.wait(f"{FOUND}.slice(0, 2).join(' ') === '🇩🇪 🎉'", "the last ones")
    stage.ann.press("no such thing")
    stage.ann.wait("document.getElementById('picker-none').checkVisibility()", "a word about it")
    stage.ann.press(Keys.ESCAPE)


@test
def an_emoji_comes_where_the_caret_is_in_the_skin_tone_that_was_chosen(stage):
    stage.ann.enter()
    field = "document.getElementById('text')"
    stage.ann.run(f"{field}.focus()")
    stage.ann.press("well  done")
    stage.ann.run(f"{field}.setSelectionRange(5, 5); document.getElementById('emojis').click()")
    stage.ann.wait("document.activeElement.id === 'picker-search' && document.querySelectorAll('#picker-found section').length >= 9", "the groups")
    stage.ann.click("document.querySelector('#picker-tones [aria-label=Dark]')")
    assert stage.ann.run("return document.activeElement.ariaPressed") == "true"
    stage.ann.run("document.getElementById('picker-search').focus()")
    stage.ann.press("people holding", Keys.ARROW_DOWN)
    assert stage.ann.run("return document.activeElement.dataset.emoji") == "🧑🏿‍🤝‍🧑🏿"
    stage.ann.press(Keys.ENTER)
    stage.ann.wait(f"document.activeElement === {field}", "the field")
    assert stage.ann.run(f"return {field}.value") == "well 🧑🏿‍🤝‍🧑🏿 done"
    stage.ann.press(" :thumbs_up")
    stage.ann.wait("document.querySelector('#emoji-offer [aria-selected=true]')?.dataset.name === '👍🏿'", "the tone behind a colon")
    stage.ann.press(Keys.ESCAPE, Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE)
    stage.ann.run("localStorage.removeItem('diffroom.tone')")


@test
def the_arrows_go_through_the_emoji_and_back_to_the_search(stage):
    stage.ann.enter()
    stage.ann.run("localStorage.removeItem('diffroom.emojis ann')")
    stage.ann.click("document.getElementById('emojis')")
    stage.ann.wait("document.activeElement.id === 'picker-search' && document.querySelectorAll('#picker-found section').length >= 9", "the groups")
    focused = "return [...document.querySelectorAll('#picker-found button')].indexOf(document.activeElement)"
    columns = stage.ann.run("return getComputedStyle(document.querySelector('#picker-found section')).gridTemplateColumns.split(' ').length")
    places = []
    for key in (Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
        stage.ann.press(key)
        places.append(stage.ann.run(focused))
    assert places == [0, 1, columns + 1, columns, 0], places
    stage.ann.press(Keys.ARROW_UP)
    assert stage.ann.run("return document.activeElement.id") == "picker-search"
    stage.ann.press(Keys.ESCAPE)
    stage.ann.wait("document.activeElement.id === 'text'", "the field")
