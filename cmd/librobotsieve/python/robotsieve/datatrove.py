"""A filter of DataTrove that drops what robots.txt forbids."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

from datatrove.pipeline.filters.base_filter import BaseFilter

from . import Archive, Instant

__all__ = ["RobotsFilter"]

Kept = Union[bool, Tuple[bool, str]]


class RobotsFilter(BaseFilter):
    """Drops documents whose URL, metadata[url_key], any of some agents may not fetch.

    rules is an archive made by `robotsieve compile`, and at selects the rules in force at that time. Documents with
    an unknown verdict are kept, and counted as unknown in the statistics; dropped ones are counted by barred agents.
    """

    name = "robots.txt"

    def __init__(self, rules: str, agents: Sequence[str], at: Instant = None, url_key: str = "url",
                 exclusion_writer: Any = None, batch_size: int = 1000) -> None:
        super().__init__(exclusion_writer, batch_size)
        self.rules, self.agents, self.at, self.url_key = rules, list(agents), at, url_key
        self._archive: Optional[Archive] = None  # opened in the process that runs the step

    def filter(self, doc: Any) -> Kept:
        """Reports whether to keep a document, or why not."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: List[Any]) -> List[Kept]:
        """Filters a batch of documents."""
        if self._archive is None:
            self._archive = Archive(self.rules)
        urls = [doc.metadata.get(self.url_key) or "" for doc in batch]
        found = self._archive.allowed_many(self.agents, urls, self.at)
        unknown = sum(any(found[agent][i] is None for agent in self.agents) for i in range(len(batch)))
        self.stat_update("unknown", value=unknown)
        barred = [[agent for agent in self.agents if found[agent][i] is False] for i in range(len(batch))]
        return [(False, "barred: " + ",".join(agents)) if agents else True for agents in barred]
