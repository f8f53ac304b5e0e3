"""robots.txt, compiled: which URLs may a crawler fetch, a million a second.

    >>> robots = robotsieve.Robots("User-agent: GPTBot\\nDisallow: /private/\\n")
    >>> robots.match("GPTBot", "https://example.com/private/a")
    Verdict(allowed=False, line=2)

Robots is one robots.txt, which judges URLs of any host. Archive has the robots.txt of many sites, in the
versions collected by `robotsieve compile`. Texts are str or bytes; str is encoded as UTF-8. Agents are
specified as for the flag --agent: a known crawler, which is judged by its own product tokens and dialect;
any other product token, judged by RFC 9309; or a whole User-Agent header. If a Robots has a dialect, the
agent must be a product token.

Objects are thread-safe, and calls release the GIL. After os.fork() the child can't use the package if the
parent has used it: start processes with spawn or forkserver.

ValueError is raised for an unknown dialect, or for an agent that names no crawler or several. OSError is
raised for an archive that can't be read, is damaged or was changed while in use.
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
# How many URLs are judged at a time. The number is small so that buffers are reused and stay in the cache.
_BLOCK = 1024
# How many agents may ask at once.
_AT_ONCE = 64


class Verdict(NamedTuple):
    """The verdict on a URL."""

    allowed: Optional[bool]
    """None if the archive lacks the robots.txt of the origin, or the URL is invalid."""
    line: int
    """The line number of the deciding rule, from 1; 0 if no rule decided."""


def version() -> str:
    """Returns the version of the library."""
    return _text("robotsieve_version").decode()


def __getattr__(name: str) -> str:
    """Returns __version__, the version of the installed package, without loading the library."""
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
    if not isinstance(text, (bytes, bytearray, memoryview)):  # an array has a buffer too, but isn't text
        raise TypeError(f"a text is str or bytes, not {type(text).__name__}")
    return bytes(text)


def _call(name: str, *args: Any) -> int:
    result = getattr(_library.lib or _library.loaded(), name)(*args)
    if result < 0:
        _library.fail(result)
    return result


def _text(name: str, *args: Any) -> bytes:
    """Calls a library function that writes text to a buffer."""
    buffer = create_string_buffer(_call(name, *args, None, 0) + 1)
    _call(name, *args, buffer, len(buffer))
    return buffer.raw[:-1]


def _lines(name: str, *args: Any) -> List[str]:
    return _text(name, *args).decode("utf-8", "replace").split("\n")[:-1]


def _seconds(at: Instant) -> int:
    """Converts a time to Unix seconds."""
    if at is None:
        return _NEWEST
    if isinstance(at, str):
        at = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", at))
    if isinstance(at, date):
        at = at if isinstance(at, datetime) else datetime(at.year, at.month, at.day)
        at = (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return max(-_NEWEST, min(int(at // 1), _NEWEST))


class _Rules:
    """Rules behind a handle of the library."""

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
        """Judges many URLs for one agent, or for several with a dict as the result."""
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
        """Returns an array for each agent, if the URLs are an array."""
        package = "" if type(urls) is list else type(urls).__module__.partition(".")[0]
        if package not in ("numpy", "pyarrow") or package not in sys.modules:
            return None
        return getattr(_arrays, package)(self, agents, urls, at) if agents else []

    def _blocks(self, agents: List[bytes], urls: Any, at: int, lines: bool) -> Iterator[Tuple[int, Any]]:
        """Yields the verdicts on a block of URLs for each agent, with the index of the agent."""
        done, rest = 0, iter(urls)
        while block := list(islice(rest, _BLOCK)):
            buffer = _joined(block, done)
            for i, agent in enumerate(agents):
                of = array("i", bytes(4 * len(block))) if lines else None
                try:
                    reasons = self._reasons(agent, *buffer, len(block), at, of)
                except ValueError:  # a URL contains a NUL, or the agent is wrong
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

    def _reasons_of_all(self, agents: List[bytes], data: Any, size: int, offsets: Any, width: int, n: int,
                        at: int) -> array:
        """Returns the reasons for the first agent, then those for the second, and so on."""
        reasons = array("B", bytes(n * len(agents)))
        for i in range(0, len(agents), _AT_ONCE):
            names = agents[i:i + _AT_ONCE]
            text, place = b"\0".join(names), reasons.buffer_info()[0] + n * i
            asked = (self._handle, text, len(text), len(names))
            _call("robotsieve_match_agents", *asked, data, size, offsets, width, n, at, place)
        return reasons

    def _keep(self, handle: int) -> None:
        """Keeps a handle, replacing the one from an earlier __init__."""
        before = getattr(self, "_handle", None)
        self._handle = handle
        if before is not None:
            _call("robotsieve_free", before)


def _joined(urls: List[Any], first: int) -> Tuple[bytes, int, Any, int]:
    """Joins texts, each followed by a NUL; first is the index of the first text, for error messages."""
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
    """Joins texts that may contain NULs, and returns the offset of each."""
    parts = list(map(_encoded, urls))
    data = b"".join(parts)
    return data, len(data), array("Q", [0, *accumulate(map(len, parts))]), 8


class Robots(_Rules):
    """A robots.txt. Any bytes are valid; the first max_bytes are read, or all if max_bytes is 0.

    dialect is rfc9309, google, original, or auto for each crawler's own dialect.
    """

    __slots__ = ()

    def __init__(self, body: Text, dialect: str = "auto", *, max_bytes: int = 512_000) -> None:
        text, name, limit = _encoded(body), _encoded(dialect), max(-1, min(max_bytes or -1, _NEWEST))
        self._keep(_call("robotsieve_compile", text, len(text), name, len(name), limit))

    def match(self, agent: Text, url: Text) -> Verdict:
        """Returns the verdict on a URL or path for an agent, with the deciding line."""
        result = self._match(agent, url)
        return Verdict(not result & 0xFF, result >> 8)

    def allowed(self, agent: Text, url: Text) -> bool:
        """Reports whether an agent may fetch a URL."""
        return not self._match(agent, url) & 0xFF

    def allowed_many(self, agent: Agents, urls: Iterable[Text]) -> Any:
        """Reports for each URL whether an agent may fetch it.

        For a list or any other iterable the result is a list. For a numpy or pyarrow array it is an array of
        bool, null where the URL is null. Arrays of pyarrow strings and numpy bytes are not copied. For a list of
        agents the result is a dict with such a list or array for each agent.
        """
        return self._match_many(agent, urls, _NEWEST)

    def match_many(self, agent: Agents, urls: Iterable[Text]) -> Any:
        """Returns a list of the verdicts on URLs; for a list of agents, a dict with a list for each agent."""
        return self._match_many(agent, urls, _NEWEST, lines=True)

    @property
    def sitemaps(self) -> List[str]:
        """The distinct values of the Sitemap lines, in file order."""
        return _lines("robotsieve_sitemaps", self._handle)

    def crawl_delay(self, agent: Text) -> Optional[float]:
        """Returns an agent's Crawl-delay in seconds, or None. If parsers differ, it is the shortest."""
        name = _encoded(agent)
        delay = _call("robotsieve_crawl_delay", self._handle, name, len(name))
        return None if delay == _NO_DELAY else delay / 1e9

    def _fields(self, key: str, agent: Text = b"") -> List[str]:
        """Returns the values of lines that are neither user agents nor rules, as robotsieve_fields does."""
        name, field = _encoded(agent), _encoded(key)
        return _lines("robotsieve_fields", self._handle, name, len(name), field, len(field))


