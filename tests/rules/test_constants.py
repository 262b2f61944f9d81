import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.constants import full_into_elementwise
from dask_tapestry.rules.views import VIEW_RULES

from .graphs import after


def test_full_into_elementwise():
    x = dt.asarray(np.ones((2, 3), "f4"))
    text = after(dt.where(x > 0, x, dt.zeros(3, "f4")), *VIEW_RULES, full_into_elementwise)
    assert text.splitlines()[1:] == [
        "%1 = elementwise(%0) : bool[2, 3]  # greater(%0, 0.0)",
        "%2 = elementwise(%1, %0) : float32[2, 3]  # where(%1, %0, 0.0)",
        "return %2",
    ]


def test_the_constant_keeps_its_dtype():
    x = dt.asarray(np.ones(3, "f2"))
    assert "add(float64(%0), 1.0)" in after(x + dt.ones(3), full_into_elementwise)


def test_a_formula_of_constants_alone_stays():
    text = after(dt.ones(3) + dt.full(3, 2.0), full_into_elementwise)
    assert text.splitlines()[2] == "%2 = elementwise(%0, %1) : float64[3]  # add(%0, %1)"
