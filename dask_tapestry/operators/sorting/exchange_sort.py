"""Exchange sort: a lane too long for one block, sorted by one exchange of exactly as many cells.

A lane of N cells is P runs of L cells each, and consumer q has the cells number q L to (q + 1) L of
their order. Each run is sorted where it lies. Then every run sends some cells, evenly spread, and
the order of these tells in which windows of each run the splits lie. Once what the windows hold is
a small part of a run, that is sent to both sides of a split, which find its place themselves. Of
many runs the windows are too wide: they are narrowed in rounds, to about a fiftieth in each, by
probes, cells of what is still possible. How many rounds that takes follows from N and P alone,
whatever the cells are. So all shapes are known before the first task, equal cells and sorted ones
cost what others cost, and each cell travels once.

============  =============================================================  ======================
operator      what it yields                                                 blocks
============  =============================================================  ======================
`SortedRuns`  runs (P, L), sorted                                            by run
`SplitProbe`       keys of a few cells of each window (P, P + 1, count)           by run
`FirstWindows` windows (P, P + 1, 2), by evenly spread cells of all runs     whole
`Narrow`      windows (P, P + 1, 2) in which each split of each run lies     by split
`Exchange`    buckets (P, P), what each run has for each consumer            by run: one task each
`Merged`      sorted cells (P L)                                             by consumer
============  =============================================================  ======================

Source: P. J. Varman and others, "Merging Multiple Lists on Hierarchical-Memory Multiprocessors",
1991, for splits that are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import PLACES, pair_dtype, sort_bytes, sort_flops, weighed_dtype
from dask_tapestry.operators.sorting.exchange import (
    NO,
    YES,
    Exchange,
    ExchangeOperator,
    Merged,
    of_runs,
)
from dask_tapestry.operators.tuning import (
    FEWEST_PROBES,
    MOST_PROBES,
    MOST_SAMPLED_CELLS,
    MOST_SORT_RUNS,
    NUMBERS_A_KEY,
    OPEN_PART,
    PROBED_PART,
    SAMPLED_CELLS,
    SAMPLED_PART,
    SHORTEST_SORT_RUN_BYTES,
    WORST_WINDOW,
)
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.key_bytes import key_bytes


@dataclass(frozen=True)
class SortedRuns(ExchangeOperator):
    """Runs of `length` cells of the last axis, each sorted: of shape (..., runs, length).

    What is missing of the last run is filled with the largest value of the dtype. With `places`,
    cells are structured: the key and its index in the lane; and its weight, where a second input
    has one for each cell.
    """

    name = "sortedruns"
    kernel = "sortedruns"
    runs: int
    length: int
    places: bool = False

    def infer(self, *inputs: TensorType) -> TensorType:
        x, *loads = inputs
        paired = weighed_dtype(x.dtype) if loads else pair_dtype(x.dtype)
        dtype = paired if self.places else x.dtype
        return TensorType((*x.shape[:-1], self.runs, self.length), dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        made = self.infer(*inputs)
        plain = self.projected(self.runs, made.ndim - 2, ((YES, NO), made))
        return replace(plain, inputs=(of_runs(made.ndim - 2, self.length),) * len(inputs))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(cells) for x, cells in zip(inputs, wanted, strict=True))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        first, end = box.lo[-2], box.hi[-2]
        return {
            "length": self.length,
            "first": first * self.length,
            "count": end - first,
            "places": self.places,
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[0].size, self.length)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What sorting a run takes; with places, the cells, their order, and the cells in order."""
        x = inputs[0]
        if self.places:
            return box.size * (2 * sum(one.dtype.itemsize for one in inputs) + PLACES.itemsize)
        return sort_bytes(box.size, self.length, x.dtype)

    def text(self) -> str:
        return f"{self.runs} of {self.length}" + ", places" * self.places


