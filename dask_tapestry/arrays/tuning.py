"""The numbers that decide something in `arrays/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Of others: what NumPy, SciPy, Dask, zarr, file formats and operating systems have.

# array_api/inspection
MOST_DIMENSIONS: Final = 64  # of a block, which is an array of NumPy's

# core/dispatch
PRIORITY: Final = 11  # above numpy.ndarray and dask.array, whose operators then defer

# ma/ufuncs
ARCTANH_EDGE: Final = 1e-15  # of the domain of arctanh, as numpy.ma has it

# ndimage/arguments
MOST_WINDOW_CELLS: Final = 2**31  # of a window along an axis

# ndimage/degrees
LAST_EXACT_DEGREES: Final = 1.0e14  # degrees from which on nothing is left of the angle

# ndimage/interpolation_arguments
# Cells before and after an axis whose ends no filter knows, as SciPy has them
SPLINE_PAD: Final = 12

# ndimage/region_boxes
MOST_LABELS: Final = 2**31  # labels: each is an entry of the list

# ndimage/smoothing
LEAST_SIGMA: Final = 1e-15  # below which nothing is done

# random/bounds
MOST_BALLS: Final = 10**9  # of one colour

# statistics/bin_estimators
MOST_BINS: Final = 2**53  # more edges at equal distances are not all different in float64

# stats/frequencies
SUM_AGREEMENT: Final = 1.5e-8  # of sums of frequencies, relative: half the digits of float64

# user_functions/reduction
SPLIT_EVERY: Final = 4  # partial results to combine at once, as in Dask

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# calibration/kernel_rates
WEIGHTS_A_ROW: Final = 4  # of a matrix, in each of its rows
WEIGHTED_LANES: Final = 32  # that it is multiplied with
STENCIL_STEPS: Final = 8  # of a stencil
CONVOLVED_CHANNELS: Final = 8  # channels that are each convolved by itself
POLYNOMIAL_TERMS: Final = 20  # of a polynomial: enough to make memory wait
KERNEL_REPEATS: Final = 3  # of which the best counts

# calibration/memory_rates
COPY_REPEATS: Final = 2  # of which the best counts

# calibration/store_rates
STORED_CELLS: Final = 2**22  # 32 MiB, which take ten times as long as a compute's own ms
CHUNK_CELLS: Final = 2**18  # 2 MiB
SMALL_CHUNK_CELLS: Final = 2**10  # 16 KiB a chunk: opening it is what it takes
VALUE_STEP: Final = 2**-10  # values of a measurement have some digits, which codecs see

# calibration/task_rates
TIMED_TASKS: Final = 200  # which take some 30 ms
BLOCKS_READ: Final = 40  # blocks that one task reads
TASK_REPEATS: Final = 2  # of which the best counts

# core/block_names
DIGEST_BYTES: Final = 12  # of a name, as of the names of steps

# core/lanes
LONG_LANE_BYTES: Final = 2**26  # bytes; cells of longer lanes are picked by a reduction
# Bytes of a lane alone, from which on it is not sorted: of 60 GB on 50 workers that took 31 s, to
# count took 3; in memory to count .3 GB took twice the seconds
COUNTED_LANE_BYTES: Final = 2**32

# core/dynamic_shape
PICKED_PART: Final = 4  # of free memory, at most: beside what is picked its value is made

# core/known_masks
LINE_CELLS: Final = 16  # of a line that is copied for itself: of shorter ones the copying shows

# core/known_values
KNOWN_CELLS: Final = 10**6  # of each value on the way to what is known: computed in milliseconds

# core/unknown_lengths
UNKNOWN_BITS: Final = 48  # of the cells along all unknown dimensions: more than any workers hold

# core/selection
MASK_NODES: Final = 200  # tensors of which a mask is made that are looked through: .1 ms

# grouping/counted_labels
FEWEST_FILLED_ROUNDS: Final = 4  # with less than one that is missing: a fourth more cells at most
# Of cells of which a table of groups is a small part: a task reads so many, and several at a time
MOST_TABLED_BYTES: Final = 2**30

# grouping/group_cells
KNOWN_CODES_BYTES: Final = 2**20  # of codes known by their values: a digest takes 1.5 ms

# grouping/runs_of_labels
# Cells of the longest run: no more than a leaf of a sum has, so that no run is folded in parts
MOST_RUN_CELLS: Final = 1024
MOST_RUN_FILLING: Final = 1.5  # of the cells that have labels, filled up: what a fold may take more

# indexing/folds_at_places
LEAST_AT_A_CELL: Final = 4  # values for each cell of a table, of which parts of the values have one
MOST_ORDERED_BYTES: Final = 2**28  # of values and places that one task goes through, in .3 s

# indexing/regular_places
FEWEST_PLACES: Final = 3  # any two are at equal distances: a slice for each pair is planned anew

# linalg/einsum
MOST_OPERANDS_ORDERED: Final = 5  # arrays; with more, trying all orders takes too long

# linalg/factorizations
TALL_RATIO: Final = 16  # times as many rows as columns
WIDE_RATIO: Final = 2  # times as many, if the matrix is large: its triangle is then a part of it
BLOCK_ROWS_A_COLUMN: Final = 16  # times as many rows as columns has a block at least
# Of many columns fewer, so that a worker holds a block of so many cells and what LAPACK makes of it
MOST_BLOCK_CELLS: Final = 2**26
FEWEST_BLOCK_ROWS_A_COLUMN: Final = 2  # the triangles are then half of the rows
# Times as many rows may a block have, if then all rows are in equal ones
MOST_BLOCK_GROWTH: Final = 4

# linalg/singular_values
# Times the least side's square are the cells of a row of `a` times one of `b`, if right sides are
# many: finding vectors takes some 20 cubes of that side, a product 2 operations for each
MANY_SIDES_RATIO: Final = 8

# manipulation/repeating
# More are not joined but taken: each slice takes a node and a copy of its own
MOST_SLICES: Final = 64

# ndimage/binary_windows
STEPS_BETWEEN_LOOKS: Final = 16  # steps between two looks at whether something has changed

# ndimage/smoothing
# Cells of a window that are added one by one; of longer ones by doubling
CELLS_ADDED_ONE_BY_ONE: Final = 64

# overlap/map_overlap
TRIAL_SIDE: Final = 2  # cells of its own, along each axis, of the block that shows whether it trims

# patterns/thread_kinds
MOST_THREAD_KINDS: Final = 64  # a body is called for each, and each is an operator

# sorting/chosen_cells
# Of 2e6 cells of two arrays in memory, choosing takes 1.3 to 3.6 times what sorting each does; of
# 1e7, half to two thirds
CHOSEN_TOGETHER: Final = 2**23  # cells of all arrays, from which they are chosen together

# sorting/search
# Of a set that is known: a compiled formula takes 3 to 13 ms for 8e6 cells where searching a table
# takes 100 to 160, for 32 elements 29 at most
COMPARED_ELEMENTS: Final = 16

# sorting/unique_by_sorting
LONG_TABLE_BYTES: Final = 2**26  # bytes of a table, which each task may as well have

# sorting/unique_by_counting
MOST_COUNTED: Final = 2**16  # values of two bytes: of more the table is too long
CELLS_A_VALUE: Final = 4  # of fewer cells for each value there may be, sorting them takes less

# sorting/unique_of_few
FEWEST_CELLS: Final = 2**16  # of fewer cells, sorting takes less than two more jobs
TRIED_CELLS: Final = 2**16  # looked at first: of random numbers they have too many values
LEAST_SPAN: Final = 2**18  # cells of a span, whose table has 24 KiB
LONGEST_SPAN: Final = 2**22  # 32 MiB of float64 that a task reads
SPANS: Final = 256  # tables that the client merges, unless spans would be longer

# statistics/forward_fill
# Of a lane for each cell of a limit: else what is read before a block is not little beside lanes
CELLS_A_LIMIT: Final = 8

# storage/icechunk_arrays
TASK_BYTES: Final = 2**25  # that one task writes, of smaller stored chunks

# user_functions/along_axis
TRIAL_LANE_CELLS: Final = 2  # cells of an axis that a trial call takes if it is long

# user_functions/check_operator
MOST_FORM_SIZES: Final = 3  # of a form

# user_functions/monoid_laws
SINGLE_CELLS: Final = 3  # cells that are combined one by one

# user_functions/operator_shardings
MOST_TRIAL_BLOCKS: Final = 64  # of a sharding

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# calibration/kernel_rates
PROBE_CELLS: Final = 2**19  # 4 MB of float64: beyond a second-level cache
HANDLING_CELLS: Final = 2**14  # what a program of so many takes is handling it
MATRIX_SIDE: Final = 512  # of a matrix
# Of rows; of a power of two all cells of a column share few lines of a cache
ROW_CELLS: Final = 1000

# calibration/memory_rates
COPIED_BYTES: Final = 2**26  # of an array: twice a common third-level cache
COPIED_BYTES_A_THREAD: Final = 2**23  # of a thread's part, where there are many threads

# calibration/task_rates
LEAST_TASK_SECONDS: Final = 1e-7  # seconds: what clocks and noise leave

# linalg/factorizations
LEAST_BLOCK_CELLS: Final = 2**16  # of a block of rows, at least: half a megabyte stays in a cache

# xarray/filled_gaps
FILLED_CELLS: Final = 2**18  # at a time, lest a block needs several times its memory

# xarray/least_squares
FITTED_LANES: Final = 4096  # at a time: their sums stay in cache
FITTED_ROWS: Final = 32  # of cells that are converted at a time
LEAST_EIGENVALUE: Final = 1e-6  # of a basis with gaps; without them all are 1

# xarray/means_of_times
LOWER_BITS: Final = 32  # of a time: sums of both parts fit 64 bits for 2**30 cells a group

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# calibration/calibrate
PROCESS_BUDGET_SECONDS: Final = 3.0  # seconds
LEAST_GOT: Final = 0.8  # of the processors: two gave .88 to 1 alone, .52 to .77 beside one process

# calibration/processors_got
PROBED_CELLS: Final = 2**15  # 256 KiB, some .1 ms
PROBED_SECONDS: Final = 0.05  # ten turns of a scheduler of processes

# calibration/cluster
WORKER_BUDGET_SECONDS: Final = 2.0  # seconds for the kernels of a worker

# jobs/check_cluster
SILENT_SECONDS: Final = 30.0  # seconds without a heartbeat

# jobs/cluster_problems
CLOCK_SKEW_SECONDS: Final = 1.0  # seconds
NEARLY_FULL: Final = 0.8  # of a worker's memory, at which Dask pauses or ends it by its defaults

# progress
POLL_SECONDS: Final = 0.1  # seconds between looks at whether a job has ended
