"""The numbers that decide something in `lower/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# input_prefetch
# Part of its memory that a worker may then take; from .6 on Dask writes to disk
FULL_MEMORY: Final = 0.5

# worker_placement
# Tasks; Dask takes a group of tasks that reads fewer to be the first of a graph
FEW_TASKS: Final = 5

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# aligned_blocks
# Bytes from which on a copy is kept for the next task; less is soon copied again
LEAST_KEPT_COPY_BYTES: Final = 2**20

# client_arrays
BLOCK_LOOK_SECONDS: Final = 0.002  # seconds between looks whether a block has come
# Seconds after which it is asked for again: nothing is sent to paused workers
ASK_AGAIN_SECONDS: Final = 10.0
# Seconds without an answer after which a client is taken to be gone
CLIENT_PATIENCE_SECONDS: Final = 120.0

# cluster_jobs
JOB_PATIENCE_SECONDS: Final = 10.0  # seconds in which a job that was sent has come to the scheduler
JOB_LOOK_SECONDS: Final = 0.05  # seconds between questions for it

# blocks_one_by_one
# Seconds after which one who waits asks whether its block is wanted
WAITER_LOOK_SECONDS: Final = 0.1

# fetch_rounds
MOST_PARTS_UNDERWAY: Final = 4  # of a round: one is fetched while the others are computed

# input_prefetch
REACH_SECONDS: Final = 5.0  # seconds in which a worker within reach answers; busy ones took 1
LATEST_SECONDS: Final = 30.0  # seconds for one block
GRAPH_LOOK_SECONDS: Final = 0.1  # seconds between looks whether a graph is there

# known_arguments
LONGEST_ARGUMENT: Final = 64  # items of a tuple that is kept for the next compute of a block

# job_announcements
JOBS_WAITING: Final = 256  # jobs that were announced and not met yet

# job_watch
JOBS_REMEMBERED: Final = 50  # jobs that are remembered
TICK_MILLISECONDS: Final = 500  # milliseconds between looks at workers

# leases
SWEEP_SECONDS: Final = 1.0  # seconds between looks whether results are still wanted

# block_inputs
# Boxes, and bounds along an axis, that are remembered: some hundred kB
BOXES_REMEMBERED: Final = 4096

# worker_changes
WORKERS_LOOK_SECONDS: Final = 2.0  # seconds between looks at the workers
# Seconds for which there must be as many: they come and go one by one
SETTLED_SECONDS: Final = 30.0

# loaded_specs
# Specs that are held though no task does: with what is known of its blocks, one takes some 50 kB
SPECS_HELD: Final = 64
SPECS_HELD_BYTES: Final = 2**22  # that these came in at most: programs may hold cells of the user
# Specs until functions forget: what they remember of the blocks of one takes some 90 kB
SPECS_UNTIL_FORGOTTEN: Final = 128

# small_jobs
MOST_BRIEF_STEPS: Final = 8  # of which some might run side by side
# Seconds of computing that steps side by side would save, of which it is no matter
BRIEF_SECONDS: Final = 0.01
MOST_BRIEF_NODES: Final = 1024  # of a loop that is computed every hundred operations
MOST_BRIEF_BLOCKS: Final = 64  # of all steps, beside the first of each
# Of a value; of larger ones a millisecond is no part, and memory is one
MOST_BRIEF_BYTES: Final = 2**27
# Of all values between steps: of 100 MB, rows and then columns hold 228 MB, 157 by a scheduler
MOST_HELD_BYTES: Final = 2**25
FEW_KEPT_BYTES: Final = 2**16  # of a value that lies in memory: it is copied faster than planned

# values_met_again
# Of all values that are kept: three of 10^7 numbers. Of a loop over such, that asks for a mean at
# each step, the tenth step took 1.8 s where less was kept, and takes .08
MOST_MET_BYTES: Final = 2**28
MOST_MET_VALUES: Final = 256  # of a loop, whose nodes all live, the last ones are read
# Of the user's own arrays that they are made of: comparing so many with their copies takes 10 to 25
# ms, as long as it takes to read and write them once
MOST_ARRAY_BYTES: Final = 2**27

# tiling
TILE_WIDTHS: Final = (4096, 2048, 1024, 512, 256, 128)  # of a tile: cells of its last dimension
MOST_TILED_WORK: Final = 1.5  # times the work of the whole block that tiles may take together

# worker_placement
# Parts of their memory by which workers of a group may differ, as rounded
ALIKE_MEMORY: Final = 0.02

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# tile_run
SLAB_BYTES: Final = 2**22  # bytes of a block of formulas that are computed one after the other

# joined_blocks
LEAST_JOINED_BYTES: Final = 2**22  # bytes of what is worth it: smaller arrays lie in a cache

# step_spec
# a block's schedule takes 5 to 60 µs, a step's first class of blocks .2 to 1 ms
FEW_BLOCKS: Final = 32

# tiling
TILE_CACHE_BYTES: Final = 2**19  # bytes of values between formulas: half of a second-level cache
SMALLEST_TILED_CELLS: Final = 2**16  # cells of a block; smaller ones lie in cache anyway
ROW_CALL_CELLS: Final = 48  # that could be computed in the time that each row of a tile costs

# unwritten_cells
# Operations and reads of cells that are computed again, for each of a tile's that is not held
MOST_COMPUTED_AGAIN: Final = 12
MOST_TILE_OPERANDS: Final = 12  # of a formula that computes such: processors load two at a time

# unread_values
LEAST_UNREAD_BYTES: Final = 2**23  # bytes: two parts; less lies in a cache when it is folded

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# job
MOST_STEPS_DESCRIBED: Final = 1000  # that are described; a page of more is of no use
