"""Builds the wheel of package robotsieve, with Go, the modules of go.mod and a C compiler.

    python3 wheel.py FOLDER [VERSION [OS/ARCH]]

For another architecture, CC must be its C compiler; without one the wheel has the command and the Python modules,
but not the library. This is also the backend of pyproject.toml, so that `pip install .` works in this folder.
"""

import base64
import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path
from typing import Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FILE = {"darwin": "librobotsieve.dylib", "win32": "robotsieve.dll"}.get(sys.platform, "librobotsieve.so")
PROGRAM = "robotsieve.exe" if sys.platform == "win32" else "robotsieve"
WHEEL = "Wheel-Version: 1.0\nGenerator: robotsieve\nRoot-Is-Purelib: false\nTag: "
METADATA = """Metadata-Version: 2.1
Name: robotsieve
Version: {}
Summary: robots.txt, compiled: which URLs may a crawler fetch
Project-URL: Repository, https://github.com/robotsieve/robotsieve
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def tag(library: bytes) -> str:
    """Returns the wheel's platform tags; for glibc the version is the newest that a symbol of the library needs."""
    system, machine = sysconfig.get_platform(), platform.machine()
    if os.environ.get("GOARCH"):
        machine = {"amd64": "x86_64", "arm64": "aarch64"}[os.environ["GOARCH"]]
        system = "linux-" + machine
    system = re.sub("universal2$", machine, system)
    if platform.libc_ver()[0] == "glibc":
        newest = max((int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library)), default=17)
        system = system.replace("linux", f"manylinux_2_{newest}")
    return "py3-none-" + re.sub("[-.]", "_", system)


def go(*args: str, cgo: bool = True, here: bool = False) -> str:
    """Runs the Go command, for this machine if here is set."""
    environment = {**os.environ, "CGO_ENABLED": "1" if cgo else "0"}
    if here:
        environment.update(GOOS="", GOARCH="")
    command = [os.environ.get("GO", "go"), *args]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def commit() -> Tuple[str, str]:
    """Returns the hash and the time of the commit that is built, as far as they are known."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return "", ""
    command = ["git", "log", "-1", "--format=%H %cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"]
    log = subprocess.run(command, cwd=ROOT, env={**os.environ, "TZ": "UTC"}, stdout=subprocess.PIPE, text=True)
    digest, _, time = log.stdout.strip().partition(" ")
    return digest, time


def built(release: str) -> Tuple[bytes, bytes, bytes]:
    """Returns the library, empty without a compiler for it, the command, and the licences of their contents."""
    build = ["build", "-pgo=cmd/robotsieve/default.pgo", "-trimpath", "-buildvcs=false", "-ldflags"]
    package = "github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
    about = zip(("version", "commit", "date"), (release, *commit()))
    flags = "-s -w " + " ".join(f"-X {package}.{name}={value}" for name, value in about)
    with tempfile.TemporaryDirectory() as made:
        library, program, licences = (Path(made, name) for name in (FILE, PROGRAM, "THIRD_PARTY.txt"))
        if shutil.which(go("env", "CC").split()[0]):
            go(*build, f"-s -w -X main.release={release}", "-buildmode=c-shared", "-o", str(library), "./cmd/librobotsieve")
        else:
            print(f"wheel: no C compiler {go('env', 'CC').strip()}, so the wheel has no library", file=sys.stderr)
            library.touch()
        go(*build, flags, "-o", str(program), "./cmd/robotsieve", cgo=False)
        system = "/".join(go("env", "GOOS", "GOARCH").split())
        # The command imports everything that the library does.
        go("run", "-pgo=off", "./internal/notices", "-o", str(licences), "./cmd/robotsieve", system, cgo=False, here=True)
        return library.read_bytes(), program.read_bytes(), licences.read_bytes()


def build_wheel(folder: str, config_settings: object = None, metadata: object = None, release: str = "") -> str:
    """Writes the wheel, and returns its name."""
    number, local = re.match(r"v?(\d+(\.\d+)*)$", release), re.sub("[^a-z0-9]+", ".", release.lower()).strip(".")
    version = number[1] if number else "0.0.0" + ("+" + local if local else "")
    info = f"robotsieve-{version}.dist-info"
    package = [path for path in sorted((HERE / "robotsieve").iterdir()) if path.suffix in (".py", ".typed")]
    files = {f"robotsieve/{path.name}": path.read_bytes() for path in package}
    library, program, licences = built(release.removeprefix("v") or version)
    scripts = f"robotsieve-{version}.data/scripts"
    if library:
        files["robotsieve/" + FILE] = library
    files[f"{scripts}/{PROGRAM}"] = program
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/licenses/THIRD_PARTY.txt"] = licences
    files[f"{info}/METADATA"] = METADATA.format(version).encode() + (ROOT / "docs" / "howto" / "python.md").read_bytes()
    files[f"{info}/WHEEL"] = f"{WHEEL}{tag(library)}\n".encode()
    files[f"{info}/RECORD"] = "".join(map(row, files.items())).encode() + f"{info}/RECORD,,\n".encode()
    name = f"robotsieve-{version}-{tag(library)}.whl"
    with zipfile.ZipFile(Path(folder, name), "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # dated 1980, so that the same files give the same wheel
            mode = stat.S_IFREG | (0o755 if path.startswith(scripts) else 0o644)
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def row(file: "tuple[str, bytes]") -> str:
    """Returns a file's row in the list of all files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(file[1]).digest()).rstrip(b"=").decode()
    return f"{file[0]},sha256={digest},{len(file[1])}\n"


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    if len(sys.argv) > 3:
        os.environ["GOOS"], os.environ["GOARCH"] = sys.argv[3].split("/")
    print(Path(sys.argv[1], build_wheel(sys.argv[1], release="".join(sys.argv[2:3]))))
