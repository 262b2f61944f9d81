"""ScanSpec: what a scan combines, and how."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class ScanSpec(NamedTuple):
    """What is combined, and how.

    Attributes
    ----------
    function
        Name of the ufunc that combines cells.
    axis
        Along which it does.
    leaf
        Cells of a leaf along the axis.
    state
        Dtype in which cells are combined.
    skip
        Cells along the axis that the result leaves out, or that come before the block.
    apart
        Scan each leaf by itself.
    """

    function: str
    axis: int
    leaf: int
    state: np.dtype[Any]
    skip: int = 0
    apart: bool = False
