"""A parser of robots.txt for Scrapy: ROBOTSTXT_PARSER = "robotsieve.scrapy.RobotParser"."""

from __future__ import annotations

from typing import Any

from scrapy import robotstxt

from . import Text
from .protego import Protego


class RobotParser(robotstxt.RobotParser):
    """A robots.txt."""

    _rules: Protego

    @classmethod
    def from_crawler(cls, crawler: Any, robotstxt_body: Text) -> RobotParser:
        """Reads a robots.txt."""
        parser = cls()
        parser._rules = Protego(robotstxt_body)
        return parser

    def allowed(self, url: Text, user_agent: Text) -> bool:
        """Reports whether an agent may fetch a URL."""
        return self._rules.can_fetch(url, user_agent)
