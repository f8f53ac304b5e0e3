"""Audits, filters and verdicts on Apache Spark. Each executor needs this package, which includes the command.

    >>> from robotsieve import spark as robots
    >>> report = robots.audit(spark, logs, policy="/shared/policy.csv", scratch="/shared/tmp")
    >>> pages = robots.verdicts(pages, "url", "/shared/rules.rsv", ["GPTBot", "CCBot"])
    >>> files = robots.filter(spark, lists, "/shared/kept", rules="/shared/rules.rsv", agent="GPTBot")

The executors read all paths, so these must be in a folder that every machine mounts. An archive may also be
the name of a file distributed by `spark.sparkContext.addFile`.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from functools import lru_cache, partial
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import Archive, Instant, _seconds
from ._command import flags, run

__all__ = ["audit", "filter", "verdicts"]

_log = logging.getLogger(__name__)

# Options of merge. They matter to audit only when it prints a report.
_OF_REPORT = ("allow_duplicates", "by", "category", "crawler", "force", "prometheus")
_NO_ROWS = ("the verdict on a request may depend on lines of other logs, and a task reads one log; "
            "use robotsieve audit --list in one process")
_REFUSED = {
    "rows": _NO_ROWS,
    "list": _NO_ROWS,
    "evidence": _NO_ROWS,
    "block": _NO_ROWS,
    "what_if": "no state has its answer; use robotsieve audit --what-if in one process",
    "fail_on": "compare the figures of the report that audit returns",
    "output": "the report is a dict",
    "state": "merge the states of robotsieve audit --state yourself",
}
# How many states a task merges.
_FAN_IN = 32
# The exit statuses for rejected command lines, and for unreadable logs, which the report names.
_USAGE, _PARTIAL = 2, 3


def verdicts(df: Any, url: str, rules: "str | os.PathLike[str]", agents: Sequence[str], at: Instant = None) -> Any:
    """Returns df with a column allowed_AGENT for each agent: whether it may fetch the URL in the column named url.

    rules is an archive made by `robotsieve compile`, and at selects the rules in force at that time. A verdict is
    null where the URL is null or the archive lacks the robots.txt of its origin.
    """
    from pyspark.sql.types import BooleanType, StructField, StructType

    if isinstance(agents, (str, bytes)):
        raise TypeError("agents is one text: give a list of them")
    names = [f"allowed_{agent}" for agent in agents]
    twice = {name for name in [*df.columns, *names] if [*df.columns, *names].count(name) > 1}
    if twice:
        raise ValueError(f"columns that there would be twice: {', '.join(sorted(twice))}")
    if url not in df.columns:
        raise ValueError(f"no column {url!r}: there are {', '.join(df.columns)}")
    schema = StructType([*df.schema.fields, *(StructField(name, BooleanType()) for name in names)])
    path = os.path.abspath(rules) if os.path.exists(rules) else os.fspath(rules)
    judge = partial(_judged, url=url, rules=path, agents=list(agents), at=_seconds(at))
    return df.mapInArrow(judge, schema)


def _judged(batches: Iterable[Any], url: str, rules: str, agents: List[str], at: int) -> Iterator[Any]:
    """Yields record batches with the columns of verdicts added."""
    import pyarrow as pa

    for batch in batches:
        found = _archive(rules).allowed_many(agents, batch.column(url), at)
        names = [*batch.schema.names, *(f"allowed_{agent}" for agent in agents)]
        yield pa.RecordBatch.from_arrays([*batch.columns, *found.values()], names=names)


def _archive(rules: str) -> Archive:
    """Returns an archive, opened once per process unless replaced; processes share its mapped pages."""
    if not os.path.exists(rules):
        from pyspark import SparkFiles

        sent = SparkFiles.get(rules)
        rules = sent if os.path.exists(sent) else rules
    of = os.stat(rules)
    return _opened(rules, (of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns))


@lru_cache(maxsize=4)
def _opened(rules: str, _version: Tuple[int, ...]) -> Archive:
    return Archive(rules)


class _Part(NamedTuple):
    """A task's inputs and output, which is a state or the result of a filter."""

    state: str
    inputs: List[str]
    command: List[str]
    folder: str  # the driver's, for relative names


class _Made(NamedTuple):
    """The result of a part."""

    part: _Part
    status: int
    messages: str


