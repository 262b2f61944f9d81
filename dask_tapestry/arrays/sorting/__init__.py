"""Cells in order: sorting, searching, sets."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.sorting.complex_order import *
    from dask_tapestry.arrays.sorting.partition import *
    from dask_tapestry.arrays.sorting.search import *
    from dask_tapestry.arrays.sorting.sets import *
    from dask_tapestry.arrays.sorting.sort import *
    from dask_tapestry.arrays.sorting.unique import *

__all__ = [
    "argpartition",
    "argsort",
    "argtopk",
    "digitize",
    "interp",
    "intersect1d",
    "isin",
    "lexsort",
    "partition",
    "searchsorted",
    "setdiff1d",
    "setxor1d",
    "sort",
    "sort_complex",
    "topk",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]

if not TYPE_CHECKING:
    late_chapter(__name__)
