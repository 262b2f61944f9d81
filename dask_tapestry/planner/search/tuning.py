"""The numbers that decide something in `planner/search/`, each with where it comes from."""

from __future__ import annotations

from typing import Final

# Chosen: each comment says what it bounds or is a share of, and what follows from more or less.

# alike
SMALL_NUMBER: Final = 8  # of whole numbers below, each one counts: axes, orders, cells of a stencil
ALIKE_EXTENTS: Final = 1.1  # times an extent that another one may be at most

# budget
SHARE: Final = 0.03  # of a job's seconds that may be spent on its plan, at first
COSTS_A_CHANGE: Final = 10  # costs of one change of a plan: of a step whose grid is searched
LONG_SEARCHED_SECONDS: Final = 50.0  # of a job: from then on budgets grow with their root
LEAST_ONCE_FOUND: Final = 1000  # costs beyond which nothing is begun: with 200 one took 1.7 times
MOST_IN_VAIN: Final = 1500  # costs in a row that gain nothing: of 90 jobs none gained after 1,020
MOST_ALONE: Final = 30_000  # costs of a search without workers: nobody waits for minutes unasked

# components
SHARED_LEAF_BYTES: Final = 2**20  # as of weights: parts of a graph that share no more are apart

# evolve
POPULATION: Final = 48  # plans that may be parents
# Logarithm of the times that a plan may take more, to be chosen 1/e as often
PARENT_NEARNESS: Final = 0.2
CROSSED_SHARE: Final = 0.1  # share of trials with two parents
NODES_TRIED: Final = 4  # nodes that a mutator is tried at, until it has a move
WINDOW_TRIALS: Final = 24  # trials in a row, whose gain is compared with what they took
PATIENCE_WINDOWS: Final = 2  # windows without enough gain, after which the search ends
UNSURE_SHARE: Final = 1e-3  # of a plan's seconds: predictions are not as exact as that
PRIOR_TRIALS: Final = 4.0  # trials that a prior counts for

# exact_grids
MOST_TABLE_ROWS: Final = 20_000  # of a table of grids; more would take seconds
LEAST_WAYS: Final = 3  # ways to hold its inputs that each grid of a step is compared in
MOST_PIECES_A_SLOT: Final = 4  # times as many as slots that a step is cut into

# exchanged_reads
MOSTLY_REPEATED: Final = 0.5  # of a plan's seconds that go into having a value again

# exchanges
# Of what a task may take: a block that is written or read, beside its chunks
EXCHANGED_BLOCK_SHARE: Final = 0.25
MOST_EXCHANGED_VALUES: Final = 3  # that are looked at, each in a graph of its own
READ_SHARE: Final = 0.05  # of all memory that a value takes at least which is read again
LEAST_CHUNK_BYTES: Final = 2**18  # bytes
MOST_CHUNK_BYTES: Final = 2**24
PARTS_OF_WRITTEN: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)  # that a side is cut into

# exhaustive
MOST_CHOICES: Final = 2_000  # of forms and held values, for each of which all grids are compared

# form_choice
CLOSE_TO_LEAST: Final = 1.1  # times the least seconds that are possible: not worth another form
PARTS_A_SLOT: Final = 16  # pieces that a form should yield, so that cuts between them are even
NEXT_TO_NOTHING: Final = 256  # cells that are read for each that a form's first step yields
COMPARING_SECONDS: Final = 16e-3  # that a form takes which is looked at: of 25 it took 10 to 70 ms
SAVES_AS_MUCH: Final = 1.02  # times what a form left elsewhere: up to it, taken unsearched
FAR_WORSE: Final = 1.3  # times the seconds of the best size: no further one was better, in 90 jobs
SHORT_STEP_SECONDS: Final = 0.02  # seconds; of a shorter step no more than one size is tried
# Times the effort that a step is worth, for the sizes of a form: with one, three of eight
# jobs got plans that take up to 2.1 times as long, with five none of these
SIZES_WORTH: Final = 5

# form_sizes
NEARBY_NODES: Final = 32  # nodes that are searched for stored chunks

# frontier
SLOWEST_RATIO: Final = 8.0  # times the seconds of the fastest: no saving elsewhere is worth that
CLOSE_POINTS: Final = 0.02  # of a resource: points that differ by less in all are one

# frugal_reads
LITTLE_MEMORY: Final = 1 / 4  # of what a plan may take: what reads less may hold more up to it

