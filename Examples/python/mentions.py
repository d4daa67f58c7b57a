"""Whom a text mentions: "Mentions" of docs/protocol.md."""

import re
import unicodedata

MOST = 50  # names, as many as `limits.mentions`
LONGEST = 64  # bytes of a name
EVERYONE = "room"  # behind an `@`: everybody in the room
# Letters and marks that nobody sees: the server takes no name that has one.
KEYCAP = re.compile("[0-9#*]\ufe0f\u20e3")
HIDDEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]")


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
    while (place := text.find("@", place) + 1) > 0:
        before = text[max(place - 2, 0) : place - 1]
        if before and (is_of_a_word(before) or before in ".-@/"):
            continue
        known = (name for name in longest_first if text.startswith(name, place) and ends(text, place + len(name)))
        name = next(known, None) or run(text, place)
        place += len(name)
        if is_taken(name):
            found[name] = True
    return list(found)


def is_of_a_word(character):
    """Returns whether it is a letter, a mark that belongs to one, a digit, or `_`."""
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd" or character == "_"


def ends(text, place):
    return place == len(text) or not is_of_a_word(text[place])


def run(text, place):
    """Returns what stands there if it is the name of nobody who is known."""
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
