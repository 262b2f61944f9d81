import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.stablehlo.update_computation import by_name, expressions_of

F4, I4 = np.dtype("f4"), np.dtype("i4")


def test_a_name_updates_each_input_by_itself():
    assert expressions_of("add", [F4, I4]) is None
    assert [str(e) for e in by_name("add", [F4, I4])] == ["add($0, $1)"] * 2
    assert [e.dtype for e in by_name("max", [F4, I4])] == [F4, I4]


def test_a_function_takes_all_cells_and_then_all_updates():
    first, second = expressions_of(lambda a, b, u, v: (u, b + v), [F4, I4])
    assert first.chosen == 2
    assert str(second) == "add($1, $3)"
    assert second.dtype == I4


def test_numbers_of_python_are_weak():
    (made,) = expressions_of(lambda a, u: 1, [F4])
    assert made.dtype == F4


@pytest.mark.parametrize("computation", ["sub", None, 3])
def test_what_is_no_computation(computation):
    with pytest.raises(dt.ArgumentError, match="update_computation must be"):
        expressions_of(computation, [F4])


@pytest.mark.parametrize("value", ["a", dt.ones(3), {}])
def test_what_is_no_cell(value):
    with pytest.raises(dt.TraceError, match="returned"):
        expressions_of(lambda a, u: value, [F4])
