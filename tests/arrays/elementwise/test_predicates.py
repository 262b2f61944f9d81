import numpy as np
import pandas as pd
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

CELLS = {
    "f8": np.array([1.5, -0.0, np.nan, np.inf, -np.inf]),
    "c8": np.array([1, 1j, complex(np.nan, 1), complex(1, np.nan), complex(np.inf, 0)], "c8"),
    "i4": np.array([1, 0, -3], "i4"),
    "b": np.array([True, False]),
    "M8": np.array(["2020", "NaT"], "M8[D]"),
    "m8": np.array([0, "NaT"], "m8[D]"),
    "U": np.array(["a", ""]),
}


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("name", ["iscomplex", "isreal"])
def test_real_and_complex_cells(name, kind):
    agreed(lambda np, a: getattr(np, name)(a(CELLS[kind])))


@pytest.mark.parametrize("kind", CELLS)
def test_real_and_complex_dtypes(kind):
    x = CELLS[kind]
    for space in (dt, np):
        assert space.iscomplexobj(dt.asarray(x)) == np.iscomplexobj(x)
        assert space.isrealobj(dt.asarray(x)) == np.isrealobj(x)
    assert dt.iscomplexobj(1j)
    assert not dt.isrealobj([1j])


@pytest.mark.parametrize("name", ["isneginf", "isposinf"])
def test_infinities_with_a_sign(name):
    for kind in ("f8", "i4"):
        agreed(lambda np, a, k=kind: getattr(np, name)(a(CELLS[k])))
    agreed(lambda np, a: getattr(np, name)(a(CELLS["f8"]), np.zeros(5, bool)))
    refused(lambda np, a: getattr(np, name)(a(CELLS["c8"])))


@pytest.mark.parametrize("kind", CELLS)
def test_missing_cells(kind):
    x = CELLS[kind]
    assert np.array_equal(dt.isnull(x).compute(), pd.isnull(x))
    assert np.array_equal(dt.notnull(dt.asarray(x)).compute(), pd.notnull(x))
