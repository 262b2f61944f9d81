"""Images in files, by the names and arguments of `dask.array.image`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.image.__all__
['imread']
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.image.reading import *

__all__ = ["imread"]

write_out(__name__)
