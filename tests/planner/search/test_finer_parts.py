"""Values are computed in the folds that read them, in parts that fit a block then."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.finer_parts import in_finer_parts
from tests.planner.graphs import stored
from tests.planner.spaces import space_of

WORKERS = dt.Resources(workers=8, threads=2, memory="4 GiB")
ROWS = 500_000_000


def gradient(x, y, w):
    return x.T @ (x @ w - y)


def table(chunk):
    return stored((ROWS, 64), "f4", (chunk, 64)), stored((ROWS,), "f4", (chunk,))


@pytest.mark.few(1)  # chunks of any length
@pytest.mark.parametrize("chunk", [100_000, 3_000_000])
def test_the_table_of_a_gradient_is_read_once(chunk):
    x, y = table(chunk)
    cost = dt.plan(gradient(x, y, dt.ones(64, dtype="f4")), resources=WORKERS).cost
    assert cost["bytes_read"] < 1.1 * (x.nbytes + y.nbytes)


def test_each_step_of_a_descent_reads_the_table_once():
    (x, y), w = table(1_000_000), dt.zeros(64, dtype="f4")
    for _ in range(3):
        w = w - 1e-9 * gradient(x, y, w)
    cost = dt.plan(w, resources=WORKERS).cost
    assert cost["bytes_read"] < 3.5 * (x.nbytes + y.nbytes)


def test_what_is_read_by_parts_is_fused_and_these_are_smaller():
    x, y = table(100_000)
    apart = x @ dt.ones(64, dtype="f4") - y
    space = space_of(x.T @ apart, resources=WORKERS)
    _, forms = space.chosen_forms()
    state = space.state(Choices(forms=forms))
    found = [space.state(choices) for choices in in_finer_parts(space, state)]
    better = min(found, key=lambda other: other.rank)
    assert not better.shortfall
    assert better.seconds < 0.7 * state.seconds
    before, now = (one.choices.forms for one in (state, better))
    assert sum(f[-1].size for f in now.values()) < sum(f[-1].size for f in before.values())


def test_without_forms_no_parts_are_made_smaller():
    x, y = table(100_000)
    space = space_of(gradient(x, y, dt.ones(64, dtype="f4")), resources=WORKERS)
    assert list(in_finer_parts(space, space.state(Choices()))) == []
