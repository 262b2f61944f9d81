import numpy as np
import pytest

from tests.kernels.cpu.reduction.leaf_cells import folded, state_of

NAN, INF = np.nan, np.inf
CASES = [
    ("argmin", [3.0, 1.0, 1.0], 1), ("argmin", [0.0, -0.0], 0), ("argmax", [1.0, NAN, NAN], 1),
    ("argmin", [INF, NAN, 0.0], 1), ("nanargmin", [NAN, 2.0, 1.0], 2),
    ("nanargmin", [1.0, NAN, INF], 0), ("nanargmax", [NAN, -INF, 3.0], 2),
]  # fmt: skip


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("kept", [1, 3])
@pytest.mark.parametrize("before", [0, 100])
@pytest.mark.parametrize(("monoid", "cells", "place"), CASES)
def test_the_first_of_equals_and_the_first_nan(monoid, cells, place, before, kept):
    worst = -INF if monoid.endswith("max") else INF
    if before and INF in np.abs(cells):
        worst = 5.0 if monoid.endswith("min") else -5.0
    column = np.array([*[worst] * before, *cells])
    states = folded(monoid, np.repeat(column[None, :, None], kept, 2), state_of(monoid, "f8"))
    assert (states["place"] == place + before).all()


def test_a_leaf_without_numbers_says_so():
    cells = np.full((2, 40, 1), NAN)
    cells[1, 7] = 3.0
    assert folded("nanargmin", cells, state_of("nanargmin", "f8"))["number"].tolist() == [[0], [1]]
