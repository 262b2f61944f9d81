"""Kinds of moves."""

from dataclasses import replace

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.mutators import mutators_of, priors
from tests.planner.graphs import stored
from tests.planner.spaces import gram, network, space_of

RNG = np.random.default_rng(0)


def test_each_has_a_prior_and_moves_that_can_be_evaluated():
    space = space_of(gram() + dt.roll(network(1)[:1000, :1000], 1, 0))
    state = space.state(Choices())
    state = space.state(replace(state.choices, grids={n: p.grid for n, p in state.placed.items()}))
    found = mutators_of(space)
    assert {m.name for m in found} == set(priors())
    moved = set()
    for mutator in found:
        assert mutator.prior > 0
        for node in mutator.places(state):
            for choices in mutator.moves(state, node, RNG):
                assert space.state(choices).placed
                moved.add(mutator.name)
    assert moved >= {"recut", "free", "reform", "fuse"}


def test_the_user_s_are_among_them():
    @dt.mutator(prior=3, applies=lambda state, node: node in state.placed)
    def mine(state, node, rng):
        yield replace(state.choices, held=state.choices.held | {node})

    with dt.config(mutators=[mine]):
        space = space_of(stored() + 1)
        own = mutators_of(space)[-1]
    state = space.state(Choices())
    assert (own.name, own.prior) == ("mine", 3)
    assert [list(own.moves(state, node, RNG)) != [] for node in own.places(state)] == [False, True]
