from dask.core import flatten

import dask_tapestry as dt
from dask_tapestry.lower.fetch_rounds import rounds_of
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.planned_expression import lower_plan
from dask_tapestry.planner.memory.results import ResultMemory
from tests.planner.graphs import FOUR


def lowered(*arrays):
    return lower_plan(dt.plan(*arrays, resources=FOUR).core, ResultMemory.FETCHED)[0]


def test_one_round_has_all_blocks_and_keeps_nothing():
    made = lowered(dt.ones((20, 20)).rechunk((5, 7)))
    (one,) = rounds_of(made.graph, made.keys, 1)
    assert (one.keys, one.kept, one.over) == (list(flatten(made.keys)), [], [])


def test_each_task_runs_in_one_round_and_is_there_while_it_is_needed():
    x = dt.ones((20, 20)).rechunk((5, 7))
    base = x - x.rechunk((20, 4)).mean(axis=0)
    made = lowered(base.rechunk((7, 5)), base.T + 1)
    tasks = materialize(made.graph, flatten(made.keys))
    for count in (2, 3, 50):
        rounds = list(rounds_of(made.graph, made.keys, count))
        assert 1 < len(rounds) <= 2 * count
        assert sorted(k for r in rounds for k in r.keys) == sorted(set(flatten(made.keys)))
        held, ran = set(), []
        for one in rounds:
            stack, now = [*one.keys, *one.kept], set()
            while stack:
                key = stack.pop()
                if key not in held and key not in now:
                    now.add(key)
                    stack += tasks[key].dependencies
            ran += now
            held |= set(one.kept)
            assert set(one.over) <= held
            held -= set(one.over)
        assert not held
        assert sorted(map(str, ran)) == sorted(map(str, tasks))
