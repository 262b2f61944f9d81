import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.loops.traced_functions import (
    StateField,
    as_fields,
    graph_of,
    takes_time,
    traced,
)


def test_a_graph_is_applied_to_other_arrays():
    x = dt.arange(4)
    slots, results = traced(lambda u, v: u * 2 + v, [StateField.of(x), StateField.of(x)])
    graph = graph_of(slots, [one.bound for one in results])
    (found,) = graph([dt.asarray([1, 2, 3, 4]).node, dt.full(4, 10).node])
    assert dt.Array(found).compute().tolist() == [12, 14, 16, 18]


def test_a_slot_that_is_not_read_needs_nothing():
    x = dt.arange(4)
    slots, results = traced(lambda u, v: v, [StateField.of(x), StateField.of(x)])
    graph = graph_of(slots, [one.bound for one in results])
    assert graph([x.node, dt.ones(4).node]) == [dt.ones(4).node]


def defaults(u, rate=0.1):
    return u * rate


def test_what_takes_the_number_of_the_step():
    assert not takes_time(defaults, 1)
    assert takes_time(lambda u, v, t: u, 2)
    assert not takes_time(lambda *fields: fields, 2)
    assert not takes_time(np.add, 2)
    with pytest.raises(dt.ArgumentTypeError, match="neither the 3 arrays of the state"):
        takes_time(lambda u: u, 3)


@pytest.mark.parametrize(
    ("step", "error", "text"),
    [
        (lambda u: u[1:], dt.ShapeError, r"shape \(3,\), not \(4,\)"),
        (lambda u: u[u > 1], dt.ShapeError, "depends on cells"),
        (lambda u: u / 2, dt.DTypeError, "returned float64, not int64"),
        (lambda u: (u, u), dt.ArgumentTypeError, "returned 2 arrays for a state of 1"),
        (lambda u: None, dt.ArgumentTypeError, "returned None"),
        (lambda u: u + float(u.sum()), dt.TraceError, "called once"),
        (lambda u: u if u.sum() > 1 else -u, dt.TraceError, "called once"),
        (lambda u: dt.asarray(u.compute()), dt.TraceError, "called once"),
    ],
)
def test_steps_that_are_none(step, error, text):
    fields = [StateField.of(dt.arange(4))]
    with pytest.raises(error, match=text):
        as_fields(step, traced(step, fields)[1], fields)


def test_errors_of_the_step_stay_what_they_are():
    with pytest.raises(ZeroDivisionError):
        traced(lambda u: 1 / 0, [StateField.of(dt.arange(4))])
