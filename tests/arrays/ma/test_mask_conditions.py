import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample

CALLS = {
    "inside": lambda np, x: np.ma.masked_inside(x, 2, -1),
    "outside": lambda np, x: np.ma.masked_outside(x, -1, 2),
    "values": lambda np, x: np.ma.masked_values(x, 1),
    "invalid": lambda np, x: np.ma.masked_invalid(x),
    "fix": lambda np, x: np.ma.fix_invalid(x),
    "fix to": lambda np, x: np.ma.fix_invalid(x, fill_value=3),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["i4", "f4", "f8"])
def test_cells_are_hidden(name, kind):
    x = sample(kind)
    agree(CALLS[name](dt, ours(x)), CALLS[name](np, x), beneath=True)
    agree(CALLS[name](dt, x.data), CALLS[name](np, x.data), beneath=True)


def test_the_value_is_the_fill_value():
    assert dt.ma.masked_values(ours(sample("f8")), 1.5).fill_value == 1.5
