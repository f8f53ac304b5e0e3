"""Builds the wheel of package robotsieve, with Go, the modules of go.mod and a C compiler.

    python3 wheel.py FOLDER [VERSION]

It is also the backend of pyproject.toml, so that `pip install .` works in this folder.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FILE = {"darwin": "librobotsieve.dylib", "win32": "robotsieve.dll"}.get(sys.platform, "librobotsieve.so")
WHEEL = "Wheel-Version: 1.0\nGenerator: robotsieve\nRoot-Is-Purelib: false\nTag: "
METADATA = """Metadata-Version: 2.1
Name: robotsieve
Version: {}
Summary: robots.txt, compiled: which URLs may a crawler fetch
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""


def tag() -> str:
    """Returns the systems on which runs what is built here."""
    system = re.sub("universal2$", platform.machine(), sysconfig.get_platform())
    libc, version = platform.libc_ver()
    if libc == "glibc":
        system = system.replace("linux", "manylinux_" + version)
    return "py3-none-" + re.sub("[-.]", "_", system)


def go(*args: str) -> str:
    """Runs the Go command."""
    environment = {**os.environ, "CGO_ENABLED": "1"}
    command = [os.environ.get("GO", "go"), *args]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def build_wheel(folder: str, config_settings: object = None, metadata: object = None, release: str = "") -> str:
    """Writes the wheel, and returns its name."""
    number, local = re.match(r"v?(\d+(\.\d+)*)$", release), re.sub("[^a-z0-9]+", ".", release.lower()).strip(".")
    version = number[1] if number else "0.0.0" + ("+" + local if local else "")
    info = f"robotsieve-{version}.dist-info"
    package = [path for path in sorted((HERE / "robotsieve").iterdir()) if path.suffix in (".py", ".typed")]
    files = {f"robotsieve/{path.name}": path.read_bytes() for path in package}
    with tempfile.TemporaryDirectory() as made:
        library, licences = Path(made, FILE), Path(made, "THIRD_PARTY.txt")
        set_release = f"-s -w -X main.release={release or version}"
        args = ["-pgo=cmd/robotsieve/default.pgo", "-trimpath", "-ldflags", set_release]
        go("build", *args, "-buildmode=c-shared", "-o", str(library), "./cmd/librobotsieve")
        system = go("env", "GOOS", "GOARCH").split()
        go("run", "-pgo=off", "./internal/notices", "-o", str(licences), "./cmd/librobotsieve", "/".join(system))
        files["robotsieve/" + FILE] = library.read_bytes()
        for text in (ROOT / "LICENSE", licences):
            files[f"{info}/licenses/{text.name}"] = text.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version).encode() + (ROOT / "docs" / "python.md").read_bytes()
    files[f"{info}/WHEEL"] = f"{WHEEL}{tag()}\n".encode()
    files[f"{info}/RECORD"] = "".join(map(row, files.items())).encode() + f"{info}/RECORD,,\n".encode()
    name = f"robotsieve-{version}-{tag()}.whl"
    with zipfile.ZipFile(Path(folder, name), "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980, so that the same files make the same wheel
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def row(file: "tuple[str, bytes]") -> str:
    """Returns the row of a file in the list of all files."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(file[1]).digest()).rstrip(b"=").decode()
    return f"{file[0]},sha256={digest},{len(file[1])}\n"


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[1], build_wheel(sys.argv[1], release="".join(sys.argv[2:3]))))
