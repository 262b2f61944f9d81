"""Every name that ``dt.`` has: those of each chapter's ``__all__``, and those of no chapter.

`dask_tapestry` asks for this module when all names are asked for, and NumPy's dispatch when it
knows no function of ours for one of NumPy's: a chapter not imported yet may have it.
"""

import dask_tapestry.arrays.array_api as _array_api
import dask_tapestry.arrays.calibration as _calibration
import dask_tapestry.arrays.compatibility as _compatibility
import dask_tapestry.arrays.constants as _others
import dask_tapestry.arrays.core as _core
import dask_tapestry.arrays.creation as _creation
import dask_tapestry.arrays.datasets as _datasets
import dask_tapestry.arrays.elementwise as _elementwise
import dask_tapestry.arrays.grouping as _grouping
import dask_tapestry.arrays.indexing as _indexing
import dask_tapestry.arrays.jobs as _jobs
import dask_tapestry.arrays.linalg as _linalg
import dask_tapestry.arrays.loops as _loops
import dask_tapestry.arrays.manipulation as _manipulation
import dask_tapestry.arrays.masks as _masks
import dask_tapestry.arrays.patterns.thread_parts as _thread_parts
import dask_tapestry.arrays.planning as _planning
import dask_tapestry.arrays.polynomials as _polynomials
import dask_tapestry.arrays.progress as _watching
import dask_tapestry.arrays.shape as _shape
import dask_tapestry.arrays.sorting as _sorting
import dask_tapestry.arrays.statistics as _statistics
import dask_tapestry.arrays.storage as _storage
import dask_tapestry.arrays.user_functions as _user_functions
from dask_tapestry.arrays import (
    fft,
    image,
    lib,
    ma,
    ndimage,
    nn,
    overlap,
    patterns,
    random,
    stablehlo,
    stats,
    stencil,
    strings,
)
from dask_tapestry.arrays.array_api import *
from dask_tapestry.arrays.calibration import *
from dask_tapestry.arrays.compatibility import *
from dask_tapestry.arrays.compatibility.ignored_hints import with_hints as _with_hints
from dask_tapestry.arrays.constants import *
from dask_tapestry.arrays.core import *
from dask_tapestry.arrays.creation import *
from dask_tapestry.arrays.datasets import *
from dask_tapestry.arrays.elementwise import *
from dask_tapestry.arrays.grouping import *
from dask_tapestry.arrays.indexing import *
from dask_tapestry.arrays.indexing import ufunc_at as _ufunc_at
from dask_tapestry.arrays.jobs import *
from dask_tapestry.arrays.linalg import *
from dask_tapestry.arrays.loops import *
from dask_tapestry.arrays.manipulation import *
from dask_tapestry.arrays.masks import *
from dask_tapestry.arrays.overlap import map_overlap
from dask_tapestry.arrays.patterns.thread_parts import *
from dask_tapestry.arrays.planning import *
from dask_tapestry.arrays.polynomials import *
from dask_tapestry.arrays.progress import *
from dask_tapestry.arrays.shape import *
from dask_tapestry.arrays.sorting import *
from dask_tapestry.arrays.statistics import *
from dask_tapestry.arrays.storage import *
from dask_tapestry.arrays.user_functions import *
from dask_tapestry.arrays.user_functions import foreign_gufuncs as _foreign_gufuncs

_ufunc_at.register()
_foreign_gufuncs.register()

__all__ = [
    "fft",
    "image",
    "lib",
    "ma",
    "map_overlap",
    "ndimage",
    "nn",
    "overlap",
    "patterns",
    "random",
    "stablehlo",
    "stats",
    "stencil",
    "strings",
    *_others.__all__,
    *_array_api.__all__,
    *_calibration.__all__,
    *_compatibility.__all__,
    *_core.__all__,
    *_creation.__all__,
    *_datasets.__all__,
    *_elementwise.__all__,
    *_grouping.__all__,
    *_indexing.__all__,
    *_jobs.__all__,
    *_linalg.__all__,
    *_loops.__all__,
    *_manipulation.__all__,
    *_masks.__all__,
    *_shape.__all__,
    *_sorting.__all__,
    *_statistics.__all__,
    *_storage.__all__,
    *_user_functions.__all__,
    *_watching.__all__,
    *_planning.__all__,
    *_polynomials.__all__,
    *_thread_parts.__all__,
]

globals().update({_name: _with_hints(_name, globals()[_name]) for _name in __all__})