# grid
PATIENCE_CUTS: Final = 3  # in a row that may cost more before the search for a cheaper one ends
POOR_GUIDE: Final = 1.25  # times what a block takes at least: from then on that tells little
MOST_HOPELESS: Final = 3  # grids that are priced where all take more memory than there is
FAR_RATIO: Final = 16  # times as many or as large as wanted: then blocks are cut in four at a time
SMALLER_SHARE: Final = 0.9  # times a block's bytes that half a block may have at most
SCATTERED_SHARE: Final = 0.05  # of the seconds: a cut that saves less is one of pieces in a row
FEW_WAVES: Final = 8  # of tasks; with more, a last one that is not full costs little
NEGLIGIBLE_TASKS: Final = 2.0  # times what handling one task takes: not worth another task
READ_EDGES: Final = 1.02  # times it: from then on another shape of blocks may read less around them

# handed_reads
SLOWER_TO_FIT: Final = (
    4.0  # times the seconds of what workers cannot hold, that what they can may take
)

# islands
ISLANDS: Final = 4
EPOCHS: Final = 4

# joint_windows
NARROW_WINDOWS: Final = 1 / 64  # of a source's bytes: larger values are made on the way, not held
WIDE_WINDOWS: Final = 1 / 4  # of them, of one value: to hold more costs what is spared

# lean_plans
WORTH_SPARING_BYTES: Final = 2**27  # at a time of a worker: a process takes as much anyway
FREED_TIMES: Final = 16  # their bytes that values take at most, with copies for those who read them

# fused_seed
SEED_GAIN: Final = 0.5  # of the seconds of a seed: one that is so much better is changed instead
SEED_LOSS: Final = 2.0  # of a seed that does not fit: what is held less costs more in the end
LARGE_VALUE_SHARE: Final = 1 / 256  # of the bytes of the largest value: those are large

# local_search
LEAST_GAIN: Final = 0.99  # of the seconds before: a change must save a hundredth
CLOSE_CHANGE: Final = 1.1  # times the seconds before, of a change whose steps may be cut better
SECOND_CHANCES: Final = 4  # changes of which that is looked at, once none pays as it is
CHANGE_COSTS: Final = 50  # costs of that, where nothing is left
GAIN_OF_ROUNDS: Final = 0.75  # the same, of rounds: that an expert would take them must be clear
GAIN_OF_EXCHANGE: Final = 0.1  # the same, of what goes through a store, which others use, too
GAIN_OF_LAST_EXCHANGE: Final = 0.6  # the same, of plans that are not changed any more
GAIN_OF_NEXT_EXCHANGE: Final = 0.8  # of a plan that goes through a store already
MUCH_LIGHTER: Final = 0.5  # of the memory lacking before: of such plans the fastest is cut on
LIGHTER_SHARE: Final = 0.9  # of the memory lacking before: then other choices are not looked at
HEAVY: Final = 4  # kinds of steps whose blocks take most, that are cut where memory lacks
CHANGED_ALIKE: Final = 2  # steps of those that are alike, which are changed one by one
HALVINGS: Final = 3  # of blocks, by which a plan that a worker cannot hold may come to fit
CLOSE_TO_FITTING: Final = 1 / 32  # of a worker's memory: what lacks less is worth another halving

# moves
FEW_CHOSEN: Final = 8  # times the cells chosen that a selection is made of, to try to hold these
MOVED_AGAIN: Final = 1.5  # times its cells that blocks compute of a value, before it is held

# lone_blocks
WORTH_LONE_SECONDS: Final = 0.1  # of a step that reads again: looking takes some 300 costs

# mutators
PLACE_PRIOR: Final = 0.5  # of another place: the programs that priors are learnt from have one

# one_block
ONE_BLOCK_BYTES: Final = 2**28  # of all values of work that may be worth one block: .1 s
ONE_BLOCK_BYTES_A_NODE: Final = 2**21  # of long programs: memory moves it in `NODE_SECONDS`
# Seconds that a search takes for a node, at least, and for one that has forms, of programs of 50 to
# 1,000: of windows, groups and weeks it was 1 to 10 ms a node
NODE_SECONDS: Final = 1e-3
FORM_SECONDS: Final = 8e-3
USES_OF_A_PLAN: Final = 5  # computes of like work that its plan is assumed to serve

# phased_values
ROUNDS_TRIED: Final = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256)

# plan_spaces
# Of a worker's memory: what is left is too little for steps (at .8 one read a store 178 times)
CROWDING_RESULTS: Final = 0.6
LITTLE_RESULTS: Final = 0.02  # of a worker's memory: without what is fetched, no more fits
FAR_BETTER: Final = 0.5  # of the seconds: what takes less is looked for in all sizes of tasks
MANY_ROUNDS: Final = 2**40  # each of one block
SMALLER_TASKS_GAIN: Final = 0.99  # of the seconds: smaller gains want no smaller tasks