class Archive(_Rules):
    """The robots.txt of many origins, in a file made by `robotsieve compile`.

    A URL is judged by the rules of its own origin, like `robotsieve filter --rules` does. at selects the rules
    in force at that time. It is a datetime, a date (meaning midnight), either of these in ISO 8601, or Unix
    seconds; times without a zone are in UTC, and None selects the newest rules. dialect overrides each
    crawler's own.

    The file is mapped into memory. It may be replaced while in use, but not modified in place. Unpickling an
    Archive opens the file again.
    """

    __slots__ = ("_opened",)

    def __init__(self, path: Union[str, bytes, "os.PathLike[str]"], dialect: str = "auto") -> None:
        os.stat(path)  # raises the usual error
        name, of = os.fsencode(path), _encoded(dialect)
        self._keep(_call("robotsieve_open", name, len(name), of, len(of)))
        self._opened = (os.path.abspath(path), dialect)

    def __reduce__(self) -> Tuple[type, Tuple[Any, str]]:
        return type(self), self._opened

    def match(self, agent: Text, url: Text, at: Instant = None) -> Verdict:
        """Returns the verdict on a URL for an agent, with the deciding line."""
        result = self._match(agent, url, _seconds(at))
        return Verdict(MEANS[result & 0xFF], result >> 8)

    def allowed(self, agent: Text, url: Text, at: Instant = None) -> Optional[bool]:
        """Reports whether an agent may fetch a URL; None if unknown."""
        return MEANS[self._match(agent, url, _seconds(at)) & 0xFF]

    def allowed_many(self, agent: Agents, urls: Iterable[Text], at: Instant = None) -> Any:
        """Reports for each URL whether an agent may fetch it, as Robots.allowed_many does.

        An unknown verdict is None, null in a pyarrow array, and False in a numpy array.
        """
        return self._match_many(agent, urls, _seconds(at))

    def match_many(self, agent: Agents, urls: Iterable[Text], at: Instant = None) -> Any:
        """Returns the verdicts on URLs, as Robots.match_many does."""
        return self._match_many(agent, urls, _seconds(at), lines=True)
