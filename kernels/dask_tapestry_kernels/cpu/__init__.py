"""The kernels of one CPU thread, by the name operators give them.

A kernel is called as ``kernel(out, *blocks, **arguments)``. It returns the block; `out`, when it is
not None, is a buffer of the block's shape and dtype that the kernel may fill and return instead.
What it returns may be a view of an input.

Each module names its own kernels in a table `KERNELS`; here the tables are joined.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.blocks import (
    bins,
    compress,
    exchange,
    fourier,
    gather,
    generate,
    joined_keys,
    matmul,
    order_statistics,
    outputs,
    partition,
    random,
    scatter,
    search,
    select,
    shuffle,
    sort,
    take,
    user_functions,
    vector_functions,
)
from dask_tapestry_kernels.cpu.cells import interpreter
from dask_tapestry_kernels.cpu.reduction import reduce, tabulate
from dask_tapestry_kernels.cpu.scan import scan
from dask_tapestry_kernels.cpu.variates import variates
from dask_tapestry_kernels.kernel_table import joined

KERNELS: Final = joined(
    bins.KERNELS,
    compress.KERNELS,
    exchange.KERNELS,
    fourier.KERNELS,
    gather.KERNELS,
    generate.KERNELS,
    joined_keys.KERNELS,
    matmul.KERNELS,
    order_statistics.KERNELS,
    outputs.KERNELS,
    partition.KERNELS,
    random.KERNELS,
    scatter.KERNELS,
    search.KERNELS,
    select.KERNELS,
    shuffle.KERNELS,
    sort.KERNELS,
    take.KERNELS,
    user_functions.KERNELS,
    vector_functions.KERNELS,
    interpreter.KERNELS,
    reduce.KERNELS,
    tabulate.KERNELS,
    scan.KERNELS,
    variates.KERNELS,
)
