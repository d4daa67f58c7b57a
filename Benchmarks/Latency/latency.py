"""What a lone sender waits for its `ok`, beside what the disk takes for a synchronisation at the same time.
usage: latency.py FOLDER-OF-PROGRAMS [MESSAGES]"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from talker import Talker


def measure(programs, count):
    """(milliseconds to the answer, milliseconds of an fdatasync of 4 KiB), one after the other in turn."""
    answers, syncs = [], []
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             "--send-rate", "0", "--command-rate", "0"],
            stdout=subprocess.PIPE, text=True)
        ann = Talker(server.stdout.readline().split()[-1], "ann")
        file = os.open(os.path.join(folder, "probe"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        for number in range(count + 20):
            # Each after a rest, as a lone sender finds the machine: right after something else, a disk takes half as long.
            time.sleep(0.005)
            start = time.perf_counter()
            ann.answer(ann.send("lobby"))
            answered = time.perf_counter()
            time.sleep(0.005)
            os.write(file, bytes(4096))
            begun = time.perf_counter()
            os.fdatasync(file)
            end = time.perf_counter()
            if number >= 20:  # the first find nothing ready
                answers.append((answered - start) * 1000)
                syncs.append((end - begun) * 1000)
        server.terminate()
        server.wait()
    return answers, syncs


def main(programs, count):
    answers, syncs = measure(programs, count)
    for name, taken in ("ok to a lone sender", answers), ("fdatasync of 4 KiB, beside it", syncs):
        taken = sorted(taken)
        print(f"{name:32} median {statistics.median(taken):6.2f} ms   p95 {taken[len(taken) * 95 // 100]:6.2f} ms")
    more = statistics.median(a - s for a, s in zip(answers, syncs))
    print(f"{'the answer takes longer by':32} median {more:6.2f} ms")


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500)
