import inspect

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays import late_methods
from dask_tapestry.arrays.late_methods import ELSEWHERE, SAME_NAME

NAMES = sorted([*ELSEWHERE, *" ".join(SAME_NAME.values()).split()])


@pytest.mark.parametrize("name", NAMES)
def test_a_method_is_the_function_of_a_chapter(name):
    method = getattr(dt.Array, name)
    assert method is getattr(dt.Array, name)
    assert method.__get__(dt.ones(2)).__func__ is vars(dt.Array)[name]
    assert (method.__name__, method.__qualname__) == (name, f"Array.{name}")
    assert inspect.unwrap(method).__module__.startswith("dask_tapestry.arrays.")


def test_an_array_may_be_the_first_to_look_one_up():
    late_methods.attach_late()
    assert not inspect.isfunction(vars(dt.Array)["sum"])
    assert dt.arange(4).sum().compute() == 6
    assert dt.arange(4)[2].compute() == 2
    assert inspect.isfunction(vars(dt.Array)["sum"])
    assert inspect.isfunction(vars(dt.Array)["__getitem__"])
