"""Tests of robotsieve with real pandas, polars, DuckDB, Scrapy and DataTrove: make engines-test runs them."""

import contextlib
import csv
import gzip
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import robotsieve
from robotsieve import Archive, Robots

try:
    import duckdb
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError:
    pa = None

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = ROOT / "testdata" / "sample"
SOURCE = """{"host":"a.example","body":"User-agent: GPTBot\\nDisallow: /p\\nUser-agent: CCBot\\nDisallow: /\\n"}
{"host":"https://b.example","body":"User-agent: *\\nDisallow: /new\\n"}
"""
URLS = ["https://a.example/p", "https://a.example/", "https://c.example/", "https://b.example/new"]
GPTBOT = [False, True, None, False]
N = 500


def compiled(folder):
    (folder / "source.jsonl").write_text(SOURCE)
    command = [robotsieve.binary(), "compile", "-o", folder / "rules.rsv", "--fields", "host=host,body=body",
               folder / "source.jsonl"]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "rules.rsv"


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.rules = compiled(self.folder)


@unittest.skipIf(pa is None, "no pyarrow, numpy, pandas, polars and DuckDB")
class TestArrays(WithFolder):
    def test_columns_of_engines(self):
        archive, urls = Archive(self.rules), URLS * N
        pq.write_table(pa.table({"url": urls}), self.folder / "pages.parquet")
        columns = {
            "pandas": pd.Series(urls),
            "pandas with Arrow": pa.array(pd.Series(urls, dtype="string[pyarrow]")),
            "polars": pl.Series(urls).to_arrow(),
            "DuckDB": duckdb.sql(f"SELECT url FROM '{self.folder}/pages.parquet'").to_arrow_table()["url"],
            "Parquet": pq.read_table(self.folder / "pages.parquet")["url"],
        }
        for name, column in columns.items():
            found = archive.allowed_many("GPTBot", column)
            found = found.to_pylist() if hasattr(found, "to_pylist") else list(found)
            self.assertEqual(found, GPTBOT * N, name)
            for agent, of in archive.allowed_many(["GPTBot", "CCBot", "MyBot"] * 30, column).items():
                self.assertEqual(list(of), list(archive.allowed_many(agent, column)), (name, agent))

    def test_verdicts_of_duckdb_by_a_join(self):
        pages = pa.table({"url": URLS, "n": [1, 2, 4, 8]})
        pages = pages.append_column("allowed", Archive(self.rules).allowed_many("GPTBot", pages["url"]))
        found = duckdb.sql("SELECT allowed, sum(n)::int FROM pages GROUP BY 1 ORDER BY 1 NULLS LAST").fetchall()
        self.assertEqual(found, [(False, 9), (True, 2), (None, 4)])

    def test_queries_of_studies(self):
        """The queries of docs/studies.sql give the figures recorded by the tests of audit's rows."""
        sample, figures = ROOT / "testdata" / "sample", ROOT / "cmd/robotsieve/internal/render/duckdb/testdata"
        audit = [robotsieve.binary(), "audit", "--policy", sample / "policy.csv", "--host", "https://lantern.example",
                 "--crawlers", sample / "crawlers.json", "--ip-ranges", sample / "ranges", sample / "access.log.gz"]
        queries = next((ROOT / "docs").rglob("studies.sql")).read_text("utf-8")
        for name, flags in {"rows.parquet": ["--list", "all", "--output", "parquet"], "report.json": ["--output=json"],
                            "undeclared.parquet": ["--list", "undeclared", "--output", "parquet"]}.items():
            done = subprocess.run([*audit, *flags], capture_output=True, check=True)
            (self.folder / name).write_bytes(done.stdout)
            queries = queries.replace(f"'{name}'", f"'{self.folder / name}'")
        base = duckdb.connect()
        base.execute(queries).fetchall()
        for view in ("study", "directives", "before_after"):
            with open(figures / f"sample.{view}.csv", newline="") as lines:
                want = list(csv.reader(lines))[1:]
            found = base.execute(f"SELECT coalesce(CAST(COLUMNS(*) AS VARCHAR), '') FROM {view}").fetchall()
            self.assertEqual(sorted(map(list, found)), sorted(want), view)

    def test_nothing_is_copied(self):
        """Judging takes less memory than the URLs themselves."""
        path = "/p" * 2000
        robots = Robots("User-agent: *\nDisallow: /p\n")
        kinds = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()]
        for urls in [pa.array([path] * 20_000, kind) for kind in kinds]:
            robots.allowed_many("GPTBot", urls[:10])
            before = peak()
            robots.allowed_many("GPTBot", urls)
            self.assertLess(peak() - before, urls.nbytes // 2, urls.type)
        urls = np.full(20_000, path.encode())
        before = peak()
        self.assertFalse(robots.allowed_many("GPTBot", urls).any())
        self.assertFalse(robots.allowed_many(["GPTBot", "CCBot"], urls)["CCBot"].any())
        self.assertLess(peak() - before, urls.nbytes // 2)


def peak():
    """Returns the peak memory of this process in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


PIPELINE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader, ParquetReader, WarcReader
from datatrove.pipeline.writers import JsonlWriter
from robotsieve.datatrove import RobotsFilter

if __name__ == "__main__":
    kind, folder = sys.argv[1:]
    reader = {"jsonl": JsonlReader, "parquet": ParquetReader, "warc": WarcReader}[kind]
    step = RobotsFilter(folder + "/rules.rsv", ["GPTBot", "CCBot"], exclusion_writer=JsonlWriter(folder + "/dropped"))
    LocalPipelineExecutor([reader(folder + "/" + kind), step, JsonlWriter(folder + "/kept")], tasks=3, workers=2,
                          logging_dir=folder + "/logs").run()
"""


class TestDataTrove(WithFolder):
    barred = {"https://a.example/p": "GPTBot,CCBot", "https://a.example/": "CCBot",
              "https://b.example/new": "GPTBot,CCBot"}

    def run_on(self, kind):
        """Runs a pipeline of several processes, and compares what it keeps, drops and counts."""
        (self.folder / "pipeline.py").write_text(PIPELINE)
        done = subprocess.run([sys.executable, "pipeline.py", kind, self.folder], cwd=self.folder, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, dropped = self.documents("kept"), self.documents("dropped")
        self.assertEqual([doc["metadata"]["url"] for doc in kept], ["https://c.example/"] * 3 * N)
        self.assertEqual(len(dropped), 9 * N)
        for doc in dropped:
            of = doc["metadata"]
            self.assertEqual(of["filter_reason"], "barred: " + self.barred[of["url"]])
        steps = json.loads((self.folder / "logs" / "stats.json").read_text())
        stats = next(step["stats"] for step in steps if "robots.txt" in step["name"])
        counts = {name: of if isinstance(of, int) else of["total"] for name, of in stats.items() if name != "doc_len"}
        want = {"total": 12 * N, "forwarded": 3 * N, "dropped": 9 * N, "unknown": 3 * N,
                "dropped_barred: CCBot": 3 * N, "dropped_barred: GPTBot,CCBot": 6 * N}
        self.assertEqual({name: counts.get(name) for name in want}, want)

    def documents(self, name):
        found = []
        for path in sorted((self.folder / name).glob("*.jsonl.gz")):
            with gzip.open(path, "rt") as lines:
                found += map(json.loads, lines)
        return found

    def setUp(self):
        try:
            import datatrove  # noqa: F401
        except ImportError:
            self.skipTest("no DataTrove")
        super().setUp()
        for kind in ("jsonl", "parquet", "warc"):
            (self.folder / kind).mkdir()

    def test_the_example_for_slurm(self):
        text = (ROOT / "docs" / "howto" / "scale.md").read_text("utf-8")
        example = next(block for block in re.findall(r"```pyspark\n(.*?)```", text, re.S) if "Slurm" in block)
        scope = {}
        made = example.replace("\nSlurmPipelineExecutor(", "\nexecutor = SlurmPipelineExecutor(").replace(".run()", "")
        exec(made.replace('"/shared', f'"{self.folder}'), scope)
        executor = scope["executor"]
        self.assertEqual((executor.tasks, executor.job_name), (1000, "robots"))
        self.assertEqual(executor.get_sbatch_args()["mem-per-cpu"], "2G")

    def test_json_lines(self):
        for i in range(3):
            lines = "".join(json.dumps({"text": "x", "id": str(n), "metadata": {"url": url}}) + "\n"
                            for n, url in enumerate(URLS * N))
            (self.folder / "jsonl" / f"{i}.jsonl").write_text(lines)
        self.run_on("jsonl")

    def test_parquet(self):
        for i in range(3):
            table = pa.table({"text": ["x"] * 4 * N, "id": list(map(str, range(4 * N))), "url": URLS * N})
            pq.write_table(table, self.folder / "parquet" / f"{i}.parquet")
        self.run_on("parquet")

    def test_warc(self):
        try:
            import magic  # noqa: F401, which DataTrove reads WARC with
            from warcio.statusandheaders import StatusAndHeaders
            from warcio.warcwriter import WARCWriter
        except ImportError as missing:
            self.skipTest(f"no WARC: {missing}")
        from io import BytesIO

        for i in range(3):
            with open(self.folder / "warc" / f"{i}.warc.gz", "wb") as out:
                writer = WARCWriter(out, gzip=True)
                for url in URLS * N:
                    status = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
                    named = {"WARC-Identified-Payload-Type": "text/html"}
                    writer.write_record(writer.create_warc_record(
                        url, "response", payload=BytesIO(b"<p>x"), http_headers=status, warc_headers_dict=named))
        self.run_on("warc")


# One request at a time, since Scrapy 2.19 asks no parser about those that wait for the same robots.txt, but one.
SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "spider"
    start_urls = [sys.argv[1] + path for path in ("/", "/private/a", "/x1y", "/open")]

    def parse(self, response):
        yield {"url": response.url}

settings = {"ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": "robotsieve.scrapy.RobotParser", "USER_AGENT": "GPTBot/1.2",
            "CONCURRENT_REQUESTS": 1, "FEEDS": {sys.argv[2]: {"format": "jsonlines"}}, "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False}
process = CrawlerProcess(settings)
process.crawl(Spider)
process.start()
"""


class Site(http.server.BaseHTTPRequestHandler):
    robots = b"User-agent: GPTBot\nDisallow: /private/\nDisallow: /x*y\n\nUser-agent: *\nDisallow: /\n"

    def do_GET(self):
        self.server.asked.append(self.path)
        body = self.robots if self.path == "/robots.txt" else b"<p>x"
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if body is self.robots else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TestScrapy(unittest.TestCase):
    def test_a_spider_obeys(self):
        try:
            import scrapy  # noqa: F401
        except ImportError:
            self.skipTest("no Scrapy")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as server, tempfile.TemporaryDirectory() as folder:
            server.asked = []
            threading.Thread(target=server.serve_forever, daemon=True).start()
            site, out = f"http://127.0.0.1:{server.server_port}", Path(folder, "pages.jsonl")
            spider = [sys.executable, "-c", SPIDER, site, out]
            done = subprocess.run(spider, capture_output=True, text=True, timeout=120)
            server.shutdown()
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(server.asked[0], "/robots.txt")
            self.assertEqual(sorted(server.asked), ["/", "/open", "/robots.txt"])
            pages = [json.loads(line)["url"] for line in out.read_text().splitlines()]
            self.assertEqual(sorted(pages), [site + "/", site + "/open"])


class TestOtherEngines(WithFolder):
    """The examples for Dask and Ray in docs/howto/scale.md, on a local cluster: each log gets a state."""

    def run_on(self, engine, cluster):
        text = (ROOT / "docs" / "howto" / "scale.md").read_text("utf-8")
        blocks = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.S)[::-1])  # the first of each kind
        shutil.copytree(SAMPLE, self.folder, dirs_exist_ok=True)
        lines = gzip.decompress((SAMPLE / "access.log.gz").read_bytes()).splitlines(keepends=True)
        logs = [self.folder / f"{i}.log" for i in range(4)]
        for i, log in enumerate(logs):
            log.write_bytes(b"".join(lines[i::4]))
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = os.path.dirname(robotsieve.binary()) + os.pathsep + before
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        subprocess.run(["sh", "-ec", blocks["sh"]], check=True)
        with cluster() as address:
            scope = {"logs": [log.name for log in logs]}
            exec(re.sub(r'"(scheduler:8786|auto)"', address, blocks[engine]), scope)
        self.assertEqual(scope["failed"], [])
        states = [f"states/{log.name}.state" for log in logs]
        options = ["--policy", "policy.csv", "--host", "https://lantern.example", "--ip-ranges", "ranges"]
        merged, audited = self.report("merge", *states), self.report("audit", *options, *scope["logs"])
        for part in ("totals", "crawlers", "lines"):
            self.assertEqual(merged[part], audited[part])
        self.assertGreater(len(merged["crawlers"]), 3)

    def report(self, *command):
        done = subprocess.run([robotsieve.binary(), *command, "--output", "json"], check=True, capture_output=True)
        return json.loads(done.stdout)

    def test_dask(self):
        try:
            from dask.distributed import LocalCluster, default_client
        except ImportError as missing:
            self.skipTest(f"no Dask: {missing}")

        @contextlib.contextmanager
        def cluster():
            with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made:
                yield repr(made.scheduler_address)
                default_client().close()

        self.run_on("dask", cluster)

    def test_ray(self):
        try:
            import ray
        except ImportError as missing:
            self.skipTest(f"no Ray: {missing}")

        @contextlib.contextmanager
        def cluster():
            yield "num_cpus=2, include_dashboard=False"
            ray.shutdown()

        self.run_on("ray", cluster)


if __name__ == "__main__":
    unittest.main()
