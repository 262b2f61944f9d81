"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names come from the modules of
`dask_tapestry.array`: each lists its own in ``__all__``.
"""

from numpy import e, inf, nan, newaxis, pi

from dask_tapestry import errors
from dask_tapestry.array import (
    convert,
    creation,
    effect,
    elementwise,
    manipulation,
    nn,
    planning,
    products,
    statistics,
    ufuncs,
)
from dask_tapestry.array import methods as _methods  # it gives Array its operators
from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import *
from dask_tapestry.array.creation import *
from dask_tapestry.array.effect import *
from dask_tapestry.array.elementwise import *
from dask_tapestry.array.manipulation import *
from dask_tapestry.array.planning import *
from dask_tapestry.array.products import *
from dask_tapestry.array.statistics import *
from dask_tapestry.array.ufuncs import *
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
    "nan",
    "newaxis",
    "nn",
    "pi",
]
__all__ += convert.__all__
__all__ += creation.__all__
__all__ += effect.__all__
__all__ += elementwise.__all__
__all__ += errors.__all__
__all__ += manipulation.__all__
__all__ += planning.__all__
__all__ += products.__all__
__all__ += statistics.__all__
__all__ += ufuncs.__all__
