"""Folds of many groups of lines of some blocks, one after the other, into one block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.order_statistics import ranks
from dask_tapestry_kernels.cpu.reduction.reduce import reduce
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]
FOLDS: Final[dict[str, Kernel]] = {"reduce": reduce, "ranks": ranks}


def groupedlines(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    axis: int,
    origin: int,
    fold: str,
    groups: Sequence[Any],
    options: Mapping[int, Mapping[str, Any]],
) -> Block:
    """Fold each group of lines; groups are the last axis of the result.

    Parameters
    ----------
    axis, origin
        Of the blocks, along which lines lie, and where the blocks begin along it.
    fold
        The kernel that folds a group.
    groups
        With a number ``fold``, and the lines: ``length`` from ``start`` on, each ``step`` further,
        or the int64 coordinates that the bytes ``places`` hold.
    options
        Of the kernel, by the group's number.
    """
    result: Block | None = None
    for number, group in enumerate(groups):
        value = _folded(blocks, axis, origin, FOLDS[fold], group, options[group.fold])
        if result is None:
            result = np.empty((len(groups), *value.shape), value.dtype)
        result[number] = value
        del value  # before the next group's is made
    assert result is not None
    return np.moveaxis(result, 0, -1)


def _folded(
    blocks: Sequence[Block],
    axis: int,
    origin: int,
    fold: Kernel,
    group: Any,
    options: Mapping[str, Any],
) -> Block:
    """The fold of a group, whose lines are let go before those of the next are gathered."""
    lines = [_lines(block, axis, origin, group) for block in blocks]
    return fold(None, *lines, **options)


def _lines(block: Block, axis: int, origin: int, group: Any) -> Block:
    """The lines of a group: a view where they are evenly spaced."""
    lead: tuple[Any, ...] = (slice(None),) * axis
    chosen: Any
    if group.places:
        chosen = np.frombuffer(group.places, np.int64) - origin
    else:
        start = group.start - origin
        stop = start + group.step * group.length
        chosen = slice(start, stop if stop >= 0 else None, group.step)
    lines: Block = block[(*lead, chosen)]
    return lines


KERNELS: Final[dict[str, Kernel]] = {"groupedlines": groupedlines}
