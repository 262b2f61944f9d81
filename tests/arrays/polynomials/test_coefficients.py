import numpy as np
import pytest

import dask_tapestry as dt

POLYNOMIALS = [
    [1, -3, 2], [0, 0, 1, 2, 0], [], [0], [1], np.array([1, 2.0, 3]), [1, 1j],
    np.array([2, 4], "f4"),
]  # fmt: skip
CALLS = {
    "roots": lambda xp, p: xp.roots(p),
    "poly": lambda xp, p: xp.poly(p),
    "same": lambda xp, p: xp.polyder(p, 0),
    "derived": lambda xp, p: xp.polyder(p),
    "twice": lambda xp, p: xp.polyder(p, 2),
    "negative": lambda xp, p: xp.polyder(p, -1),
    "integral": lambda xp, p: xp.polyint(p),
    "constants": lambda xp, p: xp.polyint(p, 2, [1, 2]),
    "constant": lambda xp, p: xp.polyint(p, 2, 3),
    "no integral": lambda xp, p: xp.polyint(p, -1),
    "sum": lambda xp, p: xp.polyadd(p, [1, 2]),
    "difference": lambda xp, p: xp.polysub(np.array([3, 2, 1, 1]), p),
    "product": lambda xp, p: xp.polymul(p, [0, 1.0]),
    "quotient": lambda xp, p: xp.polydiv(p, [2.0, 1]),
    "object": lambda xp, p: xp.poly1d(p).coeffs,
    "values": lambda xp, p: xp.poly1d(p)(np.arange(3)),
    "sum of objects": lambda xp, p: xp.polyadd(xp.poly1d(p), [1, 2]).coeffs,
    "derived object": lambda xp, p: xp.polyder(xp.poly1d(p)).coeffs,
}


def alike(found, expected):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            alike(one, other)
        return
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("p", POLYNOMIALS, ids=str)
def test_coefficients_are_numpys(name, p):
    try:
        expected = CALLS[name](np, p)
    except (ValueError, IndexError):
        with pytest.raises((ValueError, IndexError)):
            CALLS[name](dt, dt.asarray(p))
        return
    for given in (p, dt.asarray(p)):
        alike(
            CALLS[name](dt, given),
            expected if isinstance(expected, tuple) else np.asarray(expected),
        )


def test_a_polynomial_of_arrays_is_lazy():
    p = dt.poly1d(dt.asarray([1.0, 0, -2]))
    assert isinstance(p(dt.arange(4)), dt.Array)
    assert (p * p).order == 4
    with pytest.raises(ValueError, match="1d only"):
        dt.poly1d(dt.ones((2, 2)))
    with pytest.raises(ValueError, match="rank-1"):
        dt.roots(dt.ones((2, 2)))
    with pytest.raises(ValueError, match="square"):
        dt.poly(dt.ones((2, 3)))
