"""Import the library before pytest does, file by file.

pytest binds each package that it imports to its parent, and so `dask_tapestry.array`, the folder,
would take the place of `dask_tapestry.array`, the function, where doctests run by themselves.

Plans of tests and examples are made with shipped rates: those measured on a machine would change
them, here and in the processes that tests start.
"""

import os

os.environ["DASK_TAPESTRY__RATES"] = "shipped"

import dask.config

import dask_tapestry  # noqa: F401

dask.config.set({"tapestry.rates": "shipped"})
