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

    def difference(self, made: Any, expected: Any) -> str | None:
        """How `made` differs from `expected`; None if it does not.

        Examples
        --------
        >>> Closeness().difference(np.array([1.0, 5.0]), np.array([1.0, 2.0]))
        '1 of 2 cells differ, first at (1,): 5.0, not 2.0'
        """
        made, expected = np.asarray(made), np.asarray(expected)
        if made.shape != expected.shape:
            return f"the shape is {made.shape}, not {expected.shape}"
        if made.dtype.names is not None:
            found = ((n, self.difference(made[n], expected[n])) for n in made.dtype.names)
            return next((f"{name}: {text}" for name, text in found if text), None)
        wrong = ~self._agree(made, expected)
        if not wrong.any():
            return None
        first = tuple(map(int, np.argwhere(wrong)[0]))
        count = f"{np.count_nonzero(wrong)} of {wrong.size} cells differ"
        return f"{count}, first at {first}: {made[first]}, not {expected[first]}"

    def _agree(self, made: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> Any:
        if not np.issubdtype(expected.dtype, np.inexact):
            missing = expected.dtype.kind in "mM" and np.isnat(made) & np.isnat(expected)
            return np.asarray(made == expected) | missing
        rtol = float(np.finfo(expected.dtype).eps) ** 0.5 if self.rtol is None else self.rtol
        with np.errstate(all="ignore"):
            sizes = np.abs(expected)[np.isfinite(expected)]
            near = np.abs(made - expected) <= rtol * sizes.max(initial=0)
        nans = np.isnan(made) & np.isnan(expected)
        return near | (made == expected) | nans


def same_bits(made: Any, expected: Any) -> bool:
    """Whether two results have the same bits; objects, the same values."""
    made, expected = np.asarray(made), np.asarray(expected)
    if made.shape != expected.shape or made.dtype != expected.dtype:
        return False
    if made.dtype.hasobject:
        return bool(np.all(made == expected))
    return bool(made.tobytes() == expected.tobytes())
