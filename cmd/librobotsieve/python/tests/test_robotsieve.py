"""Tests of the installed package robotsieve: make python-test installs the wheel and runs them."""

import base64
import ctypes
import gzip
import importlib.metadata
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from array import array
from datetime import date, datetime, timezone
from itertools import groupby
from pathlib import Path

import robotsieve
from robotsieve import Archive, Robots, Verdict

ROOT = Path(__file__).resolve().parents[4]
VECTORS = ROOT.parent / "shared" / "vectors"
BODY = """User-agent: GPTBot
Disallow: /private/
Crawl-delay: 2.5
Request-rate: bad
Request-rate: 1/10m 0800-1200
Visit-time: 02:00-06:30
User-agent: *
Disallow: /x*y
Sitemap: https://a.example/s.xml
Host: a.example
"""
SOURCE = """{"host":"a.example","body":"User-agent: GPTBot\\nDisallow: /p\\nUser-agent: CCBot\\nDisallow: /p\\n"}
{"host":"https://b.example","date":"2024-01-01","body":"User-agent: *\\nDisallow: /old\\n"}
{"host":"https://b.example","date":"2025-01-01","body":"User-agent: *\\nDisallow: /new\\n"}
{"host":"https://down.example","status":503}
"""


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def vectors(name):
    path = VECTORS / (name + ".jsonl.gz")
    if not path.exists():
        raise unittest.SkipTest("no vectors beside the checkout")
    with gzip.open(path) as lines:
        yield from map(json.loads, lines)


class TestVectors(unittest.TestCase):
    def judged(self, dialect):
        def key(v):
            return v["robots_b64"], v["agent_b64"]

        n = 0
        for (body, agent), cases in groupby(vectors(dialect), key):
            cases = list(cases)
            robots = Robots(base64.b64decode(body), dialect, max_bytes=0)
            agent = base64.b64decode(agent)
            urls = [base64.b64decode(v["url_b64"]) for v in cases]
            want = [Verdict(v["allowed"], v["line"]) for v in cases]
            self.assertEqual([robots.match(agent, url) for url in urls], want)
            self.assertEqual([robots.allowed(agent, url) for url in urls], [v.allowed for v in want])
            self.assertEqual(robots.allowed_many(agent, urls), [v.allowed for v in want])
            n += len(cases)
        return n

    def test_google(self):
        self.assertEqual(self.judged("google"), 30968)

    def test_rfc9309(self):
        self.assertEqual(self.judged("rfc9309"), 20757)

    def test_original(self):
        self.assertEqual(self.judged("original"), 8845)

    def test_real(self):
        n = 0
        for site in vectors("google-real"):
            robots = Robots(base64.b64decode(site["robots_b64"]), "google", max_bytes=0)
            urls = [url for url, _, _ in site["cases"]]
            self.assertEqual(robots.allowed_many(site["agent"], urls), [allowed for _, allowed, _ in site["cases"]])
            for url, allowed, line in site["cases"]:
                self.assertEqual(robots.match(site["agent"], url), (allowed, line))
            n += len(urls)
        self.assertEqual(n, 111084)