def audit(spark: Any, logs: Sequence[str], *, html: Optional[str] = None, scratch: Optional[str] = None,
          **options: Any) -> Dict[str, Any]:
    """Audits logs, one per task, and returns the report of `robotsieve audit --output json`.

    Options are flags of audit with _ for -, such as policy="policy.csv" or host=["https://a.example"]. html is
    the name of a file for the report's page. scratch is a folder shared by the driver and all executors, by
    default the temporary folder; it holds the states of the logs, some megabytes each, until audit returns.

    An unreadable log makes the report partial, and the report names it. ValueError is raised for options that
    the command rejects, RuntimeError if a task makes no state.
    """
    for name in _REFUSED:
        if name in options:
            raise ValueError(f"no {name} on Spark: {_REFUSED[name]}")
    if isinstance(logs, (str, bytes)) or not logs:
        raise ValueError(f"logs is a list of files, not {logs!r}")
    of_report = {name: options.pop(name) for name in _OF_REPORT if name in options}
    if html and "anonymize" not in options:
        options.setdefault("samples", 3)  # as audit --html does
    folder = os.path.abspath(tempfile.mkdtemp(prefix="robotsieve-", dir=scratch))
    try:
        states = _states(spark.sparkContext, list(map(os.fspath, logs)), flags(**options), folder)
        duplicates = flags(allow_duplicates=of_report.get("allow_duplicates"))
        while len(states) > _FAN_IN:
            states = _sums(spark.sparkContext, states, duplicates, folder)
        done = run("merge", "--output=json", *flags(html=html, **of_report), *states)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if done.status not in (0, _PARTIAL):
        raise ValueError(done.messages.strip())
    _warn(done.messages)
    return json.loads(done.output)


def filter(spark: Any, lists: Sequence[str], folder: str, **options: Any) -> List[str]:
    """Filters lists of URLs or pages, one per task, into files of a folder, and returns their names.

    Options are flags of `robotsieve filter` with _ for -, such as rules="rules.rsv", agent=["GPTBot", "CCBot"] or
    annotate="parquet". The files are named by number and name of the list. All executors must share the folder.
    ValueError is raised for options that the command rejects, RuntimeError if a list can't be read to its end; files
    of other lists may exist then.
    """
    if isinstance(lists, (str, bytes)) or not lists:
        raise ValueError(f"lists is a list of files, not {lists!r}")
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    kind = "." + options["annotate"] if options.get("annotate") else ""
    command = ["filter", _workers(spark.sparkContext), *flags(**options)]
    names = [f"{i:05}-{os.path.basename(os.fspath(name))}{kind}" for i, name in enumerate(lists)]
    return _made(spark.sparkContext, [_Part(os.path.join(folder, name), [os.fspath(of)], command, os.getcwd())
                                      for name, of in zip(names, lists)])


def _workers(context: Any) -> str:
    return "--workers=" + context.getConf().get("spark.task.cpus", "1")


def _states(context: Any, logs: List[str], options: List[str], folder: str) -> List[str]:
    """Makes a state of each log, and returns the names of the states in the same order."""
    command = ["audit", "--quiet", _workers(context), *options]
    names = [os.path.join(folder, f"{i}.state") for i in range(len(logs))]
    return _made(context, [_Part(name, [log], command, os.getcwd()) for name, log in zip(names, logs)])


def _sums(context: Any, states: List[str], options: List[str], folder: str) -> List[str]:
    """Merges adjacent states, so that the report has the logs in order."""
    groups = [states[i:i + _FAN_IN] for i in range(0, len(states), _FAN_IN)]
    name = os.path.basename(states[0])
    command = ["merge", "--quiet", *options]
    names = [os.path.join(folder, f"{i}-{name}") for i in range(len(groups))]
    return _made(context, [_Part(sum_, of, command, folder) for sum_, of in zip(names, groups)])


def _made(context: Any, parts: List[_Part]) -> List[str]:
    """Makes the files of parts, one per task, and returns their names."""
    for made in context.parallelize(parts, len(parts)).map(_make).collect():
        messages = made.messages.strip()
        if made.status == _USAGE:
            raise ValueError(messages)
        if not os.path.exists(made.part.state):
            why = messages if made.status else "driver and executors do not share the folder"
            raise RuntimeError(f"no {made.part.state} of {', '.join(made.part.inputs)}: {why}")
        if made.status:  # other messages would describe this log as the only one
            _warn(messages)
    return [part.state for part in parts]


def _make(part: _Part) -> _Made:
    """Makes the file of a part, in an executor.

    The part determines the name, and the file appears under that name only when complete: a task that is repeated,
    or runs twice at a time, leaves the same file. The state of a partly read log counts as complete; other output
    doesn't.
    """
    with tempfile.TemporaryDirectory(prefix="task-", dir=os.path.dirname(part.state)) as folder:
        state = os.path.join(folder, "state")
        filters = part.command[0] == "filter"
        to = [] if filters else [f"--state={state}"]
        done = run(*part.command, *to, "--", *part.inputs, folder=part.folder, output=state if filters else None)
        if os.path.exists(state) and not (filters and done.status):
            os.replace(state, part.state)
    return _Made(part, done.status, done.messages)


def _warn(messages: str) -> None:
    for line in messages.splitlines():
        _log.warning("%s", line)
