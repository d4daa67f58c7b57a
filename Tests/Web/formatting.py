"""Messages with Markdown, as the page draws them."""

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
