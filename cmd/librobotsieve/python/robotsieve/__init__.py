"""robots.txt, compiled: which URLs may a crawler fetch, a million a second.

    >>> robots = robotsieve.Robots("User-agent: GPTBot\\nDisallow: /private/\\n")
    >>> robots.match("GPTBot", "https://example.com/private/a")
    Verdict(allowed=False, line=2)

Robots is one robots.txt, whatever the host of the URLs. Archive has those of many sites, in the versions
that `robotsieve compile` has collected. Texts are str, in UTF-8, or bytes. An agent is what --agent of the
command takes: a known crawler, which is judged by its own product tokens and dialect; any other product
token, by RFC 9309; or a whole User-Agent header. With a dialect a Robots takes it for the token itself.

Any number of threads may use an object, and calls run outside of the GIL. After os.fork() a child cannot
use the package if the parent has: start processes with spawn or forkserver.

ValueError is raised for an unknown dialect and an agent that names no crawler or several, OSError for an
archive that cannot be read, is damaged or was changed while in use.
"""

from __future__ import annotations

import os
import re
import sys
from array import array
from ctypes import create_string_buffer
from datetime import date, datetime, timezone
from itertools import accumulate, islice
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, Union

from . import _arrays, _library
from ._command import binary
from ._library import MEANS

__all__ = ["Archive", "Robots", "Verdict", "binary", "version"]

Text = Union[str, bytes]
Agents = Union[Text, Iterable[Text]]
Instant = Union[None, int, float, str, date]

_NEWEST = _NO_DELAY = (1 << 63) - 1
# How many URLs are judged at a time: so few that their buffers are used again, and stay in the cache.
_BLOCK = 1024


class Verdict(NamedTuple):
    """What the rules say of a URL."""

    allowed: Optional[bool]
    """None where an archive does not know: it lacks the robots.txt of the origin, or the URL is none."""
    line: int
    """The line of the rule that decided, from 1; 0 if none did."""


def version() -> str:
    """Returns the version of the library."""
    return _text("robotsieve_version").decode()


def __getattr__(name: str) -> str:
    """Returns __version__, that of the package as it is installed, without loading the library."""
    from importlib import metadata

    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return metadata.version(__name__)
    except metadata.PackageNotFoundError:  # a copy of the folder
        return version()


def _encoded(text: Text) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "surrogatepass")
    if not isinstance(text, (bytes, bytearray, memoryview)):  # an array has a buffer too, but is no text
        raise TypeError(f"a text is str or bytes, not {type(text).__name__}")
    return bytes(text)


def _call(name: str, *args: Any) -> int:
    result = getattr(_library.lib or _library.loaded(), name)(*args)
    if result < 0:
        _library.fail(result)
    return result


def _text(name: str, *args: Any) -> bytes:
    """Calls a function that writes a text."""
    buffer = create_string_buffer(_call(name, *args, None, 0) + 1)
    _call(name, *args, buffer, len(buffer))
    return buffer.raw[:-1]


def _lines(name: str, *args: Any) -> List[str]:
    return _text(name, *args).decode("utf-8", "replace").split("\n")[:-1]


