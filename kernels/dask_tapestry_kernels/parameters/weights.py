"""Weights of cells: NumPy's words for those that no quantile can have."""

from __future__ import annotations

from typing import Final

NEGATIVE: Final = "Weights must be non-negative."
UNUSABLE: Final = "Weights included NaN, inf or were all zero."
