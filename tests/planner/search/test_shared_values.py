"""Values that several steps read are held in blocks that suit these."""

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.shared_values import (
    held_as_read,
    held_instead,
    hold_shared,
    shared_values,
)
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, space_of


def correlated():
    """A mean and a standard deviation, and what both are taken from once more; with its source."""
    x = stored((14_610, 721, 1440), "f4", (24, 721, 1440))
    index = x[:, :10, :10].mean(axis=(1, 2))[:, None, None]
    apart = x - x.mean(axis=0)
    return x.node, (apart * (index - index.mean())).mean(axis=0) / x.std(axis=0)


def computed_where_it_is_read():
    node, y = correlated()
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    space = space_of(y, resources=machines)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    fused = state.choices.fused | {node}
    return node, space, space.state(Choices(state.choices.forms, fused=fused))


def test_a_source_of_two_steps_is_held_as_is_best_or_as_the_costlier_one_reads_it():
    node, space, state = computed_where_it_is_read()
    assert node in shared_values(state)
    assert node not in state.placed
    alone, (as_read, *_) = hold_shared(state, node), held_as_read(space, state, node)
    assert as_read.held == alone.held
    (cuts, *_) = as_read.grids[node]
    readers = [p for p in state.placed.values() if node in p.group.members]
    costliest = max(readers, key=lambda p: p.cost.seconds)
    assert cuts.count == costliest.grid[0].count
    held = space.state(as_read)
    assert held.placed[node].grid[0] == cuts
    assert held.seconds < state.seconds
    assert held.seconds <= space.state(alone).seconds


def test_what_was_read_twice_is_read_once_in_the_blocks_of_its_readers():
    node, space, state = computed_where_it_is_read()
    better = improve(space, state, COSTS)
    assert node in better.placed
    assert sum(p.cost.read for p in better.placed.values()) < 1.1 * node.type.nbytes


def test_what_one_step_alone_reads_is_not_shared():
    y = dt.sqrt(stored()).sum(axis=0)
    state = space_of(y).state(Choices())
    assert shared_values(state) == []


def test_a_source_of_which_steps_take_parts_is_not_shared():
    x = stored((5000, 4096, 4096), "u2", (1, 4096, 4096))
    parts = x[:500], x[4000:4500]
    space = space_of(*[dt.median(part, axis=0) for part in parts])
    apart = space.state(Choices(held=frozenset(part.node for part in parts)))
    assert sum(x.node in p.group.members for p in apart.placed.values()) == 2
    assert shared_values(apart) == []
    again = space.state(Choices(fused=frozenset({x.node})))  # which blocks of lanes read again
    assert shared_values(again) == [x.node]


def test_a_value_is_held_in_the_place_of_what_it_alone_is_made_of():
    x, v = stored((20_000, 20_000), "f8", (1000, 1000)), stored((20_000,), "f8", (1000,))
    both = x + x.T
    space = space_of(both @ v, both @ (v + 1), both @ (2 * v))
    fused = frozenset([both.node])
    state = space.state(Choices(held=frozenset([x.node]), fused=fused))
    assert both.node in shared_values(state)
    (choices,) = held_instead(state, both.node)
    assert both.node in choices.held
    assert x.node not in choices.held
    also = space_of(both @ v, both @ (v + 1), x.max())
    state = also.state(Choices(held=frozenset([x.node]), fused=fused))
    assert list(held_instead(state, both.node)) == [], "another result reads it too"


def test_a_running_total_is_held_as_its_sums_are_read():
    x = stored((14_610, 721, 1440), "f4", (120, 721, 1440))
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    plan = dt.plan(dt.cumsum(x, axis=0)[::2] * 1.0, dt.cumsum(x, axis=0).max(0), resources=machines)
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes


def test_a_value_is_held_in_the_place_of_its_parts():
    x = stored((2**24, 100), "f8", (2**18, 100))
    even, odd = x[::2], x[1::2]
    space = space_of(((even - odd) ** 2).sum(0), (even + odd).max(0))
    parts = frozenset([even.node, odd.node])
    state = space.state(Choices(held=parts))
    assert x.node in shared_values(state)
    (choices,) = held_instead(state, x.node)
    assert x.node in choices.held
    assert choices.fused >= parts
    assert x.node in space.state(choices).placed


def test_even_and_odd_rows_are_read_once_and_not_moved():
    x = stored((2**28, 100), "f8", (2**20, 100))
    out, level = [], x
    for _ in range(3):
        low, high = level[::2] + level[1::2], level[::2] - level[1::2]
        out.append((high * high).sum(0))
        level = low
    machines = dt.Resources(workers=50, threads=4, memory="16 GiB")
    cost = dt.plan(*out, level.sum(0), resources=machines).cost
    assert cost["bytes_read"] + cost["bytes_moved"] < 1.1 * x.nbytes
