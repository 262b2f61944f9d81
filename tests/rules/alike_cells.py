"""Stored cells, and NumPy's values, for tests of rules on alike values."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

DAYS, CHUNK = 240, 12
RANDOM = np.random.default_rng(5)
CELLS = RANDOM.normal(size=(DAYS, 4, 6)).astype("f4")
CELLS[RANDOM.random(CELLS.shape) < 0.01] = np.nan
DAY = np.arange(DAYS) + np.arange(DAYS) // 60  # years of other lengths, so that no day is regular


def stored(path: Any, cells: Any = CELLS, chunk: int = CHUNK) -> dt.Array:
    """The cells in a store, in chunks of some days."""
    dt.to_zarr(dt.asarray(cells), path, chunks=(chunk, *cells.shape[1:]))
    return dt.from_zarr(path)


def names(*arrays: dt.Array) -> list[str]:
    """Names of the operators that are planned."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    return [node.operator.name for node in graph.nodes]


def require_numpys(written: Callable[[Any, Any], Any], x: dt.Array, cells: Any = CELLS) -> None:
    """That what is written has NumPy's values, and rows of it, asked for alone, the same bits."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted, value = written(np, cells), written(dt, x)
        whole = value.compute()
        some = value[1:4].compute()
    assert whole.dtype == wanted.dtype
    np.testing.assert_allclose(whole, wanted, rtol=2e-5, atol=1e-5)
    assert same_bits(np.ascontiguousarray(whole[1:4]), np.ascontiguousarray(some))
