import numpy as np
import pytest

from dask_tapestry_kernels.cuda.reduction.monoid_texts import cell_value, combine, monoid_text

F8, F4 = np.dtype("f8"), np.dtype("f4")
SPREAD = np.dtype([("mean", F8), ("m2", F8)])


def test_states_have_fields():
    assert monoid_text("sum", F4, F8).fields == {"value": F8}
    assert monoid_text("var", F4, SPREAD).names == ["mean", "m2"]


def test_the_statements_are_the_meanings_of_formulas():
    text = monoid_text("sum", F8, F8)
    assert combine(text, ["a"], ["b"]) == ["a = a + b"]
    assert cell_value("x", F4, F8) == "np.float64(x)"
    assert cell_value("x", F8, F8) == "x"


def test_spreads_are_combined_in_the_order_of_the_cpu():
    lines = combine(monoid_text("var", F8, SPREAD), ["m", "s"], ["n", "t"])
    assert lines[-1] == "s = (s + t) + (off * off) * (np.float64(cells_a) * share)"


@pytest.mark.parametrize(
    ("name", "cell", "state"),
    [("sum", "D", "D"), ("gcd", "l", "l"), ("min", "M8[s]", "M8[s]"), ("sum", "g", "g")],
)
def test_others_have_no_text(name, cell, state):
    assert monoid_text(name, np.dtype(cell), np.dtype(state)) is None
