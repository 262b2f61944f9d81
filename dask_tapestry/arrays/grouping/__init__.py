"""Reductions by group: of the cells that have the same label."""

from dask_tapestry.arrays.grouping.groupby_reduce import *

__all__ = ["groupby_reduce"]
