"""Jobs on clusters: whether one is fit for work."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.jobs.check_cluster import *

__all__ = ["check_cluster"]

write_out(__name__)
