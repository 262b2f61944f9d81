"""Cells at places: ``x[key]``, ``x[key] = value``, and the functions that do so."""

from dask_tapestry.array.indexing.choices import *
from dask_tapestry.array.indexing.flat_index import *
from dask_tapestry.array.indexing.piecewise import *
from dask_tapestry.array.indexing.shuffle import *
from dask_tapestry.array.indexing.take import *
from dask_tapestry.array.indexing.triangles import *

__all__ = [
    "choose",
    "piecewise",
    "put_along_axis",
    "ravel_multi_index",
    "select",
    "shuffle",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]
