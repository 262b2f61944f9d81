"""Every name that ``dt.`` has: of NumPy, of each chapter's ``__all__``, and of the layers below.

`dask_tapestry` takes them from here when the first of them is asked for.
"""

from numpy import (
    bool,
    bool_,
    bytes_,
    complex64,
    complex128,
    complexfloating,
    datetime64,
    dtype,
    e,
    euler_gamma,
    float16,
    float32,
    float64,
    floating,
    generic,
    inexact,
    inf,
    int8,
    int16,
    int32,
    int64,
    integer,
    intp,
    nan,
    newaxis,
    number,
    pi,
    signedinteger,
    str_,
    timedelta64,
    uint8,
    uint16,
    uint32,
    uint64,
    uintp,
    unsignedinteger,
)

import dask_tapestry.arrays.array_api as _array_api
import dask_tapestry.arrays.calibration as _calibration
import dask_tapestry.arrays.core as _core
import dask_tapestry.arrays.creation as _creation
import dask_tapestry.arrays.elementwise as _elementwise
import dask_tapestry.arrays.indexing as _indexing
import dask_tapestry.arrays.linalg as _linalg
import dask_tapestry.arrays.manipulation as _manipulation
import dask_tapestry.arrays.patterns.thread_parts as _thread_parts
import dask_tapestry.arrays.planning as _planning
import dask_tapestry.arrays.shape as _shape
import dask_tapestry.arrays.sorting as _sorting
import dask_tapestry.arrays.statistics as _statistics
import dask_tapestry.arrays.storage as _storage
import dask_tapestry.arrays.user_functions as _user_functions
from dask_tapestry import errors
from dask_tapestry.arrays import fft, lib, ma, nn, overlap, patterns, random, stablehlo, stats
from dask_tapestry.arrays import methods as _methods  # it gives Array its operators
from dask_tapestry.arrays.array_api import *
from dask_tapestry.arrays.calibration import *
from dask_tapestry.arrays.core import *
from dask_tapestry.arrays.creation import *
from dask_tapestry.arrays.elementwise import *
from dask_tapestry.arrays.indexing import *
from dask_tapestry.arrays.linalg import *
from dask_tapestry.arrays.manipulation import *
from dask_tapestry.arrays.overlap import map_overlap
from dask_tapestry.arrays.patterns.thread_parts import *
from dask_tapestry.arrays.planning import *
from dask_tapestry.arrays.shape import *
from dask_tapestry.arrays.sorting import *
from dask_tapestry.arrays.statistics import *
from dask_tapestry.arrays.storage import *
from dask_tapestry.arrays.user_functions import *
from dask_tapestry.errors import *
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.settings import config
from dask_tapestry.zspace import IndexProjection, ZAffineMap, ZPoint, ZRange, ZVector

_methods.attach()

__all__ = [
    "IndexProjection",
    "Resources",
    "ZAffineMap",
    "ZPoint",
    "ZRange",
    "ZVector",
    "bool",
    "bool_",
    "bytes_",
    "complex64",
    "complex128",
    "complexfloating",
    "config",
    "datetime64",
    "dtype",
    "e",
    "errors",
    "euler_gamma",
    "fft",
    "float16",
    "float32",
    "float64",
    "floating",
    "generic",
    "inexact",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "integer",
    "intp",
    "lib",
    "ma",
    "map_overlap",
    "nan",
    "newaxis",
    "nn",
    "number",
    "overlap",
    "patterns",
    "pi",
    "random",
    "signedinteger",
    "stablehlo",
    "stats",
    "str_",
    "timedelta64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintp",
    "unsignedinteger",
    *errors.__all__,
    *_array_api.__all__,
    *_calibration.__all__,
    *_core.__all__,
    *_creation.__all__,
    *_elementwise.__all__,
    *_indexing.__all__,
    *_linalg.__all__,
    *_manipulation.__all__,
    *_shape.__all__,
    *_sorting.__all__,
    *_statistics.__all__,
    *_storage.__all__,
    *_user_functions.__all__,
    *_planning.__all__,
    *_thread_parts.__all__,
]
