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

BEGINNING = 20  # of which the first find nothing ready
REST = 0.005  # seconds after which processors and the disk are asleep


def answered(ann):
    """Returns the milliseconds from sending the message until the answer is read; ann is in the room."""
    request = ann.request("send", **ann.message("lobby"))
    start = time.perf_counter()
    ann.socket.sendall(request)
    ann.answer(ann.ref)
    return (time.perf_counter() - start) * 1000


def synchronised(file):
    """Returns the milliseconds to append 4 KiB to a file and synchronise it."""
    os.write(file, bytes(4096))
    start = time.perf_counter()
    os.fdatasync(file)
    return (time.perf_counter() - start) * 1000


def in_turn(ann, file, count):
    """(answers, synchronisations), each after a rest, as a lone sender finds the machine."""
    answers, syncs = [], []
    for _ in range(count + BEGINNING):
        time.sleep(REST)
        answers.append(answered(ann))
        time.sleep(REST)
        syncs.append(synchronised(file))
    return answers[BEGINNING:], syncs[BEGINNING:]


def at_once(ann, file, count, block=20):
    """(answers, synchronisations), one right after the other in blocks of each, as one who sends all the time does."""
    answers, syncs = [], []
    for _ in range(count // block + 1):
        answers += [answered(ann) for _ in range(block)]
        syncs += [synchronised(file) for _ in range(block)]
    return answers[block:], syncs[block:]


def measure(programs, count):
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error",
             "--send-rate", "0", "--command-rate", "0"],
            stdout=subprocess.PIPE, text=True)
        ann = Talker(server.stdout.readline().split()[-1], "ann")
        ann.ask("subscribe", list="room/lobby/messages")
        file = os.open(os.path.join(folder, "probe"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        yield "one after the other", at_once(ann, file, count)
        yield "each after a rest", in_turn(ann, file, count)
        server.terminate()
        server.wait()


def main(programs, count):
    for way, (answers, syncs) in measure(programs, count):
        print(way)
        for name, taken in ("ok to a lone sender", answers), ("fdatasync of 4 KiB, beside it", syncs):
            taken = sorted(taken)
            print(f"    {name:32} median {statistics.median(taken):6.2f} ms   p95 {taken[len(taken) * 95 // 100]:6.2f} ms")
        more = statistics.median(answers) - statistics.median(syncs)
        print(f"    {'the answer takes longer by':32} median {more:6.2f} ms")


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500)
