"""Make plans of tests and examples with shipped rates.

Those measured on a machine would change them, here and in the processes that tests start.
"""

import os

os.environ["DASK_TAPESTRY__RATES"] = "shipped"

import dask.config

dask.config.set({"tapestry.rates": "shipped"})
