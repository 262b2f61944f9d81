"""Reductions, scans, histograms, quantiles and differences."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
    from dask_tapestry.arrays.statistics.averages import *
    from dask_tapestry.arrays.statistics.bincount import *
    from dask_tapestry.arrays.statistics.coarsening import *
    from dask_tapestry.arrays.statistics.convolving import *
    from dask_tapestry.arrays.statistics.covariances import *
    from dask_tapestry.arrays.statistics.cumulative import *
    from dask_tapestry.arrays.statistics.differences import *
    from dask_tapestry.arrays.statistics.extremes import *
    from dask_tapestry.arrays.statistics.forward_fill import *
    from dask_tapestry.arrays.statistics.gradients import *
    from dask_tapestry.arrays.statistics.histograms import *
    from dask_tapestry.arrays.statistics.integrals import *
    from dask_tapestry.arrays.statistics.medians import *
    from dask_tapestry.arrays.statistics.moments import *
    from dask_tapestry.arrays.statistics.nan_averages import *
    from dask_tapestry.arrays.statistics.nan_reductions import *
    from dask_tapestry.arrays.statistics.quantiles import *
    from dask_tapestry.arrays.statistics.reductions import *
    from dask_tapestry.arrays.statistics.scans import *

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "average",
    "bincount",
    "coarsen",
    "convolve",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "ediff1d",
    "gradient",
    "histogram",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "logcumsumexp",
    "max",
    "mean",
    "median",
    "min",
    "moment",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "percentile",
    "prod",
    "ptp",
    "push",
    "quantile",
    "std",
    "sum",
    "trapezoid",
    "unwrap",
    "var",
]

if not TYPE_CHECKING:
    late_chapter(__name__)
