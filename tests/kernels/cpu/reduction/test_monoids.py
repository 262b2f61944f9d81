import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.operators.reductions.monoids import ARG_REDUCTIONS, MONOIDS
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

RANDOM = np.random.default_rng(2)
F8 = np.dtype("f8")


def states(name, cells):
    _, state = MONOIDS[name].dtypes(F8, None)
    return ARITHMETIC[name].leaf(np.asarray(cells, F8)[:, None, None], state)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=80), st.integers(1, 79))
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_two_leaves_combine_to_the_value_of_both(name, cells, cut):
    arithmetic = ARITHMETIC[name]
    left, right = cells[:cut], cells[cut:]
    value = states(name, left)
    if right:
        other = states(name, right)
        if name in ARG_REDUCTIONS:
            other["place"] += len(left)
        counts = [np.array([[float(len(part))]]) for part in (left, right)]
        value = arithmetic.combine(value, other, *counts)
    with np.errstate(all="ignore"):
        found = arithmetic.finish(value, len(cells), 0.0)[0, 0]
        expected = MONOIDS[name].numpy(np.array(cells, F8))
    assert math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9) or found == expected


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_a_nan_beats_every_number_and_the_first_of_equals_wins(name):
    combine = ARITHMETIC[name].combine
    for cells in ([1.0, np.nan, np.nan], [2.0, 2.0, 2.0], [np.nan, 1.0, np.inf], [-0.0, 0.0, 0.0]):
        leaves = [states(name, [c]) for c in cells]
        for place, leaf in enumerate(leaves):
            leaf["place"] = place
        one = np.ones((1, 1))
        right = combine(leaves[0], combine(leaves[1], leaves[2], one, one), one, one)
        left = combine(combine(leaves[0], leaves[1], one, one), leaves[2], one, one)
        assert right["place"] == left["place"] == MONOIDS[name].numpy(np.array(cells))


def test_a_variance_keeps_its_digits_far_from_zero():
    cells = 1e9 + np.arange(100.0)
    value = ARITHMETIC["var"].finish(states("var", cells), 100, 0.0)[0, 0]
    assert math.isclose(value, np.arange(100.0).var(), rel_tol=1e-12)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("cells", [[1.0, 2.5], [1e200, -3e250], [np.inf], [np.nan], [-0.0]])
def test_a_leaf_without_numbers_changes_nothing(name, cells):
    arithmetic, one = ARITHMETIC[name], np.ones((1, 1))
    with np.errstate(all="ignore"):
        some, none = states(name, cells), states(name, [np.nan] * 3)
        value = arithmetic.finish(some, len(cells), 0.0)
        for pair in ((some, none), (none, some)):
            made = arithmetic.finish(arithmetic.combine(*pair, one, one), len(cells) + 3, 0.0)
            assert same_bits(made, value)


@pytest.mark.parametrize(("numbers", "all_cells"), [("nanmean", "mean"), ("nanvar", "var")])
def test_numbers_alone_have_the_bits_of_the_fold_of_all_cells(numbers, all_cells):
    cells = RANDOM.normal(size=(2, 300)) * 10.0 ** RANDOM.integers(-8, 8, (2, 300))
    counts = np.full((1, 1), 300.0)
    values = []
    for name in (numbers, all_cells):
        made = ARITHMETIC[name].combine(*[states(name, part) for part in cells], counts, counts)
        values.append(ARITHMETIC[name].finish(made, 600, 1.0))
    assert same_bits(*values)
