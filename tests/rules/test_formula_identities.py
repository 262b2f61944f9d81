import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells.ufuncs import UFUNCS
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.views import VIEW_RULES
from tests.comparisons import same_bits

from .graphs import after, meaning

RULES = (*VIEW_RULES, *CONSTANT_RULES, *FORMULA_RULES)


def lines(x):
    return after(x, *RULES).splitlines()


def test_a_formula_of_constants_is_a_constant():
    assert lines(dt.ones((2, 3)) + dt.full(3, 2.0)) == [
        "%0 = full((2, 3), 3.0) : float64[2, 3]",
        "return %0",
    ]


def test_constants_inside_a_formula():
    x = dt.asarray(np.arange(3.0))
    y = dt.where(dt.full(3, 2.0) > 1, x, dt.zeros(3))
    assert lines(y)[1:] == ["return %0"]
    text = lines(x * (dt.full(3, 2.0) * 3))
    assert text[1:] == ["%1 = elementwise(%0) : float64[3]  # multiply(%0, 6.0)", "return %1"]


def test_what_is_not_read_goes():
    x, y = (dt.asarray(np.arange(3.0)) for _ in range(2))
    assert lines(dt.where(dt.zeros(3, bool), x, y) + 1) == [
        "%0 = memory() : float64[3]",
        "%1 = elementwise(%0) : float64[3]  # add(%0, 1.0)",
        "return %1",
    ]


def test_names_of_dimensions_are_kept():
    x = dt.asarray(np.arange(3.0)).rename("row")
    y = dt.asarray(np.arange(3.0))
    kept = rewrite(dt.where(True, y, x).teg, FORMULA_RULES).roots[0]
    assert kept.type.dims == ("row",)


def test_an_integer_to_a_negative_power_is_left_to_the_worker():
    graph = rewrite((dt.full(3, 2) ** dt.full(3, -1)).teg, RULES)
    assert any(node.operator.name == "elementwise" for node in graph)


@pytest.mark.parametrize("name", sorted(UFUNCS))
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?", "c16", "f2"])
def test_constants_have_the_bits_of_cells(name, dtype):
    """A constant is computed in a block of one cell; an array in tiles and vector loops."""
    values = np.array([0.3, 1.7, 2.0, 0.9]).astype(dtype)
    ufunc = UFUNCS[name]
    for value in values:
        try:
            made = ufunc(*[dt.full(1003, value)] * ufunc.nin)
        except TypeError:
            return
        for x in made if isinstance(made, tuple) else (made,):
            (root,) = rewrite(x.teg, RULES).roots
            assert isinstance(root.operator, Full)
            (cells,) = meaning(x.teg)
            assert same_bits(cells, np.full(1003, root.operator.scalar))


def test_a_formula_that_undoes_its_input():
    x = dt.asarray(np.arange(3, dtype="f4"))
    assert lines(dt.negative(-x))[1:] == ["return %0"]
    assert lines(x + x.astype("f8").astype("f4"))[1] == (
        "%1 = elementwise(%0, %0) : float32[3]  # add(%0, %0)"
    )
    assert lines((x.astype("f8") + 1).astype("f4"))[1:4] == [
        "%1 = elementwise(%0) : float64[3]  # float64(%0)",
        "%2 = elementwise(%1) : float64[3]  # add(%1, 1.0)",
        "%3 = elementwise(%2) : float32[3]  # float32(%2)",
    ]
