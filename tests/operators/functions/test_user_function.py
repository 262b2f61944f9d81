import pickle
from threading import Lock

import numpy as np
import pytest
from dask.utils import key_split

import dask_tapestry as dt
from dask_tapestry.operators.functions.user_function import UserFunction, identity_of, name_of
from dask_tapestry.teg.token import token


def adder(by):
    return lambda x: x + by


def test_equal_functions_have_one_text():
    assert UserFunction.of(adder(1)) == UserFunction.of(adder(1))
    assert UserFunction.of(adder(1)) != UserFunction.of(adder(2))
    assert token(UserFunction.of(np.sum)) == token(UserFunction.of(np.sum))
    assert token(UserFunction.of(np.sum)) != token(UserFunction.of(np.prod))


def test_arguments_are_part_of_it():
    assert UserFunction.of(pow, 2)(5) == 32
    assert UserFunction.of(np.sum, axis=0) != UserFunction.of(np.sum, axis=1)
    assert UserFunction.of(np.sum).bind({"axis": 0})(np.ones((2, 3))).tolist() == [2, 2, 2]
    assert UserFunction.of(np.sum).bind({"axis": 0}) != UserFunction.of(np.sum).bind({"axis": 1})
    assert UserFunction.of(np.sum).bind({}) == UserFunction.of(np.sum)


def test_structured_dtypes_of_one_size_are_two():
    two, one = np.dtype([("a", "i4"), ("b", "f4")]), np.dtype([("x", "f8")])
    assert identity_of({"kinds": [(two,)]}) != identity_of({"kinds": [(one,)]})
    assert identity_of({"kinds": [(two,)]}) == identity_of({"kinds": [(two,)]})
    assert identity_of(two) != identity_of(one)


def test_what_has_no_value_of_its_own_is_itself_alone():
    assert identity_of(Lock()) != identity_of(Lock())


def test_it_travels_by_value():
    call = UserFunction.of(adder(3))
    again = pickle.loads(pickle.dumps(call))
    assert (again, again(4), again.name) == (call, 7, "<lambda>")


def test_names():
    assert name_of(np.sum) == "sum"
    assert name_of(UserFunction.of(np.sum).bind({"axis": 0}).function) == "sum"
    assert name_of(np.vectorize(abs)) in ("abs", "vectorize")


@pytest.mark.parametrize(
    ("name", "label"),
    [("my_denoise", "my_denoise"), ("<lambda>", "lambda"), ("_qr2", "qr2"), ("9", "function")],
)
def test_labels_are_words_to_dask(name, label):
    assert UserFunction(name, "", abs).label == label
    assert key_split(f"{label}-0123abcd") == label


def test_steps_are_named_as_the_functions_that_they_call():
    def my_denoise(block):
        return block + 1

    x = dt.placeholder((8, 8), "f8", (4, 8))
    calls = [dt.map_blocks(my_denoise, x), dt.apply_gufunc(my_denoise, "(i)->(i)", x)]
    for plan in map(dt.plan, calls):
        assert [key_split(step.name) for step in plan.core.steps.values()][-1] == "my_denoise"
        assert "my_denoise · test_user_function.py" in plan.explain()


def test_only_functions_are_called():
    with pytest.raises(TypeError, match="a function is needed, got int"):
        UserFunction.of(3)
