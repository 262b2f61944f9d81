import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused
from tests.comparisons import same_bits

Z = np.array([[1 + 2j, complex(np.nan, -0.0)], [complex(-0.0, np.inf), 3 + 4j]])


def assigned(x, name, value):
    setattr(x, name, value)
    return x


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("name", ["real", "imag"])
@pytest.mark.parametrize("value", [7, -0.0, True, [5, 6], [[1.5], [np.nan]]])
def test_one_part_is_assigned_and_the_other_stays(dtype, name, value):
    ours = assigned(dt.asarray(Z.astype(dtype)), name, value)
    theirs = assigned(Z.astype(dtype), name, value)
    assert ours.dtype == theirs.dtype
    assert same_bits(ours.compute().view(theirs.real.dtype), theirs.view(theirs.real.dtype))


def test_parts_are_updated_in_place():
    ours, theirs = dt.array(Z), Z.copy()
    before = ours[:, 0]
    for x in (ours, theirs):
        x.imag += 1
        x.real *= 2
    assert same_bits(ours.compute(), theirs)
    assert same_bits(before.compute(), Z[:, 0])


def test_real_cells_are_their_own_real_parts():
    x = dt.arange(3)
    x.real = 5
    assert x.compute().tolist() == [5, 5, 5]


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: assigned(a([1.0]), "imag", 0),
        lambda np, a: assigned(a([1j]), "imag", [1, 2]),
        lambda np, a: assigned(a([1j]), "real", "a"),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)
