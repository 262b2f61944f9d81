import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.affine_cells import Affine, affine_of

P, Q = (dt.Array(symbol("a number", "", np.dtype("i8"))) for _ in range(2))


@pytest.mark.parametrize(
    ("value", "coefficients", "constant"),
    [
        (P, (1, 0), 0),
        (3 * P - Q * 2 + 7, (3, -2), 7),
        (-(P + 1) * 4, (-4, 0), -4),
        (2 * (P - Q) + (+Q), (2, -1), 0),
        (P.astype("i4") * np.int8(2), (2, 0), 0),
        (P - P, (0, 0), 0),
        (dt.zeros((), int) + 5, (0, 0), 5),
    ],
)
def test_sums_of_multiples(value, coefficients, constant):
    assert affine_of(value.node, [P.node, Q.node]) == Affine(coefficients, constant)


@pytest.mark.parametrize(
    "value", [P * Q, P // 2, P % 3, dt.where(P > 1, P, Q), P.astype("f8"), dt.asarray(3) + P]
)
def test_what_is_none(value):
    assert affine_of(value.node, [P.node, Q.node]) is None


def test_sums_of_forms():
    one, other = Affine((1, 2), 3), Affine((1, 0), -1)
    assert one.plus(other, -2) == Affine((-1, 2), 5)
    assert not one.is_constant
    assert Affine((0, 0), 4).is_constant
