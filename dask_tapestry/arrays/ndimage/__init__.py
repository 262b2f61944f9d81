"""Filters and measurements of images, by the names, arguments and values of `scipy.ndimage`: lazy.

Examples
--------
>>> import dask_tapestry as dt
>>> image = dt.random.default_rng(0).random((2000, 3000))
>>> smooth = dt.ndimage.gaussian_filter(image, 2)
>>> smooth[:10, :10].compute().shape
(10, 10)
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.ndimage.binary_morphology import *
from dask_tapestry.arrays.ndimage.correlations import *
from dask_tapestry.arrays.ndimage.derivatives import *
from dask_tapestry.arrays.ndimage.distances import *
from dask_tapestry.arrays.ndimage.extremes import *
from dask_tapestry.arrays.ndimage.filter_error import FilterError as FilterError
from dask_tapestry.arrays.ndimage.generic import *
from dask_tapestry.arrays.ndimage.grey_morphology import *
from dask_tapestry.arrays.ndimage.labelling import *
from dask_tapestry.arrays.ndimage.laplacians import *
from dask_tapestry.arrays.ndimage.mapping import *
from dask_tapestry.arrays.ndimage.measurements import *
from dask_tapestry.arrays.ndimage.ranks import *
from dask_tapestry.arrays.ndimage.region_boxes import *
from dask_tapestry.arrays.ndimage.region_extremes import *
from dask_tapestry.arrays.ndimage.resampling import *
from dask_tapestry.arrays.ndimage.smoothing import *
from dask_tapestry.arrays.ndimage.splines import *
from dask_tapestry.arrays.ndimage.structures import *
from dask_tapestry.arrays.ndimage.transforms import *

__all__ = [
    "affine_transform",
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
    "black_tophat",
    "center_of_mass",
    "convolve",
    "convolve1d",
    "correlate",
    "correlate1d",
    "distance_transform_bf",
    "distance_transform_cdt",
    "distance_transform_edt",
    "extrema",
    "find_objects",
    "gaussian_filter",
    "gaussian_filter1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "generate_binary_structure",
    "generic_filter",
    "generic_filter1d",
    "generic_gradient_magnitude",
    "generic_laplace",
    "geometric_transform",
    "grey_closing",
    "grey_dilation",
    "grey_erosion",
    "grey_opening",
    "iterate_structure",
    "label",
    "laplace",
    "map_coordinates",
    "maximum",
    "maximum_filter",
    "maximum_filter1d",
    "maximum_position",
    "mean",
    "median",
    "median_filter",
    "minimum",
    "minimum_filter",
    "minimum_filter1d",
    "minimum_position",
    "morphological_gradient",
    "morphological_laplace",
    "percentile_filter",
    "prewitt",
    "rank_filter",
    "rotate",
    "shift",
    "sobel",
    "spline_filter",
    "spline_filter1d",
    "standard_deviation",
    "sum_labels",
    "uniform_filter",
    "uniform_filter1d",
    "variance",
    "white_tophat",
    "zoom",
]

write_out(__name__)
