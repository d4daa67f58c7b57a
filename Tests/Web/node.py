"""diffroom.js in Node: the same tests as in a browser, and a conversation with a real server."""

import json
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import markdown
from front import ROOT
from server import Server

SECONDS = 120


def results(options):
    with tempfile.TemporaryDirectory(prefix="diffroom-node-") as folder:
        server = Server(options.diffroomd, "--files", f"{folder}/files") if options.diffroomd else None
        try:
            lay_out(Path(folder))
            if server and not options.files:
                lay_out_bundled(Path(folder), server)
            command = ["node", f"{folder}/tests/node.js", *([f"ws://127.0.0.1:{server.port}"] if server else [])]
            run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        finally:
            if server:
                server.stop()
    if run.returncode:
        return [("node: the library can be loaded", run.stderr)]
    return [(f"node: {result['sentence']}", result.get("failure")) for result in json.loads(run.stdout)] + markdown.results()


def lay_out(folder):
    """Lays the files out as the front serves them: the library, its tests and what else these need, the vectors."""
    for name in ("addresses.js", "blocks.js", "diffroom.js", "drafts.js", "drawnrange.js", "emojinames.js", "emojis.json", "files.js", "kinds.js", "laterrows.js", "latertimes.js", "markdown.js", "markdowntext.js", "marking.js", "memberpages.js", "pinorder.js", "pins.js", "polls.js", "shareddrafts.js", "storage.js", "tray.js", "package.json"):
        shutil.copy(ROOT / "Web" / name, folder)
    shutil.copytree(ROOT / "Web/diffroom", folder / "diffroom")
    shutil.copytree(ROOT / "docs/protocol/vectors", folder / "vectors")
    (folder / "tests").mkdir()
    for file in (ROOT / "Tests/Web").glob("*.js"):
        shutil.copy(file, folder / "tests")


def lay_out_bundled(folder, server):
    """Puts the library as a server has it, in one file, in the place of its modules."""
    shutil.rmtree(folder / "diffroom")
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/diffroom.js") as answer:
        (folder / "diffroom.js").write_bytes(answer.read())
