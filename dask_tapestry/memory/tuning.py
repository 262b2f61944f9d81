"""The numbers that decide something in `memory/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# buffer_pool
# Bytes, or an eighth, by which used memory may be larger than what is wanted
SPARE_BYTES: Final = 2**22
IDLE_SECONDS: Final = 5.0  # seconds

# garbage_collection
# Objects that may be left, beside what functions remember: they take 20 MB
FEW_OLD_OBJECTS: Final = 200_000
OLD_PART: Final = 2  # of those that stayed: looking at all from a quarter on took 15 % of planning

# process_memory
MOST_KEPT_BYTES: Final = 2**30  # bytes of freed arrays that a process keeps
KEPT_PART: Final = 10  # it keeps at most a tenth of its memory
KEPT_BELOW: Final = 0.6  # of a worker's memory in use: Dask writes to disk until it has less

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# buffer_pool
# Bytes; smaller arrays are cheaper to allocate than to look for
SMALLEST_POOLED_BYTES: Final = 2**18
ALIGNED_BYTES: Final = 64  # bytes: a cache line, and the widest vector

# fresh_memory
HUGE_FROM_BYTES: Final = 2**22  # bytes: two huge pages of x86; less may hold none that is aligned
