"""Gufuncs of other libraries on our arrays, as `numba.guvectorize` makes them.

They are called on blocks, lazily, along the core dimensions that their signature names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dask_tapestry.arrays.core.dispatch import OF_OTHERS
from dask_tapestry.arrays.user_functions.gufuncs import apply_gufunc
from dask_tapestry.errors import DTypeError

TAKEN: Final = frozenset({"axes", "axis", "keepdims"})


def call_gufunc(ufunc: Any, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call another library's generalised ufunc along its core dimensions.

    Raises
    ------
    DTypeError
        For arguments that are no part of a lazy call, such as ``out``.
    """
    others = sorted(set(kwargs) - TAKEN)
    if others or len(inputs) != ufunc.nin:
        what = ", ".join(others) or f"{len(inputs)} arguments"
        raise DTypeError(f"{ufunc.__name__} of an Array takes {ufunc.nin} arrays, and not {what}")
    return apply_gufunc(ufunc, ufunc.signature, *inputs, vectorize=False, **kwargs)


def register() -> None:
    """Tell NumPy's dispatch."""
    OF_OTHERS["gufunc"] = call_gufunc
