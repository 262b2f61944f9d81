"""Cells at places: ``x[key]``, ``x[key] = value``, and the functions that do so."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.indexing.choices import *
    from dask_tapestry.arrays.indexing.flat_index import *
    from dask_tapestry.arrays.indexing.piecewise import *
    from dask_tapestry.arrays.indexing.take import *
    from dask_tapestry.arrays.indexing.triangles import *
    from dask_tapestry.arrays.indexing.written_cells import *

__all__ = [
    "choose",
    "copyto",
    "diag_indices",
    "diag_indices_from",
    "fill_diagonal",
    "mask_indices",
    "piecewise",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "ravel_multi_index",
    "select",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]

if not TYPE_CHECKING:
    late_chapter(__name__)
