"""Arrays whose blocks are held as another array is: ``like=`` and ``meta=``."""

from __future__ import annotations

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dask_arrays import empty_like_blocks
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry_kernels.block_format import BlockFormat, described


def held_like(x: Array, like: object) -> Array:
    """`x` with blocks of the class of `like`, or of its blocks, where blocks may be of that class.

    Examples
    --------
    >>> import dask_tapestry as dt, numpy as np
    >>> held_like(dt.eye(3), np.ones(2)).dtype
    dtype('float64')
    """
    wanted = like.bound.format if isinstance(like, Array) else BlockFormat.of(like)
    return x if wanted in (None, x.bound.format) else Array(in_format(x.node, wanted))


def held_as(x: Array, meta: object) -> Array:
    """`x` with blocks as Dask's `meta` tells: an array of their class, or NumPy's class itself.

    As in Dask, the dtype stays that of `x`.

    {Raises} ArgumentError: If blocks of `x` cannot be of that class.

    Examples
    --------
    >>> import dask_tapestry as dt, numpy as np
    >>> held_as(dt.ones(3), np.ndarray).dtype
    dtype('float64')
    """
    made = held_like(x, meta)
    told = meta if isinstance(meta, type) else type(meta)
    if meta is None or isinstance(meta, Array | np.generic) or told is _block_class(made):
        return made
    raise ArgumentError(
        f"meta= tells of blocks that are each a {told.__name__}; those of an array of {x.ndim} "
        f"dimensions of {x.dtype} are each a {_block_class(x).__name__} here: meta can be an empty "
        f"array that holds such cells, one of {described()}CuPy's"
    )


def _block_class(x: Array) -> type:
    return type(empty_like_blocks(x.bound))
