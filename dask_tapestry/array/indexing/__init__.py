"""Cells at places: ``x[key]``, ``x[key] = value``, and the functions that do so."""

from dask_tapestry.array.indexing.choices import *
from dask_tapestry.array.indexing.take import *

__all__ = ["choose", "put_along_axis", "select", "take", "take_along_axis"]
