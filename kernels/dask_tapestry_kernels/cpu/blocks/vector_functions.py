"""Vectors: a function called for every vector along an axis of a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def vectors(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    function: Callable[..., None],
    axis: int,
    widths: tuple[int, int],
    part: slice,
) -> Block:
    """Call `function` for each vector along `axis` of a copy, which it changes.

    It is called as ``function(vector, widths, axis)``, as by `numpy.pad`; `widths` are those of the
    border on either side. Of the result, `part` along `axis` is returned.
    """
    changed = np.array(block)
    lanes = np.moveaxis(changed, axis, -1)
    for place in np.ndindex(lanes.shape[:-1]):
        function(lanes[(*place, Ellipsis)], np.asarray(widths), axis)
    return changed[(*(slice(None),) * axis, part)]


KERNELS: Final[dict[str, Kernel]] = {
    "vectors": vectors,
}
