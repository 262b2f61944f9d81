from dataclasses import dataclass

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.scans.scan import Scan
from dask_tapestry.teg import apply
from tests.comparisons import COMPARISONS, Comparison

from .sharding_validator import forbidden, legal, operations, spread, validate

AS_THE_USER_SAID = {"pin"}  # its value is computed in one block, whether it could be cut or not


def told(report):
    """What is wrong, and which operators could be cut where they say that they cannot."""
    missing = {found.operator for found in report.missing}
    return [str(found) for found in report.wrong], missing - AS_THE_USER_SAID


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_legal_shardings_give_one_value_and_none_is_forbidden_for_nothing():
    report = validate(COMPARISONS[::3], samples=1, shardings=2)
    assert told(report) == ([], set())
    assert report.operators > 800


def test_operators_of_an_exchange_are_tried():
    wide = [one for one in COMPARISONS if "wide cells" in one.name]
    tried = {o.node.operator.name for one in wide for x in one.inputs() for o in operations(one, x)}
    assert tried >= {"sortedruns", "probe", "exchange", "merged"}
    assert told(validate(wide)) == ([], set())


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("part", range(8))
def test_all_legal_shardings_give_one_value(part):
    report = validate(COMPARISONS[part::8])
    assert told(report) == ([], set())
    assert report.shardings > 10_000


@dataclass(frozen=True)
class Forgetful(Scan):
    """Reads the cells that it is asked for, not all that come before them."""

    def demand(self, inputs, box):
        return (box,)

    def granularity(self, inputs):
        return ()


@dataclass(frozen=True)
class Careful(Elementwise):
    """Says of its cells that they are computed together."""

    def granularity(self, inputs):
        return (0,) * inputs[0].ndim


def comparison(make):
    return Comparison("made", make, np.asarray, lambda: iter([(np.arange(6.0),)]))


def with_operator(kind, x, make):
    """A result of the operator that `make` applies, changed into another kind."""
    node = make(x).node
    parts = {name: getattr(node.operator, name) for name in node.operator.__dataclass_fields__}
    return dt.Array(apply(kind(**parts), *node.inputs))


def test_a_wrong_sharding_is_told():
    report = validate([comparison(lambda _, x: with_operator(Forgetful, x, dt.cumsum))])
    assert report.wrong
    assert str(report.wrong[-1]).startswith("made: scan(float64[6]) cut ((")


def test_a_missing_sharding_is_told():
    report = validate([comparison(lambda _, x: with_operator(Careful, x, lambda x: x + 1))])
    assert {found.operator for found in report.missing} == {"elementwise"}
    assert "forbidden by granularity (0,)" in str(report.missing[0])
    assert not report.wrong


def test_cuts_lie_between_cells_that_are_computed_together():
    node = dt.sort(dt.asarray(np.ones((4, 3))), axis=1).node
    assert {lengths[1] for lengths in legal(node)} == {(3,)}
    assert {lengths[0] for lengths in legal(node)} >= {(4,), (1, 1, 1, 1), (2, 2), (3, 1), (1, 3)}
    assert list(forbidden(node)) == [((4,), (1, 2))]


def test_some_are_evenly_spread():
    assert list(spread(range(10), 3)) == [9, 5, 1]
    assert sorted(spread(range(3), 5)) == [0, 1, 2]
