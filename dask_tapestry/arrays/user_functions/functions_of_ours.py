"""Functions of this library where one of blocks is taken: they are called with lazy arrays.

Called with a block, such a function would plan and compute an array in each: where blocks it must
be, NumPy's function takes its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from inspect import signature, unwrap
from types import FunctionType
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import NUMPY_FUNCTIONS, UFUNC_FUNCTIONS


def is_ours(func: Callable[..., Any]) -> bool:
    """Whether a function is one of this library's, which take lazy arrays.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> is_ours(dt.sum), is_ours(np.sum)
    (True, False)
    """
    package = __name__.partition(".")[0]
    home = func.__module__ if isinstance(func, FunctionType) else None  # None in bare `exec`
    return home is not None and home.partition(".")[0] == package


def of_blocks(func: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function, where one is ours for it; else the function itself.

    So in a `partial` one, and in one that `numpy.vectorize` calls.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> of_blocks(dt.sum).__module__, of_blocks(dt.sqrt), of_blocks(abs)
    ('numpy', <ufunc 'sqrt'>, <built-in function abs>)
    """
    if isinstance(func, partial):
        return partial(of_blocks(func.func), *func.args, **func.keywords)
    if isinstance(func, np.vectorize):
        each = copy(func)
        each.pyfunc = of_blocks(func.pyfunc)
        return each
    if not is_ours(func):
        return func
    own, named = unwrap(func), {**NUMPY_FUNCTIONS, **UFUNC_FUNCTIONS}
    key = next((key for key, ours in named.items() if unwrap(ours) is own), func)
    found: Callable[..., Any] = getattr(np, key) if isinstance(key, str) else key
    return found


def of_whole_arrays(func: Callable[..., Any], args: Sequence[Any]) -> Array | None:
    """A ufunc of ours of the arrays themselves, whose blocks are those it makes of blocks.

    None for another function, and for arrays that do not broadcast as their blocks do.
    """
    if not is_ours(func) or getattr(func, "nout", 0) != 1 or getattr(func, "signature", ""):
        return None
    shapes = [one.shape for one in args if isinstance(one, Array)]
    rest = [one for one in args if not isinstance(one, Array)]
    if len(args) != getattr(func, "nin", 0) or any(np.ndim(one) for one in rest):
        return None
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    made = func(*args)
    return made if isinstance(made, Array) else None


def along_axis(func: Callable[..., Any], x: Array, axis: int, options: dict[str, Any]) -> Any:
    """A function of ours of all lanes along an axis, where that is what it makes of each lane.

    So it is of what folds a lane to a cell and, without options, of what makes as many of one. None
    for others.
    """
    if not is_ours(func) or "axis" not in signature(func).parameters or "axis" in options:
        return None
    lane = x[tuple([slice(None) if d == axis else 0 for d in range(x.ndim)])]
    one = func(lane, **options)
    if not isinstance(one, Array) or one.shape not in ([()] if options else [(), lane.shape]):
        return None
    others = x.shape[:axis] + x.shape[axis + 1 :]
    made = func(x, axis=axis, **options)
    return made if made.shape == (x.shape if one.ndim else others) else None
