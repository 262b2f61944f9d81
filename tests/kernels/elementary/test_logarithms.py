import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

TRUE = {
    "log": DIGITS.log,
    "log2": lambda x: DIGITS.log(x) / DIGITS.log(2),
    "log10": lambda x: DIGITS.log(x) / DIGITS.log(10),
    "log1p": DIGITS.log1p,
}
LARGEST = np.finfo("f8").max


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_an_ulp_of_the_true_value(name):
    shift = 1.0 if name == "log1p" else 0.0
    near_one = 1.0 + np.concatenate([[0.0], 2.0 ** -np.arange(1, 53), -(2.0 ** -np.arange(2, 54))])
    switches = around(np.sqrt(0.5), np.sqrt(2), 2 * np.sqrt(2), 2.0**-1022, LARGEST / 2, 1.0)
    x = np.concatenate([spread(0.0, LARGEST), np.abs(switches), near_one]) - shift
    x = np.concatenate([x, spread(-0.999, 1.0)]) if shift else x[x > 0]
    assert worst(name, lambda v: TRUE[name](v) if v + shift else -DIGITS.inf, x[x > -shift]) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_an_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_it_rises(name):
    for middle in (1.0, np.sqrt(0.5), np.sqrt(2)):
        assert rises(name, middle - 1e-9, middle + 1e-9)
    assert rises(name, 0.01, 1e4)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_logarithms_of_powers_are_exact(dtype):
    n = np.arange(-126, 128)
    assert np.array_equal(values("log2", np.ldexp(dtype(1), n)), n.astype(dtype))
    tens = np.array([10.0**k for k in range(11)], dtype)
    assert np.array_equal(values("log10", tens), np.arange(11, dtype=dtype))
