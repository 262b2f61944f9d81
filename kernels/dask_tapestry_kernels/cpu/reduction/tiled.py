"""Several reductions of the same blocks, over different axes, to the nodes in each tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction import reduce as folds_of_cells
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks
from dask_tapestry_kernels.tiled_fold import TiledFold

Block = np.ndarray[Any, Any]


def tiled_reductions(
    out: None,  # noqa: ARG001
    *blocks: Block,
    points: tuple[int, ...],
    folds: Sequence[TiledFold],
) -> OutputBlocks:
    """Fold blocks, of whole tiles, to the nodes of each reduction.

    Parameters
    ----------
    points
        Numbers of tiles along each axis.
    folds
        The reductions.
    """
    outputs = tuple([fold.output for fold in folds])
    if 0 in points:
        return OutputBlocks.empty(points, outputs)
    return OutputBlocks(points, outputs, [_nodes(blocks, fold, points) for fold in folds])


def _nodes(blocks: Sequence[Block], fold: TiledFold, points: tuple[int, ...]) -> Block:
    nodes = folds_of_cells.KERNELS[fold.kernel](None, *blocks, **fold.arguments)
    shape = fold.output.of(points)
    if nodes.shape == shape:
        return nodes
    written = np.zeros(shape, fold.output.dtype)
    written[fold.made] = nodes
    return written


KERNELS: Final[Mapping[str, Kernel]] = {"tiledreductions": tiled_reductions}  # type: ignore[dict-item]
