"""The numbers that decide something in `cells/`, each with where it comes from.

The cells of a leaf of the canonical tree define the bits of sums: they stand in
`reduction_tree.py`.
"""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# lattice
# Cells of data: 32 MiB of float64, a small share of a worker's memory
MOST_LATTICE_CELLS: Final = 1 << 22
# ... where they have whole lanes, as a sort or a transform holds these several times: 8 MiB
MOST_LANE_CELLS: Final = 1 << 20
FOLDED_CELLS: Final = 16  # cells folded to a node, where so many fit: nodes are few
# Cells folded to a node always: nodes as large as the data would save nothing
LEAST_FOLDED_CELLS: Final = 4
# Cells folded to a node of a part of a chunk, which is read whole: a leaf's
PART_FOLDED_CELLS: Final = 1024

# references
REFERRED_BYTES: Final = 64  # of the object itself: a Decimal takes 104, a short text 50, an int 28

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# lattice
# Cells of data: 1 MiB of bytes, 8 of float64; a call for each is cheap
FEW_LATTICE_CELLS: Final = 1 << 20

# ufuncs
ELEMENTARY_FLOPS: Final = 32  # exp and sqrt; log and sin take half as much again
INTEGER_DIVISION_FLOPS: Final = 16  # multiples of a multiplication, which is slow as well
