"""What the benchmarks printed, as one table. usage: report.py MARKDOWN-FILE < OUTPUT

A line `== NAME` begins a benchmark. In the others, two blanks or a colon part what was measured from its value; a line
without either is a heading."""

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


def rows(lines):
    """Returns Markdown rows (name, value), headings in bold."""
    for line in lines:
        line = line.strip().replace("|", "\\|")
        if line.startswith("== "):
            yield f"**`scripts/bench {line[3:]}`**", ""
        elif match := re.match(r"(.+?)(?::\s|\s{2,})\s*(.+)", line):
            yield match.group(1), re.sub(r"\s{2,}", " · ", match.group(2))
        elif line:
            yield f"*{line}*", ""


def main(path):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    with open(path, "w") as file:
        print("# Measured\n", file=file)
        print(f"By `scripts/bench` on {datetime.date.today()}, commit {commit}: {machine()}.", file=file)
        print("Compare ratios of one run; the rest moves with what else the machine does.\n", file=file)
        print("| Benchmark | Result |\n|---|---|", file=file)
        for what, value in rows(sys.stdin):
            print(f"| {what} | {value} |", file=file)


main(*sys.argv[1:])
