"""Run sizes: how many cells each run has, where vectors are cut into runs one after the other."""

from __future__ import annotations

from collections.abc import Sequence


def run_sizes(length: int, groups: Sequence[int]) -> list[int]:
    """Cells of each run, `length` but for the last one of each of the `groups` of cells.

    Examples
    --------
    >>> run_sizes(4, (9, 4, 0))
    [4, 4, 1, 4]
    """
    return [min(length, cells - at) for cells in groups for at in range(0, cells, length)]
