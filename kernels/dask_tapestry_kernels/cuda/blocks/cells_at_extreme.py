"""Cells at extremes on a GPU: folds to places along an axis that carry what lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dask_tapestry_kernels.cells_at_extreme import (
    CarriedCells,
    DeviceKernels,
    Score,
    cells_at_extreme,
    shaped,
)
from dask_tapestry_kernels.cuda.blocks.take import take_along
from dask_tapestry_kernels.cuda.cells.formulas import evaluate
from dask_tapestry_kernels.cuda.jit.runtime import Block
from dask_tapestry_kernels.cuda.reduction.folds import reduce
from dask_tapestry_kernels.field_blocks import FieldBlocks
from dask_tapestry_kernels.kernel_table import Kernel

OF_DEVICE: Final = DeviceKernels(reduce, take_along, evaluate)


def at_extreme(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    score: tuple[tuple[int, ...], Mapping[str, Any]],
    carried: Sequence[tuple[tuple[int, ...], Any]],
    count: int,
) -> FieldBlocks:
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
    parts = cells_at_extreme(OF_DEVICE, blocks, Score(*score), what, count)
    dtype, fields = shaped(parts, score[1])
    return FieldBlocks(fields[0].shape, dtype, fields)


KERNELS: Final[dict[str, Kernel]] = {"cellsatextreme": at_extreme}  # type: ignore[dict-item]
