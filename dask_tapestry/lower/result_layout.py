"""Layouts of results: how the blocks lie that a scheduler hands back under their keys.

Dask gives a collection that is persisted the results of its keys, and neither says how they were
cut nor keeps what planned them. A name of a layer tells: the expression that was lowered holds the
layout for as long as its results can come, and here it is found by that name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from threading import Lock
from typing import Final
from weakref import WeakValueDictionary

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.zspace import Cuts


@dataclass(eq=False)
class ResultLayout:
    """The blocks of a result.

    Attributes
    ----------
    name, cuts
        First part of their keys, and how they are cut.
    values
        Digests of the nodes that the user asked for.
    lease
        On arrays in memory that the blocks may be computed from again.
    in_runs
        Whether a worker has blocks that follow each other.
    """

    name: str
    cuts: tuple[Cuts, ...]
    values: set[str] = field(default_factory=set)
    lease: object = None
    in_runs: bool = False


_known: Final[WeakValueDictionary[str, ResultLayout]] = WeakValueDictionary()
_lock: Final = Lock()


def register_layout(
    name: str, cuts: tuple[Cuts, ...], value: str, lease: object = None, in_runs: bool = False
) -> ResultLayout:
    """Return the layout of a result; `find_layout` finds it for as long as somebody holds it."""
    with _lock:
        layout = _known.setdefault(name, ResultLayout(name, cuts, in_runs=in_runs))
        layout.values.add(value)
        layout.lease = lease or layout.lease
        return layout


def find_layout(names: Iterable[str], value: str) -> ResultLayout | None:
    """Return the layout of a node's value among layers of such names; None if nobody holds it."""
    with _lock:
        found = [_known[name] for name in names if name in _known]
    return next((layout for layout in found if value in layout.values), None)
