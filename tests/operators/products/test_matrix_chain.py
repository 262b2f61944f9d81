import numpy as np
import pytest

from dask_tapestry.operators.products.matrix_chain import best_splits
from tests.covering import seeds_of


def all_orders(sides):
    """Multiplications of every way to multiply a chain."""
    if len(sides) == 2:
        return [0]
    return [
        left + right + sides[0] * sides[k] * sides[-1]
        for k in range(1, len(sides) - 1)
        for left in all_orders(sides[: k + 1])
        for right in all_orders(sides[k:])
    ]


def cost_of(sides, of, i, j):
    if j == i + 1:
        return 0
    k = of[i, j]
    inner = cost_of(sides, of, i, k) + cost_of(sides, of, k, j)
    return inner + sides[i] * sides[k] * sides[j]


@pytest.mark.parametrize("seed", seeds_of(range(20), 8))
def test_no_order_is_better(seed):
    random = np.random.default_rng(seed)
    sides = tuple(int(n) for n in random.integers(1, 20, random.integers(2, 8)))
    splits = best_splits(sides)
    assert splits.cost == min(all_orders(sides)) == cost_of(sides, splits.of, 0, len(sides) - 1)
    assert all(i < k < j for (i, j), k in splits.of.items())


def test_two_matrices_are_multiplied():
    assert best_splits((2, 3, 4)) == ({(0, 2): 1}, 24)
