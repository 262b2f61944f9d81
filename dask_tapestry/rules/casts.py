"""Rules on casts of casts: where the second yields the same bits without the first."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.cells import CellBuilder
from dask_tapestry.cells.expression import CellStep

DType = np.dtype[Any]


def merge_casts(builder: CellBuilder, step: CellStep) -> int | None:
    """``cast(cast(x)) -> cast(x)|x``, where the inner cast is exact."""
    place = step.operands[0] - len(builder.parameters)
    if place < 0 or builder.steps[place].function != "cast":
        return None
    (x,) = builder.steps[place].operands
    if not is_detour(builder.dtype(x), builder.steps[place].dtype, step.dtype):
        return None
    return builder.cast(x, step.dtype)


@lru_cache(maxsize=1024)
def is_detour(first: DType, by: DType, last: DType) -> bool:
    """Whether casting `first` to `last` directly yields the same bits as by way of `by`.

    Integers lose high bits only, so a detour over no fewer bits than `last` has changes nothing.
    Not floats that become integers: out of range each cast has another value. Nor where an
    imaginary part is dropped: NumPy warns.

    Examples
    --------
    >>> f2, f4, f8, i4, i8 = (np.dtype(name) for name in ("f2", "f4", "f8", "i4", "i8"))
    >>> is_detour(f4, f8, f4), is_detour(i4, i8, f4), is_detour(f8, f4, f2), is_detour(i8, f8, i8)
    (True, True, False, False)
    """
    if not all(dtype.isnative and dtype.kind in "biufc" for dtype in (first, by, last)):
        return False
    if first.kind in "iu" and by.kind in "iu" and last.kind in "iu":
        return by.itemsize >= last.itemsize or is_exact(first, by)
    if first.kind in "fc" and last.kind in "iu":
        return False
    if "c" in (first.kind, by.kind) and last.kind not in "cb":
        return False
    if last.kind in "iu" and not is_exact(first, last):
        return False
    return is_exact(first, by)


def is_exact(first: DType, by: DType) -> bool:
    """Whether `by` holds every value of `first`."""
    if first == by or first.kind == "b":
        return True
    if first.kind in "iu" and by.kind in "iu":
        return bool(np.can_cast(first, by))
    if by.kind not in "fc" or (first.kind == "c" and by.kind == "f"):
        return False
    if first.kind in "iu":
        bits = 8 * first.itemsize - (first.kind == "i")
        return bits <= np.finfo(by).nmant + 1 and 2.0**bits < float(np.finfo(by).max)
    return bool(np.can_cast(first, by))
