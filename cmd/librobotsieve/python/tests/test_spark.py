"""Tests of robotsieve.spark on a cluster of processes, one of which is killed: make engines-test runs them."""

import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import robotsieve

try:
    import pyspark
    from cluster import Cluster
    from robotsieve import spark as robots
except ImportError:
    pyspark = None

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = ROOT / "testdata" / "sample"
OPTIONS = {"policy": SAMPLE / "policy.csv", "host": "https://lantern.example",
           "crawlers": SAMPLE / "crawlers.json", "ip_ranges": [SAMPLE / "ranges"]}
URLS = ["https://a.example/p", "https://a.example/", "https://c.example/", None, "https://b.example/new"]
SOURCE = """{"host":"a.example","body":"User-agent: GPTBot\\nDisallow: /p\\nUser-agent: CCBot\\nDisallow: /\\n"}
{"host":"https://b.example","body":"User-agent: *\\nDisallow: /new\\n"}
"""


def command(*args):
    done = subprocess.run([robotsieve.binary(), *map(str, args)], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise AssertionError(done.stderr)
    return done.stdout


def without_command(report):
    """Returns the text of a report without the line of its command."""
    report = report if isinstance(report, dict) else json.loads(report)
    return json.dumps({**report, "command": ""}, indent=1)


class Meanwhile(threading.Thread):
    """Runs a function as soon as a condition holds."""

    def __init__(self, holds, act):
        super().__init__(daemon=True)
        self.holds, self.act, self.seen, self.over = holds, act, None, False
        self.start()

    def run(self):
        while not self.over:
            self.seen = self.holds()
            if self.seen:
                self.act()
                return
            time.sleep(0.005)


@unittest.skipIf(pyspark is None, "no pyspark")
@unittest.skipIf(shutil.which("java") is None, "no Java")
class TestSpark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.logs = cls.divided(70)
        cls.flags = ["--policy", OPTIONS["policy"], "--host", OPTIONS["host"], "--crawlers", OPTIONS["crawlers"],
                     "--ip-ranges", SAMPLE / "ranges"]
        cls.rules = cls.folder / "rules.rsv"
        (cls.folder / "source.jsonl").write_text(SOURCE)
        command("compile", "-o", cls.rules, "--fields", "host=host,body=body", cls.folder / "source.jsonl")
        cls.cluster = Cluster(cls.folder)
        cls.addClassCleanup(cls.cluster.stop)
        cls.spark = cls.cluster.session()
        cls.addClassCleanup(cls.spark.stop)

    @classmethod
    def divided(cls, n):
        """Splits the sample into files."""
        lines = gzip.decompress((SAMPLE / "access.log.gz").read_bytes()).splitlines(keepends=True)
        each = -(-len(lines) // n)
        logs = [cls.folder / f"{i:03}.log" for i in range(n)]
        for i, log in enumerate(logs):
            log.write_bytes(b"".join(lines[i * each:(i + 1) * each]))
        return logs

    def scratch(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def test_audit_while_a_worker_is_killed(self):
        scratch, pages = self.scratch(), [self.folder / "spark.html", self.folder / "command.html"]
        killer = Meanwhile(lambda: len(list(scratch.glob("*/*.state"))), self.cluster.kill_worker)
        report = robots.audit(self.spark, self.logs, scratch=str(scratch), html=pages[0], **OPTIONS)
        killer.over = True
        killer.join()
        self.assertTrue(0 < killer.seen < len(self.logs), killer.seen)
        want = command("audit", "--output", "json", "--html", pages[1], *self.flags, *self.logs)
        self.assertEqual(without_command(report), without_command(want))
        self.assertIs(report["partial"], False)
        self.assertEqual(*map(self.without_command, pages))
        self.assertEqual(list(scratch.iterdir()), [])

    @staticmethod
    def without_command(page):
        """Returns a page without the lines that name its command."""
        lines = page.read_text().splitlines()
        return [line for line in lines if not re.search("robotsieve (audit|merge) --output", line)]

    def test_verdicts_while_a_worker_is_killed(self):
        lists, out = self.folder / "lists.parquet", self.folder / "judged.parquet"
        urls = [url and f"{url}?{i}" for i in range(8000) for url in URLS]
        rows = list(enumerate(urls))
        self.spark.createDataFrame(rows, "n long, url string").repartition(60, "n").write.parquet(str(lists))
        pages = self.spark.read.option("maxPartitionBytes", "1").parquet(str(lists)).repartition(60, "n")
        killer = Meanwhile(lambda: len(list(out.glob("_temporary/0/task_*"))), self.cluster.kill_worker)
        robots.verdicts(pages, "url", self.rules, ["GPTBot", "CCBot"]).write.parquet(str(out))
        killer.over = True
        killer.join()
        self.assertTrue(0 < killer.seen < 60, killer.seen)
        found = sorted(map(tuple, self.spark.read.parquet(str(out)).collect()))
        self.assertEqual(len(found), len(rows))
        (self.folder / "urls.txt").write_text("".join(f"{url or 'null'}\n" for url in urls))
        means = {"allowed": True, "disallowed": False}
        for column, agent in ((2, "GPTBot"), (3, "CCBot")):
            judged = command("filter", "--rules", self.rules, "--agent", agent, "--annotate", "tsv",
                             self.folder / "urls.txt").splitlines()
            self.assertEqual(len(judged), len(rows))
            want = [(n, url, means.get(line.split("\t")[0])) for (n, url), line in zip(rows, judged)]
            self.assertEqual([(row[0], row[1], row[column]) for row in found], want)

    def test_filter_while_a_worker_is_killed(self):
        lists, out = [self.folder / f"{i}.txt" for i in range(60)], self.folder / "filtered"
        for i, name in enumerate(lists):
            name.write_text("".join(f"{url}?{n}\n" for n in range(2000 + i) for url in filter(None, URLS)))
        options = {"rules": self.rules, "agent": ["GPTBot", "CCBot"], "annotate": "tsv"}
        killer = Meanwhile(lambda: len(list(out.glob("*.tsv"))), self.cluster.kill_worker)
        files = robots.filter(self.spark, lists, out, **options)
        killer.over = True
        killer.join()
        self.assertTrue(0 < killer.seen < len(lists), killer.seen)
        self.assertEqual(sorted(map(str, out.iterdir())), files)
        for of, file in zip(lists, files):
            want = command("filter", "--rules", self.rules, "--agent=GPTBot", "--agent=CCBot", "--annotate=tsv", of)
            self.assertEqual(Path(file).read_text(), want)
        cut = self.folder / "cut.txt.gz"
        cut.write_bytes(gzip.compress(lists[0].read_bytes())[:-20])
        with self.assertRaisesRegex(RuntimeError, "cut.txt.gz"):
            robots.filter(self.spark, [cut], self.folder / "none", **options)
        self.assertEqual(list((self.folder / "none").iterdir()), [])

    def test_a_lost_log_is_named(self):
        lost, cut = self.folder / "lost.log", self.folder / "cut.log.gz"
        cut.write_bytes(gzip.compress(self.logs[2].read_bytes())[:-500])
        logs = [self.logs[0], lost, self.logs[1], cut]
        with self.assertLogs("robotsieve.spark", "WARNING") as said:
            report = robots.audit(self.spark, logs, scratch=os.path.relpath(self.scratch()), **OPTIONS)
        self.assertIs(report["partial"], True)
        self.assertIn(str(lost), "\n".join(said.output))
        self.assertIn(str(cut), "\n".join(said.output))
        want = json.loads(command("audit", "--output", "json", *self.flags, *logs))
        for each in (report, want):  # the command lists last what it could not open
            each["inputs"].sort(key=lambda log: log["name"])
        self.assertEqual(without_command(report), without_command(want))

    def test_a_task_that_runs_again_changes_nothing(self):
        spark = self.cluster.session(**{"spark.speculation": "true"})
        scratch = self.scratch()
        part = robots._Part(str(scratch / "0.state"), [str(self.logs[0])], ["audit", "--quiet", "--workers=1"], ".")
        twice = spark.sparkContext.parallelize([part, part], 2).map(robots._make).collect()
        self.assertEqual([made.status for made in twice], [0, 0])
        first = (scratch / "0.state").read_bytes()
        robots._make(part)
        self.assertEqual((scratch / "0.state").read_bytes(), first)
        self.assertEqual([path.name for path in scratch.iterdir()], ["0.state"])

    def test_the_example_of_the_docs(self):
        shared, before = self.scratch(), os.getcwd()
        shutil.copytree(SAMPLE, shared, dirs_exist_ok=True)
        shutil.copy(self.rules, shared)
        (shared / "tmp").mkdir()
        self.spark.createDataFrame([(url,) for url in URLS], "url string").write.parquet(str(shared / "pages"))
        text = (ROOT / "docs" / "howto" / "scale.md").read_text("utf-8")
        example = next(block for block in re.findall(r"```pyspark\n(.*?)```", text, re.S) if "verdicts" in block)
        os.chdir(shared)
        self.addCleanup(os.chdir, before)
        scope = {"spark": self.spark, "logs": self.logs[:2]}
        exec(example.replace('"/shared', f'"{shared}'), scope)
        self.assertEqual([log["name"] for log in scope["report"]["inputs"]], list(map(str, self.logs[:2])))
        self.assertIn("<html", (shared / "report.html").read_text())
        kept = self.spark.read.parquet(str(shared / "kept")).select("url", "allowed_GPTBot", "allowed_CCBot").collect()
        self.assertEqual(list(map(tuple, kept)), [("https://a.example/", True, False)])

    def test_what_is_refused(self):
        for name in ("rows", "list", "evidence", "fail_on"):
            with self.assertRaisesRegex(ValueError, f"no {name} on Spark: .+"):
                robots.audit(self.spark, self.logs, **{name: "x"})
        for wrong in ([], "access.log"):
            with self.assertRaises(ValueError):
                robots.audit(self.spark, wrong, **OPTIONS)
        with self.assertRaisesRegex(RuntimeError, "absent.csv"):
            robots.audit(self.spark, self.logs[:2], policy=self.folder / "absent.csv")
        with self.assertRaisesRegex(ValueError, "unknown flag: --polcy"):
            robots.audit(self.spark, self.logs[:2], polcy="x")
        pages = self.spark.createDataFrame([("https://a.example/",)], "url string")
        with self.assertRaisesRegex(ValueError, "allowed_GPTBot"):
            robots.verdicts(pages, "url", self.rules, ["GPTBot", "GPTBot"])
        with self.assertRaisesRegex(ValueError, "no column 'link'"):
            robots.verdicts(pages, "link", self.rules, ["GPTBot"])
        with self.assertRaisesRegex(Exception, "absent.rsv"):
            robots.verdicts(pages, "url", self.folder / "absent.rsv", ["GPTBot"]).collect()


if __name__ == "__main__":
    unittest.main()
