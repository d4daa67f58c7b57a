"""The cost of list types to a program: seconds of -O and bytes of code, for the first type and for each further one.

Compiles programs with no, one, two and three list types against Diffable, and runs the last. Prints CPU time, the least of
some rounds, and bytes of `text` and `data` of the object file.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def cpu_seconds(command):
    """Runs a command and returns the CPU time of it and of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build_library(package, scratch):
    """Builds Diffable for release and returns the folder of the products."""
    command = ["swift", "build", "-c", "release", "--target", "Diffable", "--package-path", package]
    command += ["--scratch-path", scratch]
    subprocess.run(command, check=True, stdout=sys.stderr)
    shown = subprocess.run([*command, "--show-bin-path"], check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(shown.stdout.strip())


def write_program(folder, types):
    """Writes the sources of a program with that many list types."""
    folder.mkdir()
    template = (HERE / "ListType.swift.in").read_text()
    calls = [f"runs.append(run{number}())" for number in range(1, types + 1)]
    files = {
        "main.swift": "\n".join(["var runs: [Int] = []", *calls, "print(runs)", ""]),
        "Screen.swift": (HERE / "Screen.swift").read_text(),
    }
    for number in range(1, types + 1):
        files[f"List{number}.swift"] = template.replace("NUMBER", str(number))
    for name, text in files.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in files]


def size(file):
    """Returns the bytes of code and data of an object file."""
    lines = subprocess.run(["size", file], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    text, data = lines[1].split()[:2]
    return int(text) + int(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", default=HERE.parents[1] / "Sources" / "Diffable", help="the folder of Diffable")
    parser.add_argument("--rounds", type=int, default=3, help="how often each program is compiled")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        products = build_library(arguments.package, work / "library")
        modules = next(folder for folder in (products / "Modules", products) if folder.is_dir())
        seconds, sizes = [], []
        for types in range(4):
            files = write_program(work / f"types{types}", types)
            program = work / f"types{types}.o"
            command = ["swiftc", "-O", "-wmo", "-swift-version", "6", "-module-name", "Program", "-I", str(modules)]
            compile_program = [*command, "-c", *files, "-o", str(program)]
            seconds.append(min(cpu_seconds(compile_program) for _ in range(arguments.rounds)))
            sizes.append(size(program))
        library = sorted(str(file) for file in (products / "Diffable.build").glob("*.o"))
        subprocess.run(["swiftc", str(program), *library, "-o", str(work / "program")], check=True)
        subprocess.run([str(work / "program")], check=True, stdout=subprocess.DEVNULL)
    print(f"{'list types':12}{'seconds of -O':>15}{'bytes':>10}")
    for types in range(4):
        print(f"{types:<12}{seconds[types]:>15.2f}{sizes[types]:>10}")
    for kind, first, last in (("the first", 0, 1), ("each further", 1, 3)):
        share = last - first
        print(f"{kind:12}{(seconds[last] - seconds[first]) / share:>15.2f}{(sizes[last] - sizes[first]) // share:>10}")


if __name__ == "__main__":
    main()
