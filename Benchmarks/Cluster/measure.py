"""What several servers on one database give and cost: called by `scripts/cluster FOLDER measure`, which starts them.

Each figure is of one run of diffroom-load, which also verifies what every reader saw; the first run that finds anything
wrong ends the whole with its exit status.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request

folder, programs, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
TICKS = os.sysconf("SC_CLK_TCK")


def saved(name):
    with open(f"{folder}/{name}") as file:
        return file.read().strip()


def url(name):
    return "ws://127.0.0.1:" + saved(f"{name}.port")


def cluster(*words):
    subprocess.run(["scripts/cluster", folder, *words], check=True, stdout=subprocess.DEVNULL)


def begin(urls, *flags, prefix=None):
    """A load under way; every one has rooms of its own, or those of a prefix."""
    begin.count += 1
    words = [f"{programs}/diffroom-load", "--json", "--prefix", prefix or f"run{begin.count}", *map(str, flags), *urls]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


begin.count = 0


def end(load):
    output, _ = load.communicate()
    if load.returncode != 0:
        print(f"not all is right: {' '.join(load.args)}\n{output}", file=sys.stderr)
        sys.exit(load.returncode)
    return json.loads(output)


def metric(server, name):
    with urllib.request.urlopen(url(server).replace("ws:", "http:") + "/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))


def cpu(server):
    """Returns the CPU seconds that it has used since its start."""
    with open(f"/proc/{saved(server + '.pid')}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(server):
    """Megabytes."""
    with open(f"/proc/{saved(server + '.pid')}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def share(server):
    """Measures the CPU for a while, in percent of a core."""
    before, start = cpu(server), time.monotonic()
    time.sleep(seconds)
    return (cpu(server) - before) / (time.monotonic() - start) * 100


def row(what, value):
    print(f"| {what} | {value} |", flush=True)


def throughput(servers):
    flags = ["--rooms", 24, "--publishers", 4, "--subscribers", 1, "--rate", 20_000]
    result = end(begin([url(server) for server in servers], *flags, "--duration", seconds))
    return f"{result['acknowledged'] / result['runSeconds']:,.0f}"


def latency(servers):
    """With an odd number of rooms and two servers, each room's writer is on the one and its reader on the other."""
    flags = ["--rooms", 11, "--publishers", 1, "--subscribers", 1, "--rate", 55]
    seen = end(begin([url(server) for server in servers], *flags, "--duration", seconds))["sendToSeen"]
    return f"p50 {seen['p50'] / 1e3:.1f} ms, p99 {seen['p99'] / 1e3:.1f} ms"


def busy(*loads):
    """Of several loads at once, each of rooms of its own: how many rooms, messages a second, and servers."""
    running = [
        begin([url(server) for server in servers], "--rooms", rooms, "--publishers", 4, "--subscribers", 1,
              "--rate", rate, "--duration", seconds)
        for rooms, rate, servers in loads]
    seen = [end(load)["sendToSeen"] for load in running]
    return f"p50 {max(load['p50'] for load in seen) / 1e3:.1f} ms, p99 {max(load['p99'] for load in seen) / 1e3:.1f} ms"


def cost(rooms, readers, rate):
    """Of readers on the second server, while what they read is written on the first one."""
    cluster("kill", "server", "2")
    cluster("start", "server", "2")
    time.sleep(2)
    before = memory("server2")
    reading = begin(
        [url("server2")], "--rooms", rooms, "--subscribers", readers // rooms, "--publishers", 0, "--rate", 0,
        "--duration", seconds + 5)
    while reading.poll() is None and metric("server2", "diffroom_connections") < readers:
        time.sleep(0.2)
    time.sleep(2)
    prefix = reading.args[reading.args.index("--prefix") + 1]
    writing = begin(
        [url("server1")], "--rooms", rooms, "--subscribers", 0, "--rate", rate, "--publishers", 1,
        "--duration", seconds, prefix=prefix) if rate else None
    used = share("server2")
    after = memory("server2")
    if writing:
        end(writing)
    end(reading)
    return f"{used:.1f} % of a core, {after - before:.0f} MB"


def through_the_proxy():
    load = begin(
        [url("proxy")], "--rooms", 10, "--subscribers", 20, "--rate", 50, "--edits", 20, "--duration", seconds + 5,
        "--expect-restarts")
    for server in "2", "3", "1":
        time.sleep(seconds / 4)
        cluster("kill", "server", server)
        cluster("start", "server", server)
    result = end(load)
    return f"{result['acknowledged']} messages, {result['reconnections']} reconnections, all right"


everybody = ["server1", "server2", "server3"]
print("| | |\n|---|---|")
row("durable messages a second, 1 server", throughput(everybody[:1]))
row("durable messages a second, 3 servers", throughput(everybody))
row("send to seen, both on one server", latency(everybody[:1]))
row("send to seen, from one server to another", latency(everybody[:2]))
for rate in 1_500, 4_000, 20_000:
    row(f"{rate:,} messages a second in 24 rooms, 1 server", busy((24, rate, everybody[:1])))
    row("the same on 3 servers, each room on all of them", busy((24, rate, everybody)))
    row("the same on 3 servers, each room on one of them", busy(*[(8, rate // 3, [server]) for server in everybody]))
row("a second server at rest", cost(1, 1, 0))
row("it has 1,000 rooms with a reader each, where nobody writes", cost(1_000, 1_000, 0))
row("it has 10,000 readers in 100 rooms, where nobody writes", cost(100, 10_000, 0))
row("the same, and 20 messages a second come from the first server", cost(100, 10_000, 20))
row("through the proxy, each server killed once", through_the_proxy())
