"""Arrays in files and stores."""

from typing import TYPE_CHECKING

from dask_tapestry.arrays.core.late_chapters import late_chapter

if TYPE_CHECKING:  # imported when one of its names is asked for
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

if not TYPE_CHECKING:
    late_chapter(__name__)
