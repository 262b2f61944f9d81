"""What phrases call beside the two libraries: values of several results, and NumPy's own way."""

from __future__ import annotations

from math import erf as _erf
from typing import Any

import numpy as np

import dask_tapestry as dt
from tests.comparisons.layers import attention, conv, conv_transpose, layer_norm, pooled, softmax

__all__ = [
    "at", "attention", "boxed", "by_group", "changed", "coarsen", "conv",
    "conv_transpose", "cumulated", "doubled", "erf", "filled_by",
    "interleaved", "into", "joined", "largest", "layer_norm", "moment", "neighbours", "ordered",
    "paired", "pairs", "partitioned", "pooled", "push", "put",
    "records_of", "scattered", "seeded", "shuffled", "shuffled_by", "sliding", "softmax",
    "sorted_copy", "topk", "triangular", "update", "upper",
]  # fmt: skip
QUANTILES = (
    "linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf hazen weibull "
    "closest_observation interpolated_inverted_cdf median_unbiased normal_unbiased"
).split()


class Undefined(NotImplementedError):
    """NumPy has no value to compare with."""


def one_of(made: Any, place: int) -> Any:
    """One of several results; of a masked array, cells that are filled, or the mask."""
    if isinstance(made, tuple | list):
        if not len(made):
            raise Undefined
        return one_of(made[place % len(made)], place // 2)
    if made is np.ma.masked:
        raise Undefined
    for xp in (np, dt):
        if isinstance(made, xp.ma.MaskedArray):  # those of no dimension are scalars in NumPy
            shown = place % 2 and made.ndim
            return xp.ma.getmaskarray(made) if shown else made.filled(_fill(made.dtype))
    if made is None:
        raise Undefined
    return made


def _fill(dtype: Any) -> Any:
    return np.zeros((), dtype)[()]


# in place ----------------------------------------------------------------------------------


def into(xp: Any, name: str, *xs: Any, **options: Any) -> Any:
    """What a ufunc writes into an array of zeros."""
    ufunc = getattr(np, name)
    theirs = ufunc(*[np.zeros((), x.dtype) if hasattr(x, "dtype") else x for x in xs])
    if isinstance(theirs, tuple):
        raise Undefined
    sides = np.broadcast_shapes(*[x.shape for x in xs if hasattr(x, "shape")])
    made = xp.zeros(sides, options.pop("kind", theirs.dtype))
    getattr(xp, name)(*xs, out=made, **options)
    return made


def at(xp: Any, name: str, x: Any, places: Any, value: Any) -> Any:
    """`ufunc.at` of a copy."""
    made = xp.copy(x)
    if value is None:
        getattr(xp, name).at(made, places)
    else:
        getattr(xp, name).at(made, places, value)
    return made


def put(xp: Any, x: Any, places: Any, value: Any, axis: Any) -> Any:
    """`put_along_axis` of a copy."""
    made = xp.copy(x)
    xp.put_along_axis(made, places, value, axis)
    return made


def update(x: Any, operation: str, value: Any) -> Any:
    """An operator in place, of a copy."""
    made = x.copy()
    return getattr(made, operation)(value)


def changed(x: Any, key: Any, value: Any) -> Any:
    """A copy of which some cells are assigned."""
    made = x.copy()
    made[key] = value
    return made


# NumPy's way -------------------------------------------------------------------------------


def by_group(x: np.ndarray, name: str) -> np.ndarray:
    """Reductions of every third cell along the last axis."""
    groups = range(min(3, x.shape[-1]))
    return np.stack([getattr(np, name)(x[..., group::3], -1) for group in groups], -1)


def pairs(n: int) -> tuple[Any, ...]:
    """Weights of the sums of two neighbours."""
    places = np.arange(n)
    return np.ones(n, bool), places // 2, places, (-(-n // 2), n)


def paired(x: np.ndarray, axis: int) -> np.ndarray:
    """Sums of two neighbours."""
    if x.dtype.kind not in "biufc":
        raise TypeError("no numbers")
    front = np.moveaxis(x, axis, 0)
    kind = np.dtype("f4") if x.dtype == np.float16 else x.dtype
    made = np.zeros((-(-len(front) // 2), *front.shape[1:]), kind)
    for place, one in enumerate(front):
        made[place // 2] += one
    return np.moveaxis(made, 0, axis)


def push(x: np.ndarray, n: int | None, axis: int) -> np.ndarray:
    """The last cell before that is a number, within n cells."""
    made = np.moveaxis(x.copy(), axis, 0)
    missing = made != made
    for place in range(1, len(made)):
        if n is None:
            made[place] = np.where(missing[place], made[place - 1], made[place])
        else:
            for back in range(1, min(n, place) + 1):
                fill = made[place] != made[place]
                known = fill & ~missing[place - back]
                made[place] = np.where(known, made[place - back], made[place])
    return np.moveaxis(made, 0, axis)


def topk(x: np.ndarray, k: int, axis: int) -> np.ndarray:
    """The greatest first, or the least first."""
    ordered = np.sort(x, axis=axis)
    ordered = np.flip(ordered, axis) if k > 0 else ordered
    return np.take(ordered, range(min(abs(k), x.shape[axis])), axis)


def coarsen(name: str, x: np.ndarray, n: int) -> np.ndarray:
    """Fold n rows to one; rows that are left over are lost."""
    rows = len(x) // n
    return getattr(np, name)(x[: rows * n].reshape(rows, n, *x.shape[1:]), axis=1)


def cumulated(name: str, x: np.ndarray, axis: Any) -> np.ndarray:
    """`accumulate`, of all cells if there is no axis; a cell is an array of one, as in `cumsum`."""
    flat = x.reshape(-1) if axis is None else np.atleast_1d(x)
    return getattr(np, name).accumulate(flat, axis=0 if axis is None else axis)


def neighbours(x: np.ndarray, boundary: Any, depth: int = 1) -> np.ndarray:
    """Each cell and its neighbours along the first axis, added up."""
    modes: dict[Any, str] = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge"}
    width = [(depth, depth)] + [(0, 0)] * (x.ndim - 1)
    options = {} if boundary in modes else {"constant_values": boundary}
    padded = np.pad(x, width, modes.get(boundary, "constant"), **options)
    return joined(padded)[depth:-depth]


def joined(x: np.ndarray) -> np.ndarray:
    """Each row and those beside it, of which there are two, added up."""
    return np.roll(x, 1, 0) + x + np.roll(x, -1, 0)


def sliding(x: Any, n: int) -> Any:
    """Windows along the last axis."""
    return np.lib.stride_tricks.sliding_window_view(x, n, axis=-1)


def doubled(x: np.ndarray) -> np.ndarray:
    """A function of a block."""
    return x + x


def upper(xp: Any, factors: Any) -> Any:
    """The product of factors, which is one where factors are many."""
    made = factors[0]
    for factor in factors[1:]:
        made = xp.matmul(made, factor)
    return made


def moment(x: np.ndarray, order: int, axis: Any) -> Any:
    """A moment about the mean."""
    return np.mean((x - np.mean(x, axis=axis, keepdims=True)) ** order, axis=axis)


erf = np.vectorize(_erf, otypes=["f8"])


def triangular(x: np.ndarray, y: np.ndarray, lower: bool) -> np.ndarray:
    """Solve with the triangle alone."""
    return np.linalg.solve(np.tril(x) if lower else np.triu(x), y)


def shuffled(x: Any, groups: list[list[int]], axis: int) -> np.ndarray:
    """Places of groups in their order."""
    return np.take(x, [place for group in groups for place in group], axis)


def records_of(xp: Any, x: Any) -> Any:
    """Structured cells of an array of numbers."""
    made = xp.zeros(x.shape, dtype=[("a", x.dtype), ("b", "i4")])
    made["a"] = x
    return made


def seeded(seed: int) -> Any:
    """A generator of this library."""
    return dt.random.default_rng(seed)


def shuffled_by(generator: Any, x: Any) -> Any:
    """What a generator's `shuffle` makes of a copy."""
    made = dt.asarray(x).copy()
    generator.shuffle(made)
    return made


def filled_by(xp: Any, x: Any, value: Any) -> Any:
    """Cells of which the hidden ones are a value that was set before."""
    xp.ma.set_fill_value(x, value)
    return x.filled()


def sorted_copy(x: Any, axis: int) -> Any:
    """What `sort` makes of a copy."""
    made = x.copy()
    made.sort(axis)
    return made


def partitioned(x: Any) -> Any:
    """A copy whose last cell of each row is the greatest."""
    made = x.copy()
    made.partition(-1)
    return made


def scattered(x: np.ndarray) -> np.ndarray:
    """The first two rows, exchanged."""
    made = x.copy()
    made[[1, 0]] = x[:2]
    return made


def boxed(mask: np.ndarray) -> Any:
    """The first and last place of what is true, along each dimension."""
    places = np.argwhere(mask)
    if not len(places):
        raise Undefined
    return places.min(axis=0), places.max(axis=0)


def interleaved(xs: list[np.ndarray], axis: int) -> np.ndarray:
    """Slices of arrays in turn."""
    made = np.stack([np.moveaxis(x, axis, 0) for x in xs], axis=1)
    return np.moveaxis(made.reshape(-1, *made.shape[2:]), 0, axis)


def largest(x: np.ndarray) -> Any:
    """The greatest along the last axis."""
    return np.max(x, axis=-1)


def ordered(x: np.ndarray) -> np.ndarray:
    """Sorted along the last axis."""
    return np.sort(x, axis=-1)
