"""Arrays in files and stores."""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.storage.files import *
from dask_tapestry.arrays.storage.icechunk_arrays import *
from dask_tapestry.arrays.storage.npy_files import *
from dask_tapestry.arrays.storage.numpy_files import *
from dask_tapestry.arrays.storage.stores import *
from dask_tapestry.arrays.storage.zarr_arrays import *

__all__ = [
    "from_npy",
    "from_npy_stack",
    "from_zarr",
    "frombuffer",
    "fromfile",
    "fromiter",
    "fromstring",
    "genfromtxt",
    "load",
    "loadtxt",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "store",
    "to_hdf5",
    "to_icechunk",
    "to_npy_stack",
    "to_zarr",
]

write_out(__name__)
