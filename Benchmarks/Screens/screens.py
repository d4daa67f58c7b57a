"""From one person's keyboard to another's screen: two `diffroom --plain` and a server, all real, and what the disk's own
synchronisation costs at the same time. usage: screens.py FOLDER-OF-PROGRAMS [MESSAGES]"""

import os
import statistics
import subprocess
import sys
import tempfile
import time


def fdatasync(folder, times=200):
    """Milliseconds to append 4 KiB and wait for the disk, each time."""
    taken = []
    file = os.open(os.path.join(folder, "probe"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for _ in range(times):
        os.write(file, bytes(4096))
        start = time.perf_counter()
        os.fdatasync(file)
        taken.append((time.perf_counter() - start) * 1000)
    os.close(file)
    return taken


def tell(name, taken):
    taken = sorted(taken)
    print(f"{name:32} median {statistics.median(taken):6.2f} ms   p95 {taken[len(taken) * 95 // 100]:6.2f} ms")


def main(programs, count):
    with tempfile.TemporaryDirectory(dir=".build") as folder:
        server = subprocess.Popen(
            [f"{programs}/diffroomd", "--listen", "127.0.0.1:0", "--data", f"{folder}/rooms.db", "--log-level", "error"],
            stdout=subprocess.PIPE, text=True)
        url = server.stdout.readline().split()[-1]
        people = {
            user: subprocess.Popen(
                [f"{programs}/diffroom", url, "--room", "lobby", "--user", user, "--plain"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1)
            for user in ("ann", "bob")
        }
        for person in people.values():
            person.stderr.readline()  # "connected"
        taken = []
        for number in range(count):
            start = time.perf_counter()
            print(f"message {number}.", file=people["ann"].stdin)
            while f"message {number}." not in people["bob"].stdout.readline():
                pass
            taken.append((time.perf_counter() - start) * 1000)
            time.sleep(0.02)  # nobody types faster
        for person in people.values():
            person.stdin.close()
            person.wait()
        server.terminate()
        server.wait()
        tell("keyboard to the other's screen", taken)
        tell("fdatasync of 4 KiB, beside it", fdatasync(folder))


main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
