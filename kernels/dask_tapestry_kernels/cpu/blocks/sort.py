"""Sorting: one order of the cells of each dtype, in which equal cells are equal bit for bit.

It is NumPy's order: NaN and NaT last, complex numbers by their real and then their imaginary parts.
NumPy leaves open which of two cells comes first that are equal and yet differ in bits. Here -0.0
comes before 0.0, and every NaN is the same one. So sorted cells do not tell how they were cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import counting_sort, rank_range
from dask_tapestry_kernels.cpu.blocks.stable_order import stable_order
from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.ranks import is_long as is_long_line
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
KEY: Final = "key"
PLACE: Final = "place"
LOAD: Final = "load"
PIECE: Final = 2**22  # bytes of lanes that are sorted one after the other


def sort(out: Block | None, block: Block, *, axis: int, part: slice, in_runs: bool) -> Block:
    """Sort a block along `axis`; return the cells `part` along it.

    Parameters
    ----------
    in_runs
        The block consists of a few sorted runs; their cells may be pairs, along the last axis.
    """
    whole = (part.start or 0, part.stop) == (0, block.shape[axis])
    if not whole and is_long(block, axis):
        return _by_lanes(out, block, axis, part, _ranked)
    if block.dtype.names:
        result = sort_pairs(block)
    else:
        result = out if out is not None and whole else np.empty(block.shape, block.dtype)
        result[...] = block
        sort_cells(result, axis, in_runs)
    return result if whole else result[(*(slice(None),) * axis, part)]


def argsort(out: Block | None, block: Block, *, axis: int, part: slice) -> Block:
    """The places, int64, of the sorted cells along `axis`; return those that `part` selects.

    Equal cells keep their order.
    """
    whole = (part.start or 0, part.stop) == (0, block.shape[axis])
    if not whole and is_long(block, axis):
        return _by_lanes(out, block, axis, part, _ranked_places, np.dtype(np.int64))
    order = np.moveaxis(stable_order(np.moveaxis(block, axis, -1)), -1, axis)
    return order[(*(slice(None),) * axis, part)]


def is_long(block: Block, axis: int) -> bool:
    """Whether some cells of a sorted lane are found sooner than all are sorted."""
    return is_long_line(block.shape[axis], block.dtype)


def _ranked(line: Block, start: int, stop: int, made: Block) -> None:
    rank_range.ranked(line, start, stop, sort_line, made)


def _ranked_places(line: Block, start: int, stop: int, made: Block) -> None:
    made[...] = rank_range.ranked_places(line, start, stop)


def sort_line(line: Block) -> None:
    """Sort the cells of a line in place."""
    sort_lanes(line, -1, in_runs=False)


def _by_lanes(
    out: Block | None,
    block: Block,
    axis: int,
    part: slice,
    find: Callable[[Block, int, int, Block], None],
    dtype: np.dtype[Any] | None = None,
) -> Block:
    """What `find` writes of each lane along `axis`, of the ends of a part of it."""
    start, stop, _ = part.indices(block.shape[axis])
    shape = [stop - start if dim == axis else n for dim, n in enumerate(block.shape)]
    result = out if out is not None else np.empty(shape, dtype or block.dtype)
    lanes, made = np.moveaxis(block, axis, -1), np.moveaxis(result, axis, -1)
    for lane in np.ndindex(lanes.shape[:-1]):
        find(np.ascontiguousarray(lanes[lane]), start, stop, made[lane])
    return result


def top(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    keep: int,
    length: int,
    last: bool,
    part: slice,
) -> Block:
    """The `keep` last or first cells, in order, of each run of `length` cells of the last axis.

    The result has an axis of runs before the last one; `part` selects some of these cells.
    """
    cells = block.shape[-1]
    whole = cells // length
    runs = block[..., : whole * length].reshape(*block.shape[:-1], whole, length)
    best = _ends(runs, keep, last)
    if whole * length < cells:
        rest = _ends(block[..., None, whole * length :], keep, last)
        best = np.concatenate([best, rest], -2)
    return best[..., part]


def _ends(runs: Block, keep: int, last: bool) -> Block:
    """The last or first cells in order along the last axis."""
    length = runs.shape[-1]
    chosen = slice(length - keep, length) if last else slice(0, keep)
    if runs.dtype.names:
        return sort_pairs(runs)[..., chosen]
    kind = runs.dtype.kind
    if kind == "c" or (kind == "f" and negative_zeros(runs, -1) is not None):
        cells = runs.copy()
    else:
        border = length - keep if last else keep - 1
        cells, chosen = np.partition(runs, border, axis=-1)[..., chosen].copy(), slice(None)
    sort_cells(cells, -1, in_runs=False)
    return cells[..., chosen]


def with_places(out: Block | None, block: Block, places: Block) -> Block:  # noqa: ARG001
    """Pairs of cells and places of one shape, as `pair_dtype` has them."""
    pairs = np.empty(block.shape, pair_dtype(block.dtype))
    pairs[KEY], pairs[PLACE] = block, places
    return pairs


def pair_dtype(key: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a cell together with its place."""
    return np.dtype([(KEY, key), (PLACE, np.int64)])


