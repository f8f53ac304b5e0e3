"""A drop-in replacement for Protego: `from robotsieve.protego import Protego`.

The methods are Protego's. Verdicts follow RFC 9309, or Google's parser for its crawlers. A User-Agent header
that names no crawler, or several, is bound by the groups for *.
"""

from __future__ import annotations

from datetime import time
from functools import lru_cache
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from . import Robots, Text

__all__ = ["Protego", "RequestRate", "VisitTime"]

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
RequestRate = NamedTuple("RequestRate", [("requests", int), ("seconds", int), ("start_time", Optional[time]),
                                         ("end_time", Optional[time])])
VisitTime = NamedTuple("VisitTime", [("start_time", time), ("end_time", time)])


@lru_cache(maxsize=1024)
def _agent(name: Text) -> Text:
    """Returns * for a name that Robots rejects."""
    try:
        Robots(b"").allowed(name, b"/")
        return name
    except ValueError:
        return b"*"


class Protego:
    """A robots.txt."""

    __slots__ = ("_robots",)

    def __init__(self, content: Text = b"") -> None:
        self._robots = Robots(content)

    @classmethod
    def parse(cls, content: Text) -> Protego:
        """Reads a robots.txt."""
        return cls(content)

    def can_fetch(self, url: Text, user_agent: Text) -> bool:
        """Reports whether an agent may fetch a URL."""
        return self._robots.allowed(_agent(user_agent), url)

    def crawl_delay(self, user_agent: Text) -> Optional[float]:
        """Returns the Crawl-delay for an agent in seconds."""
        return self._robots.crawl_delay(_agent(user_agent))

    def request_rate(self, user_agent: Text) -> Optional[RequestRate]:
        """Returns the last Request-rate for an agent."""
        return _last(_rate, self._robots._fields("request-rate", _agent(user_agent)))

    def visit_time(self, user_agent: Text) -> Optional[VisitTime]:
        """Returns the last Visit-time for an agent."""
        return _last(_period, self._robots._fields("visit-time", _agent(user_agent)))

    @property
    def sitemaps(self) -> Iterator[str]:
        """The values of the Sitemap lines."""
        return iter(self._robots.sitemaps)

    @property
    def preferred_host(self) -> Optional[str]:
        """The value of the last Host line."""
        return _last(str, self._robots._fields("host"))


def _last(read: Any, values: List[str]) -> Any:
    """Returns the last valid value."""
    for value in reversed(values):
        try:
            return read(value)
        except (ValueError, IndexError, KeyError):
            pass
    return None


def _rate(value: str) -> RequestRate:
    """Parses text such as "1/10s 0800-1200"."""
    rate, *period = value.split()
    requests, _, seconds = rate.partition("/")
    seconds += "s" if seconds.isdigit() else ""
    times: Tuple[Any, Any] = _period(period[0]) if len(period) == 1 else (None, None)
    return RequestRate(int(requests), int(seconds[:-1]) * _UNITS[seconds[-1].lower()], *times)


def _period(value: str) -> VisitTime:
    """Parses text such as "0800-1200" or "08:00 - 12:00"."""
    start, end = (time(int(part[:2]), int(part[-2:])) for part in map(str.strip, value.split("-")))
    return VisitTime(start, end)
