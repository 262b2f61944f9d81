"""Array itself, its arguments and conversions: every chapter needs these."""

from dask_tapestry.arrays.core.array import *
from dask_tapestry.arrays.core.convert import *
from dask_tapestry.arrays.core.dask_arrays import *
from dask_tapestry.arrays.core.dispatch import *
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.effect import *
from dask_tapestry.arrays.core.rechunking import *
from dask_tapestry.arrays.core.shared_memory import *

__all__ = [
    "Array",
    "Effect",
    "asarray",
    "from_array",
    "from_dask_array",
    "from_delayed",
    "placeholder",
    "rechunk",
    "register_chunk_type",
    "rename",
    "result_type",
    "sequence_point",
    "to_dask_array",
]

write_out(__name__)
