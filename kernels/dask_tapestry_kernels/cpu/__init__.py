"""The kernels of one CPU thread, by the name operators give them.

A kernel is called as ``kernel(out, *blocks, **arguments)``. It returns the block; `out`, when it is
not None, is a buffer of the block's shape and dtype that the kernel may fill and return instead.
What it returns may be a view of an input.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import (
    bins,
    compress,
    generate,
    matmul,
    random,
    search,
    select,
    sort,
    take,
    user_functions,
    vector_functions,
)
from dask_tapestry_kernels.cpu.cells import interpreter
from dask_tapestry_kernels.cpu.reduction import reduce, tabulate
from dask_tapestry_kernels.cpu.scan import scan

KERNELS: Final[MappingProxyType[str, Callable[..., np.ndarray[Any, Any]]]] = MappingProxyType(
    {
        "identity": select.identity,
        "view": select.view,
        "concat": select.concat,
        "mosaic": select.mosaic,
        "count": compress.count,
        "compress": compress.compress,
        "take": take.take,
        "takealong": take.take_along,
        "put": take.put,
        "insert": take.insert,
        "reshape": select.reshape,
        "full": generate.full,
        "arange": generate.arange,
        "index": generate.index,
        "randombits": random.random_bits,
        "randomfraction": random.random_fraction,
        "permutation": random.permutation,
        "map": interpreter.evaluate,
        "reduce": reduce.reduce,
        "reductions": reduce.reductions,
        "bin": bins.bin_number,
        "tabulate": tabulate.tabulate,
        "scan": scan.scan,
        "leaf_totals": scan.leaf_totals,
        "leaf_scan": scan.leaf_scan,
        "leaf_ends": scan.leaf_ends,
        "after_leaf": scan.after_leaf,
        "sort": sort.sort,
        "argsort": sort.argsort,
        "sortruns": sort.runs,
        "mergeruns": sort.merge,
        "top": sort.top,
        "withplaces": sort.with_places,
        "ranks": sort.ranks,
        "roworder": sort.row_order,
        "weightedranks": sort.weighted_ranks,
        "search": search.search,
        "digitize": search.digitize,
        "isin": search.is_in,
        "interp": search.interp,
        "matmul": matmul.matmul,
        "linear": matmul.linear,
        "call": user_functions.call,
        "member": user_functions.member,
        "fold": user_functions.fold,
        "blockwise": user_functions.blockwise,
        "vectors": vector_functions.vectors,
    }
)
