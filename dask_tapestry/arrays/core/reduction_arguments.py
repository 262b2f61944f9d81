"""NumPy's reductions: axis, dtype, out, keepdims, initial and where, and the node they make."""

from __future__ import annotations

from math import prod
from operator import index
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.selected_cells import where_selected
from dask_tapestry.cells import loop_dtypes
from dask_tapestry.cells.references import Cell
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, each_axis, is_one_axis, normalize_axes, one_integer
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.cells.elementwise import astype, elementwise, scalar_of
from dask_tapestry.operators.cells.where import where as choose
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS, MONOIDS, NamedMonoid
from dask_tapestry.operators.reductions.reduce import nothing_to_fold, reduce
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.windows.long_windows import fold_of_long_windows
from dask_tapestry.teg import Tensor

NOT_GIVEN: Final[Any] = np._NoValue


def flag(keepdims: bool) -> bool:
    """Return `keepdims`, an integer or a bool; NumPy passes a mark of its own where none is given.

    Raises
    ------
    ArgumentTypeError
        For anything else, as NumPy's reductions do.
    """
    if keepdims is NOT_GIVEN:
        return False
    with reading("keepdims"):
        return bool(keepdims) if isinstance(keepdims, bool | np.bool) else index(keepdims) != 0


def wanted_dtype(dtype: DTypeLike | None) -> np.dtype[Any] | None:
    """Return `dtype` as a dtype, or None."""
    return None if dtype is None else as_dtype(dtype)


def fold_axes(axis: Axes, ndim: int) -> Axes:
    """Return the axes of a fold; without dimensions 0 and -1 mean none, as in NumPy."""
    if ndim == 0 and axis is not None and is_one_axis(axis) and each_axis(axis)[0] in (0, -1):
        return None
    return axis


def mask_of(where: ArrayLike | None, x: Tensor) -> Tensor | None:
    """Return the mask of the cells that take part, in the shape of `x`; None for all.

    Raises
    ------
    ShapeError
        If the mask does not broadcast to the cells.
    """
    if where is NOT_GIVEN or where is True or where is None:
        return None
    return broadcast(booleans(where).node, x.type.shape)


def booleans(where: ArrayLike) -> Array:
    """Return the cells of `where`, which are booleans; Python's numbers and lists become some.

    Raises
    ------
    DTypeError
        If they are not.
    """
    mask = asarray(where, bool if isinstance(where, list | tuple | int | float) else None)
    if mask.dtype != bool:
        raise DTypeError(f"where= takes booleans, not {mask.dtype}")
    return mask


def folded(
    monoid: str,
    a: ArrayLike,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = NOT_GIVEN,
    where: ArrayLike | None = NOT_GIVEN,
) -> Array:
    """Fold `monoid` over `axis`, with the arguments that all NumPy reductions share.

    Parameters
    ----------
    initial
        Combined with the fold's value, or the value of no cells; None refuses those.
    where
        Cells that take part; it broadcasts to the shape of `a`.
    """
    declared = MONOIDS[monoid]
    if declared.neutral is not None or initial is not NOT_GIVEN:
        a, axis, where = where_selected(a, axis, where, flag(keepdims))
    x = asarray(a).node
    axes = fold_axes(axis, x.type.ndim)
    normalize_axes(axes, x.type.ndim)  # wrong axes are reported before a wrong dtype, as in NumPy
    kind = wanted_dtype(dtype)
    if kind is None:
        kind = fold_dtype_for_out(declared.ufunc, x.type.dtype, out)
    mask = mask_of(where, x)
    result = declared.dtypes(x.type.dtype, kind)[0]
    given = None if initial is NOT_GIVEN else initial
    start = None if given is None else _scalar(given, result, declared)
    if mask is not None:
        x = _masked(x, mask, declared, start, kind)
    if start is not None and declared.name == "sum":
        declared = MONOIDS["add"]  # begun at `initial` alone
    if start is None:
        if initial is None and _takes_none(x, axes):
            raise ShapeError(nothing_to_fold(declared, x.type))
        value = plain_fold(x, declared.name, axes, kind, flag(keepdims))
    else:
        value = _with_initial(start, x, declared, axes, kind, flag(keepdims))
    return assigned_to_out(out, Array(value))


