"""The kernel `tabulate` on a GPU: cells counted by number or by bin, or their weights added."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.search import bin_number
from dask_tapestry_kernels.cuda.jit.runtime import Block
from dask_tapestry_kernels.cuda.reduction.bincount import bincount
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.bincount_tables import Tables


def counted(out: Block | None, cells: Block, *others: Block, **how: Any) -> Block:  # noqa: ARG001
    """Count the cells equal to each of the bins, or that lie in it, or add their weights.

    `how` has the fields of `Tables`. Where it says whether edges are even, `others` begin with
    these, and cells are numbered by bin first.

    Raises
    ------
    ValueError
        If a number is none of all bins, where these have a limit; or if even edges are none.
    """
    told = Tables(**how)
    if told.even is None:
        return bincount(cells, others, told)
    edges, *weights = others
    kind = np.min_scalar_type(len(edges))
    return bincount(bin_number(None, cells, edges, even=told.even, dtype=kind), weights, told)


KERNELS: Final[dict[str, Kernel]] = {"tabulate": counted}
