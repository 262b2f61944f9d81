"""Stencils that are iterated: simulations on a grid, whose cells see their neighbours.

Examples
--------
>>> import dask_tapestry as dt
>>> def smooth(u):
...     return (u[:-2] + u[2:]) / 2
>>> dt.stencil.iterate(smooth, dt.arange(4.0), 1, depth=1, boundary="periodic").compute()
array([2., 1., 2., 1.])
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.stencil.iterate import *

__all__ = ["iterate"]

write_out(__name__)
