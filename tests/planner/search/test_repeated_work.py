"""What is repeated, and how much of it a search is told."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.repeated_work import repeated_seconds
from tests.planner.graphs import stored
from tests.planner.spaces import space_of


def repeated(space, state):
    return repeated_seconds(state, space.pricing.machine)


def test_a_matrix_that_two_steps_read_is_more_than_a_vector():
    a, b = stored((100_000, 100_000), "f8", (5000, 5000)), stored((100_000,), "f8", (5000,))
    y = a @ (a @ b)
    space = space_of(y, resources=dt.Resources(workers=50, threads=4, memory="16 GiB"))
    _, forms = space.chosen_forms()
    state = space.state(Choices(forms=forms, fused=frozenset([a.node])))
    again = repeated(space, state)
    read = sum(p.cost.store for p in state.placed.values() if a.node in p.group.members)
    assert again[a.node] == pytest.approx(read / 2, rel=0.05)
    assert again.get(b.node, 0.0) < 0.01 * again[a.node]


def test_what_is_computed_once_is_not_repeated():
    x = stored()
    space = space_of(dt.sqrt(x + 1).sum(axis=1))
    again = repeated(space, space.state(Choices()))
    assert max(again.values()) < 1e-9


def test_what_all_blocks_compute_again_is_repeated():
    x = stored((20_000, 20_000), "f8", (1000, 1000))
    scaled = dt.exp(x)
    space = space_of(scaled @ x)
    state = space.state(Choices())
    (step,) = state.placed.values()
    assert step.cost.blocks > 1
    assert repeated(space, state)[scaled.node] > 0


def test_what_is_made_of_many_values_that_are_held_takes_these():
    vectors = [stored((10**7,), "f8", (10**6,)) for _ in range(5)]
    whole = vectors[0]
    for one in vectors[1:]:
        whole = whole + 1.5 * one
    few = vectors[0] * vectors[1]
    space = space_of(*[one @ other for one in (whole, few) for other in vectors[:2]])
    held, fused = (
        frozenset(some) for some in ([one.node for one in vectors], [whole.node, few.node])
    )
    again = repeated(space, space.state(Choices(held=held, fused=fused)))
    assert again[whole.node] > again[few.node] > 0


def test_values_without_cells_take_nothing():
    x = stored((0, 5))
    space = space_of(dt.sqrt(x + 1))
    assert set(repeated(space, space.state(Choices())).values()) <= {0.0}


def test_parts_of_chunks_that_are_decoded_again_and_again_are_repeated():
    x = stored((5000, 4096, 4096), "u2", (1, 4096, 4096))
    first, last = x[:500], x[4000:4500]
    space = space_of(dt.median(first, axis=0) + dt.median(last, axis=0))
    state = space.state(Choices(fused=frozenset([x.node])))
    read = sum(p.cost.read for p in state.placed.values())
    assert read > 3 * (first.nbytes + last.nbytes)
    again = repeated(space, state)
    parts = [n for n in again if n.operator.is_selector and n.type.shape == first.shape]
    assert len(parts) == 2
    assert all(again[part] > 0.2 * state.seconds for part in parts)
