"""Programs that are alike, and the grids that they take over from each other."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search.alike import (
    are_near,
    extents,
    likeness,
    one_of_each,
    operator_likeness,
)
from dask_tapestry.planner.search.pricing import Pricing
from tests.planner.graphs import FOUR, stored

SERIES = stored((14_600, 300, 400), "f4", (20, 300, 400))


def program(x):
    return group_of(x.node, set()).program


def month(number):
    return SERIES[np.arange(14_600) // 30 % 12 == number].mean(axis=0)


def test_programs_that_differ_in_data_are_alike():
    assert likeness(program(month(1))) == likeness(program(month(2)))
    assert likeness(program(SERIES * 2.0 + 1)) == likeness(program(SERIES * 3.0 + 7))
    assert likeness(program(SERIES[40:] * 2)) == likeness(program(SERIES[50:] * 2))


def test_programs_that_compute_otherwise_are_not_alike():
    square = stored((3000, 3000), "f8", (500, 500))
    assert likeness(program(square.mean(axis=0))) != likeness(program(square.mean(axis=1)))
    assert likeness(program(square * 2)) != likeness(program(square + 2))
    assert likeness(program(square * 2)) != likeness(program(square.T * 2))
    others = stored((3000, 3000), "f8", (300, 1000))
    assert likeness(program(square * 2)) != likeness(program(others * 2))


def test_extents_tell_how_large_alike_programs_are():
    one, other = (extents(program(month(number)), ()) for number in (1, 9))
    assert one != other
    assert are_near(one, other)
    assert not are_near(one, extents(program(SERIES[:100].mean(axis=0)), ()))


def test_an_alike_step_is_not_searched_from_the_whole():
    pricing = Pricing(Machine.of(FOUR), Limits.of(FOUR))
    spent, found = [], []
    for number in (1, 2, 3):
        before = pricing.evaluated
        found.append(pricing.best(pricing.group(month(number).node, set()), (None,)))
        spent.append(pricing.evaluated - before)
    assert max(spent[1:]) < spent[0] / 2
    assert len({tuple(cuts.count for cuts in one.grid) for one in found}) == 1


def test_what_is_taken_over_is_as_good_as_what_is_searched():
    known, fresh = (Pricing(Machine.of(FOUR), Limits.of(FOUR)) for _ in range(2))
    for number in range(1, 5):
        node = month(number).node
        taken = known.best(known.group(node, set()), (None,))
        searched = fresh.best(fresh.group(node, set()), (None,))
        fresh = Pricing(Machine.of(FOUR), Limits.of(FOUR))
        assert taken.cost.seconds <= 1.02 * searched.cost.seconds


def test_means_of_months_are_planned_as_one_kind():
    plan = dt.plan(dt.stack([month(number) for number in range(12)]), resources=FOUR)
    plan.verify()


def test_of_many_that_are_alike_some_stand_for_all():
    square = stored((3000, 3000), "f8", (500, 500))
    programs = [program(month(number)) for number in range(12)] + [program(square * 2)]
    found = list(one_of_each(((n, one, ()) for n, one in enumerate(programs)), 2))
    assert found == [(0, [*range(12)]), (1, [*range(12)]), (12, [12])]
    assert [n for n, _ in one_of_each(enumerated_lengths())] == [0, 1]


def enumerated_lengths():
    for number, rows in enumerate((1000, 10_000)):
        yield number, program(stored((rows, 300), "f8", (100, 300)).sum(axis=0)), ()


def test_operators_are_alike_that_take_as_much_of_their_inputs():
    square = stored((3000, 3000), "f8", (500, 500))
    columns = [square.sum(axis=0), (square > 0).mean(axis=0), (square * 2).max(axis=0)]
    others = [square.sum(axis=1), square[:2000].sum(axis=0), square.cumsum(axis=0)]
    kind, *alike = [operator_likeness(y.node) for y in columns]
    assert alike == [kind, kind]
    assert kind not in [operator_likeness(y.node) for y in others]
