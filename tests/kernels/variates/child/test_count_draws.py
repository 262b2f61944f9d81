"""Draws of counts are distributed as NumPy's."""

import numpy as np
import pytest

from tests.kernels.cpu.variates.samples import COUNT, apart, counts_apart, drawn

CASES = [
    ("poisson", (0.3,)),
    ("poisson", (9.9,)),
    ("poisson", (10.0,)),
    ("poisson", (500.0,)),
    ("poisson", (1e12,)),
    ("binomial", (10, 0.3)),
    ("binomial", (1000, 0.004)),
    ("binomial", (30, 0.9)),
    ("binomial", (40, 0.5)),
    ("binomial", (10**6, 0.3)),
    ("binomial", (10**15, 0.7)),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_draws_are_distributed_as_numpys(name, given):
    found = drawn(name, *given)
    numpy = getattr(np.random.default_rng(8), name)(*given, COUNT)
    assert found.dtype == np.int64
    assert apart(found, numpy) < 1.95
    assert counts_apart(found, numpy) < 4.5


def test_ends_of_the_parameters():
    assert not drawn("poisson", 0.0, count=9).any()
    assert not drawn("binomial", 0, 0.5, count=9).any()
    assert not drawn("binomial", 9, 0.0, count=9).any()
    assert (drawn("binomial", 9, 1.0, count=9) == 9).all()
    most = drawn("binomial", 2**63 - 1, 0.5, count=1000)
    assert abs(most / 2.0**62 - 1).max() < 1e-8
    large = drawn("poisson", 9.2e18, count=1000)
    assert abs(large / 9.2e18 - 1).max() < 1e-8