class TestRobots(unittest.TestCase):
    def test_match(self):
        robots = Robots(BODY)
        self.assertEqual(robots.match("GPTBot", "https://a.example/private/1"), Verdict(False, 2))
        self.assertEqual(robots.match(b"gptbot/1.1", b"/private/1"), (False, 2))
        self.assertEqual(robots.match("MyBot", "/x/y").line, 8)
        self.assertIs(robots.allowed("MyBot", "/"), True)
        self.assertEqual(robots.sitemaps, ["https://a.example/s.xml"])
        self.assertEqual(robots.crawl_delay("GPTBot"), 2.5)
        self.assertIsNone(robots.crawl_delay("MyBot"))

    def test_dialects(self):
        body = "User-agent: Googlebot\nUser-agent: MyBot\nDisallow: /%61\n"
        self.assertIs(Robots(body).allowed("Googlebot", "/a"), True)  # it compares bytes
        self.assertIs(Robots(body).allowed("MyBot", "/a"), False)
        self.assertIs(Robots(body, "google").allowed("MyBot", "/a"), True)
        self.assertIs(Robots(body, dialect="original").allowed("a MyBot/2", "/a"), False)
        with self.assertRaisesRegex(ValueError, "unknown dialect"):
            Robots(body, "Google")

    def test_many(self):
        robots = Robots("User-agent: *\nDisallow: /é\nDisallow: /z\n")
        urls = ["/é", "/e", "/z", b"/z", b"/\xc3\xa9", bytearray(b"/z"), "/\ud800", "", "https://ü.example/z"]
        want = [False, True, False, False, False, False, True, True, False]
        self.assertEqual(robots.allowed_many("a", urls), want)
        self.assertEqual(robots.allowed_many("a", iter(urls)), want)
        self.assertEqual(robots.allowed_many("a", tuple(urls)), want)
        self.assertEqual(robots.allowed_many("a", (url for url in urls * 1000)), want * 1000)
        self.assertEqual([robots.allowed("a", url) for url in urls], want)
        self.assertEqual(robots.allowed_many("a", []), [])
        for urls in (["/z", "/z\0a", "/\0z"], ["/z", b"/z\0a", "/\0z"], ["/z\0", "/z", "\0"], ["/z", b"/z", "/\0"]):
            self.assertEqual(robots.allowed_many("a", urls), [False, False, True])

    def test_errors(self):
        robots = Robots(BODY)
        for agent in ("", "Mozilla/5.0 (X11; Linux x86_64)", "GPTBot/1.0 (compatible; bingbot/2.0)"):
            with self.assertRaises(ValueError):
                robots.allowed(agent, "/")
            with self.assertRaises(ValueError):
                robots.allowed_many(agent, ["/"])
            with self.assertRaises(ValueError):
                robots.crawl_delay(agent)
        for wrong in (1, None, ["/", 1]):
            with self.assertRaises(TypeError):
                robots.allowed_many("a", wrong)
            with self.assertRaises(TypeError):
                robots.allowed("a", wrong)
        with self.assertRaises(TypeError):
            robots.allowed_many("a", "https://a.example/")
        with self.assertRaises(TypeError):
            pickle.dumps(robots)

    def test_match_many(self):
        robots = Robots(BODY)
        urls = ["/private/1", b"/x/y", "/", "/private/\0", "/robots.txt"]
        for given in (urls, tuple(urls), iter(urls), (url for url in urls)):
            got = robots.match_many("GPTBot", given)
            self.assertEqual(got, [robots.match("GPTBot", url) for url in urls])
        self.assertEqual(got[0], Verdict(False, 2))
        self.assertEqual(robots.match_many("MyBot", ["/", "/x/y"] * 3000), [(True, 0), (False, 8)] * 3000)
        self.assertEqual(robots.match_many("MyBot", []), [])

    def test_several_agents(self):
        robots = Robots(BODY)
        urls, agents = ["/private/1", b"/x/y", "/x\0y", "/"] * 700, ["GPTBot", b"MyBot"]
        for given in (urls, iter(urls)):
            self.assertEqual(robots.allowed_many(agents, given), {
                agent: [robots.allowed(agent, url) for url in urls] for agent in agents})
        for given in (tuple(agents), iter(agents)):
            self.assertEqual(robots.match_many(given, iter(urls)), {
                agent: [robots.match(agent, url) for url in urls] for agent in agents})
        self.assertEqual(robots.allowed_many([], urls), {})
        self.assertEqual(robots.allowed_many(["a"], []), {"a": []})
        with self.assertRaisesRegex(ValueError, "Mozilla"):
            robots.allowed_many(["GPTBot", "Mozilla/5.0 (X11)"], urls)
        for wrong in (1, None, ["a", 1]):
            with self.assertRaises(TypeError):
                robots.allowed_many(wrong, urls)

    def test_error_names_its_index(self):
        robots = Robots(BODY)
        for many in (robots.allowed_many, robots.match_many):
            for before in (1, 1023, 1024, 5000):
                for wrong in (None, 1, ["/"], array("B", b"/")):
                    for good in ("/", b"/"):
                        urls = [good] * before + [wrong, "/", wrong]
                        with self.assertRaisesRegex(TypeError, rf"^urls\[{before}\]: .*{type(wrong).__name__}"):
                            many(["GPTBot", "a"], iter(urls))

    def test_messages_name_no_flags(self):
        robots = Robots(BODY)
        for agent in ("", "Mozilla/5.0 (X11; Linux x86_64)", "GPTBot/1.0 (compatible; bingbot/2.0)", "curl/8.1"):
            for ask in (lambda: robots.allowed(agent, "/"), lambda: robots.allowed_many(agent, ["/"])):
                with self.assertRaises(ValueError) as failed:
                    ask()
                self.assertNotRegex(str(failed.exception), r"(^|\W)--\w")
                self.assertIn(agent[:9], str(failed.exception))

    def test_second_init(self):
        """A second __init__ frees the first handle, and changes nothing if it fails."""
        from robotsieve import _library

        robots = Robots(BODY)
        first = robots._handle
        with self.assertRaises(ValueError):
            robots.__init__("User-agent: *\nDisallow: /\n", "none")
        self.assertEqual(robots.match("GPTBot", "/private/1"), Verdict(False, 2))
        robots.__init__("User-agent: *\nDisallow: /\n")
        self.assertEqual(robots.match("GPTBot", "/"), Verdict(False, 2))
        self.assertNotEqual(robots._handle, first)
        self.assertEqual(_library.lib.robotsieve_free(first), -1)  # it was freed

    def test_bytes_of_any_kind(self):
        odd = Robots(b"\xff\x00\nUser-agent: *\nDisallow: /\n" + b"\xff" * 1000)
        self.assertIs(odd.allowed("a", b"\x00\xff"), False)
        self.assertIs(Robots(b"").allowed("a", "/"), True)
        long = "User-agent: *\n" + "#\n" * 256_000 + "Disallow: /"
        self.assertEqual([Robots(long).allowed("a", "/"), Robots(long, max_bytes=0).allowed("a", "/")], [True, False])
        for limit in (1 << 63, (1 << 64) + 5, 5 - (1 << 64)):  # more than a number of the library has
            self.assertIs(Robots(long, max_bytes=limit).allowed("a", "/"), False, limit)
        many = Robots("Sitemap: /" + "\nSitemap: /".join(map(str, range(5000)))).sitemaps
        self.assertEqual((len(many), many[-1]), (5000, "/4999"))

    def test_version(self):
        self.assertRegex(robotsieve.version(), r"^\S+$")
        self.assertEqual(robotsieve.__version__, importlib.metadata.version("robotsieve"))
        with self.assertRaisesRegex(AttributeError, "no attribute 'versions'"):
            robotsieve.versions
        self.assertRegex(importlib.metadata.version("robotsieve"), r"^\d+(\.\d+)*(\+[a-z0-9.]+)?$")
        self.assertTrue(Path(robotsieve.__file__).with_name("py.typed").exists())

    def test_threads(self):
        robots, failed = Robots(BODY), []

        def ask():
            for _ in range(200):
                own = Robots(BODY)
                for rules in (robots, own):
                    if rules.allowed_many("GPTBot", ["/private/", "/"] * 50) != [False, True] * 50:
                        failed.append(1)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    @unittest.skipUnless(hasattr(os, "fork"), "no timers of signals here")
    def test_signals(self):
        """Handlers run on a stack of their own: with Python 3.9 those that are set before the library is loaded."""
        for loaded in ["", "robotsieve.version()"][: 1 if sys.version_info < (3, 10) else 2]:
            script = f"""if True:
                import signal, time, robotsieve
                body, came = "User-agent: *\\n" + "Disallow: /*a*b*9\\n" * 300, []
                {loaded}
                signal.signal(signal.SIGPROF, lambda *_: came.append(1))
                signal.setitimer(signal.ITIMER_PROF, 0.0002, 0.0002)
                end = time.monotonic() + 1
                while time.monotonic() < end:
                    robotsieve.Robots(body).allowed("a", "/" + "ab" * 400)
                signal.setitimer(signal.ITIMER_PROF, 0)
                print(len(came) > 9)
            """
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, "True\n"), (loaded, done.stderr))

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fork(self):
        robots = Robots(BODY)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                robots.allowed("a", "/")
            except RuntimeError as failure:
                status = 0 if "spawn" in str(failure) else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        # A process that has not used the package may fork.
        script = "import os, robotsieve\nos.fork()\nos.write(1, b'%r\\n' % robotsieve.Robots('').allowed('a', '/'))\n"
        done = subprocess.run([sys.executable, "-c", script + "import time; time.sleep(1)"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "True\nTrue\n", done.stderr)

    def test_signatures(self):
        """The types of the functions match the header."""
        from robotsieve import _library

        text = (ROOT / "cmd" / "librobotsieve" / "robotsieve.h").read_text()
        header = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        kinds = {"int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t, "char": ctypes.c_char_p}
        declared = {}
        for name, parameters in re.findall(r"\nint64_t (robotsieve_\w+)\((.*?)\);", header, re.S):
            words = [re.sub(r"\bconst\b", "", parameter).split() for parameter in parameters.split(",")]
            declared[name] = tuple(
                ctypes.c_void_p if "*" in word[1] and (word[0] != "char" or word[1] == "*urls") else kinds[word[0]]
                for word in words
            )
        self.assertEqual(declared, _library.SIGNATURES)


class WithArchive(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = ROOT / "bin" / "robotsieve"
        if not program.exists():
            raise unittest.SkipTest("no bin/robotsieve: make build")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.path = cls.folder / "rules.rsv"
        (cls.folder / "source.jsonl").write_text(SOURCE)
        command = [program, "compile", "--versions", "all", "--fields",
                   "host=host,body=body,status=status,date=date", "-o", cls.path, cls.folder / "source.jsonl"]
        subprocess.run(command, check=True, capture_output=True)


class TestArchive(WithArchive):
    urls = ["https://a.example/p", "https://a.example/", "https://c.example/", "p", "https://down.example/",
            "https://b.example/old", "https://b.example/new"]
    newest = [False, True, None, None, False, True, False]

    def test_archive(self):
        archive = Archive(self.path)
        self.assertEqual(archive.allowed_many("GPTBot", self.urls), self.newest)
        self.assertEqual([archive.allowed("GPTBot", url) for url in self.urls], self.newest)
        self.assertEqual(archive.match("GPTBot", self.urls[0]), Verdict(False, 2))
        self.assertEqual(archive.match("GPTBot", self.urls[2]), Verdict(None, 0))
        found = [archive.match("GPTBot", url) for url in self.urls]
        self.assertEqual(archive.match_many("GPTBot", self.urls), found)
        self.assertEqual(archive.match("GPTBot", self.urls[4]), Verdict(False, 0))  # it is unreachable
        self.assertEqual(archive.match_many(["GPTBot", "CCBot"], self.urls, at="2024-06-01")["GPTBot"][5], (False, 2))
        for path in (self.path, self.path.with_name("none")):  # opened again, or not
            try:
                archive.__init__(path)
            except FileNotFoundError:
                pass
            self.assertEqual(archive.allowed_many(["GPTBot", "CCBot"], iter(self.urls)),
                             {"GPTBot": self.newest, "CCBot": self.newest})
            self.assertEqual(pickle.loads(pickle.dumps(archive)).allowed_many("GPTBot", self.urls), self.newest)

    def test_at(self):
        archive = Archive(str(self.path))
        for at in (datetime(2024, 6, 1), datetime(2024, 6, 1, tzinfo=timezone.utc), date(2024, 6, 1), "2024-06-01",
                   "2024-06-01T00:00:00Z", 1717200000, 1717200000.5):
            self.assertEqual(archive.allowed_many("GPTBot", self.urls[5:], at=at), [False, True], at)
            self.assertIs(archive.allowed("GPTBot", self.urls[5], at=at), False)
        self.assertIsNone(archive.allowed("GPTBot", self.urls[5], at=date(2023, 12, 31)))
        self.assertIs(archive.allowed("GPTBot", self.urls[5], at=date(2024, 1, 1)), False)
        with self.assertRaises(ValueError):
            archive.allowed("GPTBot", self.urls[5], at="some day")

    def test_errors(self):
        with self.assertRaises(FileNotFoundError):
            Archive(self.folder / "none.rsv")
        with self.assertRaisesRegex(OSError, "not an archive") as failed:
            Archive(self.folder / "source.jsonl")
        self.assertNotIn("--", str(failed.exception))
        with self.assertRaises(OSError):
            Archive(self.folder)
        with self.assertRaises(ValueError):
            Archive(self.path, "none")
        with self.assertRaisesRegex(OSError, "dialect original"):
            Archive(self.path, "original").allowed("GPTBot", self.urls[0])
        with self.assertRaises(ValueError):
            Archive(self.path).allowed("Mozilla/5.0 (X11)", self.urls[0])

    def test_changed(self):
        path = self.folder / "copy.rsv"
        path.write_bytes(self.path.read_bytes())
        archive = Archive(path)
        self.assertIs(archive.allowed("GPTBot", self.urls[0]), False)
        path.unlink()
        self.assertIs(archive.allowed("GPTBot", self.urls[0]), False)
        path.write_bytes(self.path.read_bytes())
        archive = Archive(path)
        with path.open("r+b") as file:
            file.truncate(100)
        with self.assertRaisesRegex(OSError, "changed while in use"):
            archive.allowed("GPTBot", self.urls[0])

    def test_document(self):
        """The examples in docs/howto/python.md run."""
        text = (ROOT / "docs" / "howto" / "python.md").read_text("utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertEqual(len(blocks), 3)
        for block in blocks[:2]:  # test_recipe runs the third
            exec(block.replace("rules.rsv", str(self.path)), {"body": BODY, "urls": self.urls})

    def test_pickle(self):
        archive = pickle.loads(pickle.dumps(Archive(os.path.relpath(self.path), "google")))
        self.assertIs(archive.allowed("GPTBot", self.urls[0]), False)
        (self.folder / "spawn.py").write_text(f"""
import multiprocessing
from robotsieve import Archive
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.starmap(Archive.allowed, [(Archive({str(self.path)!r}), "GPTBot", {self.urls[0]!r})] * 4))
""")
        done = subprocess.run([sys.executable, self.folder / "spawn.py"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[False, False, False, False]\n", done.stderr)


class TestArrays(WithArchive):
    def test_numpy(self):
        np = installed("numpy")
        if np is None:
            self.skipTest("no numpy")
        robots, archive = Robots(BODY), Archive(self.path)
        urls = ["/private/1", "/", "/x/yé", "/x"]
        want = [True, True, False, True]
        for array in (np.array([url.encode() for url in urls]), np.array(urls), np.array(urls, object)):
            found = robots.allowed_many("MyBot", array)
            self.assertEqual((found.dtype, found.tolist()), (np.dtype(bool), want))
            self.assertEqual(robots.allowed_many("MyBot", array[::-1]).tolist(), want[::-1])
            self.assertEqual(robots.allowed_many("MyBot", array.reshape(2, 2)).tolist(), [want[:2], want[2:]])
            self.assertEqual(robots.allowed_many("MyBot", array[:0]).tolist(), [])
            with self.assertRaisesRegex(TypeError, "not ndarray"):  # its buffer is no text
                robots.allowed("MyBot", array)
            with self.assertRaises(TypeError):
                robots.allowed_many("MyBot", [array])
        found = archive.allowed_many("GPTBot", np.array(TestArchive.urls, "S"))
        self.assertEqual(found.tolist(), [allowed is True for allowed in TestArchive.newest])
        self.assertEqual(robots.allowed_many("GPTBot", np.array([b"/private"], "S100")).tolist(), [True])

    def test_pyarrow(self):
        pa = installed("pyarrow")
        if pa is None:
            self.skipTest("no pyarrow")
        archive = Archive(self.path)
        urls = TestArchive.urls + [None, "https://a.example/é"]
        want = TestArchive.newest + [None, True]
        for kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
            array = pa.array(urls, kind)
            self.assertEqual(archive.allowed_many("GPTBot", array).to_pylist(), want)
            self.assertEqual(archive.allowed_many("GPTBot", array[2:5]).to_pylist(), want[2:5])
            self.assertEqual(archive.allowed_many("GPTBot", array[:0]).to_pylist(), [])
            chunked = archive.allowed_many("GPTBot", pa.chunked_array([array, array[3:]], kind))
            self.assertEqual(chunked.to_pylist(), want + want[3:])
        robots = Robots(BODY)
        self.assertEqual(robots.allowed_many("GPTBot", pa.array(["/private/", None])).to_pylist(), [False, None])
        self.assertEqual(robots.allowed_many("GPTBot", pa.array([], pa.string())).to_pylist(), [])

    def test_recipe(self):
        pa = installed("pyarrow")
        if pa is None or installed("pyarrow.parquet") is None:
            self.skipTest("no pyarrow")
        import pyarrow.parquet as pq

        urls = TestArchive.urls * 1000
        pq.write_table(pa.table({"n": range(len(urls)), "url": urls}), self.folder / "pages.parquet")
        subprocess.run([sys.executable, "-c", recipe("python.md", "pyarrow")], cwd=self.folder, check=True)
        annotated = pq.read_table(self.folder / "annotated.parquet")
        self.assertEqual(annotated.column_names, ["n", "url", "allowed"])
        self.assertEqual(annotated["allowed"].to_pylist(), TestArchive.newest * 1000)


def recipe(page, word):
    """Returns the Python block of a page that contains a word."""
    text = (ROOT / "docs" / "howto" / page).read_text("utf-8")
    return next(block for block in re.findall(r"```python\n(.*?)```", text, re.S) if word in block)


class TestProtego(unittest.TestCase):
    def test_interface(self):
        from robotsieve.protego import Protego, RequestRate, VisitTime
        from datetime import time

        rules = Protego.parse(BODY)
        self.assertIs(rules.can_fetch("https://a.example/private/", "GPTBot"), False)
        self.assertIs(rules.can_fetch("https://a.example/private/", "Mozilla/5.0 (compatible; GPTBot/1.0)"), False)
        self.assertIs(rules.can_fetch("https://a.example/x/y", "Mozilla/5.0 (X11; Linux)"), False)  # by *
        self.assertIs(rules.can_fetch("https://a.example/", ""), True)
        self.assertEqual((rules.crawl_delay("GPTBot"), rules.crawl_delay("MyBot")), (2.5, None))
        self.assertEqual(rules.request_rate("GPTBot"), RequestRate(1, 600, time(8), time(12)))
        self.assertEqual(rules.visit_time("GPTBot"), VisitTime(time(2), time(6, 30)))
        self.assertIsNone(rules.request_rate("MyBot"))
        self.assertEqual(list(rules.sitemaps), ["https://a.example/s.xml"])
        self.assertEqual((rules.preferred_host, Protego.parse("").preferred_host), ("a.example", None))

    def test_beside_protego(self):
        protego = installed("protego")
        if protego is None:
            self.skipTest("no Protego")
        from robotsieve.protego import Protego

        def of(parser, body):
            rules = parser.parse(body)
            agents = ("GPTBot", "MyBot", "OtherBot", "Mozilla/5.0 (X11)")
            return [rules.preferred_host, *rules.sitemaps], [
                (a, rules.crawl_delay(a), tuple(rules.request_rate(a) or ()),
                 [rules.can_fetch("https://a.example" + p, a) for p in ("/", "/private/1", "/x/y", "/x?y", "/%7Ea")])
                for a in agents]

        for body in (BODY, "", "User-agent: OtherBot\nRequest-rate: 3/20s\nRequest-rate: x/1s\nDisallow: /~a\n",
                     "User-agent: *\nRequest-rate: 1/2h 0100-0200\nAllow: /x/y$\nDisallow: /\nHost: h\nHost: i\n",
                     "User-agent: *\nRequest-rate: 1/5s\t0800-1200\n",
                     "User-agent: *\nRequest-rate: 1/5s 0800-1200 UTC\n"):
            self.assertEqual(of(Protego, body), of(protego.Protego, body), body)


class Doc:
    def __init__(self, url):
        self.metadata = {"url": url} if url else {}


class TestFrameworks(WithArchive):
    def test_scrapy(self):
        if installed("scrapy.robotstxt") is None:
            self.skipTest("no Scrapy")
        from scrapy.robotstxt import RobotParser as Base
        from robotsieve.scrapy import RobotParser

        parser = RobotParser.from_crawler(None, BODY.encode())
        self.assertIsInstance(parser, Base)
        self.assertIs(parser.allowed("https://a.example/private/", "GPTBot"), False)
        self.assertIs(parser.allowed(b"https://a.example/", b"Scrapy/2.11 (+https://scrapy.org)"), True)
        self.assertIs(parser.allowed("https://a.example/x/y", "Scrapy/2.11 (+https://scrapy.org)"), False)

    def test_datatrove(self):
        if installed("datatrove.pipeline.filters") is None:
            self.skipTest("no DataTrove")
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        scope = {}
        exec(recipe("scale.md", "RobotsFilter"), scope)
        step = pickle.loads(pickle.dumps(scope["step"]))
        barred = (False, "barred: GPTBot,CCBot")
        self.assertEqual(step.filter_batch([Doc("https://a.example/p"), Doc("https://a.example/x"), Doc(None)]),
                         [barred, True, True])
        self.assertIs(step.filter(Doc("https://c.example/")), True)
        self.assertEqual(step.filter(Doc("https://a.example/p2")), barred)
        pickle.dumps(step)
        self.assertEqual(step.batch_size, 1000)


if __name__ == "__main__":
    unittest.main()