def plain_fold(
    x: Tensor, monoid: str, axes: Axes, dtype: np.dtype[Any] | None, keepdims: bool
) -> Tensor:
    """Fold all cells along some axes; those of long windows by doubling."""
    found = fold_of_long_windows(x, monoid, axes, dtype, keepdims)
    return reduce(x, monoid, axes, dtype=dtype, keepdims=keepdims) if found is None else found


def fold_dtype_for_out(ufunc: str, dtype: np.dtype[Any], out: Any) -> np.dtype[Any] | None:
    """The dtype in which cells are summed or multiplied into `out`; None where it says nothing."""
    if ufunc not in ("add", "multiply") or not isinstance(out, Array):
        return None
    return loop_dtypes(ufunc, (out.dtype, dtype))[0]


def _takes_none(x: Tensor, axes: Axes) -> bool:
    return not prod(x.type.shape[axis] for axis in normalize_axes(axes, x.type.ndim))


def _fits(cell: Any, own: str, kind: str) -> bool:
    """Whether NumPy converts a number to a dtype of `kind`, though it may round it."""
    if own == "c":
        return kind not in "iufmM"
    return own != "f" or (kind not in "mM" and (kind not in "iu" or bool(np.isfinite(cell))))


def _scalar(initial: ArrayLike, dtype: np.dtype[Any], monoid: NamedMonoid) -> Cell:
    with reading("initial"):
        value = np.asarray(initial)
    if value.ndim:
        raise DTypeError(f"initial value of a {monoid.ufunc} reduction must be a scalar")
    cell = value.flat[0]
    if not _fits(cell, value.dtype.kind, dtype.kind):
        raise ArgumentError(f"initial: cannot convert {cell} to {dtype}")
    return scalar_of(initial if isinstance(initial, int | float | complex) else cell, dtype)


def _masked(
    x: Tensor,
    mask: Tensor,
    monoid: NamedMonoid,
    start: Cell | None,
    kind: np.dtype[Any] | None,
) -> Tensor:
    """`x` with what the mask leaves out replaced by a value that changes no result."""
    filler = monoid.neutral if monoid.filler is None else monoid.filler
    if filler is None and start is None:
        raise ShapeError(
            f"reduction operation '{monoid.ufunc}' does not have an identity, so to use a where "
            "mask one has to specify 'initial'"
        )
    if monoid.dtypes(x.type.dtype, kind)[0].kind == "b":
        x = astype(x, np.dtype(bool))
    elif kind is not None:
        x = astype(real_part(x) if kind.kind in "iuf" else x, kind)
    constant = start if filler is None else scalar_of(filler, x.type.dtype)
    assert constant is not None
    return choose(mask, x, constant)


def _with_initial(
    start: Cell,
    x: Tensor,
    monoid: NamedMonoid,
    axes: Axes,
    kind: np.dtype[Any] | None,
    keepdims: bool,
) -> Tensor:
    """The fold's value combined with the initial one."""
    if _takes_none(x, axes):
        chosen = normalize_axes(axes, x.type.ndim)
        sides = [
            (1 if axis in chosen else n)
            for axis, n in enumerate(x.type.shape)
            if keepdims or axis not in chosen
        ]
        return full(tuple(sides), start)
    value = reduce(x, monoid.name, axes, dtype=kind, keepdims=keepdims)
    return elementwise(monoid.ufunc, start, value)


def placed(monoid: str, a: ArrayLike, axis: Axes, out: Array | None, keepdims: bool) -> Array:
    """Fold a monoid of places, such as argmin, over one axis or the flattened array."""
    assert monoid in ARG_REDUCTIONS
    one = None if axis is None else one_integer(cast(int, axis))
    return folded(monoid, a, one, out=out, keepdims=keepdims)
