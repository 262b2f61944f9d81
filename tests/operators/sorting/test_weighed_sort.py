import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.weighed_sort import by_exchange, weighed_sort
from tests.operators.in_forms import form_names

from .test_exchange_sort import cells


@pytest.mark.parametrize("kind", ["f8", "i2", "M8[s]"])
def test_cells_come_with_places_and_weights(kind):
    x, loads = cells((2, 90), kind, 0, few=True), np.random.default_rng(0).random((2, 90))
    node = weighed_sort(dt.asarray(x).node, dt.asarray(loads).node)
    expected = node.operator.reference(x, loads)
    for value in (node, by_exchange(node, 4)):
        assert dt.Array(value).compute().tobytes() == expected.tobytes()


def test_long_lanes_have_the_form():
    for n, names in ((10**5, ("exchange",)), (100, ()), (0, ())):
        x = dt.placeholder((n,), "f8").node
        assert form_names(weighed_sort(x, x)) == names
