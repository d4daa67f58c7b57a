"""The page's Markdown beside markdown-it-py, a parser of CommonMark by other people, over random texts.

Its rules are those that the page has, too. The texts are such that both mean the same: they have no line that continues a
quote or an item without its mark, no empty item, no label without words, no run of one or of three tildes, no web address in a
label, and no mark at the end of one, behind which markdown-it sees a space and CommonMark a bracket.
"""

import json
import random
import re
import subprocess
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
RULES = ["fence", "blockquote", "list", "newline", "escape", "backticks", "strikethrough", "emphasis", "link", "balance_pairs", "fragments_join"]
INLINE = ["*", "*", "**", "***", "_", "_", "__", "~~", "`", "``", "\\", "[", "[", "]", "](https://a.example/x)", "](<https://b.example>)",
          "](https://c.example/(z)\\))", "](/no)", "](javascript:x)", "(", ")", "!", ".", "€", "。", "é", "中", "a", "b", "word", " ", " ", "z\nz", "\u00a0"]
OTHERWISE = re.compile(r"^\s*([-+*>](\s|$)|>|\d+[.)]|```|~~~|#)|~{3}|\\\n|\[[\s\\]*\]\(|[*_~\\]\]\(|\s\n|\n\s|^\s|\s$", re.MULTILINE)
STYLES = {"em": "em", "strong": "strong", "s": "strike"}


def results():
    chance = random.Random(32)
    lines = [text for text in (soup(chance) for _ in range(20_000)) if not OTHERWISE.search(text)]
    blocks = ["\n\n".join(block(chance) for _ in range(chance.randint(1, 4))) for _ in range(3_000)]
    return [
        ("markdown: a random line has the tree that markdown-it has", difference(lines, 5_000)),
        ("markdown: random blocks have the tree that markdown-it has", difference(blocks, 3_000)),
    ]


def soup(chance):
    return "".join(chance.choice(INLINE) for _ in range(chance.randint(1, 20)))


def words(chance):
    return chance.choice(["a *b* c", "words", "`x` **y**", "two\nlines", "**z**"])


def block(chance, quotes=0, lists=0):
    """Returns a block as lines."""
    kinds = ["words", "code"] + ["quote"] * (quotes < 3) + ["list"] * (lists < 2)
    kind = chance.choice(kinds)
    if kind == "quote":
        inner = "\n\n".join(block(chance, quotes + 1, lists) for _ in range(chance.randint(1, 3)))
        return "\n".join(chance.choice(["> ", ">"]) + line if line and line[0] != " " else f"> {line}" for line in inner.split("\n"))
    if kind == "list":
        return items(chance, quotes, lists)
    if kind == "code":
        fence = chance.choice(["```", "````", "~~~"])
        return "\n".join([fence + chance.choice(["", "js", " py more"]), *chance.choices(["x = *1*", "  y", "> z", "- a", ""], k=chance.randint(0, 4)), fence])
    return words(chance)


def items(chance, quotes, lists):
    marker = chance.choice(["-", "*", "+", "1.", "7)", "12."])
    made = []
    for number in range(chance.randint(1, 4)):
        mark = marker if marker in "-*+" else f"{int(marker[:-1]) + number}{marker[-1]}"
        mark += " " * chance.randint(1, 4)
        inner = [words(chance), *(block(chance, quotes, lists + 1) for _ in range(chance.choice([0, 0, 1, 2])))]
        rest = "\n\n".join(inner).split("\n")
        made.append("\n".join([mark + rest[0], *(" " * len(mark) + line if line else "" for line in rest[1:])]))
    return chance.choice(["\n", "\n\n"]).join(made)


def difference(texts, least):
    """Returns the first text that the two read otherwise; nothing if there is none."""
    if len(texts) < least:
        return f"only {len(texts)} texts"
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(texts, file)
        file.flush()
        run = subprocess.run(["node", HERE / "markdown-trees.js", file.name], capture_output=True, text=True, check=True, timeout=60)
    parser = MarkdownIt("zero", {"breaks": True}).enable(RULES)
    parser.validateLink = lambda address: bool(re.match(r"https?://\w", address))
    parser.normalizeLink = lambda address: address
    for text, tree in zip(texts, json.loads(run.stdout), strict=True):
        found, expected = flat(tree), flat(joined(Tree(parser.parse(text)).blocks("")))
        if found != expected:
            return f"{text!r}\n  found    {json.dumps(found, ensure_ascii=False)}\n  expected {json.dumps(expected, ensure_ascii=False)}"
    return None


class Tree:
    """The tokens of markdown-it as a tree like the page's."""

    def __init__(self, tokens):
        self.tokens = iter(tokens)

    def blocks(self, end):
        made = []
        for token in self.tokens:
            if token.type == end:
                break
            if token.type == "inline":
                made.append({"text": Tree(token.children).nodes("")})
            elif token.type == "fence":
                language = (token.info.split() or [None])[0]
                made.append({"code": token.content.removesuffix("\n"), **({"language": language} if language else {})})
            elif token.type == "blockquote_open":
                made.append({"quote": joined(self.blocks("blockquote_close"))})
            elif token.type in ("bullet_list_open", "ordered_list_open"):
                start = {"start": int((token.attrs or {}).get("start", 1))} if token.type[0] == "o" else {}
                made.append({"list": self.items(token.type.replace("open", "close")), **start})
        return made

    def items(self, end):
        made = []
        for token in self.tokens:
            if token.type == end:
                break
            made.append(joined(self.blocks("list_item_close")))
        return made

    def nodes(self, end):
        made = []
        for token in self.tokens:
            if token.type == end:
                break
            if token.type in ("softbreak", "hardbreak"):
                made.append("\n")
            elif token.type == "code_inline":
                made.append({"code": token.content})
            elif token.type == "link_open":
                made.append({"link": token.attrs["href"], "text": self.nodes("link_close")})
            elif token.type.endswith("_open"):
                made.append({STYLES[token.type[:-5]]: self.nodes(token.type[:-5] + "_close")})
            else:
                made.append(token.content)
        return made


def joined(blocks):
    """Returns blocks with one text for paragraphs that follow each other, as the page has them."""
    made = []
    for one in blocks:
        if "text" in one and made and "text" in made[-1]:
            made[-1] = {"text": [*made[-1]["text"], "\n\n", *one["text"]]}
        else:
            made.append(one)
    return made


def flat(tree):
    """Returns a tree with addresses as text, texts beside each other as one, and no line breaks in code within text."""
    if isinstance(tree, dict):
        return {key: value if isinstance(value, (str, int)) else nodes(value) if key in ("text", "em", "strong", "strike") else flat(value) for key, value in tree.items()}
    return [flat(part) for part in tree]


def nodes(tree):
    made = []
    for node in tree:
        plain = node if isinstance(node, str) else node.get("address")
        if plain is None:
            made.append({"code": node["code"].replace("\n", " ")} if "code" in node else flat(node))
        elif made and isinstance(made[-1], str):
            made[-1] += plain
        elif plain:
            made.append(plain)
    return made
