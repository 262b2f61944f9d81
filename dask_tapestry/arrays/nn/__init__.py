"""Layers of neural networks.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.nn.relu(dt.nn.linear(dt.ones((2, 3)), dt.ones((3, 4)))).shape
(2, 4)
"""

from dask_tapestry.arrays.nn.layers import *

__all__ = ["linear", "relu"]
