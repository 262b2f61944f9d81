"""Rows of counts: sums, ends, and each column distributed as NumPy's."""

import numpy as np
import pytest

from tests.kernels.cpu.variates.samples import COUNT, counts_apart, drawn_rows

ROWS = [
    ("multinomial", 20, [0.2, 0.5, 0.0, 0.3]),
    ("multinomial", 1000, [0.1, 0.1, 0.8]),
    ("multivariate_hypergeometric", 12, [5, 20, 0, 7]),
    ("multivariate_hypergeometric", 60, [50, 20, 30]),
]


@pytest.mark.parametrize(("name", "total", "weights"), ROWS)
def test_rows_are_distributed_as_numpys(name, total, weights):
    found, rng = drawn_rows(name, total, weights), np.random.default_rng(8)
    given = (total, weights) if name == "multinomial" else (weights, total)
    numpy = getattr(rng, name)(*given, COUNT)
    assert (found.sum(axis=1) == total).all()
    assert found.min() >= 0
    for column in range(len(weights)):
        assert counts_apart(found[:, column], numpy[:, column]) < 4.5
    np.testing.assert_allclose(np.cov(found.T), np.cov(numpy.T), atol=0.02 * total)


def test_what_leaves_no_choice():
    assert (drawn_rows("multinomial", 7, [0.0, 1.0, 0.0], count=9) == [0, 7, 0]).all()
    assert (drawn_rows("multinomial", 7, [1.0], count=9) == 7).all()
    assert not drawn_rows("multinomial", 0, [0.5, 0.5], count=9).any()
    assert (drawn_rows("multivariate_hypergeometric", 7, [3, 4], count=9) == [3, 4]).all()
    assert not drawn_rows("multivariate_hypergeometric", 0, [3, 4], count=9).any()
