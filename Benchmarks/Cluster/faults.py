"""Faults of several servers on one database, each with a verdict: called by `scripts/cluster FOLDER faults`.

In each run people write on all three servers, to the same rooms; then comes the fault. What holds: every message that was
acknowledged is in the database, once, unless the run is about losing some, and then the epoch is another one; and who is on
a healthy server waits for five seconds at most, from the fault, or from the end of an outage of the database itself.
"""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from talker import Talker

folder = pathlib.Path(sys.argv[1])
wanted = sys.argv[2:]
LONGEST = 5.0
ROOMS = [f"room{number}" for number in range(6)]


class Writer(threading.Thread):
    """Sends one message after the other in a room, each until it is answered, and records the times."""

    def __init__(self, url, room):
        super().__init__(daemon=True)
        self.url, self.room = url, room
        self.answered, self.ids, self.is_over = [], [], False

    def run(self):
        talker, message = None, None
        while not self.is_over:
            try:
                talker = talker or Talker(self.url, f"writer{id(self)}")
                message = message or talker.message(self.room)
                talker.ask("send", **message)
                self.answered.append(time.monotonic())
                self.ids.append(message["id"])
                message = None
            except (SystemExit, OSError):
                talker = None  # the same message again, over another connection
                time.sleep(0.1)

    def longest_wait(self, since):
        times = [since] + [at for at in self.answered if at >= since] + [time.monotonic()]
        return max(after - before for before, after in zip(times, times[1:]))


class Cluster:
    """Three servers, a primary and a standby, and the faults to cause."""

    def __init__(self, name, **environment):
        self.folder = folder / name
        self.environment = {**os.environ, "SERVER_FLAGS": "--send-rate 0 --command-rate 0 --max-per-user 0", **environment}
        self.tell("start")
        self.writers = {}
        for number in 1, 2, 3:
            self.write(number, f"server{number}")

    def tell(self, *words):
        subprocess.run(
            ["scripts/cluster", self.folder, *words], check=True, stdout=subprocess.DEVNULL, env=self.environment)

    def saved(self, name):
        return (self.folder / name).read_text().strip()

    def write(self, key, part):
        """Lets people write over a server or the proxy, from now on."""
        url = "ws://127.0.0.1:" + self.saved(f"{part}.port")
        self.writers[key] = [Writer(url, room) for room in ROOMS]
        for writer in self.writers[key]:
            writer.start()
        self.until(lambda: all(writer.answered for writer in self.writers[key]))

    def all_have_written(self, since):
        return all(writer.answered[-1] > since for writers in self.writers.values() for writer in writers)

    def ask(self, sql, of="primary"):
        words = ["psql", "-h", self.folder / of, "-U", "diffroom", "-d", "postgres", "-X", "-q", "-A", "-t", "-c", sql]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError("it did not come to that")
            time.sleep(0.01)

    def epoch(self, of="primary"):
        return self.ask("SELECT epoch FROM diffroom.store", of)

    def waits(self, since, servers=(1, 2, 3)):
        return max(writer.longest_wait(since) for number in servers for writer in self.writers[number])

    def go_on(self, seconds):
        time.sleep(seconds)

    def stop(self):
        for writers in self.writers.values():
            for writer in writers:
                writer.is_over = True
        self.tell("stop")

    def lost(self, of="primary"):
        """Returns the number of acknowledged messages that the database lacks."""
        ids = [id for writers in self.writers.values() for writer in writers for id in list(writer.ids)]
        listed = ",".join(f"'{id}'" for id in ids)
        path = self.folder / "ids.sql"
        path.write_text(f"SELECT count(DISTINCT command) FROM diffroom.operations WHERE command IN ({listed})")
        words = ["psql", "-h", self.folder / of, "-U", "diffroom", "-d", "postgres", "-X", "-q", "-A", "-t", "-f", path]
        return len(set(ids)) - int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


FAULTS = {}


def fault(function):
    FAULTS[function.__name__.replace("_", "-")] = function
    return function


def verdict(cluster, since, servers=(1, 2, 3), of="primary", same_epoch=None, loses=False):
    waits, lost = cluster.waits(since, servers), cluster.lost(of)
    kept = same_epoch is None or cluster.epoch(of) == same_epoch
    good = waits <= LONGEST and (lost == 0 and kept if not loses else not kept)
    words = f"longest wait {waits:.1f} s, {lost} lost, {'the same epoch' if kept else 'a new epoch'}"
    return good, words


def stop_in_a_transaction(cluster, stop):
    """Calls `stop` until a backend of the stopped server is in the middle of a transaction."""
    left = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND now() - state_change > '0.3 s'"
    for resume in stop():
        time.sleep(0.5)
        if cluster.ask(left) != "0":
            return
        resume()
    raise TimeoutError("no transaction was left open in 40 tries")


@fault
def frozen_server(name):
    """One server is stopped between the two round trips of a batch."""
    cluster = Cluster(name)
    process = int(cluster.saved("server1.pid"))

    def stop():
        for _ in range(40):
            os.kill(process, signal.SIGSTOP)
            yield lambda: os.kill(process, signal.SIGCONT)
            time.sleep(0.05)

    begin = time.monotonic()
    try:
        stop_in_a_transaction(cluster, stop)
        begin = time.monotonic() - 0.5
        cluster.go_on(8)
        return cluster, verdict(cluster, begin, (2, 3))
    finally:
        os.kill(process, signal.SIGCONT)


