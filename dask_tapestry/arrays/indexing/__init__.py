"""Cells at places: ``x[key]``, ``x[key] = value``, and the functions that do so."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.indexing.choices import *
from dask_tapestry.arrays.indexing.flat_index import *
from dask_tapestry.arrays.indexing.piecewise import *
from dask_tapestry.arrays.indexing.take import *
from dask_tapestry.arrays.indexing.triangles import *

__all__ = [
    "choose",
    "piecewise",
    "put_along_axis",
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

write_out(__name__)
