"""Joint folds, several reductions in one step on a GPU: their nodes are fields of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import Block
from dask_tapestry_kernels.cuda.reduction.folds import reduce
from dask_tapestry_kernels.field_blocks import FieldBlocks
from dask_tapestry_kernels.kernel_table import Kernel


def reductions(
    out: Block | None,  # noqa: ARG001
    *blocks: Block,
    parts: Sequence[Mapping[str, Any]],
    passes: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
) -> FieldBlocks:
    """Several reductions of blocks, or of the fields f0, f1... of one block of nodes.

    Each has launches of its own. The result has the fields f0, f1... too.

    Parameters
    ----------
    parts
        The fields of `FoldPart` for each.
    passes
        Numbers of reductions of the same blocks, and those of these blocks; None where all parts
        are of all blocks.
    """
    reads = [blocks] * len(parts)
    if parts[0]["source"] is not None:
        reads = [(blocks[0][f"f{number}"],) for number in range(len(parts))]
    for numbers, own in passes or ():
        for number in numbers:
            reads[number] = tuple([blocks[i] for i in own])
    values = [reduce(None, *read, **part) for read, part in zip(reads, parts, strict=True)]
    fields = [(f"f{number}", value.dtype) for number, value in enumerate(values)]
    return FieldBlocks(values[0].shape, np.dtype(fields), values)


KERNELS: Final[dict[str, Kernel]] = {"reductions": reductions}  # type: ignore[dict-item]
