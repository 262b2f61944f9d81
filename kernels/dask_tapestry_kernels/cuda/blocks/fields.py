"""Fields and outputs on a GPU: one of the arrays that a block of several is made of."""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry_kernels.cuda.jit.runtime import Block
from dask_tapestry_kernels.field_blocks import FieldBlocks
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, Slices


def member(out: Block | None, block: FieldBlocks, *, name: str, keep: Slices) -> Block:  # noqa: ARG001
    """One field of structured cells; of its own axes, the last ones, the cells `keep`."""
    found = block[name]
    return found[(..., *keep)] if keep else found


def output(out: Block | None, block: OutputBlocks, *, name: str, keep: Slices) -> Block:  # noqa: ARG001
    """The cells `keep` of one output."""
    return block[name][(*keep, ...)]


KERNELS: Final[dict[str, Any | Kernel]] = {"member": member, "output": output}
