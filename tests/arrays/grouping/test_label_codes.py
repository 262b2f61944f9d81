import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.grouping.label_codes import codes_of
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.teg import Source


@pytest.mark.parametrize("make", [np.asarray, dt.asarray])
def test_codes_are_numbers_of_groups(make):
    labels = make(np.array([30, 10, 30, 20]))
    found = codes_of([labels], [None])
    assert (np.asarray(found.codes).tolist(), found.counts) == ([2, 0, 2, 1], (3,))
    found = codes_of([labels], [[20, 30]])
    assert np.asarray(found.codes).tolist() == [1, -1, 1, 0]


INTEGERS = st.sampled_from(["i1", "u1", "i2", "u4", "i8", "u8"])


@given(st.data(), INTEGERS, INTEGERS, st.integers(1, 9), st.booleans())
def test_lazy_labels_have_the_codes_of_known_ones(data, kind, groups_kind, count, odd):
    """Groups that count on, others, and any bounds of dtypes."""
    held, able = np.iinfo(kind), np.iinfo(groups_kind)
    first = data.draw(
        st.sampled_from([able.min, able.max - 2 * count, 0, 3])
        | st.integers(able.min, able.max - 2 * count)
    )
    groups = np.array([first + n * (1 + odd) for n in range(count)], groups_kind)
    near = [value for value in groups.tolist() if held.min <= value <= held.max]
    cell = st.sampled_from([held.min, held.max, *near]) | st.integers(held.min, held.max)
    labels = np.array(data.draw(st.lists(cell, min_size=1, max_size=9)), kind)
    lazy = codes_of([dt.asarray(labels)], [groups]).codes
    numbers = {value: number for number, value in enumerate(groups.tolist())}
    assert np.asarray(lazy).tolist() == [numbers.get(value, -1) for value in labels.tolist()]


def test_equal_groups_make_equal_codes():
    labels = dt.asarray(np.array([4, 0, 9, 2]))
    for groups in ([0, 1, 2], [0, 2, 4], [4, 2, 0]):
        first, again = (codes_of([labels], [np.array(groups)]).codes.node for _ in "ab")
        assert first is again


def test_several_labels_are_numbered_in_c_order():
    found = codes_of([np.array([[0], [1]]), np.array(["x", "y", "z"])], [None, ["z", "x"]])
    assert found.counts == (2, 2)
    assert found.codes.tolist() == [[1, -1, 0], [3, -1, 2]]


def test_no_groups():
    found = codes_of([np.array([np.nan, np.nan])], [None])
    assert (found.codes.tolist(), found.counts) == ([-1, -1], (0,))


def test_errors():
    with pytest.raises(ArgumentError, match=r"duplicate labels: \[1\]"):
        codes_of([np.arange(3)], [[1, 1]])
    with pytest.raises(ShapeError, match="a vector"):
        codes_of([np.arange(3)], [[[1]]])
    with pytest.raises(ShapeError, match="labels of shapes"):
        codes_of([np.arange(3), np.arange(2)], [None, None])
    with pytest.raises(DTypeError, match="no order"):
        codes_of([np.array([1, "a", None], object)], [None])
    pandas = pytest.importorskip("pandas")
    gap = pandas.IntervalIndex.from_tuples([(0, 1), (2, 3)])
    with pytest.raises(ArgumentError, match="must adjoin"):
        codes_of([np.arange(3)], [gap])


@pytest.mark.parametrize("count", [1, 2])
def test_no_array_in_memory_has_the_shape_of_labels_that_are_not(count):
    """10**13 labels: an array of them would not fit."""
    labels = [dt.placeholder((10**13,), "i8") for _ in range(count)]
    codes = codes_of(labels, [np.arange(7)] * count).codes
    assert codes.shape == (10**13,)
    sources = [n for n in codes.teg.nodes if isinstance(n.operator, Source)]
    held = [n for n in sources if n not in {x.node for x in labels}]
    assert sum(node.type.nbytes for node in held) < 1000
