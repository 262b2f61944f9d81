"""Draws from urns and of long tails are distributed as NumPy's."""

import numpy as np
import pytest

from tests.kernels.cpu.variates.samples import COUNT, apart, counts_apart, drawn

CASES = [
    ("negative_binomial", (5.0, 0.4)),
    ("negative_binomial", (0.4, 0.05)),
    ("hypergeometric", (20, 30, 8)),
    ("hypergeometric", (30, 20, 45)),
    ("hypergeometric", (200, 300, 80)),
    ("hypergeometric", (300, 200, 420)),
    ("hypergeometric", (10**8, 10**8, 10**6)),
    ("logseries", (0.1,)),
    ("logseries", (0.99,)),
    ("zipf", (1.5,)),
    ("zipf", (4.0,)),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_draws_are_distributed_as_numpys(name, given):
    found = drawn(name, *given)
    numpy = getattr(np.random.default_rng(8), name)(*given, COUNT)
    assert found.dtype == np.int64
    assert apart(found, numpy) < 1.95
    assert counts_apart(found, numpy) < 4.5


def test_ends_of_the_parameters():
    assert not drawn("negative_binomial", 3.0, 1.0, count=9).any()
    assert (drawn("hypergeometric", 0, 5, 3, count=9) == 0).all()
    assert (drawn("hypergeometric", 5, 0, 3, count=9) == 3).all()
    assert (drawn("hypergeometric", 500, 700, 1200, count=9) == 500).all()
    assert not drawn("hypergeometric", 5, 5, 0, count=9).any()
    assert (drawn("logseries", 0.0, count=9) == 1).all()
    assert (drawn("zipf", 2000.0, count=9) == 1).all()
    assert (drawn("zipf", np.inf, count=9) == 1).all()
    heavy = drawn("zipf", 1.0001, count=1000)
    assert heavy.min() >= 1
    assert (drawn("logseries", 1 - 2.0**-53, count=1000) >= 1).all()
