"""Of plans that take about as long, the one in which workers hold less."""

import dask_tapestry as dt
from dask_tapestry.planner.search import one_space as searching
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.lean_plans import (
    _freed_bytes,
    _leaner,
    _less_held,
    with_less_held,
)
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, space_of

ALONE = dt.Resources(1, 2, "24 GiB")
MIB = 2**20


def longest_spell():
    """The longest run of dry days: a cumulative count, and what it was when it last rained."""
    x = stored((2192, 50, 100), "f4", (73, 17, 33))
    dry = x < 0.1
    count = dt.cumsum(dry, axis=0)
    last = dt.maximum.accumulate(dt.where(dry, 0, count), axis=0)
    return (count - last).max(axis=0)


def planned(monkeypatch, job, lean=True):
    """The cost of a plan, made with or without looking for a lean one."""
    with monkeypatch.context() as patched:
        patched.setattr(searching, "with_all_fused", lambda _space, state: state)
        if not lean:
            patched.setattr(searching, "with_less_held", lambda _space, state, _costs: state)
            patched.setattr(searching, "with_room", lambda _space, state, _costs: state)
        return dt.plan(job(), resources=ALONE).cost


def test_values_are_computed_where_they_are_read_if_that_takes_hardly_longer(monkeypatch):
    lean, first = (planned(monkeypatch, longest_spell, lean) for lean in (True, False))
    assert lean["peak_worker_bytes"] < 180 * MIB < 250 * MIB < first["peak_worker_bytes"]
    assert lean["seconds"] <= 1.03 * first["seconds"]
    assert lean["bytes_read"] <= first["bytes_read"]


def test_of_what_is_made_of_a_value_the_smallest_is_held():
    x = stored((2192, 50, 1000), "f4", (73, 17, 330))
    counts = dt.cumsum(x > 0.1, axis=0)
    space = space_of((counts >= 5).sum(axis=(1, 2)), resources=ALONE)
    state = space.state(Choices(held=frozenset([counts.node])))
    other = space.state(next(_less_held(state)))
    assert [node.type.dtype.name for node in other.placed if node not in state.placed] == ["bool"]
    assert counts.node in state.placed
    assert counts.node not in other.placed
    peaks = [space.fullest_at_worst(one).bytes for one in (other, state)]
    assert peaks[0] < 0.5 * peaks[1]


def test_a_plan_that_takes_little_stays():
    space = space_of(stored((1000, 1000), "f4", (500, 500)).std(), resources=ALONE)
    state = space.state(Choices())
    assert with_less_held(space, state, COSTS) is state


def test_no_plan_is_made_to_free_next_to_nothing(monkeypatch):
    x = stored((2192, 50, 1000), "f4", (73, 17, 330))
    mean, double = x.mean(axis=(1, 2)), x * 2
    space = space_of(double - mean[:, None, None], resources=ALONE)
    state = space.state(Choices(held=frozenset([mean.node, double.node])))
    made, within = [], space.state_within
    monkeypatch.setattr(
        space, "state_within", lambda *given: made.append(given[0]) or within(*given)
    )
    list(_leaner(space, state, state, COSTS))
    freed = {choices.key: _freed_bytes(space, state, choices) for choices in _less_held(state)}
    tried = {choices.key for choices in made}
    assert min(freed.values()) == mean.node.type.nbytes
    assert tried == {key for key, own in freed.items() if own > double.node.type.nbytes / 2}


def test_nothing_is_looked_for_without_costs():
    space = space_of(longest_spell(), resources=ALONE)
    state = space.state(Choices())
    evaluated = space.pricing.evaluated
    assert with_less_held(space, state, 0) is state
    assert space.pricing.evaluated == evaluated
