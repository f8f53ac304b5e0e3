"""Compares Spark with the command on the same cores: audits of logs, and verdicts on Parquet files of URLs.

    python3 bench_spark.py FOLDER [ROUNDS]

FOLDER has logs in logs/, their robots.txt, Parquet files with a column url in lists/, and rules.rsv. Spark is the
cluster of the tests. All that does the same work takes turns; times are medians and include neither the start of
Spark nor a first round, in which the memory is measured: the most that the processes of an executor take beside its
Java. CPU is that of all processes. Ratios are medians of the ratios of the rounds.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import robotsieve
from cluster import Cluster
from robotsieve import spark as robots

AGENTS = ["GPTBot", "CCBot"]
TICK = os.sysconf("SC_CLK_TCK")
HOST = "https://bench.example"


def processes():
    """Returns the parent, the CPU seconds and the program of each process below this one."""
    found = {}
    for of in Path("/proc").glob("[0-9]*"):
        try:
            name, rest = (of / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue  # it has ended
        fields = rest.split()
        found[int(of.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICK, name
    return {pid: process for pid, process in found.items() if os.getpid() in ancestors(pid, found)}


def ancestors(pid, found):
    while pid in found:
        pid = found[pid][0]
        yield pid


def share(pid):
    """Returns the proportional set size of a process, in bytes, or 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def own():
    """Returns the CPU time of this process and of the children that have ended."""
    return sum(os.times()[:4])


def cpu():
    return own() + sum(process[1] for process in processes().values())


class Beside(threading.Thread):
    """Watches the memory of the processes that an executor has started: what is shared counts in parts."""

    def __init__(self):
        super().__init__(daemon=True)
        self.most, self.over = 0, threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.1):
            found, of = processes(), {}
            for pid, (_, _, name) in found.items():
                java = [above for above in ancestors(pid, found) if above in found and found[above][2] == "java"]
                if name != "java" and java:
                    of[java[0]] = of.get(java[0], 0) + share(pid)
            self.most = max([self.most, *of.values()])


def measured(function, spent):
    """Returns the wall time and the CPU time of a call."""
    before, start = spent(), time.monotonic()
    function()
    return time.monotonic() - start, spent() - before


def memory(function):
    """Returns the peak of the memory beside an executor's Java during a call."""
    beside = Beside()
    function()
    beside.over.set()
    beside.join()
    return beside.most


def command(*args, to=os.devnull):
    with open(to, "wb") as out:
        subprocess.run([robotsieve.binary(), *map(str, args)], stdout=out, stderr=subprocess.DEVNULL, check=True)


def works(folder, scratch, spark):
    """Returns the ways to do each work, the command's first."""
    logs, lists = sorted((folder / "logs").iterdir()), sorted((folder / "lists").iterdir())
    policy, rules, out = folder / "robots.txt", folder / "rules.rsv", scratch / "out"

    def read():
        return spark.read.parquet(*map(str, lists))

    def write(df):
        df.write.parquet(str(out), mode="overwrite")

    judged = {"rules": rules, "agent": AGENTS, "annotate": "parquet"}
    agents = [f"--agent={agent}" for agent in AGENTS]
    return {
        f"audit of {len(logs)} logs": {
            "command": lambda: command("audit", "--output=json", "--robots", policy, "--host", HOST, *logs),
            "audit": lambda: robots.audit(spark, logs, robots=policy, host=HOST, scratch=scratch),
        },
        f"verdicts on {read().count():,} URLs in {len(lists)} Parquet files": {
            "command": lambda: [command("filter", "--rules", rules, *agents, "--annotate=parquet", of,
                                        to=scratch / of.name) for of in lists],
            "filter": lambda: robots.filter(spark, lists, scratch / "kept", **judged),
            "verdicts": lambda: write(robots.verdicts(read(), "url", rules, AGENTS).drop("url")),
            "verdicts, with URLs": lambda: write(robots.verdicts(read(), "url", rules, AGENTS)),
            "Python that changes nothing": lambda: write(read().mapInArrow(lambda batches: batches, read().schema)),
            "Spark without Python": lambda: write(read()),
        },
    }


def main(folder, rounds):
    scratch = Path(tempfile.mkdtemp(dir=folder))
    cluster = Cluster(scratch)
    try:
        spark = cluster.session()
        print("| | s | CPU | ratio | CPU | MB beside Java |\n|---|--:|--:|--:|--:|--:|")
        for work, ways in works(folder, scratch, spark).items():
            most = {way: memory(function) for way, function in ways.items()}
            found = {way: [] for way in ways}
            for _ in range(rounds):
                for way, function in ways.items():
                    # Spark ends workers that are idle, and the time that they have taken is lost.
                    found[way].append(measured(function, own if way == "command" else cpu))
                    print(way, *(round(x, 1) for x in found[way][-1]), file=sys.stderr)
            for way, of in found.items():
                times = [f"{statistics.median(column):.1f}" for column in zip(*of)]
                ratios = [[mine[k] / its[k] for mine, its in zip(of, found["command"])] for k in (0, 1)]
                print("|", work + ",", way, "|", " | ".join(times), "|",
                      " | ".join(f"{statistics.median(each):.2f}" for each in ratios), "|",
                      round(most[way] / 1e6), "|", flush=True)
        spark.stop()
    finally:
        cluster.stop()
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
