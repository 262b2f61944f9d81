"""What several tests of plans start from."""

from itertools import product

import dask_tapestry as dt

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")
ROOMY = dt.Resources(workers=4, threads=2, memory="16 GiB")
MIB = 2**20


# Of stores whose cells cost nothing to decode: then what is moved and computed decides.
FAST_STORES = {"store_read": 1e12, "store_write": 1e12}


def stored(shape=(100_000, 1000), dtype="f8", chunks=(1000, 1000)):
    """A stored tensor that need not exist."""
    return dt.placeholder(shape, dtype, chunks)


def steps_of(*arrays, resources=FOUR, **options):
    """Names of the operators of each step of a plan, in order."""
    plan = dt.plan(*arrays, resources=resources, **options).core
    return [[i.operator.name for i in step.program.instructions] for step in plan.steps.values()]


def last_step(*arrays, resources=FOUR):
    """The last step of a plan."""
    return list(dt.plan(*arrays, resources=resources).core.steps.values())[-1]


def counted(*shape):
    """Cells that are generated, not all alike: a constant would be computed while planning."""
    return dt.broadcast_to(dt.arange(float(shape[-1])), shape)


def tasks_of(plan):
    """Each block of each step, with the blocks that it reads."""
    tasks = {}
    for node, step in plan.steps.items():
        for index in product(*[range(c.count) for c in step.cuts]):
            read = set()
            for x, boxes in zip(
                step.inputs, step.program.input_boxes(step.box(index)), strict=True
            ):
                if x in plan.steps:
                    cuts = plan.steps[x].cuts
                    for box in boxes:
                        edges = zip(cuts, box.lo, box.hi, strict=True)
                        met = product(*[range(*c.overlapping(lo, hi)) for c, lo, hi in edges])
                        read |= {(x, other) for other in met}
            tasks[node, index] = read
    return tasks
