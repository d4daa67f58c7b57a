"""diffroom.js by itself, in a real browser: library*.js, and how large it is."""

import subprocess

from browser import Browser
from front import ROOT, Front

LIMIT = 10_000  # bytes, minified


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
    answers.append(("library: diffroom.js is under 10 kB minified", _too_large()))
    return answers


def _too_large():
    minify = ["esbuild", "--minify", "--format=esm", ROOT / "Web/diffroom.js"]
    size = len(subprocess.run(minify, check=True, capture_output=True).stdout)
    return f"{size} bytes minified, {LIMIT} are the limit" if size > LIMIT else None
