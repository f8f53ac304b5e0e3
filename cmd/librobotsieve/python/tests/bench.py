"""Compares the speed of robotsieve, Protego and urllib.robotparser, as far as installed.

    python3 bench.py ROBOTS.jsonl.gz [ROUNDS]

The file has an object on each line: {"robots_b64": …, "agent": …, "cases": [[url, …], …]}. A figure is
the median of the CPU time of some rounds, in each of which all parsers do the same work one after the other.
"""

import base64
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.robotparser

from robotsieve import Robots

try:
    from protego import Protego
except ImportError:
    Protego = None
try:
    import numpy
    import pandas
    import polars
    import pyarrow
except ImportError:
    numpy = None


SOME_URL = "https://example.com/"


# Columns, how they are made of URLs, and how they are given to allowed_many.
ARRAYS = [("pyarrow", lambda urls: pyarrow.array(urls), lambda column: column),
          ("pandas", lambda urls: pandas.Series(urls, dtype="string[pyarrow]"), lambda column: pyarrow.array(column)),
          ("polars", lambda urls: polars.Series(urls), lambda column: column.to_arrow())]


def read_urllib(body):
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(body.splitlines())
    parser.modified()
    return parser


PARSERS = {"robotsieve": (Robots, lambda rules: rules.allowed)}
if Protego:
    PARSERS["Protego"] = (Protego.parse, lambda rules: lambda agent, url: rules.can_fetch(url, agent))
PARSERS["urllib.robotparser"] = (read_urllib, lambda rules: rules.can_fetch)


def read(path):
    """Returns bodies, agents and URLs."""
    with gzip.open(path) as lines:
        for line in lines:
            site = json.loads(line)
            body = base64.b64decode(site["robots_b64"]).decode("utf-8", "replace")
            yield body, site["agent"], [case[0] for case in site["cases"]]


def one_by_one(name, sites):
    make, ask = PARSERS[name]
    parsed = [(ask(make(body)), agent, urls) for body, agent, urls in sites]
    for may, agent, urls in parsed:
        may(agent, SOME_URL)  # what is made at the first question
    start = time.process_time()
    for may, agent, urls in parsed:
        for url in urls:
            may(agent, url)
    return time.process_time() - start


def in_batches(sites, made=list, given=lambda urls: urls):
    parsed = [(Robots(body), agent, made(urls)) for body, agent, urls in sites]
    for rules, agent, urls in parsed:
        rules.allowed(agent, SOME_URL)
    start = time.process_time()
    for rules, agent, urls in parsed:
        rules.allowed_many(agent, given(urls))
    return time.process_time() - start


def parsing(name, sites):
    make, ask = PARSERS[name]
    start = time.process_time()
    for body, agent, urls in sites:
        ask(make(body))(agent, urls[0])
    return time.process_time() - start


def memory(name, sites, n=10_000):
    """Prints the memory of n parsed bodies, in MB."""
    make, ask = PARSERS[name]
    kept, before = [], resident()
    for i in range(n):
        body, agent, urls = sites[i % len(sites)]
        kept.append(make(body))
        ask(kept[-1])(agent, urls[0])
    print((resident() - before) // 1_000_000)


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(path, rounds):
    sites = list(read(path))
    urls, size = sum(len(site[2]) for site in sites), sum(len(site[0]) for site in sites)
    measures = {}
    for name in PARSERS:
        measures["one URL", name] = lambda name=name: one_by_one(name, sites) / urls * 1e9
    measures["URLs of a site in a list", "robotsieve"] = lambda: in_batches(sites) / urls * 1e9
    if numpy:
        arrays = lambda urls: numpy.array([url.encode() for url in urls])  # noqa: E731
        measures["URLs of a site in an array of numpy", "robotsieve"] = lambda: in_batches(sites, arrays) / urls * 1e9
    longest = [max(sites, key=lambda site: len(site[2]))[:2] + ([url for site in sites for url in site[2]],)]
    measures["all URLs in one list, by one robots.txt", "robotsieve"] = lambda: in_batches(longest) / urls * 1e9
    for name, made, given in ARRAYS if numpy else ():
        measures[f"the same in a column of {name}", "robotsieve"] = \
            lambda made=made, given=given: in_batches(longest, made, given) / urls * 1e9
    for name in PARSERS:
        measures["parse, and answer once, MB/s", name] = lambda name=name: size / parsing(name, sites) / 1e6
    found = {of: [] for of in measures}
    for _ in range(rounds):
        for of, measure in measures.items():
            found[of].append(measure())
    for name in PARSERS:
        out = subprocess.run([sys.executable, __file__, path, name], capture_output=True, text=True, check=True).stdout
        found["memory of 10,000, MB", name] = [float(out)]
    print(f"{len(sites):,} robots.txt, {urls:,} URLs; ns a URL unless it says other\n")
    print("| |", " | ".join(PARSERS), "|\n|---|" + "--:|" * len(PARSERS))
    for row in dict.fromkeys(row for row, _ in found):
        values = [statistics.median(found[row, name]) if (row, name) in found else None for name in PARSERS]
        print("|", row, "|", " | ".join("–" if v is None else f"{v:,.{1 if v < 10 else 0}f}" for v in values), "|")


if __name__ == "__main__":
    if sys.argv[-1] in PARSERS:
        memory(sys.argv[2], list(read(sys.argv[1])))
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5)
