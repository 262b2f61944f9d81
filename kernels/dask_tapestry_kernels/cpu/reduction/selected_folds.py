"""Folds of many selections of the cells of some blocks, one after the other, into one block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction.reduce import folded
from dask_tapestry_kernels.fold_part import FoldPart
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def selectedfolds(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    trees: Sequence[Any],
    parts: Sequence[Mapping[str, Any]],
    joint: bool,
) -> Block:
    """Fold the cells that each tree selects, or each one's nodes, which lie along the last axis.

    Parameters
    ----------
    trees
        Those of the selections, which are the last axis of the result.
    parts
        The fields of `FoldPart`, but for the tree, of one reduction, or of several `joint` ones,
        whose values are the fields f0, f1... of the result.
    """
    folds = [FoldPart(**part) for part in parts]
    result: Block | None = None
    for number, tree in enumerate(trees):
        own = [part._replace(tree=tree) for part in folds]
        if own[0].source is None:
            values = folded(blocks, own)
        else:
            nodes = blocks[0][..., number]
            read = [nodes[f"f{n}"] for n in range(len(own))] if joint else [nodes]
            values = [folded([x], [part])[0] for x, part in zip(read, own, strict=True)]
        if result is None:
            fields = [(f"f{n}", value.dtype) for n, value in enumerate(values)]
            kind = np.dtype(fields) if joint else values[0].dtype
            result = np.empty((len(trees), *values[0].shape), kind)
        for n, value in enumerate(values):
            (result[f"f{n}"] if joint else result)[number] = value
    assert result is not None
    return np.moveaxis(result, 0, -1)


KERNELS: Final[dict[str, Kernel]] = {"selectedfolds": selectedfolds}
