"""The user's side: Array, its functions and methods, and plans to look at.

An Array has its methods wherever it is: also on a worker that unpickles it, and so imports a part
of this folder.
"""

from dask_tapestry.arrays.methods import attach as _attach
from dask_tapestry.imports import lazy_import as _lazy_import

_attach()
_lazy_import("dask_tapestry.arrays.compatibility.xarray_workarounds").mend_when_imported()
