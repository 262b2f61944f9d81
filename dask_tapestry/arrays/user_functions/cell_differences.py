"""Cells in which two results differ beyond rounding, and how that is said."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class Closeness:
    """How far two results may lie apart.

    {Attributes} rtol: Of the largest cell expected; None for the square root of the dtype's
        precision.
    """

    rtol: float | None = None

    def difference(self, actual: Any, expected: Any) -> str | None:
        """How `actual` differs from `expected`; None if it does not.

        Examples
        --------
        >>> Closeness().difference(np.array([1.0, 5.0]), np.array([1.0, 2.0]))
        '1 of 2 cells differ, first at (1,): 5.0, not 2.0'
        """
        actual, expected = np.asarray(actual), np.asarray(expected)
        if actual.shape != expected.shape:
            return f"the shape is {actual.shape}, not {expected.shape}"
        if actual.dtype.names is not None:
            by_field = ((n, self.difference(actual[n], expected[n])) for n in actual.dtype.names)
            return next((f"{name}: {text}" for name, text in by_field if text), None)
        wrong = ~self._agree(actual, expected)
        if not wrong.any():
            return None
        first = tuple(map(int, np.argwhere(wrong)[0]))
        count = f"{np.count_nonzero(wrong)} of {wrong.size} cells differ"
        return f"{count}, first at {first}: {actual[first]}, not {expected[first]}"

    def _agree(self, actual: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> Any:
        if not np.issubdtype(expected.dtype, np.inexact):
            missing = expected.dtype.kind in "mM" and np.isnat(actual) & np.isnat(expected)
            return np.asarray(actual == expected) | missing
        rtol = float(np.finfo(expected.dtype).eps) ** 0.5 if self.rtol is None else self.rtol
        with np.errstate(all="ignore"):
            sizes = np.abs(expected)[np.isfinite(expected)]
            near = np.abs(actual - expected) <= rtol * sizes.max(initial=0)
        nans = np.isnan(actual) & np.isnan(expected)
        return near | (actual == expected) | nans


def same_bits(actual: Any, expected: Any) -> bool:
    """Whether two results have the same bits; objects, the same values."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return False
    if actual.dtype.hasobject:
        return bool(np.all(actual == expected))
    return bool(actual.tobytes() == expected.tobytes())