# refusal
MEMORY_HALVINGS: Final = 4  # of the memory that would do, so told to a sixteenth
MEMORY_ROOM: Final = 1.01  # times it, as texts round
MEMORY_GROWTH: Final = 1.5  # times the memory before, where that does not do
ENOUGH_TRIES: Final = 4  # of them: each takes as long as a plan
# Times the seconds of what does not fit: what fits and takes longer is looked for in other ways, as
# one block at a time (a gram matrix of small workers: 3.8 times, and 1.1 in them)
SLOWLY_FITTED: Final = 3.0

# repeated_reads
READ_AGAIN: Final = 2.0  # times what is read once: from then on equal blocks may read less
CARRIED_SHARE: Final = 0.05  # of a step's seconds that reads take: less is not worth a search
LONG_STEP_SECONDS: Final = 2.0  # of a step whose reads are; a tenth may go to the search

# repetition
CYCLE: Final = 2  # parts after which choices may repeat: cut along one axis, then another
FEWEST_REPEATED: Final = 12  # parts: of fewer, leaving some out spares less than it takes
HEAD_PARTS: Final = 3  # of those kept, before the ones that are left out
TAIL_PARTS: Final = 2  # and behind them

# roomy_blocks
ROOMY_SHARE: Final = 0.2  # of what a task may take: larger blocks are cut in two if as fast
WORTH_ROOM_BYTES: Final = 2**25  # bytes at a time of this process, which takes less anyway

# rule_selection
MOST_PLANS: Final = 64  # that are compared; each takes as long as a plan without choices
CHOICE_GAIN: Final = 0.99  # of the seconds without it: a choice must save a hundredth
WORTH_SHARED_PASSES: Final = 0.1  # seconds of a plan for each reduction, as another search takes
# Times the seed of results that steps read, from which on both are searched: an exponential took
# 5 times apart, a sort 10, and were faster read; what took up to 2.3 was not
SLOW_APART: Final = 2.5
SEED_FAR_BEHIND: Final = 1.1  # times the best seed: one of 1.05 led to the better plan

# search
# Times what a plan that does not fit is worth: of 25 programs that did not fit at once, 23 had
# plans with that, two of which take a twentieth longer than with all
WORTH_TO_FIT: Final = 2
DEARER_FITTED: Final = 1.5  # times the seconds of parts planned apart, once changed to fit
CHANCE_PART: Final = 4  # of what is left, for chance: all of it gained 1 of 90 jobs .02
SEARCH_AGAIN_PART: Final = 4  # of the effort, that a search with less memory a task has
FAR_BEHIND: Final = 10.0  # times a plan's seconds, of a seed that is left: none beyond 8 of 36 won
SURE_OF_PACE: Final = 1000  # costs before one knows what changes gain: with 500 a gradient gave up
MOST_IMPROVED: Final = 2_500  # costs of a search change by change; chance has the rest

# seeds
SHORT_SEED_SECONDS: Final = 0.3  # seconds: a shorter job is searched as soon as compared

# whole_rows
FOLDS_OF_ROWS: Final = 4  # that a fold waits for: of a softmax two, of a loop all steps before
SIZES_OF_ROWS: Final = 4  # of a form, the finest ones: later changes find the best near these

# shared_values
NEAR_NODES: Final = 64  # between a held value and what alone is made of it

# Of the hardware: orders of magnitude of caches, memory and calls. Counts of operations become
# seconds by the rates of a machine, which `dask-tapestry calibrate` measures for each kernel.

# budget
SECONDS_A_COST: Final = 3e-4  # of one core, with all that a search does beside

# evolve
COSTS_A_TRIAL: Final = 4  # that a trial takes as long as, besides the costs that it computes

# exact_grids
ROWS_A_COST: Final = 40  # rows of a table that are made while one step's cost is computed

# relays
GAIN_OF_RELAY: Final = 0.9  # of the seconds before: what is moved twice must save some
MANY_SLICES: Final = 2_000  # of a step: half a second of a scheduler

# exchanges
MANY_EDGES: Final = 30_000  # of a reader: the scheduler is busy for seconds, and the network waits

# islands
LONG_SEARCH_COSTS: Final = 200_000  # a minute: parts of a shorter search would know less each

# plan_evaluator
NODES_A_COST: Final = 16  # of a graph that take as long to evaluate as the cost of one step
STEPS_A_COST: Final = 4  # of a plan whose memory takes as long to add up as the cost of one step

# pricing
SHORT_PROGRAM: Final = 8  # operators whose cost takes as long as the rest of a step's
LEAST_COSTS_A_COST: Final = 3  # of what a step takes at least, that take as long as its cost

# For who reads or waits: how much a page, a line or a wait may hold. No value depends on it.

# frontier
MOST_FRONTIER_POINTS: Final = 32  # of a frontier; of more, those that take longest are dropped
