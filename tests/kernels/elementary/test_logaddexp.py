import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, same_ends, spread, values, worst, worst_f32


def true(base):
    """Return the function of mpmath, the larger number taken out."""
    scale = DIGITS.log(base)

    def sum_of(x, y):
        big, small = max(x, y), min(x, y)
        return big + DIGITS.log1p(DIGITS.exp((small - big) * scale)) / scale

    return sum_of


TRUE = {"logaddexp": true(DIGITS.e), "logaddexp2": true(2)}


def samples():
    x = np.concatenate([spread(-700.0, 700.0), around(1.0, 0.5)])
    rng = np.random.default_rng(3)
    y = rng.permutation(x)
    return np.concatenate([x, x]), np.concatenate([y, x + rng.uniform(-2, 2, x.size)])


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_two_ulp_of_the_true_value_or_the_larger_argument(name):
    assert worst(name, TRUE[name], *samples(), size=max) <= 2.0


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_an_ulp_of_the_true_value_or_the_larger_argument(name):
    x = patterns(9973)
    y = np.random.default_rng(3).permutation(x)
    assert worst_f32(name, getattr(np, name), x, y, size=np.maximum) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_the_arguments_may_change_places(name):
    x, y = samples()
    assert np.array_equal(values(name, x, y), values(name, y, x))
