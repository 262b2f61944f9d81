"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names come from the chapters of
`dask_tapestry.array`, of which each lists its own in ``__all__``.
"""

from types import ModuleType as _ModuleType

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

import dask_tapestry.array.array_api as _array_api
import dask_tapestry.array.calibration as _calibration
import dask_tapestry.array.core as _core
import dask_tapestry.array.creation as _creation
import dask_tapestry.array.elementwise as _elementwise
import dask_tapestry.array.indexing as _indexing
import dask_tapestry.array.linalg as _linalg
import dask_tapestry.array.manipulation as _manipulation
import dask_tapestry.array.patterns.thread_parts as _thread_parts
import dask_tapestry.array.planning as _planning
import dask_tapestry.array.shape as _shape
import dask_tapestry.array.sorting as _sorting
import dask_tapestry.array.statistics as _statistics
import dask_tapestry.array.storage as _storage
import dask_tapestry.array.user_functions as _user_functions
from dask_tapestry import errors
from dask_tapestry.array import fft, lib, ma, nn, overlap, patterns, random, stablehlo, stats
from dask_tapestry.array import methods as _methods  # it gives Array its operators
from dask_tapestry.array.array_api import *
from dask_tapestry.array.calibration import *
from dask_tapestry.array.core import *
from dask_tapestry.array.creation import *
from dask_tapestry.array.elementwise import *
from dask_tapestry.array.indexing import *
from dask_tapestry.array.linalg import *
from dask_tapestry.array.manipulation import *
from dask_tapestry.array.overlap import map_overlap
from dask_tapestry.array.patterns.thread_parts import *
from dask_tapestry.array.planning import *
from dask_tapestry.array.shape import *
from dask_tapestry.array.sorting import *
from dask_tapestry.array.statistics import *
from dask_tapestry.array.storage import *
from dask_tapestry.array.user_functions import *
from dask_tapestry.config import config
from dask_tapestry.errors import *
from dask_tapestry.imports import lazy_import as _lazy_import
from dask_tapestry.plan.machine.resources import Resources
from dask_tapestry.zspace import IndexProjection, ZAffineMap, ZPoint, ZRange, ZVector

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

_LAZY = ("xarray",)  # names of what needs a package that need not be there
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


def __getattr__(name: str) -> _ModuleType:
    """Modules of optional packages are imported when they are asked for."""
    if name in _LAZY:
        return _lazy_import(f"dask_tapestry.array.{name}")
    raise AttributeError(f"module 'dask_tapestry' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Names of the interface, without the modules that hold them."""
    return sorted([*__all__, *_LAZY])
