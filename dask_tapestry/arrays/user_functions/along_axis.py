"""NumPy's `apply_along_axis` and `apply_over_axes`: functions of one axis, wherever it lies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.shape_arguments import Shape, shape_of
from dask_tapestry.arrays.tuning import TRIAL_LANE_CELLS
from dask_tapestry.arrays.user_functions.functions_of_ours import along_axis, is_ours, of_blocks
from dask_tapestry.arrays.user_functions.lazy_arguments import arguments_of
from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import each_axis, normalize_axis
from dask_tapestry.operators.functions.infer_meta import dtype_of, sample, tried
from dask_tapestry.operators.functions.user_function import UserFunction, name_of
from dask_tapestry.operators.tuning import TRIAL_CELLS
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Kind, Tensor

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
]

_WRONG_SHAPE = "function is not returning an array of the correct shape"


@dataclass(frozen=True)
class AlongAxis:
    """`function` of the 1-d slices of a block along `axis`, and of what else is given."""

    function: Callable[..., Any]
    axis: int

    def __call__(self, block: np.ndarray[Any, Any], *args: Any) -> Any:
        return np.apply_along_axis(self.function, self.axis, block, *args)


@dataclass(frozen=True)
class OverAxes:
    """`function` of a block and an axis."""

    function: Callable[..., Any]
    axis: int

    def __call__(self, block: np.ndarray[Any, Any]) -> Any:
        return self.function(block, self.axis)


@implements(np.apply_along_axis)
def apply_along_axis(
    func1d: Callable[..., Any],
    axis: int,
    arr: ArrayLike,
    *args: Any,
    dtype: DTypeLike | None = None,
    shape: Shape | None = None,
    **kwargs: Any,
) -> Array:
    """Apply a function to 1-d slices along an axis, as `numpy.apply_along_axis`.

    {Parameters}
        func1d: Called with a 1-d slice, `*args` and `**kwargs`. One of this library's that folds a
            slice is called with the array itself.
        axis: Axis of the slices.
        arr: The array, or what `asarray` takes.
        *args, **kwargs: Further arguments for `func1d`; a lazy array among them is computed once,
            and given whole.
        dtype, shape: Dtype and shape of what `func1d` returns; by default learnt by calling it on
            ones.
    {Returns} Array: Shape of `arr` with the shape of what `func1d` returns in place of `axis`.
    {Raises}
        ShapeError: If there are no slices.
        SignatureError: If dtype or shape is not given and cannot be learnt.
    {See Also} apply_over_axes, apply_gufunc, map_blocks
    {Examples}
    >>> x = dt.asarray([[3, 1, 2], [9, 7, 8]])
    >>> dt.apply_along_axis(sorted, 1, x).compute()
    array([[1, 2, 3],
           [7, 8, 9]])
    """
    x = asarray(arr).node
    at = normalize_axis(axis, x.type.ndim)
    others = [n for d, n in enumerate(x.type.shape) if d != at]
    if 0 in others:
        raise ShapeError("Cannot apply_along_axis when any iteration dimensions are 0")
    if not args and dtype is None and shape is None:
        whole_lanes = along_axis(func1d, Array(x), at, kwargs)
        if whole_lanes is not None:
            return cast("Array", whole_lanes)
    further = arguments_of(args, kwargs)
    call = further.call_after(of_blocks(func1d), 1)
    if dtype is None or shape is None:
        length = x.type.shape[at]
        whole = [sample(a.shape, a.dtype) for a in further.arrays]
        few = [(length,)] if length <= TRIAL_CELLS or shape is None else [(1,), (TRIAL_LANE_CELLS,)]
        samples = [[sample(n, x.type.dtype), *whole] for n in few]
        made = tried(call, samples, name_of(func1d))
        shape = np.shape(made) if shape is None else shape
        dtype = dtype_of(made, name_of(func1d)) if dtype is None else dtype
    function, arrays = UserFunction.of(AlongAxis(call, at)), [a.node for a in further.arrays]
    made = _applied_along(function, x, at, shape_of(shape), as_dtype(dtype), func1d, arrays)
    return Array(made)


def _applied_along(
    call: UserFunction,
    x: Tensor,
    axis: int,
    inner: tuple[int, ...],
    dtype: np.dtype[Any],
    function: Callable[..., Any],
    arrays: Sequence[Tensor] = (),
) -> Tensor:
    """A function of blocks that hold all of `axis`; axes of the lengths `inner` replace it.

    It takes whole `arrays` too.
    """
    owner = name_of(function)
    loops = [f"i{d}" for d in range(x.type.ndim)]
    index = [(name, Kind.PARALLEL, x.type.shape[d]) for d, name in enumerate(loops)]
    index[axis] = (loops[axis], Kind.ATOMIC, x.type.shape[axis])
    new = tuple(f"o{d}" for d in range(len(inner)))
    index += [(name, Kind.ATOMIC, n) for name, n in zip(new, inner, strict=True)]
    output_dims = (*loops[:axis], *new, *loops[axis + 1 :])
    reads = [("x", tuple(loops))]
    for number, array in enumerate(arrays):
        names = tuple(f"a{number}_{d}" for d in range(array.type.ndim))
        index += [(name, Kind.ATOMIC, n) for name, n in zip(names, array.type.shape, strict=True)]
        reads.append((f"a{number}", names))
    written = SignatureSpec(owner, tuple(index), tuple(reads), (("z", output_dims),))
    named = UserFunction(owner, call.identity, call.function)
    return call_blocks(named, written, [x, *arrays], {"z": dtype})[0]


@implements(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: int | Sequence[int]) -> Array:
    """Apply ``func(a, axis)`` for each axis in turn, as `numpy.apply_over_axes`.

    {Parameters}
        func: Called with blocks that hold all of an axis, and the number of the axis; it may remove
            it. One of this library's functions, such as `sum`, is called with the array itself.
        {a}
        axes: Axis or axes, in the order to take them.
    {Returns} Array: As many dimensions as `a`; removed axes stay with length 1.
    {Raises} ShapeError: If `func` changes the number of dimensions otherwise.
    {See Also} apply_along_axis, reduction

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.apply_over_axes(np.sum, dt.ones((2, 3, 4)), (0, 2)).compute()
    array([[[8.],
            [8.],
            [8.]]])
    """
    x = asarray(a)
    over = _over_array if is_ours(func) else _over_blocks
    for axis in each_axis(axes):
        at = normalize_axis(axis, x.ndim)
        x = over(func, x, at)
    return x


def _over_array(func: Callable[..., Any], x: Array, at: int) -> Array:
    """A function of ours of the whole array: it cuts the axis as it likes."""
    made: Array = func(x, at)
    return _with_axis(made.node, x.ndim, at)


def _over_blocks(func: Callable[..., Any], x: Array, at: int) -> Array:
    """A function of blocks that hold all of an axis."""
    length = x.shape[at]
    some = length if length <= TRIAL_CELLS else TRIAL_LANE_CELLS
    sides = tuple(some if d == at else 1 for d in range(x.ndim))
    function = OverAxes(func, at)
    trial = np.asarray(tried(function, [[sample(sides, x.dtype)]], name_of(func)))
    keeps_axis = trial.ndim == x.ndim
    if not keeps_axis and trial.ndim != x.ndim - 1:
        raise ShapeError(_WRONG_SHAPE)
    inner = (trial.shape[at] if trial.shape[at] != some else length,) if keeps_axis else ()
    dtype = dtype_of(trial, name_of(func))
    made = _applied_along(UserFunction.of(function), x.node, at, inner, dtype, func)
    return _with_axis(made, x.ndim, at)


def _with_axis(made: Tensor, ndim: int, at: int) -> Array:
    """What was made of `ndim` dimensions, with the axis that it removed."""
    if made.type.ndim not in (ndim, ndim - 1):
        raise ShapeError(_WRONG_SHAPE)
    return Array(made if made.type.ndim == ndim else unsqueeze(made, at))
