"""StableHLO's gather and scatter, with all of their dimension numbers.

Every constraint of the specification is a function of its own, in the modules `gather_constraints`
and `scatter_constraints`; what breaks one is refused with its number.

Examples
--------
>>> import dask_tapestry as dt
>>> x = dt.arange(6).reshape(3, 2)
>>> numbers = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0]}
>>> dt.stablehlo.gather(x, [2, 0], **numbers, index_vector_dim=1, slice_sizes=[1, 2]).compute()
array([[4, 5],
       [0, 1]])
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.stablehlo.gathering import *
from dask_tapestry.arrays.stablehlo.scattering import *

__all__ = ["gather", "scatter"]

write_out(__name__)
