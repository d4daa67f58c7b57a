"""Writes what the benchmarks printed as tables. usage: report.py MARKDOWN-FILE < OUTPUT

A line `== NAME` begins a benchmark. In the others, two blanks or a colon part what was measured from its values; a line
without either is the heading of the lines below it. Groups that measure the same things become one table."""

import datetime
import os
import platform
import re
import subprocess
import sys
from pathlib import Path


def machine():
    cpu = next(line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    swift = re.search(r"Swift version (\S+)", swift).group(1)
    system = next(line.split('"')[1] for line in Path("/etc/os-release").read_text().splitlines() if line.startswith("PRETTY_NAME="))
    return f"{os.cpu_count()} cores of {cpu}, {system} ({platform.release()}), Swift {swift}"


MOST_COLUMNS = 4  # of groups beside each other; more groups stand below each other


def parsed(lines):
    """Returns the benchmarks: each a name and its groups, of which each is a heading and its rows, a name and values each."""
    benchmarks = []
    for line in lines:
        line = line.strip().replace("|", "\\|")
        if line.startswith("== "):
            benchmarks.append((line[3:], [("", [])]))
        elif match := re.match(r"(.+?)(?::\s|\s{2,})\s*(.+)", line):
            benchmarks[-1][1][-1][1].append((match.group(1), re.split(r"\s{2,}", match.group(2))))
        elif line:
            benchmarks[-1][1].append((line, []))
    return benchmarks


def is_label(value):
    """Returns whether a value has no figure but that of a percentile."""
    return re.fullmatch(r"\D*|p\d+( \D+)?", value)


def cell(values):
    """Returns values as a cell, a ratio first; the ratio of what the others are compared with is left out."""
    *times, last = values
    if len(values) % 2 == 0 and all(map(is_label, values[::2])) and not any(map(is_label, values[1::2])):
        return " · ".join(f"{name} {value}" for name, value in zip(values[::2], values[1::2]))
    if re.match(r"x [\d.]+$", last):
        return " · ".join(times) if float(last[2:]) == 1 else " · ".join([f"**{last[2:]}**", *times])
    return " · ".join(values)


def parts(groups):
    """Yields the groups as tables need them: a line without rows belongs to the rows before it, and a row of words begins a group."""
    made = []
    for heading, rows in groups:
        if not rows and made:
            made[-1][1].append((heading, [""]))
        elif heading or rows:
            made.append((heading, []))
        for name, values in rows:
            before = [values for _, values in made[-1][1]]
            has_columns = len(before) > 1 and all(map(is_label, before[0]))
            if all(map(is_label, values)) or (has_columns and len(values) != len(before[-1])):
                made.append(("", []))
            made[-1][1].append((name, values))
    return [(heading, rows) for heading, rows in made if rows]


def numbered(rows):
    """Returns the rows by name; one of a name that was there has a number."""
    named = {}
    for name, values in rows:
        same = sum(1 for other in named if other == name or re.match(re.escape(name) + r" \(\d+\)$", other))
        named[f"{name} ({same + 1})" if same else name] = values
    return named


def table(header, lines):
    yield ""
    yield f"| {' | '.join(header)} |"
    yield "|---" * len(header) + "|"
    for line in lines:
        yield f"| {' | '.join(line)} |"


def tables(groups):
    """Yields the Markdown of groups: those that follow each other and measure the same first thing are one table."""
    groups = parts(groups)
    while groups:
        same = 1
        while same < len(groups) and groups[same][1] and groups[same][1][0][0] == groups[0][1][0][0]:
            same += 1
        run, groups = groups[:same], groups[same:]
        named = [(heading, numbered(rows)) for heading, rows in run]
        names = list(dict.fromkeys(name for _, rows in named for name in rows))
        if same > MOST_COLUMNS:
            yield from table(["", *names], ([heading] + [cell(rows.get(name, [""])) for name in names] for heading, rows in named))
        elif all(map(is_label, run[0][1][0][1])) and len(run[0][1]) > 1:
            (title, labels), *rest = run[0][1]
            columns = len(rest[0][1])  # a further label in front belongs to the title
            yield from table([", ".join([title, *labels[:-columns]]), *labels[-columns:]], [[name, *values] for name, values in rest])
        else:
            yield from table(["", *(heading for heading, _ in named)], ([name] + [cell(rows.get(name, [""])) for _, rows in named] for name in names))


def main(path):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    with open(path, "w") as file:
        print("# Measured\n", file=file)
        print(f"By `scripts/bench` on {datetime.date.today()}, commit {commit}: {machine()}.", file=file)
        print("Compare ratios of one run: the times move with what else the machine does.", file=file)
        print("[performance.md](performance.md) has the ratios beside peers.\n", file=file)
        print("In cells with several figures, a bold one is a ratio: how many times as fast as the first column or row.", file=file)
        print("Behind it are the least and the median time in milliseconds.", file=file)
        for name, groups in parsed(sys.stdin):
            print(f"\n## scripts/bench {name}", file=file)
            print("\n".join(tables(groups)), file=file)


if __name__ == "__main__":
    main(*sys.argv[1:])