def weighed_dtype(key: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a cell together with its place and its weight."""
    return np.dtype([(KEY, key), (PLACE, np.int64), (LOAD, np.float64)])


def sort_pairs(pairs: Block) -> Block:
    """Sort pairs of cell and place along the last axis; equal cells by their places."""
    keys = pairs[KEY]
    order = stable_order(keys)
    result = np.take_along_axis(pairs, order, -1)
    cells = result[KEY]
    alike = cells[..., 1:] == cells[..., :-1]
    if cells.dtype.kind in "fcmM":
        alike |= cells[..., :-1] != cells[..., :-1]  # after NaN comes NaN
    if not alike.any():
        return result
    numbers = np.zeros(cells.shape, np.int64)
    np.cumsum(~alike, axis=-1, out=numbers[..., 1:])
    span = int(result[PLACE].max()) + 1
    if cells.dtype.kind == "c" or cells.shape[-1] * span >= 2**63:  # NaN of several kinds
        order = np.lexsort((pairs[PLACE], keys), axis=-1)
        return np.take_along_axis(pairs, order, -1)
    order = np.argsort(numbers * span + result[PLACE], axis=-1)  # no two of them are equal
    return np.take_along_axis(result, order, -1)  # a seventh of lexsort's time


def some_lanes(block: Block, axis: int) -> Iterator[tuple[slice, ...]]:
    """Parts of a block of whole lanes along `axis`, about `PIECE` bytes each where lanes allow."""
    along = axis % block.ndim
    others = tuple(1 if dim == along else n for dim, n in enumerate(block.shape))
    lane = max(1, block.shape[axis] * block.itemsize)
    for *sides, _ in tiles(others, max(1, PIECE // lane)):
        stop_if_asked()
        yield tuple(slice(None) if dim == along else side for dim, side in enumerate(sides))


def sort_cells(cells: Block, axis: int, in_runs: bool) -> None:
    """Sort in place, a few lanes at a time: so does what is noted of them stay small."""
    for lanes in some_lanes(cells, axis):
        sort_lanes(cells[lanes], axis, in_runs)


def sort_lanes(cells: Block, axis: int, in_runs: bool) -> None:
    """Sort in place.

    Runs are merged by NumPy's stable sort (2e7 float64 in 8 runs: .39 s, against 2.1 s by its
    default sort); cells in disorder are sorted by the default (1.4 s against 2.4 s).
    """
    if not cells.size:
        return
    if cells.dtype.kind == "c":
        _sort_complex(cells, axis, in_runs)
        return
    if cells.dtype == np.float16:
        _sort_halves(cells, axis, in_runs)
        return
    if counting_sort.count_sort(cells, axis):
        return
    negative = negative_zeros(cells, axis) if cells.dtype.kind == "f" else None
    cells.sort(axis=axis, kind="stable" if in_runs else None)
    if cells.dtype.kind == "f":
        _one_nan(cells, axis)
    if negative is not None:
        zero = cells == 0
        below = zero.cumsum(axis) <= negative
        cells[zero] = np.where(below[zero], -0.0, 0.0)


def _sort_halves(cells: Block, axis: int, in_runs: bool) -> None:
    """Sort float16 as the integers that are in their order.

    NumPy 2.4's own sort leaves some of 5,000 cells, negative ones among them, out of order on
    machines with AVX-512.
    """
    cells[np.isnan(cells)] = np.nan
    bits = cells.view(np.int16)
    bits ^= (bits >> 15) & np.iinfo(np.int16).max
    bits.sort(axis=axis, kind="stable" if in_runs else None)
    bits ^= (bits >> 15) & np.iinfo(np.int16).max


def negative_zeros(cells: Block, axis: int) -> Block | None:
    """Numbers of -0.0 in each lane, or None where there is none; a look costs .4 % of the sort.

    They are counted before: NumPy's vectorised sort may turn -0.0 and 0.0 into two of one of them.
    """
    zero = cells == 0
    if not zero.any():
        return None
    zero &= np.signbit(cells)
    return zero.sum(axis, keepdims=True) if zero.any() else None


def _one_nan(cells: Block, axis: int) -> None:
    """Make every NaN of sorted cells the same one."""
    if np.isnan(np.take(cells, -1, axis)).any():
        cells[np.isnan(cells)] = np.nan


def _sort_complex(cells: Block, axis: int, in_runs: bool) -> None:
    real, imag = cells.real, cells.imag
    for side in (real, imag):
        unknown = np.isnan(side)
        if unknown.any():
            side[unknown] = np.nan
    minus = [(side == 0) & np.signbit(side) for side in (real, imag)]
    if not (minus[0].any() or minus[1].any()):
        cells.sort(axis=axis, kind="stable" if in_runs else None)
        return
    unknown_parts = 2 * np.isnan(real) + np.isnan(imag)
    order = np.lexsort((~minus[1], ~minus[0], imag, real, unknown_parts), axis=axis)
    cells[...] = np.take_along_axis(cells, order, axis)


KERNELS: Final[dict[str, Kernel]] = {
    "sort": sort,
    "argsort": argsort,
    "top": top,
    "withplaces": with_places,
}
