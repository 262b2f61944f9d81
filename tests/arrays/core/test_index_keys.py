import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.index_keys import in_bounds, parse, wrapped
from dask_tapestry.teg import TensorType

X = TensorType((5, 3, 4), np.dtype("f8"))
ALL = slice(None)


def test_a_basic_key_has_no_advanced_part():
    key = parse((0, ..., None), X)
    assert key.basic == (0, ALL, ALL, None)
    assert key.advanced == ()


@pytest.mark.parametrize(
    ("key", "at"),
    [
        (([1],), 0),
        ((ALL, [1]), 1),
        ((ALL, 0, [1]), 1),
        ((ALL, 0, ..., [1]), 0),
        (([0], ALL, [1]), 0),
        ((None, [0]), 1),
    ],
)
def test_where_the_picked_dimensions_begin(key, at):
    assert parse(key, X).at == at


def test_a_truth_value_has_an_axis_of_its_own():
    key = parse((True,), X)
    assert key.basic == (None, ALL, ALL, ALL)
    assert key.advanced[0].cells.tolist() == [0]


def test_a_mask_indexes_as_many_dimensions_as_it_has():
    key = parse((ALL, dt.zeros((3, 4), bool)), X)
    assert key.advanced[0].dims == (1, 2)
    assert key.advanced[0].is_mask


def test_places_are_wrapped_and_checked():
    key = in_bounds(parse(([-1], ALL, dt.asarray([9])), X), X)
    assert key.advanced[0].cells.tolist() == [4]
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 2 with size 4"):
        in_bounds(parse((0, ALL, [7]), X), X)
    assert in_bounds(parse(([7], []), X), X).advanced[0].cells.tolist() == [0]
    assert wrapped(np.array([-1, 2]), 5, 0).tolist() == [4, 2]
    with pytest.raises(IndexError, match="index -6 is out of bounds for axis 1 with size 5"):
        wrapped(np.array([-6]), 5, 1)


def test_a_mask_of_another_shape_is_refused():
    with pytest.raises(
        IndexError, match="size of axis is 3 but size of corresponding boolean axis"
    ):
        parse((ALL, np.zeros((2, 4), bool)), X)


@pytest.mark.parametrize(
    "key", [lambda np: np.arange(2), lambda np: np.arange(5) > 2, lambda np: (..., np.arange(2))]
)
def test_arrays_of_dask_are_taken_as_they_are(key):
    x = np.arange(15).reshape(5, 3)
    assert np.array_equal(dt.asarray(x)[key(da)].compute(), x[key(np)])


def test_the_blocks_of_an_index_are_not_written_out(monkeypatch):
    """10**13 places have five million blocks, which no graph is longer for."""
    index, x = dt.placeholder((10**13,), "i8"), dt.arange(7)

    def chunks(_):
        raise AssertionError("chunks are written out")

    monkeypatch.setattr(dt.Array, "chunks", property(chunks))
    assert x[index].shape == (10**13,)
