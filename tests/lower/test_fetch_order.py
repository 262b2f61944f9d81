"""Orders of tasks: what is held at a time is compared, and that inputs come first."""

from functools import cache
from itertools import chain

import pytest
from dask.core import flatten
from dask.order import order

import dask_tapestry as dt
from dask_tapestry.lower.fetch_order import _most_held, fetch_order
from dask_tapestry.lower.fetch_rounds import _value_bytes, rounds_of
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.planned_expression import lower_plan
from dask_tapestry.planner.memory.results import ResultMemory, rounds_that_fit

SMALL = dt.Resources(2, 2, "500 MiB")
X = dt.placeholder((15_000, 15_000), "f8", (1000, 1000))
Y = X + 1
MEAN = X.mean(0)


class Lowered:
    """The tasks of a plan, which nothing runs."""

    def __init__(self, *arrays):
        self.plan = dt.plan(*arrays, resources=SMALL).core
        made, _ = lower_plan(self.plan, ResultMemory.FETCHED)
        self.graph, self.keys = made.graph, made.keys
        self.results = [list(flatten(keys)) for keys in made.keys]
        self.tasks = materialize(made.graph, chain.from_iterable(self.results))
        self.place = fetch_order(self.tasks, self.results, self.value_bytes)

    def value_bytes(self, key):
        return _value_bytes(self.graph, key)

    def most_held(self, place):
        return _most_held(self.tasks, place, self.value_bytes)


JOBS = {
    "one": lambda: [X - MEAN],
    "a fold": lambda: [Y, Y.max(0)],
    "deviations of what is centred": lambda: [X - MEAN, (X - MEAN).std(0)],
    "totals": lambda: [dt.cumsum(X, 0), X * 2],
    "the fold first": lambda: [X.max(0), Y],
    "turned": lambda: [Y.T, Y - Y.T],
}


@cache
def lowered(job):
    return Lowered(*JOBS[job]())


@pytest.mark.parametrize("job", JOBS)
def test_inputs_come_first_and_each_task_has_its_place(job):
    made = lowered(job)
    place = made.place
    assert place.keys() == made.tasks.keys()
    assert len(set(place.values())) == len(place)
    for key, task in made.tasks.items():
        assert all(place[read] < place[key] for read in task.dependencies & made.tasks.keys())


@pytest.mark.parametrize("job", JOBS)
def test_no_more_is_held_than_in_the_usual_order(job):
    made = lowered(job)
    assert made.most_held(made.place) <= made.most_held(order(made.tasks))


@pytest.mark.parametrize("job", JOBS)
def test_what_rounds_keep_is_no_more_than_workers_may_hold(job):
    made = lowered(job)
    kept, most = {}, 0
    rounds = rounds_of(made.graph, made.keys, rounds_that_fit(made.plan))
    for one in rounds:
        kept |= {key: made.value_bytes(key) for key in one.kept}
        most = max(most, sum(kept.values()))
        for key in one.over:
            del kept[key]
    assert most < SMALL.workers * SMALL.usable_bytes


def test_what_folds_a_value_runs_before_that_is_let_go():
    made = lowered("deviations of what is centred")
    held = made.most_held(made.place)
    assert held < 2 * SMALL.usable_bytes
    assert made.most_held(order(made.tasks)) > 2 * held


def test_what_is_only_made_of_what_is_held_to_the_end_runs_late():
    """Large values of a small one are made where they are wanted."""
    graph = {"small": 8, **{("a", n): 8 for n in range(9)}}
    reads = {("a", n): {"small", *([("a", n - 1)] if n else [])} for n in range(9)}
    reads |= {("large", n): {"small"} for n in range(4)}
    reads |= {("b", n): {("large", n)} for n in range(4)}
    tasks = {key: Task(reads.get(key, set())) for key in {*graph, *reads}}
    results = [[("a", n) for n in range(9)], [("b", n) for n in range(4)]]
    place = fetch_order(tasks, results, lambda key: 8 if key[0] != "large" else 1000)
    assert all(abs(place["large", n] - place["b", n]) == 1 for n in range(4))


class Task:
    """What is known of a task: what it reads."""

    def __init__(self, dependencies):
        self.dependencies = frozenset(dependencies)
