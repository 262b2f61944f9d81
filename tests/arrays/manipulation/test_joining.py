import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.concatenate([]),
        lambda np, a: np.concatenate([a(1), a(2)]),
        lambda np, a: np.concatenate([a([1]), a([[2]])]),
        lambda np, a: np.concatenate([a([[1]]), a([[2, 3]])]),
        lambda np, a: np.concatenate([a([1])], 1),
        lambda np, a: np.concatenate([a([1.5])], dtype="i4"),
        lambda np, a: np.concatenate([a([1]), a(["2020"]).astype("M8[D]")]),
        lambda np, a: np.append(a([[1]]), a([1]), 0),
        lambda np, a: np.block([[a([1])], a([1])]),
        lambda np, a: np.block([[]]),
        lambda np, a: np.block((a([1]), a([1]))),
        lambda np, a: np.block([[a([[1]]), a([[1], [2]])]]),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_cast_as_asked():
    x = dt.concatenate([np.ones(2), np.ones(1)], dtype="i2", casting="unsafe")
    assert x.dtype == np.int16
    assert dt.stack([np.ones(2, "i4")], dtype="f4", casting="unsafe").dtype == np.float32


def test_out_takes_the_value():
    out = dt.zeros(3)
    assert dt.concatenate([dt.ones(1), dt.arange(2)], out=out) is out
    assert out.compute().tolist() == [1, 0, 1]


def test_numpys_functions_are_ours():
    x = dt.arange(3)
    for made in (np.stack([x, x]), np.concatenate([x, [1]]), np.block([[x], [x]]), np.append(x, 1)):
        assert isinstance(made, dt.Array)


def test_casting_to_the_dtype_of_out():
    refused(lambda np, a: np.concatenate([a([1]), a([2])], out=np.zeros(2), casting="no"))
    refused(lambda np, a: np.stack([a([1.5])], out=np.zeros((1, 1), int)))
    refused(lambda np, a: np.concatenate([a([1])], out=np.zeros(1), dtype="f8"))
    agreed(lambda np, a: np.concatenate([a([1.5])], out=np.zeros(1, int), casting="unsafe"))
    agreed(lambda np, a: np.stack([a([1.5])], out=np.zeros((1, 1), int), casting="unsafe"))