@dataclass(frozen=True)
class SplitProbe(ExchangeOperator):
    """Keys of `count` cells of each window of each run: (..., runs, splits, count)."""

    name = "probe"
    kernel = "probe"
    fills = False
    count: int

    def infer(self, *inputs: TensorType) -> TensorType:
        x, windows = inputs
        return TensorType((*windows.shape[:-1], self.count), key_dtype(x.dtype))

    def signature(self, *inputs: TensorType) -> Signature:
        (x, windows), made = inputs, self.infer(*inputs)
        run = (YES, NO, NO)
        tensors = ((YES, NO), x), (run, windows), (run, made)
        return self.projected(x.shape[-2], x.ndim - 2, *tensors)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"count": self.count, "keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size

    def text(self) -> str:
        return f"{self.count} of each window"


@dataclass(frozen=True)
class FirstWindows(ExchangeOperator):
    """The windows (..., runs, splits, 2) in which runs are split, by evenly spread cells of each.

    The input has keys (..., runs, 1, count) of these. Before split b there are ``b * length`` cells
    of all runs, or all. Runs have `length` cells, but for the last one of each of the `groups`.
    """

    name = "firstwindows"
    kernel = "firstwindows"
    fills = False
    length: int
    groups: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        *runs, _, _ = inputs[0].shape
        return TensorType((*runs, runs[-1] + 1, 2), PLACES)

    def signature(self, *inputs: TensorType) -> Signature:
        (keys,), made = inputs, self.infer(*inputs)
        whole = (NO, NO, NO)
        return self.projected(1, made.ndim - 3, (whole, keys), (whole, made))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = {"length": self.length, "groups": self.groups}
        return told | {"keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        keys = self.demand(inputs, box)[0].size
        return sort_flops(keys, inputs[0].shape[-3] * inputs[0].shape[-1])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Of all keys their order, and numbers that tell what is before each."""
        return self.demand(inputs, box)[0].size * NUMBERS_A_KEY * PLACES.itemsize

    def text(self) -> str:
        return f"{self.length} cells each"


@dataclass(frozen=True)
class Narrow(ExchangeOperator):
    """The windows (..., runs, splits, 2) in which runs are split, narrowed by probes of them.

    Before split b there are ``b * length`` cells of all runs, or all `cells`.
    """

    name = "narrow"
    kernel = "narrow"
    fills = False
    length: int
    cells: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[1]

    def signature(self, *inputs: TensorType) -> Signature:
        keys, windows = inputs
        split = (NO, YES, NO)
        tensors = (split, keys), (split, windows), (split, windows)
        return self.projected(windows.shape[-2], windows.ndim - 3, *tensors)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = {"first": box.lo[-2], "length": self.length, "cells": self.cells}
        return told | {"keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        keys, splits = inputs[0], box.size // max(1, 2 * box.shape[-3])
        return sort_flops(splits * keys.shape[-3] * keys.shape[-1], keys.shape[-3])

    def text(self) -> str:
        return f"{self.length} cells each"


def key_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of what cells are compared by, of the key of pairs.

    Bytes for complex numbers and those of extended precision.
    """
    names = dtype.names
    kind = dtype if names is None else dtype[names[0]]
    if kind.kind == "c" or (kind.kind == "f" and kind.itemsize > 8):
        return np.dtype(f"S{key_bytes(kind)}")
    return np.dtype({"f": f"i{kind.itemsize}", "m": "u8", "M": "u8"}.get(kind.kind, kind.str))


def run_counts(cells: int, itemsize: int) -> tuple[int, ...]:
    """Numbers of runs in which to try to sort a lane.

    Examples
    --------
    >>> run_counts(10**5, itemsize=8)
    (2, 4, 8, 16)
    """
    most = min(MOST_SORT_RUNS, cells // max(2, SHORTEST_SORT_RUN_BYTES // itemsize))
    return tuple(1 << i for i in range(1, most.bit_length()))


class Rounds(NamedTuple):
    """How the places are found where runs are split.

    Attributes
    ----------
    sampled
        Cells of each run that the first windows follow from.
    probes
        Probes of a window that each further round sends.
    open
        The most cells of all runs together that a split leaves open.
    """

    sampled: int
    probes: tuple[int, ...]
    open: int


def rounds_of(runs: int, length: int) -> Rounds:
    """How the places are found where so many runs are split.

    What is possible of all runs together shrinks by the factor `WORST_WINDOW` / probes in a round:
    the cells before a probe are known to one distance between probes in each run. A window that is
    no longer than its probes are many is known exactly. The last round is that after which no more
    is possible of a split than `OPEN_PART` of a run: the consumers on both sides get so much more.

    Examples
    --------
    >>> rounds_of(64, 10**7)
    Rounds(sampled=8192, probes=(), open=156289)
    >>> rounds_of(1000, 10**8).probes
    (64,)
    """
    cells = runs * length
    sampled = min(
        SAMPLED_CELLS * runs, MOST_SAMPLED_CELLS // runs, int(SAMPLED_PART * length) // runs
    )
    sampled = min(length, max(FEWEST_PROBES, sampled))
    left = 0 if sampled == length else min(cells, 2 * runs * (length // (sampled + 1) + 1) + 1)
    fair = cells // (PROBED_PART * max(1, runs * (runs - 1)))
    most, rounds = max(FEWEST_PROBES, min(MOST_PROBES, fair)), list[int]()
    enough = OPEN_PART * length
    while left > enough:
        count = min(most, max(FEWEST_PROBES, ceil(WORST_WINDOW * left / enough)))
        left = 0 if min(left, length) <= count else WORST_WINDOW * left // count
        rounds.append(count)
    return Rounds(sampled, tuple(rounds), left)


def exchange_sort(x: Tensor, runs: int, places: bool = False) -> Tensor:
    """Sort the last axis of `x` in `runs` runs; with `places`, argsort it, stably."""
    value = _exchanged((x,), runs, places)
    return field(value, "place") if places else value


def weighed_runs(x: Tensor, loads: Tensor, runs: int) -> Tensor:
    """Cells of the last axis of `x` in stable order, with their places and `loads`, float64."""
    return _exchanged((x, loads), runs, places=True)


def _exchanged(inputs: tuple[Tensor, ...], runs: int, places: bool) -> Tensor:
    cells = inputs[0].type.shape[-1]
    length = -(-cells // runs)
    split = split_runs(apply(SortedRuns(runs, length, places), *inputs), (runs * length,))
    merged = apply(Merged(length, split.open), split.buckets, split.windows)
    return basic_slice(merged, (..., slice(0, cells)))


class SplitRuns(NamedTuple):
    """Runs that are split where consumers begin, each of as many cells as a run.

    Attributes
    ----------
    buckets, windows
        What each run has for each consumer, and the windows (..., runs, splits, 2) of splits.
    open
        The most cells of all runs together that a split leaves open.
    """

    buckets: Tensor
    windows: Tensor
    open: int


def split_runs(
    sorted_lanes: Tensor, groups: tuple[int, ...], ahead: int = 0, behind: int = 0
) -> SplitRuns:
    """Split sorted runs (..., runs, length), of which the last one of each group may be shorter.

    Buckets have so many cells more of a run, those `ahead` of their own and `behind` them.
    """
    runs, length = sorted_lanes.type.shape[-2:]
    search, cells = rounds_of(runs, length), sum(groups)
    sample = apply(SplitProbe(search.sampled), sorted_lanes, _whole_runs(sorted_lanes, groups))
    windows = apply(FirstWindows(length, groups), sample)
    for count in search.probes:
        probes = apply(SplitProbe(count), sorted_lanes, windows)
        windows = apply(Narrow(length, cells), probes, windows)
    buckets = apply(Exchange(search.open, ahead, behind), sorted_lanes, windows)
    return SplitRuns(buckets, windows, search.open)


def _whole_runs(sorted_lanes: Tensor, groups: tuple[int, ...]) -> Tensor:
    """Windows (..., runs, 1, 2) that are whole runs."""
    *lanes, _, length = sorted_lanes.type.shape
    ends = list[Tensor]()
    for cells in groups:
        whole, rest = divmod(cells, length)
        ends += [
            full((*lanes, n, 1, 1), np.int64(end))
            for n, end in ((whole, length), (1, rest))
            if n * end
        ]
    start = full((*lanes, sum(end.type.shape[-3] for end in ends), 1, 1), np.int64(0))
    return concat([start, concat(ends, -3)], -1)
