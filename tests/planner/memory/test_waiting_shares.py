"""What blocks wait for by way of other steps, against the tasks of plans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.memory.waiting_shares import WaitingShares
from tests.planner.graphs import FOUR, stored, tasks_of

SHAPE, TILE = (2000, 1000), (250, 250)


def centred(means):
    """What is centred by means of columns, which are cut into so many blocks; and what is read."""
    x = stored(SHAPE, "f8", TILE).rechunk(TILE)
    m = x.mean(axis=0).rechunk((1000 // means,))
    return x, (x - m).rechunk(TILE)


def planned(*roots):
    return build_plan([x.node for x in roots], FOUR)


def ends_of(plan):
    """The first value of a plan, and its last step."""
    return next(iter(plan.steps)), plan.steps[plan.graph.roots[-1]]


def share_by_tasks(plan, tasks, node, reader):
    """The least part of a value's blocks that the first or last block of a reader waits for."""
    last = tuple(c.count - 1 for c in reader.cuts)
    parts = []
    for end in {(0,) * len(last), last}:
        met = set()
        to_see = [one for one in tasks[reader.node, end] if one[0] is not node]
        while to_see:
            one = to_see.pop()
            if one not in met:
                met.add(one)
                to_see += tasks[one]
        parts.append(sum(x is node for x, _ in met))
    return min(parts) / plan.steps[node].count


@pytest.mark.parametrize("blocks", [1, 2, 4])
def test_what_waits_for_means_of_some_columns_waits_for_these_columns(blocks):
    """And that part is held, though a block reads one of its blocks, and no step ends before."""
    x, y = centred(blocks)
    plan = planned(y)
    node, reader = ends_of(plan)
    assert WaitingShares(plan.steps).share(node, reader) == 1 / blocks
    assert resident_bytes(plan)[node] >= x.nbytes / blocks


def test_means_of_rows_of_what_is_centred_wait_for_all_of_it():
    """Half of the rows is made of means of all columns: of each half, and so of all rows."""
    x, y = centred(2)
    plan = planned((y - y.mean(axis=1).rechunk((1000,))[:, None] + x).rechunk(TILE))
    node, reader = ends_of(plan)
    assert WaitingShares(plan.steps).share(node, reader) == 1
    assert resident_bytes(plan)[node] == x.nbytes


def test_what_waits_for_nothing_else_holds_no_part():
    x = stored(SHAPE, "f8", TILE).rechunk(TILE)
    plan = planned((x + 1).rechunk(TILE), (x * 2).rechunk(TILE))
    node, reader = ends_of(plan)
    assert WaitingShares(plan.steps).share(node, reader) == 0


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