def _seconds(at: Instant) -> int:
    """Returns an instant in Unix seconds."""
    if at is None:
        return _NEWEST
    if isinstance(at, str):
        at = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", at))
    if isinstance(at, date):
        at = at if isinstance(at, datetime) else datetime(at.year, at.month, at.day)
        at = (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return max(-_NEWEST, min(int(at // 1), _NEWEST))


class _Rules:
    """What a handle of the library stands for."""

    __slots__ = ("_handle", "__weakref__")
    _handle: int

    def __del__(self) -> None:
        try:
            _library.lib.robotsieve_free(self._handle)
        except Exception:  # the object was never made, or this is the end of the process or a fork
            pass

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")

    def _match(self, agent: Text, url: Text, at: int = _NEWEST) -> int:
        agent, url = _encoded(agent), _encoded(url)
        result = _library.lib.robotsieve_match(self._handle, agent, len(agent), url, len(url), at)
        if result < 0:
            _library.fail(result)
        return result

    def _match_many(self, agents: Any, urls: Any, at: int, lines: bool = False) -> Any:
        """Judges many URLs for one agent, or for several, of which the result is a dict."""
        several = isinstance(agents, Iterable) and not isinstance(agents, (str, bytes, bytearray, memoryview))
        names = list(agents) if several else [agents]
        encoded = list(map(_encoded, names))
        if isinstance(urls, (str, bytes)):
            raise TypeError("urls is one text: give a list of them")
        found = None if lines else self._arrayed(encoded, urls, at)
        if found is None:
            found = [[] for _ in names]
            for of, verdicts in self._blocks(encoded, urls, at, lines):
                found[of] += verdicts
        return dict(zip(names, found)) if several else found[0]

    def _arrayed(self, agents: List[bytes], urls: Any, at: int) -> Optional[List[Any]]:
        """Returns an array for each agent, if the URLs are one."""
        package = "" if type(urls) is list else type(urls).__module__.partition(".")[0]
        if package not in ("numpy", "pyarrow") or package not in sys.modules:
            return None
        found = [getattr(_arrays, package)(self, agent, urls, at) for agent in agents]
        return None if any(of is None for of in found) else found

    def _blocks(self, agents: List[bytes], urls: Any, at: int, lines: bool) -> Iterator[Tuple[int, Any]]:
        """Yields the verdicts on a block of URLs for each agent, by its index."""
        done, rest = 0, iter(urls)
        while block := list(islice(rest, _BLOCK)):
            buffer = _joined(block, done)
            for i, agent in enumerate(agents):
                of = array("i", bytes(4 * len(block))) if lines else None
                try:
                    reasons = self._reasons(agent, *buffer, len(block), at, of)
                except ValueError:  # one has a NUL in it, or the agent is wrong
                    buffer = _apart(block)
                    reasons = self._reasons(agent, *buffer, len(block), at, of)
                except OSError as failure:
                    text = re.sub(r"^URL (\d+)", lambda m: f"URL {int(m[1]) + done}", str(failure))
                    raise OSError(text) from None
                means = map(MEANS.__getitem__, reasons)
                yield i, means if of is None else map(Verdict, means, of)
            done += len(block)

    def _reasons(self, agent: bytes, data: Any, size: int, offsets: Any, width: int, n: int, at: int,
                 lines: Optional[array] = None) -> array:
        """Returns the reasons of the verdicts on n URLs in one buffer, and fills lines."""
        reasons = array("B", bytes(n))
        verdicts = (None, reasons.buffer_info()[0], None if lines is None else lines.buffer_info()[0])
        place = offsets.buffer_info()[0] if isinstance(offsets, array) else offsets
        _call("robotsieve_match_many", self._handle, agent, len(agent), data, size, place, width, n, at, *verdicts)
        return reasons

    def _keep(self, handle: int) -> None:
        """Keeps a handle in the place of the one that an earlier __init__ has left."""
        before = getattr(self, "_handle", None)
        self._handle = handle
        if before is not None:
            _call("robotsieve_free", before)


def _joined(urls: List[Any], first: int) -> Tuple[bytes, int, Any, int]:
    """Returns texts with a NUL behind each; first is the index of the first one, for an error."""
    try:
        data = "\0".join([*urls, ""]).encode("utf-8", "surrogatepass")
    except TypeError:  # some are bytes
        for i, url in enumerate(urls):
            try:
                urls[i] = _encoded(url)
            except TypeError as wrong:
                raise TypeError(f"urls[{first + i}]: {wrong}") from None
        data = b"\0".join([*urls, b""])
    return data, len(data), None, 1


def _apart(urls: List[Any]) -> Tuple[bytes, int, Any, int]:
    """Returns texts in one, and where each begins, as some have a NUL."""
    parts = list(map(_encoded, urls))
    data = b"".join(parts)
    return data, len(data), array("Q", [0, *accumulate(map(len, parts))]), 8


class Robots(_Rules):
    """One robots.txt, whatever its bytes, of which the first max_bytes are read, with 0 all.

    dialect is rfc9309, google, original or auto, each crawler's own.
    """

    __slots__ = ()

    def __init__(self, body: Text, dialect: str = "auto", *, max_bytes: int = 512_000) -> None:
        text, name, limit = _encoded(body), _encoded(dialect), max(-1, min(max_bytes or -1, _NEWEST))
        self._keep(_call("robotsieve_compile", text, len(text), name, len(name), limit))

    def match(self, agent: Text, url: Text) -> Verdict:
        """Returns the verdict on a URL, or on the path of one, for an agent, and the line that decided."""
        result = self._match(agent, url)
        return Verdict(not result & 0xFF, result >> 8)

    def allowed(self, agent: Text, url: Text) -> bool:
        """Reports whether an agent may fetch a URL."""
        return not self._match(agent, url) & 0xFF

    def allowed_many(self, agent: Agents, urls: Iterable[Text]) -> Any:
        """Reports for each URL whether an agent may fetch it.

        Of a list or any other iterable the result is a list, of an array of numpy or pyarrow one of
        bool, null where the URL is null. Arrays of pyarrow's strings and of numpy's bytes are not copied.
        For a list of agents the result is a dict with one such for each.
        """
        return self._match_many(agent, urls, _NEWEST)

    def match_many(self, agent: Agents, urls: Iterable[Text]) -> Any:
        """Returns a list of the verdicts on URLs, for a list of agents a dict with one for each."""
        return self._match_many(agent, urls, _NEWEST, lines=True)

    @property
    def sitemaps(self) -> List[str]:
        """The values of the Sitemap lines, in the order of the file and each once."""
        return _lines("robotsieve_sitemaps", self._handle)

    def crawl_delay(self, agent: Text) -> Optional[float]:
        """Returns the Crawl-delay of an agent in seconds, or None; where readers differ on whose it is, the shortest."""
        name = _encoded(agent)
        delay = _call("robotsieve_crawl_delay", self._handle, name, len(name))
        return None if delay == _NO_DELAY else delay / 1e9

    def _fields(self, key: str, agent: Text = b"") -> List[str]:
        """Returns the values of lines that are neither user agents nor rules, as robotsieve_fields does."""
        name, field = _encoded(agent), _encoded(key)
        return _lines("robotsieve_fields", self._handle, name, len(name), field, len(field))


class Archive(_Rules):
    """The robots.txt of many origins, in a file that `robotsieve compile` has made.

    A URL is judged by the rules of its own origin, as `robotsieve filter --rules` does it. at is the
    instant whose rules judge: a datetime, a date, which is its midnight, or such a text of ISO 8601, in UTC
    if they name no zone, or Unix seconds; None for the newest rules. A dialect takes the place of each crawler's own.

    The file is mapped into memory. It may be replaced meanwhile, but not changed in place. An Archive may
    be pickled, and is opened anew.
    """

    __slots__ = ("_opened",)

    def __init__(self, path: Union[str, bytes, "os.PathLike[str]"], dialect: str = "auto") -> None:
        os.stat(path)  # so that an error is the usual one
        name, of = os.fsencode(path), _encoded(dialect)
        self._keep(_call("robotsieve_open", name, len(name), of, len(of)))
        self._opened = (os.path.abspath(path), dialect)

    def __reduce__(self) -> Tuple[type, Tuple[Any, str]]:
        return type(self), self._opened

    def match(self, agent: Text, url: Text, at: Instant = None) -> Verdict:
        """Returns the verdict on a URL for an agent, and the line that decided."""
        result = self._match(agent, url, _seconds(at))
        return Verdict(MEANS[result & 0xFF], result >> 8)

    def allowed(self, agent: Text, url: Text, at: Instant = None) -> Optional[bool]:
        """Reports whether an agent may fetch a URL; None if that is not known."""
        return MEANS[self._match(agent, url, _seconds(at)) & 0xFF]

    def allowed_many(self, agent: Agents, urls: Iterable[Text], at: Instant = None) -> Any:
        """Reports for each URL whether an agent may fetch it, as Robots.allowed_many does.

        What is not known is None, null in an array of pyarrow, and False in one of numpy.
        """
        return self._match_many(agent, urls, _seconds(at))

    def match_many(self, agent: Agents, urls: Iterable[Text], at: Instant = None) -> Any:
        """Returns the verdicts on URLs, as Robots.match_many does."""
        return self._match_many(agent, urls, _seconds(at), lines=True)
