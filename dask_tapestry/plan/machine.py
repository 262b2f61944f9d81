"""Rates of a machine, as orders of magnitude, and what Dask adds.

The cost model and the choice of grids count in these; they decide between plans, not how long a
plan takes to the second.
"""

from typing import Final

FLOPS_A_SECOND: Final = 2e9  # of one thread, on cells
MEMORY_BYTES_A_SECOND: Final = 1e10  # of one thread
SECONDS_A_TASK: Final = 1e-4  # of the scheduler
IMBALANCE: Final = 1.25  # of a worker's share of memory: Dask decides which worker holds what
BLOCKS_A_SLOT: Final = 4  # so that slots stay busy when blocks take unequal time
SLICE_SAVES_BYTES: Final = 2**20  # that cutting a block where it lies must save, to be worth a task
