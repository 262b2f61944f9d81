"""Layers of neural networks.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.nn.relu(dt.nn.linear(dt.ones((2, 3)), dt.ones((3, 4)))).shape
(2, 4)
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.nn.attending import *
from dask_tapestry.arrays.nn.convolutions import *
from dask_tapestry.arrays.nn.layers import *
from dask_tapestry.arrays.nn.normalizing import *
from dask_tapestry.arrays.nn.pooling import *

__all__ = [
    "attention",
    "avg_pool",
    "conv",
    "conv_transpose",
    "layer_norm",
    "linear",
    "max_pool",
    "relu",
    "softmax",
    "sum_pool",
]

write_out(__name__)
