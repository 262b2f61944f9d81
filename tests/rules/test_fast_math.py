import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.fast_math import FAST_RULES
from dask_tapestry.rules.views import VIEW_RULES

from .graphs import after

CELLS = np.random.default_rng(0).normal(size=(30, 40))


def lines(x, *rules):
    return after(x, *(rules or FAST_RULES), *VIEW_RULES).splitlines()


CASES = {
    "multiply_by_reciprocal": (lambda x: x / 3, "multiply(%0, 0.3333333333333333)"),
    "sum_before_factor": (lambda x: (3 * x).sum(axis=0), "multiply(%1, 3.0)"),
    "variance_of_moments": (lambda x: (x**2).mean() - x.mean() ** 2, "reduce(%0, var"),
    "float_sum_of_broadcast": (
        lambda x: np.broadcast_to(x, (7, 30, 40)).sum(),
        "multiply(%1, 7.0)",
    ),
    "float_fold_of_broadcast": (
        lambda x: np.broadcast_to(x, (7, 30, 40)).max(),
        "max, axes=(0, 1)",
    ),
}


@pytest.mark.parametrize("rule", FAST_RULES, ids=lambda r: r.__name__)
def test_each_is_off_unless_asked_for(rule):
    f, text = CASES[rule.__name__]
    x = dt.asarray(CELLS)
    made = f(x)
    assert text in "\n".join(lines(made))
    assert text not in str(made.plan().teg)
    with dt.config(algebra="fast"):
        plan = made.plan()
        assert text in str(plan.teg)
        fast = made.compute()
    assert rule.__name__ in {change.rule for change in plan.trace().changes}
    np.testing.assert_allclose(fast, f(CELLS), rtol=1e-12)
    np.testing.assert_allclose(made.compute(), f(CELLS), rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, -0.0, np.inf, np.nan, 1e-310, 1e308])
def test_a_divisor_without_a_full_reciprocal_stays(value):
    assert "divide" in lines(dt.asarray(CELLS) / value)[1]


def test_a_mean_of_copies():
    x = dt.broadcast_to(dt.asarray(CELLS), (7, 30, 40))
    assert "mean, axes=(0, 1)" in "\n".join(lines(x.mean()))


def test_other_moments_stay():
    x, y = dt.asarray(CELLS), dt.asarray(CELLS)
    for other in (
        (x**2).mean() - y.mean() ** 2,
        (x**2).mean(axis=0) - x.mean(axis=1)[:30].sum() ** 2,
        (x**3).mean() - x.mean() ** 2,
        (x**2).mean() - x.mean(),
    ):
        assert "var" not in "\n".join(lines(other))


def test_sums_of_integers_stay():
    x = dt.asarray(np.arange(6))
    assert "sum" in lines((3 * x).sum())[-2]
