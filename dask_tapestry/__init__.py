"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names come from the modules of
`dask_tapestry.array`: each lists its own in ``__all__``.
"""

from numpy import e, inf, nan, newaxis, pi

from dask_tapestry import errors
from dask_tapestry.array import (
    along_axis,
    averages,
    block_functions,
    block_reductions,
    convert,
    copies,
    counts,
    covariances,
    creation,
    dask_arrays,
    diagonals,
    differences,
    editing,
    effect,
    elementwise,
    exact,
    files,
    gradients,
    grids,
    gufuncs,
    histograms,
    joining,
    linalg,
    manipulation,
    moments,
    moving,
    nan_reductions,
    nn,
    own_operators,
    padding,
    planning,
    products,
    quantiles,
    random,
    ranks,
    reductions,
    repeating,
    scans,
    search,
    selecting,
    sets,
    sorting,
    spaces,
    special,
    splitting,
    stores,
    summation,
    ufuncs,
    vectors,
    zarr_arrays,
)
from dask_tapestry.array import methods as _methods  # it gives Array its operators
from dask_tapestry.array.along_axis import *
from dask_tapestry.array.array import Array, resolve_shapes
from dask_tapestry.array.averages import *
from dask_tapestry.array.block_functions import *
from dask_tapestry.array.block_reductions import *
from dask_tapestry.array.convert import *
from dask_tapestry.array.copies import *
from dask_tapestry.array.counts import *
from dask_tapestry.array.covariances import *
from dask_tapestry.array.creation import *
from dask_tapestry.array.dask_arrays import *
from dask_tapestry.array.diagonals import *
from dask_tapestry.array.differences import *
from dask_tapestry.array.editing import *
from dask_tapestry.array.effect import *
from dask_tapestry.array.elementwise import *
from dask_tapestry.array.exact import *
from dask_tapestry.array.files import *
from dask_tapestry.array.gradients import *
from dask_tapestry.array.grids import *
from dask_tapestry.array.gufuncs import *
from dask_tapestry.array.histograms import *
from dask_tapestry.array.joining import *
from dask_tapestry.array.manipulation import *
from dask_tapestry.array.moments import *
from dask_tapestry.array.moving import *
from dask_tapestry.array.nan_reductions import *
from dask_tapestry.array.own_operators import *
from dask_tapestry.array.padding import *
from dask_tapestry.array.planning import *
from dask_tapestry.array.products import *
from dask_tapestry.array.quantiles import *
from dask_tapestry.array.ranks import *
from dask_tapestry.array.reductions import *
from dask_tapestry.array.repeating import *
from dask_tapestry.array.scans import *
from dask_tapestry.array.search import *
from dask_tapestry.array.selecting import *
from dask_tapestry.array.sets import *
from dask_tapestry.array.sorting import *
from dask_tapestry.array.spaces import *
from dask_tapestry.array.splitting import *
from dask_tapestry.array.stores import *
from dask_tapestry.array.summation import *
from dask_tapestry.array.ufuncs import *
from dask_tapestry.array.vectors import *
from dask_tapestry.array.zarr_arrays import *
from dask_tapestry.config import config
from dask_tapestry.errors import *
from dask_tapestry.plan.resources import Resources
from dask_tapestry.zspace import IndexProjection, ZAffineMap, ZPoint, ZRange, ZVector

__version__ = "0.1.0"

_methods.attach()

__all__ = [
    "Array",
    "IndexProjection",
    "Resources",
    "ZAffineMap",
    "ZPoint",
    "ZRange",
    "ZVector",
    "config",
    "e",
    "inf",
    "linalg",
    "nan",
    "newaxis",
    "nn",
    "pi",
    "random",
    "resolve_shapes",
    "special",
]
__all__ += along_axis.__all__
__all__ += block_functions.__all__
__all__ += block_reductions.__all__
__all__ += convert.__all__
__all__ += creation.__all__
__all__ += effect.__all__
__all__ += elementwise.__all__
__all__ += exact.__all__
__all__ += errors.__all__
__all__ += gufuncs.__all__
__all__ += manipulation.__all__
__all__ += own_operators.__all__
__all__ += planning.__all__
__all__ += products.__all__
__all__ += scans.__all__
__all__ += sets.__all__
__all__ += selecting.__all__
__all__ += quantiles.__all__
__all__ += sorting.__all__
__all__ += search.__all__
__all__ += summation.__all__
__all__ += vectors.__all__
__all__ += averages.__all__
__all__ += gradients.__all__
__all__ += covariances.__all__
__all__ += counts.__all__
__all__ += histograms.__all__
__all__ += differences.__all__
__all__ += moments.__all__
__all__ += nan_reductions.__all__
__all__ += reductions.__all__
__all__ += ufuncs.__all__
__all__ += dask_arrays.__all__
__all__ += files.__all__
__all__ += stores.__all__
__all__ += zarr_arrays.__all__
__all__ += diagonals.__all__
__all__ += editing.__all__
__all__ += grids.__all__
__all__ += joining.__all__
__all__ += moving.__all__
__all__ += padding.__all__
__all__ += ranks.__all__
__all__ += repeating.__all__
__all__ += spaces.__all__
__all__ += splitting.__all__
__all__ += copies.__all__
