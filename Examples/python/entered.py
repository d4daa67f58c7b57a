"""What a text is stored as when it is entered: "Entered text" of docs/protocol-reference.md."""

import re
import unicodedata

# Escape sequences, of which those with a string end with BEL or ST; then other control characters, and half surrogate pairs.
CONTROLS = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])(?:[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x1b\\|[\x07\x9c]))?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]"
)
LINE_END = re.compile("\r\n?|[\v\f\x85\u2028\u2029]")
# Marks, letters and symbols that nobody sees; all format characters are such, too.
HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8\U0001d159\U000e0000-\U000e0fff]"
)


def entered(text):
    """Returns the text as it is stored, and whether something was dropped about which its author should know."""
    kept = CONTROLS.sub("", text)
    return LINE_END.sub("\n", kept), kept != text


def can_be_seen(text):
    """Returns whether something of a text can be seen: a server refuses other texts."""
    return any(unicodedata.category(c) not in ("Cc", "Cf", "Zs", "Zl", "Zp") for c in HIDDEN.sub("", text))
