"""Named arrays: persisted ones that a cluster keeps by name for all its clients."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.datasets.named_datasets import *

__all__ = ["Datasets", "datasets"]

write_out(__name__)
