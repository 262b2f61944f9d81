"""What is true of an instruction in every block."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.steps.invariants import Invariants
from dask_tapestry.zspace import ZRange
from tests.planner.graphs import last_step, stored

BOX = ZRange((0, 0), (4, 5))


def of_all(x):
    program = last_step(x).program
    return [Invariants.of(one.operator, one.types) for one in program.instructions]


def test_a_source_is_read_from_a_store_and_does_nothing():
    source, formula = of_all(stored() * 2)
    assert (source.is_source, source.stored, source.flops) == (True, True, False)
    assert (formula.is_source, formula.is_sink, formula.flops) == (False, False, True)


def test_what_is_read_in_one_box_has_demands_and_else_pieces():
    *_, formula = of_all(stored() * 2)
    assert formula.pieces is None
    assert formula.demand(BOX) == (BOX,)
    x = stored()
    *_, chosen = of_all(dt.take(x, np.array([0, 1, 2, 900]), axis=0))
    assert chosen.demand is None
    assert {number for number, _ in chosen.pieces(BOX)} == {0, 1}  # the array, and where
    assert chosen.pieces(BOX) is chosen.pieces(BOX)  # asked once
