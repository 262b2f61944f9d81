"""Make plans of tests and examples with shipped rates, and look for garbage less often.

Rates measured on a machine would change them, here and in the processes that tests start. The
garbage collector took a sixth of the tests' time with Python's own thresholds: graphs and plans
are many small objects, few of them garbage.
"""

import gc
import os

os.environ["DASK_TAPESTRY__RATES"] = "shipped"

import dask.config

dask.config.set({"tapestry.rates": "shipped"})
gc.set_threshold(50_000, 20, 20)
