"""Distributed arrays that nobody has to chunk by hand.

``import dask_tapestry as dt`` and write NumPy; see the README. The names come from the modules of
`dask_tapestry.array`: each lists its own in ``__all__``.
"""

from numpy import e, inf, nan, newaxis, pi

from dask_tapestry import errors as _errors
from dask_tapestry.array import methods as _methods  # it gives Array its operators
from dask_tapestry.array import planning as _planning
from dask_tapestry.array.core import boolean_mask as _boolean_mask
from dask_tapestry.array.core import convert as _convert
from dask_tapestry.array.core import dask_arrays as _dask_arrays
from dask_tapestry.array.core import effect as _effect
from dask_tapestry.array.core.array import Array, resolve_shapes
from dask_tapestry.array.core.boolean_mask import *
from dask_tapestry.array.core.convert import *
from dask_tapestry.array.core.dask_arrays import *
from dask_tapestry.array.core.effect import *
from dask_tapestry.array.creation import copies as _copies
from dask_tapestry.array.creation import filled as _filled
from dask_tapestry.array.creation import grids as _grids
from dask_tapestry.array.creation import matrices as _matrices
from dask_tapestry.array.creation import ranges as _ranges
from dask_tapestry.array.creation.copies import *
from dask_tapestry.array.creation.filled import *
from dask_tapestry.array.creation.grids import *
from dask_tapestry.array.creation.matrices import *
from dask_tapestry.array.creation.ranges import *
from dask_tapestry.array.elementwise import choosing as _choosing
from dask_tapestry.array.elementwise import special
from dask_tapestry.array.elementwise import ufuncs as _ufuncs
from dask_tapestry.array.elementwise.choosing import *
from dask_tapestry.array.elementwise.ufuncs import *
from dask_tapestry.array.indexing import choices as _choices
from dask_tapestry.array.indexing import take as _take
from dask_tapestry.array.indexing.choices import *
from dask_tapestry.array.indexing.take import *
from dask_tapestry.array.linalg import cross_trace as _cross_trace
from dask_tapestry.array.linalg import einsum as _einsum
from dask_tapestry.array.linalg import namespace as linalg
from dask_tapestry.array.linalg import nn
from dask_tapestry.array.linalg import products as _products
from dask_tapestry.array.linalg.cross_trace import *
from dask_tapestry.array.linalg.einsum import *
from dask_tapestry.array.linalg.products import *
from dask_tapestry.array.manipulation import diagonals as _diagonals
from dask_tapestry.array.manipulation import insert_delete as _insert_delete
from dask_tapestry.array.manipulation import joining as _joining
from dask_tapestry.array.manipulation import padding as _padding
from dask_tapestry.array.manipulation import repeating as _repeating
from dask_tapestry.array.manipulation import roll_flip as _roll_flip
from dask_tapestry.array.manipulation import splitting as _splitting
from dask_tapestry.array.manipulation import stacking as _stacking
from dask_tapestry.array.manipulation.diagonals import *
from dask_tapestry.array.manipulation.insert_delete import *
from dask_tapestry.array.manipulation.joining import *
from dask_tapestry.array.manipulation.padding import *
from dask_tapestry.array.manipulation.repeating import *
from dask_tapestry.array.manipulation.roll_flip import *
from dask_tapestry.array.manipulation.splitting import *
from dask_tapestry.array.manipulation.stacking import *
from dask_tapestry.array.planning import *
from dask_tapestry.array.random import generator as random
from dask_tapestry.array.shape import atleast as _atleast
from dask_tapestry.array.shape import broadcasting as _broadcasting
from dask_tapestry.array.shape import reshaping as _reshaping
from dask_tapestry.array.shape import transposing as _transposing
from dask_tapestry.array.shape.atleast import *
from dask_tapestry.array.shape.broadcasting import *
from dask_tapestry.array.shape.reshaping import *
from dask_tapestry.array.shape.transposing import *
from dask_tapestry.array.sorting import search as _search
from dask_tapestry.array.sorting import sets as _sets
from dask_tapestry.array.sorting import sort as _sort
from dask_tapestry.array.sorting.search import *
from dask_tapestry.array.sorting.sets import *
from dask_tapestry.array.sorting.sort import *
from dask_tapestry.array.statistics import averages as _averages
from dask_tapestry.array.statistics import bincount as _bincount
from dask_tapestry.array.statistics import covariances as _covariances
from dask_tapestry.array.statistics import cumulative as _cumulative
from dask_tapestry.array.statistics import differences as _differences
from dask_tapestry.array.statistics import extremes as _extremes
from dask_tapestry.array.statistics import gradients as _gradients
from dask_tapestry.array.statistics import histograms as _histograms
from dask_tapestry.array.statistics import medians as _medians
from dask_tapestry.array.statistics import moments as _moments
from dask_tapestry.array.statistics import nan_averages as _nan_averages
from dask_tapestry.array.statistics import nan_reductions as _nan_reductions
from dask_tapestry.array.statistics import quantiles as _quantiles
from dask_tapestry.array.statistics import reductions as _reductions
from dask_tapestry.array.statistics import scans as _scans
from dask_tapestry.array.statistics.averages import *
from dask_tapestry.array.statistics.bincount import *
from dask_tapestry.array.statistics.covariances import *
from dask_tapestry.array.statistics.cumulative import *
from dask_tapestry.array.statistics.differences import *
from dask_tapestry.array.statistics.extremes import *
from dask_tapestry.array.statistics.gradients import *
from dask_tapestry.array.statistics.histograms import *
from dask_tapestry.array.statistics.medians import *
from dask_tapestry.array.statistics.moments import *
from dask_tapestry.array.statistics.nan_averages import *
from dask_tapestry.array.statistics.nan_reductions import *
from dask_tapestry.array.statistics.quantiles import *
from dask_tapestry.array.statistics.reductions import *
from dask_tapestry.array.statistics.scans import *
from dask_tapestry.array.storage import files as _files
from dask_tapestry.array.storage import stores as _stores
from dask_tapestry.array.storage import zarr_arrays as _zarr_arrays
from dask_tapestry.array.storage.files import *
from dask_tapestry.array.storage.stores import *
from dask_tapestry.array.storage.zarr_arrays import *
from dask_tapestry.array.user_functions import along_axis as _along_axis
from dask_tapestry.array.user_functions import gufuncs as _gufuncs
from dask_tapestry.array.user_functions import map_blocks as _map_blocks
from dask_tapestry.array.user_functions import operators as _operators
from dask_tapestry.array.user_functions import reduction as _reduction
from dask_tapestry.array.user_functions.along_axis import *
from dask_tapestry.array.user_functions.gufuncs import *
from dask_tapestry.array.user_functions.map_blocks import *
from dask_tapestry.array.user_functions.operators import *
from dask_tapestry.array.user_functions.reduction import *
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
__all__ += _errors.__all__
__all__ += _boolean_mask.__all__
__all__ += _convert.__all__
__all__ += _dask_arrays.__all__
__all__ += _effect.__all__
__all__ += _copies.__all__
__all__ += _filled.__all__
__all__ += _grids.__all__
__all__ += _matrices.__all__
__all__ += _ranges.__all__
__all__ += _choosing.__all__
__all__ += _ufuncs.__all__
__all__ += _choices.__all__
__all__ += _take.__all__
__all__ += _cross_trace.__all__
__all__ += _einsum.__all__
__all__ += _products.__all__
__all__ += _atleast.__all__
__all__ += _diagonals.__all__
__all__ += _insert_delete.__all__
__all__ += _joining.__all__
__all__ += _padding.__all__
__all__ += _repeating.__all__
__all__ += _reshaping.__all__
__all__ += _broadcasting.__all__
__all__ += _transposing.__all__
__all__ += _roll_flip.__all__
__all__ += _splitting.__all__
__all__ += _stacking.__all__
__all__ += _planning.__all__
__all__ += _search.__all__
__all__ += _sets.__all__
__all__ += _sort.__all__
__all__ += _averages.__all__
__all__ += _bincount.__all__
__all__ += _covariances.__all__
__all__ += _cumulative.__all__
__all__ += _differences.__all__
__all__ += _extremes.__all__
__all__ += _gradients.__all__
__all__ += _histograms.__all__
__all__ += _medians.__all__
__all__ += _moments.__all__
__all__ += _nan_averages.__all__
__all__ += _nan_reductions.__all__
__all__ += _quantiles.__all__
__all__ += _reductions.__all__
__all__ += _scans.__all__
__all__ += _files.__all__
__all__ += _stores.__all__
__all__ += _zarr_arrays.__all__
__all__ += _along_axis.__all__
__all__ += _gufuncs.__all__
__all__ += _map_blocks.__all__
__all__ += _operators.__all__
__all__ += _reduction.__all__


def __dir__() -> list[str]:
    """Names of the interface, without the modules that hold them."""
    return sorted(__all__)
