import numpy as np
import pytest

import dask_tapestry as dt

from .samples import COUNT, gap, rng


def laplace_share(x):
    return np.where(x < 0, 0.5 * np.exp(-abs(x)), 1 - 0.5 * np.exp(-abs(x)))


def triangle_share(x):
    return np.where(x < 1, (x + 1) ** 2 / 10, 1 - (4 - x) ** 2 / 15)


CONTINUOUS = {
    "laplace": (lambda g: g.laplace(3, 2, COUNT), lambda x: laplace_share((x - 3) / 2)),
    "logistic": (lambda g: g.logistic(3, 2, COUNT), lambda x: 1 / (1 + np.exp((3 - x) / 2))),
    "gumbel": (lambda g: g.gumbel(3, 2, COUNT), lambda x: np.exp(-np.exp((3 - x) / 2))),
    "rayleigh": (lambda g: g.rayleigh(3, COUNT), lambda x: 1 - np.exp(-((x / 3) ** 2) / 2)),
    "weibull": (lambda g: g.weibull(1.5, COUNT), lambda x: 1 - np.exp(-(x**1.5))),
    "pareto": (lambda g: g.pareto(2.5, COUNT), lambda x: 1 - (1 + x) ** -2.5),
    "power": (lambda g: g.power(2.5, COUNT), lambda x: x**2.5),
    "cauchy": (lambda g: g.standard_cauchy(COUNT), lambda x: 0.5 + np.arctan(x) / np.pi),
    "triangular": (lambda g: g.triangular(-1, 1, 4, COUNT), triangle_share),
}


@pytest.mark.parametrize(("draw", "share"), CONTINUOUS.values(), ids=CONTINUOUS)
def test_values_are_distributed_as_they_should_be(draw, share):
    x = draw(rng()).compute()
    assert np.isfinite(x).all()
    assert gap(x, share) < 1.95
    uniform = share(x)
    assert abs(np.corrcoef(uniform[1:], uniform[:-1])[0, 1]) < 4 / COUNT**0.5


def test_a_weibull_distribution_of_shape_zero_is_zero():
    assert (rng().weibull(0, 9).compute() == 0).all()
    assert (rng().weibull([0.0, 0.0], (9, 2)).compute() == 0).all()


def test_corners_of_a_triangle_are_arrays_too():
    x = rng().triangular([0, 10], dt.asarray([1, 11]), 12.5, (1000, 2)).compute()
    assert (x.min(axis=0) > [0, 10]).all()
    assert rng().triangular(0, 0, 1, 9).compute().max() <= 1


REFUSED = [
    (lambda g: g.laplace(0, -1), "scale < 0"),
    (lambda g: g.logistic(0, -1), "scale < 0"),
    (lambda g: g.gumbel(0, -1), "scale < 0"),
    (lambda g: g.rayleigh(-1), "scale < 0"),
    (lambda g: g.weibull(-1), "a < 0"),
    (lambda g: g.pareto(0), "a <= 0"),
    (lambda g: g.power([1, 0]), "a <= 0"),
    (lambda g: g.power(-1), "a <= 0"),
    (lambda g: g.triangular(2, 1, 3), "left > mode"),
    (lambda g: g.triangular(1, 4, 3), "mode > right"),
    (lambda g: g.triangular(1, 1, [3, 1]), "mode > right|left == right"),
]


@pytest.mark.parametrize(("call", "text"), REFUSED)
def test_what_numpy_refuses_is_refused_when_it_is_built(call, text):
    with pytest.raises(ValueError, match=text):
        call(rng())
    with pytest.raises(ValueError, match=text):
        call(np.random.default_rng(0))
