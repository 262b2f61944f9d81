"""Reductions by group: of the cells that have the same label."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.grouping.groupby_reduce import *

__all__ = ["groupby_reduce"]

write_out(__name__)
