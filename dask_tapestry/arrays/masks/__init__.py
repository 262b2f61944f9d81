"""Cells where a mask is true, and where they are: `nonzero`, `compress`."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.masks.boolean_mask import *

__all__ = ["argwhere", "compress", "extract", "flatnonzero", "nonzero"]

write_out(__name__)