def relayed(name, sign, healthy=(2, 3)):
    """Connects server 1 to the database over a relay, which from now on loses the bytes that `sign` names."""
    place = folder / name
    relay_folder = folder / f"{name}-relay"
    relay_folder.mkdir(parents=True)
    cluster = Cluster(name)
    relay = subprocess.Popen(
        [sys.executable, pathlib.Path(__file__).parent / "relay.py", relay_folder / ".s.PGSQL.5432",
         place / "primary" / ".s.PGSQL.5432"])
    try:
        cluster.until((relay_folder / ".s.PGSQL.5432").exists)
        cluster.tell("kill", "server", "1")
        cluster.environment["STORE"] = f"postgres:///postgres?user=diffroom&host={relay_folder}"
        cluster.tell("start", "server", "1")
        now = time.monotonic()
        cluster.until(lambda: all(writer.answered[-1] > now + 0.5 for writer in cluster.writers[1]))
        if "proxy" in healthy:
            cluster.write("proxy", "proxy")
        begin = time.monotonic()
        relay.send_signal(sign)
        cluster.go_on(8)
        return cluster, verdict(cluster, begin, healthy)
    finally:
        relay.kill()


@fault
def lost_machine(name):
    """The machine of one server is gone, and nobody tells the database."""
    return relayed(name, signal.SIGUSR2)


@fault
def blackholed_replies(name):
    """The database's answers to one server are lost, but not that server's requests."""
    return relayed(name, signal.SIGUSR1)


@fault
def lost_link(name):
    """One server's link to the database is lost: the proxy moves whoever is on that server to the others."""
    return relayed(name, signal.SIGUSR2, (2, 3, "proxy"))


@fault
def standby_gone(name):
    """The standby ends, and comes back after 12 s."""
    cluster = Cluster(name)
    epoch = cluster.epoch()
    cluster.tell("kill", "standby")
    cluster.go_on(12)
    cluster.tell("start", "standby")
    back = time.monotonic()
    cluster.go_on(8)
    return cluster, verdict(cluster, back, same_epoch=epoch)


@fault
def waits_terminated(name):
    """Without the standby, somebody ends all that wait for it, five times, and the standby is promoted: nothing that was
    acknowledged was the primary's alone."""
    cluster = Cluster(name)
    cluster.tell("kill", "standby")
    for _ in range(5):
        cluster.go_on(1)
        cluster.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    cluster.tell("kill", "primary")
    cluster.tell("start", "standby")
    cluster.tell("promote")
    back = time.monotonic()
    cluster.go_on(10)
    return cluster, verdict(cluster, back, of="standby")


@fault
def lossy_promotion(name):
    """Nobody waits for the standby, which is behind, and is promoted."""
    cluster = Cluster(name)
    epoch = cluster.epoch()
    cluster.ask("ALTER SYSTEM SET synchronous_standby_names = ''")
    cluster.tell("kill", "primary")
    cluster.environment["SYNCHRONOUS"] = "no"
    cluster.tell("start", "primary")
    now = time.monotonic()
    cluster.until(lambda: cluster.all_have_written(now))
    cluster.tell("kill", "standby")
    cluster.go_on(2)
    cluster.tell("kill", "primary")
    cluster.tell("start", "standby")
    cluster.tell("promote")
    back = time.monotonic()
    cluster.go_on(10)
    return cluster, verdict(cluster, back, of="standby", same_epoch=epoch, loses=True)


@fault
def promoted_beside(name):
    """The standby is promoted while the primary runs on, without anybody who confirms its commits."""
    cluster = Cluster(name)
    epoch = cluster.epoch()
    cluster.tell("promote")
    promoted = time.monotonic()
    cluster.until(lambda: cluster.all_have_written(promoted))
    moved = time.monotonic()
    cluster.go_on(8)
    good, words = verdict(cluster, moved, of="standby", same_epoch=epoch)
    return cluster, (good, f"all have moved after {moved - promoted:.1f} s, {words}")


@fault
def old_primary_back(name):
    """The standby is promoted; then the old primary is started again, waits for nobody, and one server is started anew."""
    cluster = Cluster(name)
    epoch = cluster.epoch()
    cluster.tell("kill", "primary")
    cluster.tell("promote")
    back = time.monotonic()
    cluster.until(lambda: cluster.all_have_written(back))
    cluster.environment["SYNCHRONOUS"] = "no"
    cluster.tell("start", "primary")
    cluster.tell("kill", "server", "1")
    cluster.tell("start", "server", "1")
    begin = time.monotonic()
    cluster.go_on(8)
    return cluster, verdict(cluster, begin, of="standby", same_epoch=epoch)


@fault
def cut_link(name):
    """The link to the database is cut, over TCP: `/readyz` says so within 3 s, and what it takes to ask; the database lets go
    of the server within 6 s; and 5 s after the link is back the server is ready."""
    postgres = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    words = ["unshare", "--net", pathlib.Path(__file__).parent / "cut-link", folder / name, os.environ["BUILD"], postgres]
    answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    noticed, gone, back = (int(tenths) / 10 for tenths in answer.split())
    words = f"not ready after {noticed} s, its connections gone after {gone} s, ready {back} s after the link was back"
    return None, (noticed <= 3.5 and gone <= 6 and back <= 5, words)


def main():
    all_good = True
    print("| fault | verdict | |\n|---|---|---|")
    for name in wanted or FAULTS:
        cluster = None
        try:
            cluster, (good, words) = FAULTS[name](name)
        except (TimeoutError, subprocess.CalledProcessError) as error:
            good, words = False, str(error)
        finally:
            if cluster:
                cluster.stop()
            elif (folder / name).exists():
                subprocess.run(["scripts/cluster", folder / name, "stop"], stdout=subprocess.DEVNULL, check=False)
        all_good = all_good and good
        print(f"| {name} | {'right' if good else 'WRONG'} | {words} |", flush=True)
    sys.exit(0 if all_good else 1)


main()
