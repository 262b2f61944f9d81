"""Forgets now and then what functions remember of graphs that have been planned.

What functions of the planner remember grows by some 9 kB with each plan of a formula; after some
hundred graphs that are not known it is forgotten, so that a loop of ever other formulas keeps its
memory.
"""

from __future__ import annotations

from itertools import count
from typing import Final

from dask_tapestry.caches import clear_caches
from dask_tapestry.planner.tuning import PLANS_UNTIL_FORGOTTEN

_counter: Final = count(1)  # of graphs that were not known


def forget_after_many() -> None:
    """Count a graph that is not known; after so many, forget what was remembered of all."""
    if next(_counter) % PLANS_UNTIL_FORGOTTEN == 0:
        clear_caches()  # of graphs that are gone
