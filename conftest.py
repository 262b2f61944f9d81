"""Import the library before pytest does, file by file.

pytest binds each package that it imports to its parent, and so `dask_tapestry.array`, the folder,
would take the place of `dask_tapestry.array`, the function, where doctests run by themselves.
"""

import dask_tapestry  # noqa: F401
