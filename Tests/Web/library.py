"""diffroom.js by itself, in a real browser: library*.js, and how large it is."""

import rjsmin

from browser import Browser
from front import ROOT, Front

LIMIT = 16_500  # bytes without comments and white space; a minifier that shortens names makes 10,000 of them


def results(_options):
    front = Front(backend=0)
    browser = Browser()
    try:
        browser.driver.get(f"{front.url}/tests/library.html")
        found = browser.run_async("return (await import('/tests/library.js')).results")
        complaints = browser.complaints()
    finally:
        browser.quit()
    answers = [(f"library: {result['sentence']}", result.get("failure")) for result in found]
    answers.append(("library: the browser has nothing to complain of", "\n".join(complaints)))
    answers.append((f"library: diffroom.js is small", _too_large()))
    return answers


def _too_large():
    size = len(rjsmin.jsmin((ROOT / "Web/diffroom.js").read_text()).encode())
    return f"{size} bytes without comments and white space, {LIMIT} are the limit" if size > LIMIT else None
