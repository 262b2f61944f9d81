from math import ceil

import pytest
from dask.core import flatten

import dask_tapestry as dt
from dask_tapestry.lower.fetch_rounds import parts_underway, rounds_of
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.planned_expression import lower_plan
from dask_tapestry.lower.tuning import MOST_PARTS_UNDERWAY
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


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 7, 16])
def test_parts_that_are_underway_have_no_more_blocks_than_a_round(rounds):
    x = dt.ones((20, 20)).rechunk((5, 7))
    made = lowered((x + 1).rechunk((2, 10)), (x * 2).T.rechunk((5, 20)), x.sum())
    underway = parts_underway(made.keys, rounds)
    parts = list(rounds_of(made.graph, made.keys, rounds * underway))
    for first in range(len(parts)):
        keys = {key for part in parts[first : first + underway] for key in part.keys}
        for result in made.keys:
            own = set(flatten(result))
            assert len(keys & own) <= ceil(len(own) / rounds)


def test_rounds_of_many_blocks_are_cut_and_one_round_is_not():
    many, few = [[("x", n) for n in range(64)]], [[("x", n) for n in range(4)]]
    assert [parts_underway(many, rounds) for rounds in (1, 2, 32)] == [1, MOST_PARTS_UNDERWAY, 2]
    assert parts_underway(few, 4) == 1
