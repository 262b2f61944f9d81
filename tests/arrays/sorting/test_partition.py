import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import raised

X = np.array([[3, 1, 2], [0, 5, 4]])


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("partition", (X, 3), {}),
        ("partition", (X, 0.5), {}),
        ("argpartition", (X, -4), {}),
        ("partition", (X, 0), {"kind": "x"}),
    ],
)
def test_errors_are_numpy_s(name, args, options):
    expected = raised(getattr(np, name), *args, **options)
    assert expected is not None
    with pytest.raises(expected):
        getattr(dt, name)(*args, **options)


def test_partitioning_in_place_gives_the_array_another_value():
    x = dt.asarray(X)
    y, before = x + 1, x.node
    assert x.partition(1) is None
    assert x.node is not before
    assert np.array_equal(x.compute(), np.sort(X))
    assert np.array_equal(y.compute(), X + 1)


def test_scalars():
    assert dt.argpartition(5, 0).compute().tolist() == [0]


@pytest.mark.parametrize("call", [dt.partition, dt.argpartition])
def test_a_kind_is_the_name_of_one(call):
    with pytest.raises(ValueError, match="introselect"):
        call([3, 1, 2], 1, kind="quicksort")
    with pytest.raises(TypeError, match="str"):
        call([3, 1, 2], 1, kind=1)
