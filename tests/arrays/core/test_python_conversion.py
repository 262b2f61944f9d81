import operator

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


@pytest.mark.parametrize("convert", [int, float, complex, bool])
def test_one_cell_is_a_number(convert):
    assert convert(dt.full((1, 1), 3)) == convert(3)
    with pytest.raises((TypeError, ValueError)):
        convert(dt.ones(2))


def test_only_integers_without_dimensions_are_places():
    assert operator.index(dt.arange(5)[3]) == 3
    for wrong in (dt.ones(()), dt.arange(1)):
        with pytest.raises(TypeError, match="scalar index"):
            operator.index(wrong)
