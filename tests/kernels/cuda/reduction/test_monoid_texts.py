import numpy as np
import pytest

from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    cell_value,
    combine,
    divided,
    monoid_text,
    new_fields,
    square_modulus,
)

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


def test_cells_that_are_no_numbers_add_nothing():
    state = np.dtype([("sum", F8), ("count", np.int64)])
    text = monoid_text("nanmean", F8, state)
    assert new_fields(text, "x") == [
        "missing = x != x",
        "cell = x",
        "cell = float64_of(np.int64(-9223372036854775808)) if missing else cell",
        "new_sum = cell",
        "new_count = np.int64(0) if missing else np.int64(1)",
    ]


def test_complex_numbers_are_divided_by_smiths_rule():
    by_real = divided("x", "n", np.dtype("D"))
    assert "(x.real + x.imag * np.float64(0)) * (np.float64(1) / (n" in by_real
    assert divided("x", "n", F8) == "x / n"


def test_the_square_of_a_modulus_is_of_both_parts():
    assert square_modulus("z", np.dtype("F")) == "z.real * z.real + z.imag * z.imag"


@pytest.mark.parametrize(
    ("name", "cell", "state"),
    [("gcd", "d", "d"), ("min", "M8[s]", "M8[s]"), ("sum", "g", "g")],
)
def test_others_have_no_text(name, cell, state):
    assert monoid_text(name, np.dtype(cell), np.dtype(state)) is None
