"""What blocks wait for by way of other steps, against the tasks of plans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.memory.waiting_shares import WaitingShares
from tests.planner.graphs import FOUR, stored, tasks_of

SMALL = dt.Resources(workers=2, threads=2, memory="500 MiB")
SHAPE, TILE, COUNT = (2000, 1000), (250, 250), 32


def planned(*roots):
    return build_plan([x.node for x in roots], FOUR)


def needed(tasks, task):
    """All tasks that one needs, itself too."""
    found, to_see = {task}, [task]
    while to_see:
        more = tasks[to_see.pop()] - found
        found |= more
        to_see += more
    return found


def behind(plan, step):
    """A step and all that are made of it."""
    found = [step]
    for other in plan.steps.values():
        if other is not step and any(x in [one.node for one in found] for x in other.inputs):
            found.append(other)
    return found


def share_by_tasks(plan, tasks, node, reader):
    """The most of a value that others have read, and not the reader, when some block is computed.

    Of the first and last block of each step that is made of the reader.
    """
    parts = []
    for step in behind(plan, reader):
        of_ends = []
        for end in {(0,) * len(step.cuts), tuple(c.count - 1 for c in step.cuts)}:
            awaited, own = set(), set()
            for task in needed(tasks, (step.node, end)):
                met = {one for one in tasks[task] if one[0] is node}
                if task[0] is reader.node:
                    own |= met
                else:
                    awaited |= met
            of_ends.append(len(awaited - own))
        parts.append(min(of_ends))
    return max(parts) / plan.steps[node].count


@pytest.mark.parametrize("blocks", [1, 2, 4])
def largest_share(plan):
    """The largest part of the first value that waits for a reader."""
    node, shares = next(iter(plan.steps)), WaitingShares(plan.steps)
    return max(shares.share(node, step) for step in plan.steps.values() if node in step.inputs)


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_what_waits_for_means_of_some_columns_waits_for_these_columns(blocks):
    """All but the block that it reads itself."""
    x = stored(SHAPE, "f8", TILE).rechunk(TILE)
    m = x.mean(axis=0).rechunk((1000 // blocks,))
    assert largest_share(planned((x - m).rechunk(TILE))) == 1 / blocks - 1 / COUNT


@pytest.mark.parametrize(("axis", "share"), [(0, 3 / 4), (1, 3 / COUNT)])
def test_sums_wait_for_means_of_all_that_they_are_made_of(axis, share):
    """A row's mean is made of four blocks: of these the first sum of columns needs one."""
    x = stored(SHAPE, "f8", TILE).rechunk(TILE)
    y = (x - x.mean(axis=1).rechunk((250,))[:, None]).rechunk(TILE)
    plan = planned(y.sum(axis=axis).rechunk((250,)))
    assert largest_share(plan) == share
    assert resident_bytes(plan)[next(iter(plan.steps))] >= share * x.nbytes


def test_what_waits_for_nothing_else_holds_no_part():
    x = stored(SHAPE, "f8", TILE).rechunk(TILE)
    assert largest_share(planned((x + 1).rechunk(TILE), (x * 2).rechunk(TILE))) == 0


def centred_rows(x):
    return ((x - x.mean(axis=1, keepdims=True)) ** 2).mean(axis=0)


def centred_both_ways(x):
    y = x - x.mean(axis=0)
    return (y - y.mean(axis=1, keepdims=True)).std(axis=1) + y.max()


@pytest.mark.parametrize("made", [centred_rows, centred_both_ways])
def test_workers_hold_no_more_than_is_said_of_what_is_centred(made):
    """To read once what is ten times their memory they would have to hold most of it."""
    plan = dt.plan(made(stored((40_000, 32_000), "f4", (2000, 2000))), resources=SMALL)
    assert plan.simulate().peak_worker_bytes <= plan.cost["peak_worker_bytes"]


STAGES = {
    "columns": lambda x, n: x - x.mean(axis=0).rechunk((n,)),
    "rows": lambda x, n: x - x.mean(axis=1).rechunk((n,))[:, None],
    "all": lambda x, n: x - x.mean(),
    "rolled": lambda x, n: x + dt.roll(x, n, 0).rechunk((n, n)),
    "turned": lambda x, n: x + x.T.rechunk((n, n)),
    "ends": lambda x, n: dt.concatenate([x[:1], (x[1:-1] - x[:-2].max(axis=0)), x[-1:]]),
}


@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(STAGES)), st.sampled_from([7, 20, 64]), st.booleans()),
        min_size=1,
        max_size=3,
    )
)
def test_shares_are_those_of_tasks(stages):
    x = stored((60, 60), "f8", (20, 20)).rechunk((20, 20))
    for name, n, held in stages:
        x = STAGES[name](x, n)
        x = x.rechunk((n, 20)) if held else x
    plan = planned(x.rechunk((20, 20)))
    tasks, shares = tasks_of(plan), WaitingShares(plan.steps)
    for reader in plan.steps.values():
        for node in reader.inputs:
            if node in plan.steps and node is not reader.node:
                found = shares.share(node, reader)
                assert found == share_by_tasks(plan, tasks, node, reader)
