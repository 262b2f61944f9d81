"""Sorting on a GPU, by CuPy's stable sort of integers that are in the order of the cells.

The order is the CPU's: -0.0 comes before 0.0, and every NaN is the same one, the last.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.copies import in_order
from dask_tapestry_kernels.cuda.blocks.sort_texts import (
    from_keys_program,
    key_dtype,
    to_keys_program,
)
from dask_tapestry_kernels.cuda.jit.program import CudaProgram
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.kernel_table import Kernel


def sort(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    axis: int,
    part: slice,
    in_runs: bool,  # noqa: ARG001
) -> Block:
    """Sort a block along `axis`; return the cells `part` along it.

    Raises
    ------
    KernelDeviceError
        For complex cells, which have no integers in their order.
    """
    lanes = _sorted(lanes_last(block, axis), part)
    return lanes_last(lanes, axis, back=True)


def argsort(out: Block | None, block: Block, *, axis: int, part: slice) -> Block:  # noqa: ARG001
    """The places, int64, of the sorted cells along `axis`; return those that `part` selects.

    Equal cells keep their order.
    """
    gpu = runtime()
    keys = order_keys(lanes_last(block, axis), places=True)
    if not keys.size:
        return lanes_last(gpu.empty(keys.shape, np.dtype(np.int64))[..., part], axis, back=True)
    order = gpu.library.argsort(keys, axis=-1).astype(np.int64, copy=False)
    return lanes_last(order[..., part], axis, back=True)


def ranks(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    ranks: tuple[int, ...],
    axis: int,
    part: slice,
) -> Block:
    """The cells of `ranks` along `axis` of the sorted block; `part` selects some of the ranks."""
    return lanes_last(_sorted(lanes_last(block, axis), list(ranks[part])), axis, back=True)


def top(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    keep: int,
    length: int,
    last: bool,
    part: slice,
) -> Block:
    """The `keep` last or first cells, in order, of each run of `length` cells of the last axis.

    The result has an axis of runs before the last one; `part` selects some of these cells.
    """
    cells = block.shape[-1]
    whole, lead = cells // length, block.shape[:-1]
    made = [(block[..., : whole * length], (*lead, whole, length))] if whole else []
    if whole * length < cells or not whole:
        made.append((block[..., whole * length :], (*lead, 1, cells - whole * length)))
    gpu = runtime()
    runs = [gpu.in_order(lanes).reshape(shape) for lanes, shape in made]
    best = [
        _sorted(run, slice(run.shape[-1] - keep, None) if last else slice(0, keep)) for run in runs
    ]
    joined = best[0] if len(best) == 1 else gpu.library.concatenate(best, axis=-2)
    return joined[..., part]


def lanes_last(block: Block, axis: int, back: bool = False) -> Block:
    """The block with its axis last; or an axis that is last where it was."""
    order = [dim for dim in range(block.ndim) if dim != axis % block.ndim]
    order.append(axis % block.ndim)
    return block.transpose(np.argsort(order).tolist() if back else order)


def _sorted(lanes: Block, part: Any) -> Block:
    """Some cells of sorted lanes along the last axis."""
    gpu = runtime()
    keys = order_keys(lanes, places=False)
    if not keys.size:
        return keys.view(lanes.dtype)[..., part]
    chosen = gpu.in_order(gpu.library.sort(keys, axis=-1)[..., part])
    if lanes.dtype.kind == "f":
        chosen = _converted(chosen, from_keys_program(lanes.dtype))
    return chosen.view(lanes.dtype)


def order_keys(lanes: Block, places: bool) -> Block:
    """Integers in the order of the cells."""
    if lanes.dtype.kind not in "biuf":
        raise KernelDeviceError(f"kernel sort: {lanes.dtype} is sorted on the host")
    cells = in_order(lanes).view(key_dtype(lanes.dtype))
    if lanes.dtype.kind != "f":
        return cells
    return _converted(cells, to_keys_program(lanes.dtype, places))


def _converted(cells: Block, program: CudaProgram) -> Block:
    gpu = runtime()
    made = gpu.empty(cells.shape, cells.dtype)
    if cells.size:
        gpu.launch(program, blocks_for(cells.size, gpu), [np.int64(cells.size), cells, made])
    return made


KERNELS: Final[dict[str, Kernel]] = {
    "sort": sort,
    "argsort": argsort,
    "ranks": ranks,
    "top": top,
}
