"""Partitions of lanes on a GPU, by CuPy's stable sort of the numbers of their parts."""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.partition_texts import part_program
from dask_tapestry_kernels.cuda.blocks.sort import lanes_last, order_keys
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.kernel_table import Kernel

PART: Final = np.dtype(np.int32)


def partition(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    axis: int,
    part: slice,
    kth: tuple[int, ...],
    places: bool,
) -> Block:
    """The cells `part` along `axis` of partitioned lanes, or their places in the lanes.

    Cells below some of the sorted ones come first, then those, then the cells above; each part
    keeps the order in which its cells lie.

    Parameters
    ----------
    kth
        Numbers of the cells that come where they are in the sorted lane.

    Raises
    ------
    KernelDeviceError
        For complex cells, which have no integers in their order.
    """
    gpu, lanes = runtime(), lanes_last(block, axis)
    keys = order_keys(lanes, places=True)
    parts = gpu.empty(keys.shape, PART)
    if keys.size:
        pivots = gpu.in_order(gpu.library.sort(keys, axis=-1)[..., list(kth)])
        program = part_program(block.dtype)
        extents = [np.int64(n) for n in (keys.size, keys.shape[-1], len(kth))]
        gpu.launch(program, blocks_for(keys.size, gpu), [*extents, keys, pivots, parts])
    order = gpu.library.argsort(parts, axis=-1).astype(np.int64, copy=False)[..., part]
    made = order if places else gpu.library.take_along_axis(lanes, order, -1)
    return lanes_last(made, axis, back=True)


KERNELS: Final[dict[str, Kernel]] = {
    "partition": partition,
}
