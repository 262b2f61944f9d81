import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.scatter import scatter

from .indexed import SHAPES, check, numbers, places


@given(SHAPES, st.data())
def test_values_are_put_where_places_say_and_the_last_one_wins(shape, data):
    x = numbers(shape)
    axes = sorted(data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True)))
    sides = data.draw(st.sampled_from([(), (3,), (2, 2)]))
    found = [places(data.draw, sides, shape[axis]) for axis in axes]
    if any(p is None or p.shape != sides for p in found):
        return
    kept = [n for dim, n in enumerate(shape) if dim not in axes]
    at = data.draw(st.integers(0, len(kept)))
    values = -numbers((*kept[:at], *sides, *kept[at:]))
    node = scatter(
        dt.asarray(x).node, [dt.asarray(p).node for p in found], axes, at, dt.asarray(values).node
    )
    check(node, [x, *found, values], data)


def test_values_broadcast_and_take_the_dtype():
    x = dt.zeros((2, 3), "i2").node
    node = scatter(x, [dt.asarray([2, 0]).node], [1], 1, dt.asarray(7.9).node)
    assert node.type == x.type
    assert dt.Array(node).compute().tolist() == [[7, 0, 7]] * 2


def test_what_does_not_fit_is_refused():
    x = dt.zeros((2, 3)).node
    with pytest.raises(DTypeError, match="integers"):
        scatter(x, [dt.ones(2).node], [1], 1, dt.ones(2).node)
    with pytest.raises(ShapeError):
        scatter(x, [dt.asarray([0]).node], [1], 1, dt.ones(5).node)
