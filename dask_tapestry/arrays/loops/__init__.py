"""Loops over a state: a step that is traced once, and computed again and again."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.loops.iterate import *

__all__ = ["iterate"]

write_out(__name__)
