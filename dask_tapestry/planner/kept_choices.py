"""Kept choices: what took long to find is kept on disk, for processes that plan the same later.

A script that runs each day, or a job that is started again, plans what was planned before: with the
same operators, types and stored chunks, on as many workers. Its choices are taken from the folder
of compiled kernels, which belongs to the user alone, and evaluated for the machine as it is now.
They are taken where the same code found them, workers can hold the plan, and it is predicted to
take about as long as when it was found: rates that are measured anew differ a little each time.
Choices of users' own rules and mutators are not kept, as nobody can tell whether these are the
same.
"""

from __future__ import annotations

import pickle
from dataclasses import fields
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dask_tapestry.planner.graph_digest import digest
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.remembered_choices import (
    choices_of,
    fits,
    planned_as,
    settings_in_force,
)
from dask_tapestry.planner.search.search import SearchResult
from dask_tapestry.planner.tuning import AS_LONG_AS_THEN
from dask_tapestry.settings import setting
from dask_tapestry.teg import Graph
from dask_tapestry_kernels.jit.object_cache import Compiled, may_be_kept, name_of, read, write

MEASURED: Final = {
    "rates",
    "bandwidth",
    "host_bandwidth",
    "total_bandwidth",
    "latency",
}  # a little anew each time


def keep(graph: Graph, resources: Resources, result: SearchResult) -> bool:
    """Keep what was found for a rewritten graph; return whether that was possible."""
    name, found = _name(graph, resources), choices_of(graph, result)
    if name is None or found is None:
        return False
    content = pickle.dumps((result.state.seconds, found))
    return write(name, Compiled(code_digest(), content))


def kept(graph: Graph, resources: Resources) -> SearchResult | None:
    """What was found for such a graph, if it is kept and as good here as it was then."""
    name = _name(graph, resources)
    content = read(name) if name is not None and may_be_kept(name) else None
    if content is None or content.symbol != code_digest():
        return None
    seconds, found = pickle.loads(content.code)
    result = planned_as(graph, resources, found)
    if result is None or result.given_up:
        return result
    then, now = sorted((seconds, result.state.seconds))
    return result if now <= AS_LONG_AS_THEN * then and fits(graph, resources, result) else None


def _name(graph: Graph, resources: Resources) -> str | None:
    """Of the file: all that a search depends on but what is measured; None if nothing is kept."""
    plain, fuse, *own = settings_in_force()
    if any(own) or not setting("keep-plans"):
        return None
    names = [one.name for one in fields(resources) if one.name not in MEASURED]
    machines = [getattr(resources, name) for name in names]
    return name_of("choices", digest(graph), repr(machines), str(plain), str(fuse))


@cache
def code_digest() -> str:
    """What the code of the library is known by: where its files are, and when they were written."""
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    written = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    return blake2b(repr(written).encode(), digest_size=16).hexdigest()
