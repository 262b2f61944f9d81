"""Thread tiles: which cells threads write, whether two write one, and how these lie together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import gcd, lcm, prod
from typing import NamedTuple

import numpy as np

from dask_tapestry.operators.threads.affine_cells import Affine
from dask_tapestry.operators.tuning import MOST_THREAD_PAIRS
from dask_tapestry.zspace import ZRange


class TooManyThreadsError(Exception):
    """There are too many threads to tell whether two of them write one cell."""


class Digit(NamedTuple):
    """A part of a cell's coordinate: ``step * n``, for n below `places`.

    `dim` is the id that counts them, or None for the cells of one thread's part.
    """

    step: int
    places: int
    dim: int | None


class Tiles(NamedTuple):
    """Where threads write: thread t at ``starts(t) + strides * e`` for e below `sizes`.

    Attributes
    ----------
    starts
        For each axis, as a sum of multiples of the ids.
    sizes, strides
        Of a thread's part.
    extents
        How many threads there are along each id.
    """

    starts: tuple[Affine, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    extents: tuple[int, ...]

    def box(self, thread: Sequence[int]) -> ZRange:
        """The hull of what a thread writes."""
        lo = [start.of(thread) for start in self.starts]
        spans = zip(lo, self.sizes, self.strides, strict=True)
        return ZRange(lo, [a + step * (n - 1) + 1 for a, n, step in spans])

    def outside(self, shape: Sequence[int]) -> tuple[int, ...] | None:
        """A thread that writes beyond `shape`; None where none does."""
        for start, size, stride, n in zip(
            self.starts, self.sizes, self.strides, shape, strict=True
        ):
            pairs = list(zip(start.coefficients, self.extents, strict=True))
            least = tuple(m - 1 if c < 0 else 0 for c, m in pairs)
            most = tuple(m - 1 if c > 0 else 0 for c, m in pairs)
            reach = stride * (size - 1)
            if start.constant + sum(c * t for (c, _), t in zip(pairs, least, strict=True)) < 0:
                return least
            last = start.constant + sum(c * t for (c, _), t in zip(pairs, most, strict=True))
            if last + reach >= n:
                return most
        return None

    def digits(self, axis: int) -> tuple[Digit, ...]:
        """What a coordinate along `axis` is the sum of, besides the first cell; largest first."""
        start = self.starts[axis]
        all_digits = [
            Digit(abs(c), n, dim)
            for dim, (c, n) in enumerate(zip(start.coefficients, self.extents, strict=True))
            if c and n > 1
        ]
        if self.sizes[axis] != 1:
            all_digits.append(Digit(self.strides[axis], self.sizes[axis], None))
        return tuple(sorted(all_digits, key=lambda d: (-d.step, d.dim is None)))

    def first(self, axis: int) -> int:
        """The least coordinate along `axis` that a thread writes."""
        start = self.starts[axis]
        pairs = zip(start.coefficients, self.extents, strict=True)
        return start.constant + sum(c * (n - 1) for c, n in pairs if c < 0)

    def backward(self, dim: int) -> bool:
        """Whether later threads along an id write earlier cells, along the one axis it moves."""
        return any(s.coefficients[dim] < 0 for s in self.starts)

    def moved(self, dim: int) -> tuple[int, ...]:
        """The axes along which an id moves what is written."""
        return tuple(a for a, s in enumerate(self.starts) if s.coefficients[dim])

    @property
    def is_product(self) -> bool:
        """Whether each id that counts moves one axis: then the cells are a product of axes'."""
        return all(len(self.moved(d)) == 1 for d, n in enumerate(self.extents) if n > 1)

    def write_separate_cells(self) -> bool:
        """Whether mixed radices tell that no two threads write one cell."""
        for axis in range(len(self.starts)):
            reach = 0
            for digit in reversed(self.digits(axis)):
                if digit.step <= reach:
                    return False
                reach += digit.step * (digit.places - 1)
        return all(self.moved(dim) for dim, n in enumerate(self.extents) if n > 1)

    def overlap(self) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Two threads that write one cell, or None; a `TooManyThreadsError` if nothing tells."""
        if 0 in self.sizes or prod(self.extents) < 2 or self.write_separate_cells():
            return None
        if all(sum(map(bool, s.coefficients)) < 2 for s in self.starts):
            step = self._common_step()
        else:
            step = self._compared()
        if step is None:
            return None
        first = tuple(max(0, -d) for d in step)
        return first, tuple(a + d for a, d in zip(first, step, strict=True))

    def _common_step(self) -> tuple[int, ...] | None:
        """The step between two threads that meet, where each axis follows one id at most."""
        for dim, extent in enumerate(self.extents):
            axes = self.moved(dim)
            rates = [(self.starts[a].coefficients[dim], self.strides[a]) for a in axes]
            step = lcm(*[k // gcd(c, k) for c, k in rates])
            near = all(
                abs(c * step) // k < self.sizes[a] for a, (c, k) in zip(axes, rates, strict=True)
            )
            if step < extent and near:
                return tuple(step if d == dim else 0 for d in range(len(self.extents)))
        return None

    def _compared(self) -> tuple[int, ...] | None:
        """The step between two threads that write one cell, found by trying all; None for none."""
        if prod(2 * n - 1 for n in self.extents) > MOST_THREAD_PAIRS:
            raise TooManyThreadsError
        lines = [np.arange(1 - n, n) for n in self.extents]
        steps = np.stack(np.meshgrid(*lines, indexing="ij"), -1).reshape(-1, len(lines))
        meet = steps.any(1)
        for start, size, stride in zip(self.starts, self.sizes, self.strides, strict=True):
            distance = steps @ np.array(start.coefficients)
            meet &= (distance % stride == 0) & (abs(distance) // stride < size)
        found = steps[meet]
        return tuple(map(int, found[0])) if len(found) else None


class DigitRun(NamedTuple):
    """Digits that together are one progression along an axis."""

    step: int
    places: int
    digits: tuple[Digit, ...]


def runs(digits: Sequence[Digit]) -> tuple[DigitRun, ...]:
    """Neighbouring digits joined where the larger one goes on as the smaller ones end.

    Examples
    --------
    >>> [(run.step, run.places) for run in runs([Digit(4, 5, 0), Digit(1, 4, None)])]
    [(1, 20)]
    >>> [(run.step, run.places) for run in runs([Digit(5, 4, 0), Digit(1, 4, None)])]
    [(5, 4), (1, 4)]
    """
    digit_runs: list[DigitRun] = []
    for digit in reversed(digits):
        if digit_runs and digit.step == digit_runs[0].step * digit_runs[0].places:
            last = digit_runs[0]
            digit_runs[0] = DigitRun(last.step, last.places * digit.places, (digit, *last.digits))
        else:
            digit_runs.insert(0, DigitRun(digit.step, digit.places, (digit,)))
    return tuple(digit_runs)


class Piece(NamedTuple):
    """Cells of a packed tensor that lie in progressions.

    Attributes
    ----------
    places
        For each run of each axis its place, or None where all of it is taken.
    starts, steps, counts
        The progression of cells along each axis.
    """

    places: tuple[tuple[int | None, ...], ...]
    starts: tuple[int, ...]
    steps: tuple[int, ...]
    counts: tuple[int, ...]


def pieces(tiles: Tiles, most: int) -> list[Piece] | None:
    """What threads write, cut in progressions; None if these are more than `most`."""
    axes = [runs(tiles.digits(axis)) for axis in range(len(tiles.starts))]
    longest = [
        max(range(len(axis_runs)), key=lambda n: axis_runs[n].places, default=0)
        for axis_runs in axes
    ]
    choices = [
        [range(run.places) if n != keep else (None,) for n, run in enumerate(axis_runs)]
        for axis_runs, keep in zip(axes, longest, strict=True)
    ]
    if prod(len(choice) for axis_runs in choices for choice in axis_runs) > most:
        return None
    packed_pieces = []
    for progressions in product(*[product(*axis_runs) for axis_runs in choices]):
        starts = [
            tiles.first(axis)
            + sum(run.step * (at or 0) for run, at in zip(axis_runs, at_, strict=True))
            for axis, (axis_runs, at_) in enumerate(zip(axes, progressions, strict=True))
        ]
        longest_runs = [
            axis_runs[keep] if axis_runs else DigitRun(1, 1, ())
            for axis_runs, keep in zip(axes, longest, strict=True)
        ]
        steps, counts = (
            tuple(run.step for run in longest_runs),
            tuple(run.places for run in longest_runs),
        )
        packed_pieces.append(Piece(tuple(progressions), tuple(starts), steps, counts))
    return packed_pieces
