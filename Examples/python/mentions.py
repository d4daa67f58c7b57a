"""Whom a text mentions: "Mentions" of docs/protocol-reference.md."""

import re
import unicodedata

MOST = 50  # names, as many as `limits.mentions`
LONGEST = 64  # bytes of a name
SIGNS = "@＠"
EVERYONE = "room"  # behind an `@`: everybody in the room
# Letters and marks that nobody sees: the server takes no name that has one.
KEYCAP = re.compile("[0-9#*]\ufe0f\u20e3")
HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]")


# Scripts that put no spaces between words: South-East Asian ones, Han, kana, Hangul.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u3000-\u31ff\u3400-\ua4cf\ua960-\ua97f\ua9e0-\ua9ff"
    "\uaa60-\uaadf\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001aff0-\U0001b16f\U00020000-\U0003ffff]"
)


def mentions(text, people=()):
    """Returns the names in the order of the text, where these people are known."""
    return [name for name in called(text, people) if name != EVERYONE or name in people][:MOST]


def mentions_everyone(text, people=()):
    """Returns whether the text mentions everybody: where nobody is called so."""
    return EVERYONE in called(text, people) and EVERYONE not in people


def called(text, people):
    """Returns what stands behind each `@`: as a name, once, and in the order of the text."""
    text, found, place = unicodedata.normalize("NFC", text), {}, 0
    longest_first = sorted(people, key=len, reverse=True)
    while place < len(text):
        place += 1
        if not begins(text, place - 1):
            continue
        known = (name for name in longest_first if text.startswith(name, place) and ends(text, place + len(name)))
        name = next(known, None) or run(text, place)
        place += len(name)
        if is_taken(name):
            found[name] = True
    return list(found)


def begins(text, place):
    """Returns whether an `@` stands there and begins a mention: an address goes on with another one."""
    if text[place] not in SIGNS:
        return False
    before = text[max(place - 1, 0) : place]
    return not before or is_unspaced(before) or not (is_of_a_word(before) or before in ".-/" + SIGNS)


def begun(text):
    """Returns what is typed of a name at the end of a text; nothing if none is."""
    sign = max(text.rfind(sign) for sign in SIGNS)
    typed = text[sign + 1 :]
    return typed if sign >= 0 and begins(text, sign) and "\n" not in typed and len(typed) <= LONGEST else None


def is_of_a_word(character):
    """Returns whether it is a letter, a mark that belongs to one, a digit, or `_`."""
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character == "_"


def is_unspaced(character):
    """Returns whether it is a letter, or a mark that belongs to one, of a script that puts no spaces between words."""
    return UNSPACED.match(character) and unicodedata.category(character)[0] in "LM"


def is_word(text, place):
    """Returns whether another word begins there with such a letter. A mark belongs to the letter before it."""
    return place < len(text) and is_unspaced(text[place]) and unicodedata.category(text[place])[0] == "L"


def ends(text, place):
    return place == len(text) or not is_of_a_word(text[place]) or is_word(text, place)


def run(text, place):
    """Returns what stands there if it is the name of nobody who is known."""
    if text.startswith(EVERYONE, place) and is_word(text, place + len(EVERYONE)):
        return EVERYONE
    end = place
    while end < len(text) and (is_of_a_word(text[end]) or text[end] in ".-"):
        end += 1
    return text[place:end].rstrip(".-")


def is_taken(name):
    """Returns whether a server takes the name."""
    if not 0 < len(name.encode()) <= LONGEST or unicodedata.category(name[0])[0] == "M" or HIDDEN.search(name):
        return False
    # U+FE0F makes an emoji of a symbol or, before U+20E3, of a digit; behind anything else nobody sees it.
    rest = KEYCAP.sub("", name)
    return not any(after == "\ufe0f" and (is_of_a_word(before) or before in ".-") for before, after in zip(rest, rest[1:]))
