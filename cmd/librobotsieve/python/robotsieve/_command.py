"""Locates and runs the robotsieve command that the wheel installs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Iterator, List, NamedTuple, Optional, Sequence, Union

_NAME = "robotsieve.exe" if sys.platform == "win32" else "robotsieve"


class Result(NamedTuple):
    """The result of a command."""

    status: int
    output: str
    messages: str


def binary() -> str:
    """Returns the path of the robotsieve command that was installed with this package.

    If there is none, as in a copy of the folder, it is the first on PATH.
    """
    for folder in _folders():
        path = os.path.join(folder, _NAME)
        if os.path.isfile(path):
            return path
    found = shutil.which(_NAME)
    if found is None:
        raise FileNotFoundError(f"no command {_NAME}: not in {', '.join(_folders())}, nor on PATH")
    return found


def _folders() -> List[str]:
    """Returns the folders where pip may have installed the command."""
    package = os.path.dirname(os.path.abspath(__file__))
    scheme = sysconfig.get_preferred_scheme("user") if sys.version_info >= (3, 10) else os.name + "_user"
    return [
        os.path.join(os.path.dirname(package), "bin"),  # pip install --target
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=scheme),
    ]


def run(*args: str, folder: Optional[str] = None, output: Optional[str] = None) -> Result:
    """Runs the command to its end, in the given folder if it exists here. Its output may go to a file."""
    with open(output or os.devnull, "wb") as file:
        done = subprocess.run([binary(), *args], cwd=folder if folder and os.path.isdir(folder) else None,
                              stdin=subprocess.DEVNULL, stdout=file if output else subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    return Result(done.returncode, done.stdout or "", done.stderr)


Option = Union[None, bool, int, float, str, "os.PathLike[str]"]


def flags(**options: Union[Option, Sequence[Option]]) -> List[str]:
    """Converts options to flags: host=["a", "b"] to --host=a --host=b, True to --name; omits None and False."""
    return [flag for name, value in options.items() for flag in _flag("--" + name.replace("_", "-"), value)]


def _flag(name: str, value: Union[Option, Sequence[Option]]) -> Iterator[str]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _flag(name, each)
    elif value is True:
        yield name
    elif value is not None and value is not False:
        yield f"{name}={os.fspath(value) if isinstance(value, os.PathLike) else value}"
