"""From plans to Dask: expressions, symbolic layers, and what a worker runs.

The way of a plan, in the order of these modules:

=======================  ==============  ===========================================================
module                   runs on         what it does
=======================  ==============  ===========================================================
`small_jobs`             client          computes small jobs at once, with no scheduler
`prepared_plan`          client          what these find once for all data that a plan is kept for
`planned_expression`     client          Dask asks here: plans all values of one compute together
`graph`                  client          writes a plan as layers, one for each step
`layers`, `slices`       client, sched.  which tasks there are and what each one reads
`block_inputs`           client, sched.  which tasks hold the cells of a box
`block_input_tables`     client, sched.  the same for blocks that are translates, from tables
`step_spec`              all             what every task of a step knows: program, cuts
`materialize`            sched., client  writes out the tasks that some keys need
`execute`                worker          a task: computes one block of a step
`schedule_walk`          worker          runs the entries of a block's schedule in order
`frame`                  worker          what the walk is given: entries, and values at hand
`values_until_last_use`  worker          the values of a program, each until its last use
`piece_run`              worker          a loop over pieces, with what those share
`tile_run`, `tiling`     worker          formulas in tiles that stay in cache, or in slabs
`instruction_call`       worker          calls a kernel, a source or a sink
`symmetric_tasks`        all             blocks of ``x @ x.T`` below the diagonal: transposes
=======================  ==============  ===========================================================

Beside that way: `symbolic_layer` (the base of the layers), `client_arrays` (tasks ask for arrays in
memory), `input_prefetch` (most of these lie on workers before), `worker_placement` (which workers a
step may run on), `result_layout` (how the blocks of a persisted result lie), `result_buffer` (the
memory that results are written to), `dask_private` (all of Dask's private interface that is used).
"""
