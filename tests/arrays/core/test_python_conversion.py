import operator

import numpy as np
import pytest

import dask_tapestry as dt


def test_python_reads_single_cells():
    x = dt.arange(6).reshape(2, 3)
    assert 5 in x
    assert 7 not in x
    assert x.item(4) == x.item(1, 1) == 4
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert f"{x.mean():.2f}" == "2.50"
    assert f"{x}" == repr(x)
    with pytest.raises(ValueError, match="size 1"):
        x.item()
    assert not (x == None).any()  # noqa: E711
    y = x.copy()
    y[0] = 9
    assert x.item(0) == 0


def test_an_item_is_named_as_in_numpy():
    x = np.arange(6).reshape(2, 3)
    for index in (((1, 2),), (1, 2), (4,), ((4,),), (np.int64(3),), (-1,)):
        assert dt.asarray(x).item(*index) == x.item(*index)
    assert dt.asarray(5).item(()) == np.asarray(5).item(())
    with pytest.raises(IndexError, match="too many"):
        dt.asarray(x).item((1, 2, 3))


@pytest.mark.parametrize("make", [dt.asarray, dt.ma.asarray])
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_a_copy_has_any_order(make, order):
    x = make(np.arange(6).reshape(2, 3))
    y = x.copy(order)
    y[0] = 9
    assert np.array_equal(x.compute(), np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError, match="order must be"):
        x.copy(order="Q")


@pytest.mark.parametrize("convert", [int, float, complex, bool])
def test_one_cell_is_a_number(convert):
    assert convert(dt.full((), 3)) == convert(3)
    with pytest.raises((TypeError, ValueError)):
        convert(dt.ones(2))


@pytest.mark.parametrize("convert", [int, float, complex])
def test_dimensions_of_one_cell_are_not_dropped(convert):
    with pytest.raises(TypeError, match=r"shape \(1, 1\).*item"):
        convert(dt.full((1, 1), 3))


def test_one_cell_is_true_or_false():
    assert bool(dt.full((1, 1), 3))


def test_only_integers_without_dimensions_are_places():
    assert operator.index(dt.arange(5)[3]) == 3
    for wrong in (dt.ones(()), dt.arange(1)):
        with pytest.raises(TypeError, match="scalar index"):
            operator.index(wrong)


@pytest.mark.parametrize("dtype", ["f8", "f2", "i4", "u1"])
@pytest.mark.parametrize("digits", [(), (0,), (1,), (-1,)])
def test_python_rounds_a_cell_as_numpys(dtype, digits):
    cells = np.array([25.0, 7.5, 2.5]).astype(dtype)
    for ours, theirs in zip(dt.asarray(cells), cells, strict=True):
        found, expected = round(ours, *digits), round(theirs, *digits)
        assert type(found) is int if not digits else found.dtype == expected.dtype
        assert found == expected


@pytest.mark.parametrize("wrong", [np.inf, np.nan])
def test_what_is_no_number_is_not_rounded_to_one(wrong):
    with pytest.raises((OverflowError, ValueError), match="cannot convert float"):
        round(dt.asarray([wrong])[0])
    assert round(dt.asarray([0.5, 1.5])).compute().tolist() == [0.0, 2.0]
