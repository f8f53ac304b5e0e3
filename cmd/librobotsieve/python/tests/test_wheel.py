"""Tests of the wheel in bin/python as a user installs it: in an empty virtual environment, without a network."""

import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
ASKED = """
import robotsieve
print(robotsieve.binary())
robots = robotsieve.Robots("User-agent: GPTBot\\nDisallow: /private/\\n")
print(robots.match("GPTBot", "https://example.com/private/a"))
"""


class TestWheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        wheels = list((ROOT / "bin" / "python").glob("*.whl"))
        if len(wheels) != 1:
            raise unittest.SkipTest("no wheel in bin/python: make python")
        cls.wheel = wheels[0]
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        made = subprocess.run([sys.executable, "-m", "venv", cls.folder], capture_output=True, text=True)
        if made.returncode:
            raise unittest.SkipTest("no venv: " + made.stdout + made.stderr)
        cls.bin = cls.folder / ("Scripts" if sys.platform == "win32" else "bin")
        install = [cls.bin / "python", "-m", "pip", "install", "-q", "--no-index", cls.wheel]
        subprocess.run(install, check=True)

    def run_in(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_command_audits_the_sample(self):
        readme = (ROOT / "README.md").read_text("utf-8")
        want = re.search(r"\$ make demo\n(.*?)```", readme, re.S)[1]
        sample = ROOT / "testdata" / "sample"
        found = self.run_in(self.bin / "robotsieve", "audit", "--policy", sample / "policy.csv", "--host",
                            "https://lantern.example", "--crawlers", sample / "crawlers.json", "--ip-ranges",
                            sample / "ranges", sample / "access.log.gz")
        self.assertEqual(found, want)

    def test_the_package_finds_the_command(self):
        binary, verdict = self.run_in(self.bin / "python", "-c", ASKED).splitlines()
        self.assertEqual(Path(binary).resolve().parent, self.bin.resolve())
        self.assertEqual(verdict, "Verdict(allowed=False, line=2)")
        version = self.run_in(self.bin / "python", "-c", "import robotsieve; print(robotsieve.version())")
        self.assertIn(version.strip(), self.run_in(binary, "version"))

    def test_without_the_command_the_places_are_named(self):
        asked = "import robotsieve._command as c; c._NAME = 'absent'; c.binary()"
        done = subprocess.run([self.bin / "python", "-c", asked], capture_output=True, text=True, cwd=self.folder)
        self.assertRegex(done.stderr, f"FileNotFoundError: no command absent: not in .*{re.escape(str(self.bin))}")

    def test_the_tag_is_of_the_newest_symbol(self):
        with zipfile.ZipFile(self.wheel) as files:
            libraries = [name for name in files.namelist() if name.endswith(".so")]
            self.assertIn("robotsieve/py.typed", files.namelist())
            for library in libraries:
                needed = max(map(int, re.findall(rb"GLIBC_2\.(\d+)", files.read(library))))
                self.assertIn(f"manylinux_2_{needed}_", self.wheel.name)


if __name__ == "__main__":
    unittest.main()
