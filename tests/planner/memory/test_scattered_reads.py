from typing import NamedTuple

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.resident_values import resident_bytes
from dask_tapestry.planner.memory.scattered_reads import reads_far_apart
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.plan_evaluator import steps_of
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR
from tests.planner.spaces import space_of

SIDE = 1200
X = dt.placeholder((SIDE, SIDE), "f8", (100, SIDE))


def cut(*lengths):
    return tuple(Cuts.regular(SIDE, n) for n in lengths)


class Planned(NamedTuple):
    """Steps as a plan has them."""

    graph: Graph
    steps: dict
    resources: dt.Resources


def planned(y, read, cuts):
    """A plan of `y`, cut so, that holds X in blocks of `read`."""
    choices = Choices(held=frozenset([X.node]), grids={X.node: cut(*read), y.node: cut(*cuts)})
    space = space_of(y, resources=FOUR)
    steps = steps_of(space.state(choices), space.pricing.machine)
    return Planned(Graph([y.node]), steps, FOUR)


def far_read(y, read, cuts):
    """Whether blocks of `y` read far parts of X."""
    step, reader = planned(y, read, cuts).steps.values()
    return reads_far_apart(reader, step)


@pytest.mark.parametrize(
    ("make", "far"),
    [
        (lambda x: x + x.T, True),
        (lambda x: x + x[::-1], True),
        (lambda x: x + x[::-1, ::-1], True),
        (lambda x: x + dt.roll(x, SIDE // 2, axis=0), True),
        (lambda x: x + 1, False),
        (lambda x: x + dt.roll(x, 1, axis=0), False),
        (lambda x: x + dt.roll(x, (1, -1), axis=(0, 1)), False),
        (lambda x: x[::-1] + 1, False),
        (lambda x: x.T + 1, False),
    ],
)
def test_what_lies_far_apart(make, far):
    assert far_read(make(X), (35, 30), (25, 40)) == far


@pytest.mark.parametrize("make", [lambda x: x + x.T, lambda x: x + x[::-1, ::-1]])
def test_whole_blocks_are_soon_read_by_all(make):
    assert not far_read(make(X), (60, 60), (60, 60))
    assert not far_read(make(X), (30, 30), (60, 60))
    assert far_read(make(X), (60, 60), (50, 50))


def test_it_is_held_whole():
    y = X + X.T
    assert resident_bytes(planned(y, (70, 60), (50, 80)))[X.node] == X.nbytes
    assert resident_bytes(planned(y, (30, 30), (60, 60)))[X.node] < X.nbytes


@pytest.mark.parametrize(("side", "met"), [(200, 8), (100, 4)])
def test_as_many_blocks_are_held_for_a_slot_as_a_block_of_a_reader_takes(side, met):
    """Of cubes that are cut otherwise than they are made, a block reads parts of up to eight."""
    x = dt.placeholder((1600, 400, 400), "f8")
    made, read = (x * 2).rechunk((50, 100, 100)), (100, side, side)
    plan = dt.plan((made + 1).rechunk(read), resources=dt.Resources(2, 1, "16 GiB"))
    (held,) = [size for node, size in resident_bytes(plan.core).items() if node is made.node]
    assert held == 2 * met * 50 * 100 * 100 * 8
