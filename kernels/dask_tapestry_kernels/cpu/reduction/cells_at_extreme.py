"""Cells at extremes: folds to places along an axis that carry what lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cells_at_extreme import (
    CarriedCells,
    DeviceKernels,
    Score,
    cells_at_extreme,
    shaped,
)
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.reduction.reduce import reduce
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def take_along(out: Block | None, block: Block, places: Block, *, axis: int, extent: int) -> Block:  # noqa: ARG001
    """Cells at known places along an axis."""
    return np.take_along_axis(block, places, axis)


OF_HOST: Final = DeviceKernels(reduce, take_along, evaluate)


def at_extreme(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    score: tuple[tuple[int, ...], Mapping[str, Any]],
    carried: Sequence[tuple[tuple[int, ...], Any]],
    count: int,
) -> Block:
    """Nodes or places, as the field ``at``, with the cells that lie there, ``f0``, ``f1``...

    Parameters
    ----------
    score
        The fields of `Score`.
    carried
        The fields of `CarriedCells` for each of what is taken; () of nodes.
    count
        How much is taken.
    """
    what = [CarriedCells(*each) for each in carried]
    parts = cells_at_extreme(OF_HOST, blocks, Score(*score), what, count)
    dtype, fields = shaped(parts, score[1])
    result = np.empty(fields[0].shape, dtype)
    for name, field in zip(dtype.names or (), fields, strict=True):
        result[name] = field
    return result


KERNELS: Final[dict[str, Kernel]] = {"cellsatextreme": at_extreme}
