"""Permutations on a GPU as functions of the coordinate: those of the CPU."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.permutation_texts import permutation_program
from dask_tapestry_kernels.cuda.blocks.random import random_bits
from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.formulas.feistel import bits_below, round_keys
from dask_tapestry_kernels.formulas.philox_rounds import Pair
from dask_tapestry_kernels.kernel_table import Kernel


def permutation(
    out: Block | None,  # noqa: ARG001
    *,
    key: Pair,
    draw: Pair,
    extent: int,
    as_table: bool,
    places: range,
) -> Block:
    """Where the cells `places` of ``range(extent)`` go in a random permutation.

    It is the order of as many random numbers where it is a table, which is made for each block.
    """
    gpu = runtime()
    if as_table and extent:
        whole = (range(extent),)
        order = gpu.order_of(random_bits(None, key=key, draw=draw, frame=(extent,), places=whole))
        return gpu.in_order(order[places.start : places.stop : places.step])
    result = gpu.empty((len(places),), np.dtype(np.int64))
    if len(places):
        program = permutation_program()
        numbers: list[Any] = [np.int64(n) for n in (len(places), places.start, places.step)]
        numbers += [np.int64(bits_below(extent)), np.uint64(extent)]
        keys = round_keys(key, draw)
        gpu.launch(program, blocks_for(len(places), gpu), [*numbers, *keys, result])
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "permutation": permutation,
}
