"""Arrays in files and stores."""

from dask_tapestry.array.storage.files import *
from dask_tapestry.array.storage.npy_files import *
from dask_tapestry.array.storage.stores import *
from dask_tapestry.array.storage.zarr_arrays import *

__all__ = [
    "from_npy",
    "from_npy_stack",
    "from_zarr",
    "save",
    "store",
    "to_hdf5",
    "to_npy_stack",
    "to_zarr",
]
