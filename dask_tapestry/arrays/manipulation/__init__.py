"""Cells in other places: arrays joined, split, repeated, padded, rolled and flipped."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.manipulation.diagonals import *
    from dask_tapestry.arrays.manipulation.insert_delete import *
    from dask_tapestry.arrays.manipulation.joining import *
    from dask_tapestry.arrays.manipulation.packed_bits import *
    from dask_tapestry.arrays.manipulation.padding import *
    from dask_tapestry.arrays.manipulation.repeating import *
    from dask_tapestry.arrays.manipulation.roll_flip import *
    from dask_tapestry.arrays.manipulation.splitting import *
    from dask_tapestry.arrays.manipulation.stacking import *
    from dask_tapestry.arrays.manipulation.trimming import *

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "dsplit",
    "dstack",
    "flip",
    "fliplr",
    "flipud",
    "hsplit",
    "hstack",
    "insert",
    "interleave",
    "packbits",
    "pad",
    "repeat",
    "resize",
    "roll",
    "rot90",
    "split",
    "stack",
    "tile",
    "tril",
    "trim_zeros",
    "triu",
    "unpackbits",
    "unstack",
    "vsplit",
    "vstack",
]

if not TYPE_CHECKING:
    late_chapter(__name__)
