import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.rules.split_reduction import split_reduction
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

from .graphs import meaning

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(90, 70)) * 10.0 ** RANDOM.integers(-8, 8, (90, 70))


def reduction(name, axis=None):
    return reduce(dt.asarray(X).node, name, axis)


def test_split_reduction():
    assert str(Graph([split_reduction(reduction("sum"), (1, 3))])).splitlines()[1:] == [
        "%1 = reduce(%0, sum, axes=(0, 1), to level 1) : float64[3, 2]",
        "%2 = reduce(%1, sum, axes=(0, 1), from level 1, to level 3) : float64[2, 1]",
        "%3 = reduce(%2, sum, axes=(0, 1), from level 3) : float64[]",
        "return %3",
    ]


@pytest.mark.parametrize("name", monoids_of("f8"))
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("levels", [(0,), (1,), (0, 1), (1, 2, 4), (9,)])
def test_the_value_stays(name, axis, levels):
    whole = reduction(name, axis)
    (expected,), (value,) = (
        meaning(Graph([whole])),
        meaning(Graph([split_reduction(whole, levels)])),
    )
    assert same_bits(value, expected)


def test_a_reduction_that_is_not_cut_stays():
    assert split_reduction(reduction("sum"), ()) is None


def test_a_part_is_not_split_again():
    whole = split_reduction(reduction("sum"), (1,))
    assert split_reduction(whole, (1,)) is None
    assert split_reduction(whole.inputs[0], (1,)) is None
