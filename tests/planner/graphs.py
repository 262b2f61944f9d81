"""What several tests of plans start from."""

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
