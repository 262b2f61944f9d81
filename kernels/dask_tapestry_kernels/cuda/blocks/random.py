"""Random bits on a GPU as functions of the coordinate: the CPU's, which are NumPy's `Philox`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.blocks.random_texts import random_program
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.formulas.philox_rounds import Fraction, Pair
from dask_tapestry_kernels.kernel_table import Kernel

PAGE: Final = 2**64  # cells that one word of the counter tells apart


def random_bits(
    out: Block | None, *, key: Pair, draw: Pair, frame: tuple[int, ...], places: Sequence[range]
) -> Block:
    """64 random bits, as uint64, for each cell at some coordinates of a tensor.

    Parameters
    ----------
    key
        Two words of the seed.
    draw
        Number of the part and of the call, words 2 and 3 of the counter.
    frame
        Shape of the tensor.
    places
        Coordinates along each axis; the result has one cell for each combination.
    """
    return _filled(out, key, draw, frame, places, None)


def random_fraction(
    out: Block | None,
    *,
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
    drop: int,
    least: float,
    dtype: np.dtype[Any],
) -> Block:
    """The bits of `random_bits` as a fraction of all they could be.

    Parameters
    ----------
    key, draw, frame, places
        As of `random_bits`.
    drop
        Number of low bits that are left out.
    least
        Number that is added to the bits before they are scaled.
    dtype
        float32 or float64, of the result.
    """
    return _filled(out, key, draw, frame, places, Fraction(drop, least, dtype))


class _Runs(NamedTuple):
    """Where cells lie in C order of a tensor: runs side by side, numbered by a few axes."""

    start: int
    length: int
    counts: tuple[int, ...]
    steps: tuple[int, ...]


def _runs(frame: Sequence[int], places: Sequence[range]) -> _Runs:
    """The cells at `places`; trailing axes that are whole are one with the axis before them."""
    axes, size = list(zip(places, frame, strict=True)), 1
    last, extent = range(1), 1
    while axes and last == range(extent) and axes[-1][0].step == 1:
        axis_range, n = axes.pop()
        size = extent
        last, extent = range(axis_range.start * size, axis_range.stop * size), n * size
    steps: list[int] = []
    stride = extent
    for axis_range, n in reversed(axes):
        steps.insert(0, axis_range.step * stride)
        stride *= n
    start, stride = last.start, extent
    for axis_range, n in reversed(axes):
        start += axis_range.start * stride
        stride *= n
    counts = tuple([len(axis_range) for axis_range, _ in axes])
    return _Runs(start, len(last), counts, tuple(steps))


def place_words(numbers: Sequence[int], wide: bool) -> list[np.uint64]:
    """Numbers of cells as a kernel takes them: 64 bits of each, or those above them, too."""
    words = (1, PAGE) if wide else (1,)
    return [np.uint64(number // word % PAGE) for number in numbers for word in words]


def _filled(
    out: Block | None,
    key: Pair,
    draw: Pair,
    frame: tuple[int, ...],
    places: Sequence[range],
    fraction: Fraction | None,
) -> Block:
    gpu, shape = runtime(), tuple([len(place) for place in places])
    dtype = np.dtype(np.uint64) if fraction is None else fraction.dtype
    result = out if out is not None and out.flags.c_contiguous else gpu.empty(shape, dtype)
    if not prod(shape):
        return result
    cell_runs = _runs(frame, places)
    groups = (cell_runs.length + 6) // 4  # counters that a run may need, wherever it begins
    count = prod(cell_runs.counts) * groups
    wide = prod(frame) > PAGE
    program = random_program(fraction, len(cell_runs.counts), wide)
    arguments: list[Any] = [np.int64(n) for n in (count, groups, cell_runs.length)]
    arguments += [np.int64(n) for n in cell_runs.counts]
    arguments += place_words([cell_runs.start, *cell_runs.steps], wide)
    arguments += [np.uint64(word) for word in (*draw[::-1], *key)]
    gpu.launch(program, blocks_for(count, gpu), [*arguments, result])
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "randombits": random_bits,
    "randomfraction": random_fraction,
}
