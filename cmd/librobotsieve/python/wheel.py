"""Builds the wheel of package robotsieve, with Go, the modules of go.mod and a C compiler.

    python3 wheel.py FOLDER [VERSION]

It is also the backend of pyproject.toml, so that `pip install .` works in this folder.
"""

import base64
import hashlib
import os
import platform
import re
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
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def tag(library: bytes) -> str:
    """Returns the systems that a library runs on: with glibc from the newest version of a symbol that it needs."""
    system = re.sub("universal2$", platform.machine(), sysconfig.get_platform())
    if platform.libc_ver()[0] == "glibc":
        newest = max(int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", library))
        system = system.replace("linux", f"manylinux_2_{newest}")
    return "py3-none-" + re.sub("[-.]", "_", system)


def go(*args: str, cgo: bool = True) -> str:
    """Runs the Go command."""
    environment = {**os.environ, "CGO_ENABLED": "1" if cgo else "0"}
    command = [os.environ.get("GO", "go"), *args]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def built(release: str) -> Tuple[bytes, bytes, bytes]:
    """Returns the library, the command, and the licences of what is in them."""
    build = ["build", "-pgo=cmd/robotsieve/default.pgo", "-trimpath", "-ldflags"]
    package = "github.com/robotsieve/robotsieve/cmd/robotsieve/cli"
    with tempfile.TemporaryDirectory() as made:
        library, program, licences = (Path(made, name) for name in (FILE, PROGRAM, "THIRD_PARTY.txt"))
        go(*build, f"-s -w -X main.release={release}", "-buildmode=c-shared", "-o", str(library), "./cmd/librobotsieve")
        go(*build, f"-s -w -X {package}.release={release}", "-o", str(program), "./cmd/robotsieve", cgo=False)
        system = "/".join(go("env", "GOOS", "GOARCH").split())
        # The command imports all that the library does.
        go("run", "-pgo=off", "./internal/notices", "-o", str(licences), "./cmd/robotsieve", system)
        return library.read_bytes(), program.read_bytes(), licences.read_bytes()


def build_wheel(folder: str, config_settings: object = None, metadata: object = None, release: str = "") -> str:
    """Writes the wheel, and returns its name."""
    number, local = re.match(r"v?(\d+(\.\d+)*)$", release), re.sub("[^a-z0-9]+", ".", release.lower()).strip(".")
    version = number[1] if number else "0.0.0" + ("+" + local if local else "")
    info = f"robotsieve-{version}.dist-info"
    package = [path for path in sorted((HERE / "robotsieve").iterdir()) if path.suffix in (".py", ".typed")]
    files = {f"robotsieve/{path.name}": path.read_bytes() for path in package}
    library, program, licences = built(release or version)
    scripts = f"robotsieve-{version}.data/scripts"
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
            entry = zipfile.ZipInfo(path)  # of 1980, so that the same files make the same wheel
            mode = stat.S_IFREG | (0o755 if path.startswith(scripts) else 0o644)
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def row(file: "tuple[str, bytes]") -> str:
    """Returns the row of a file in the list of all files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(file[1]).digest()).rstrip(b"=").decode()
    return f"{file[0]},sha256={digest},{len(file[1])}\n"


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1], build_wheel(sys.argv[1], release="".join(sys.argv[2:3]))))
