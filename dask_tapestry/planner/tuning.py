"""The numbers that decide something in `planner/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# machine/cluster_rates
BESIDE_WORKERS: Final = 2  # processes that want a core too: the scheduler's and the client's

# machine/machine
HUGE_PAGE: Final = 2**21  # bytes, of x86 and usual arm64 systems
REQUESTS: Final = 10  # of a task to a store elsewhere at a time: zarr's "async.concurrency"

# machine/resources
USABLE_MEMORY: Final = 0.7  # of a worker's memory; at .7 Dask writes to disk
PAUSING_MEMORY: Final = 0.8  # of a worker's memory, its process included: there Dask pauses it
MOST_HELD_SHARE: Final = USABLE_MEMORY / 2  # by other arrays: Dask writes more to disk

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# access/access
MOST_WORKS: Final = 20_480  # of their blocks: ten a class; some blocks read hundreds of boxes
GRIDS_REMEMBERED: Final = 64  # grids of a program that are remembered: a plan has one of them

# access/bulk_exchange
EXCHANGE_LEAST: Final = 256  # parts of blocks: below, slices are soon cut
EXCHANGE_SAVES: Final = 4  # slices for each task of an exchange

# access/block_classes
MOST_STARTS: Final = 64  # parts into which breaks divide a way at once

# access/worker_runs
BLOCKS_PLACED: Final = 8  # of a grid, which tell what all find where they run: a schedule each

# cache
PLANS_REMEMBERED: Final = 512  # of 70 kB each: a loop over rows that get shorter has hundreds
MOST_TOLD_BYTES: Final = 2**20  # of cells that rules tell operations, in a plan that is kept
PLANS_UNTIL_FORGOTTEN: Final = 512  # until functions forget: 1.4 ms in 1.5 s, 5 MB at most
KEPT_SECONDS: Final = 0.2  # of a search whose choices are kept on disk: to write them takes 2 ms
AS_LONG_AS_THEN: Final = 1.25  # times as when found: rates of a busy machine differ by a fifth

# cost/makespan
UNEVEN_SLOTS: Final = 0.1  # of a block's seconds by which slots end apart, as blocks are unequal

# cost/rank
ALIKE_SECONDS: Final = 1.03  # times the least: of two plans as near, none is known to be faster

# cost/resource_seconds
NEVER_OVERLAPPED: Final = 0.1  # of a resource's seconds, with those of the busiest

# cost/stored_reads
ROW_BLOCKS_COUNTED: Final = 24  # whose chunks are counted; more in a row are taken to be alike

# cost/typical_blocks
SAMPLE_BLOCKS: Final = 16  # of grids that join values of several kinds; a schedule each
FEWEST_SAMPLES: Final = 6  # of those of long programs, each of which takes milliseconds to look at
SAMPLED_WHOLE: Final = 48  # boxes that a program reads of which all of them are looked at
FEW_NODES: Final = 3  # along a dimension, of which the last one changes the mean by a third
WANING: Final = 0.8  # of what the first cells need: halos that end at an edge decide nothing

# cost/worst_needs
MOST_BLOCKS_IN_A_ROW: Final = 8  # after which boxes lie on other blocks as before, mostly

# equivalence
MOST_REWRITE_ROUNDS: Final = 4  # and unfusing: one, and more where a formula was in a rule's way

# fusion/cellwise_ends, fusion/formula_inlining
LARGE_SHARE: Final = 1 / 16  # of the largest input: what is smaller is not worth computing apart
NARROWED_SHARE: Final = 0.25  # of a value's bytes: what is copied of it, to be held instead

# fusion/external_inputs
EMBEDDED_BYTES: Final = 2**20  # arrays in memory up to this size travel inside tasks
TABLE_BYTES: Final = 2**14  # those of which each task reads most
SENT_BYTES: Final = 16 * 2**20  # of a block of a larger one, about

# fusion/fuse
HELD_SHARE: Final = 0.3  # of all memory that a value may take if it is held while its readers wait

# fusion/formula_inlining, fusion/computing_order
LONGEST_FORMULA: Final = 256  # steps of one fused formula; longer ones gain nothing more
# Values that a step makes and one formula reads: all are there at once, and the total of so many is
# written and read again, which takes a fraction of reading them from a store
MADE_AT_ONCE: Final = 4

# fusion/source_parts
LEAST_PART_CHUNK: Final = 2**20  # bytes of a chunk: many that are smaller are read at once

# long_jobs
LONG_JOB_SECONDS: Final = 60.0  # seconds; measuring takes three, a twentieth, and once for all

# machine/cluster_rates
RATES_PATIENCE_SECONDS: Final = 2.0  # until a cluster that does not answer has shipped rates
MESSAGE_BYTES: Final = (2**18, 2**22, 2**24)  # bytes: the next one where one took little
SLOW_MESSAGE_SECONDS: Final = 0.02  # seconds for one, past which no larger one is sent
ECHOES: Final = 5  # messages, of which the fastest counts

# machine/limits
UNEVEN_BLOCKS: Final = 1  # beyond a worker's share, of those that wait for nothing
ROOMY_BLOCKS: Final = 2  # times what the smallest block touches: chunks, and values as large
TASK_SHARES: Final = (0.9, 0.5, 0.25, 0.125)  # of memory that tasks may take, in order of trial

# machine/machine
IMBALANCE: Final = 1.25  # of a worker's share of memory: Dask decides which worker holds what
SLICE_SAVES_BYTES: Final = 2**20  # that cutting a block where it lies must save, to be worth a task

# machine/rates
RATE_DIGITS: Final = 2  # of a rate: more are noise
DEVICE_BLOCKS: Final = 2  # that a device has: one is computed while the next one comes

# machine/resources
DEVICE_USABLE: Final = 0.9  # of a device's memory: the rest is its context's, and of libraries

# machine/shared_workers
MEMORY_PARTS: Final = 16  # of a worker's memory: what is held counts so coarsely, and plans last
UNCOUNTED_SHARE: Final = 1 / 64  # of a worker's memory: less is not counted

# memory/buffer_handover
MOST_HANDOVER_CLASSES: Final = 64  # of blocks that are looked at, where each reads its own cells

# memory/scattered_reads
SAMPLED_BLOCKS: Final = {1: 4, 2: 4, 3: 3}  # along a dimension, by how many are cut; else two
NEAR_RATIO: Final = 2  # times as many blocks as parts meet may be met by the box around them

# memory/resident_values
# Blocks for each slot held of a value that is read block by block; more if a reader's takes more
STREAMED_BLOCKS_A_SLOT: Final = 4

# memory/phased_execution
MOST_FOLLOWED_BLOCKS: Final = 4096  # of a reader along a dimension: one read after the other

# memory/result_transfer
BYTES_ASKED_TOGETHER: Final = 2**26  # bytes of blocks that are asked for at a time

# memory/results
RESULT_PROCESS_BYTES: Final = 2**27  # of a worker itself: Python, libraries, and messages

# memory/simulate
BUNDLES_A_STEP: Final = 64  # of a step
ROUNDING: Final = 1e-9  # of a number of blocks, or of a time
LONG_BUNDLE_BATCHES: Final = 8  # batches in which a bundle of many blocks runs

# remembered_choices
CHOICES_REMEMBERED: Final = 64  # plans whose choices are known

# replan
REPLANNED_RATIO: Final = 2  # of workers, beyond which a plan is made again
WORTH_REPLANNING_SECONDS: Final = 60.0  # of a job at least, as predicted on what there is

# rewriting/joint_reads
FARTHER_TILES: Final = 4  # times chunks, and nodes, that a tile has where others end with these

# walltime
WALLTIME_PART: Final = 0.25  # of a worker's time that a task is planned to take at most
WALLTIME_TRIES: Final = 5  # times that a plan is made again with smaller blocks

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# access/access
MOST_CLASSES: Final = 2048  # that are looked at for totals; each takes .1 to .5 ms

# access/overlaps
MOST_PLACES: Final = 2**15  # of a box that are looked at one by one; it takes .1 s

# access/read_counts
MOST_LISTED_BOXES: Final = 4096  # boxes of a pattern that are looked for in others; it takes 10 ms

# cost/block_seconds
ROW_BYTES: Final = 1024  # of a row: a shorter one delays as much less as it is shorter

# cost/exact_costs
MOST_DIAGONAL: Final = 4096  # blocks on the diagonals of a symmetric result; each takes 20 µs

# cost/resource_seconds
PART_SECONDS: Final = 2e-4  # of a worker, for a part of a block that it sends in bulk
FETCH_SECONDS: Final = 0.01  # seconds until a value asked of another worker begins to arrive

# cost/worst_needs
MOST_NEEDS_CLASSES: Final = 64  # classes of blocks; it takes .1 to .2 ms each

# machine/limits
MOST_STEP_BLOCKS: Final = 10_000  # of a step, or two a slot: a scheduler takes 50 µs to begin one
MOST_EDGES: Final = 200_000  # blocks read by the blocks of one step; each costs some 10 µs

# machine/resources
PROCESS_BYTES: Final = 200 * 10**6  # bytes of a worker itself: Python, libraries, kernels, messages
LEAST_PROCESS_BYTES: Final = 150 * 10**6  # of these, before it has cells or messages
LEAST_WITH_PROCESS: Final = 300 * 10**6  # bytes of a worker, from which on these are left to it
FILLED_PROCESS_SHARE: Final = 0.2  # of a worker's memory, where no more of these is counted

# memory/buffer_handover
MOST_HANDOVER_BLOCKS: Final = 1024  # of a step, looked at one by one; each takes some 10 µs

# memory/resident_values
MOST_PAIRED_STEPS: Final = 4096  # steps that are compared in pairs: 513 of an LU take 25 ms

# memory/waiting_shares
NEXT_READERS: Final = 8  # steps behind one that waits: whatever decides is mostly the first or next

# memory/simulate
MOST_BUNDLES: Final = 20_000  # of a plan; each takes some 50 µs

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# cost/group_names
MOST_WORDS: Final = 3  # of one operator, as of several reductions in one pass

# memory/simulation_picture
MOST_ROWS_DRAWN: Final = 60  # steps that are drawn; the longest of more
MOST_CURVE_POINTS: Final = 2000  # of a curve: more than there are pixels
STEP_NAME_LETTERS: Final = 38  # characters of a step's name
