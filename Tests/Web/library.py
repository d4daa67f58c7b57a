"""diffroom.js by itself, in a real browser: library*.js, and how large it is."""

import re
import subprocess

from browser import Browser
from front import ROOT, Front

# Bytes of the whole library, minified by esbuild as a bundler has it done: what nobody uses is left out, names of fields stay.
# Some 1,200 of them are the names by which its parts know each other, none of which has a function of more than LONGEST lines.
# `create`, `moderate` and the titles of rooms cost 250, their pictures 20, settings and `read` of all that is there 200,
# the profiles that a page asks for 350, more of one's rooms 150, requests that wait for their turn 200, the audit log 120, several
# handles of one list 1,900, what a text is stored as 460, mentions in scripts without spaces 480, and the reason why an origin is
# refused 390, the reasons of errors 150, the sums by which a long list is resumed 1,200 (SHA-256 is half of that), a
# `read` of several rooms 120, lists that an earlier page kept 60, reactions one by one 400, drafts 240, and
# uploads that survive lost connections, with the links of files, 3,300, those to a store 400, names in place of positions and patterns 650,
# messages that grow 1,300, scheduled messages, with one message of any room, 310, and blocks 70.
LIMIT = 30_100
LONGEST = 60  # lines of a function of the page
LONGEST_OF_LIBRARY = 40  # which others read and copy
FUNCTION = re.compile(r"^(?!\s*(?:if|for|while|switch|else|try|\} (?:else|catch))\b).*(?:function\b.*|=>|\)) \(?\{$")


def results(_options):
    front = Front(backend=0)
    browser = Browser()
    try:
        browser.driver.get(f"{front.url}/tests/library.html")
        found = browser.run_async("return (await import('/tests/library.js')).results")
        # Behind the sockets of the tests is no server that could tell why a connection failed.
        complaints = [said for said in browser.complaints() if "http://test/" not in said and "it violates the document" not in said]
    finally:
        browser.quit()
    answers = [(f"library: {result['sentence']}", result.get("failure")) for result in found]
    answers.append(("library: the browser has nothing to complain of", "\n".join(complaints)))
    answers.append((f"library: diffroom.js has at most {LIMIT} bytes minified", _too_large()))
    answers.append((f"library: no function of the page has over {LONGEST} lines, none of the library over {LONGEST_OF_LIBRARY}", _too_long()))
    return answers


def _too_large():
    minify = ["esbuild", "--bundle", "--minify", "--tree-shaking=true", "--format=esm", ROOT / "Web/diffroom.js"]
    size = len(subprocess.run(minify, check=True, capture_output=True).stdout)
    return f"{size} bytes minified, {LIMIT} are the limit" if size > LIMIT else None


def _too_long():
    """Finds the ends of functions by indentation, which all the code follows."""
    long = []
    for file in sorted((ROOT / "Web").rglob("*.js")):
        lines = file.read_text().splitlines()
        most = LONGEST_OF_LIBRARY if file.parent.name == "diffroom" else LONGEST
        for start, line in enumerate(lines):
            if not FUNCTION.match(line):
                continue
            indent = line[: len(line) - len(line.lstrip())]
            end = next(at for at in range(start + 1, len(lines)) if lines[at].startswith(f"{indent}}}"))
            if end - start + 1 > most:
                long.append(f"{file.name}:{start + 1}: {end - start + 1} lines")
    return "\n".join(long)
