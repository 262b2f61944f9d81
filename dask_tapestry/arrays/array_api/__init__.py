"""Additions of the Python array API standard to NumPy's functions: dtypes, inspection, DLPack."""

from dask_tapestry.arrays.array_api.data_types import *
from dask_tapestry.arrays.array_api.dlpack import *
from dask_tapestry.arrays.array_api.inspection import *
from dask_tapestry.arrays.core.docstrings import write_out

__all__ = [
    "__array_namespace_info__",
    "can_cast",
    "finfo",
    "from_dlpack",
    "iinfo",
    "isdtype",
    "issubdtype",
    "promote_types",
]

write_out(__name__)
