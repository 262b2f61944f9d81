import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core.dispatch import METHODS
from tests.arrays.folding import REAL, SHAPES, axes_of, check, few, small

UFUNCS = sorted(name for name, method in METHODS if method == "reduce")


@few
@given(st.data())
@pytest.mark.parametrize("name", UFUNCS)
def test_reduce_is_numpys(name, data):
    if name == "lcm":
        return  # NumPy takes one axis alone; see below
    shape = data.draw(SHAPES)
    x = small(data.draw, shape, data.draw(st.sampled_from(REAL)))
    options = {"axis": data.draw(axes_of(shape)), "keepdims": data.draw(st.booleans())}
    ufunc = getattr(np, name)
    check(
        lambda: ufunc.reduce(dt.asarray(x), **options),
        lambda: ufunc.reduce(x, **options),
        rtol=1e-3 if x.dtype.itemsize < 4 else 1e-6,
    )


def test_the_first_axis_is_the_default():
    x = np.arange(12).reshape(3, 4)
    assert np.add.reduce(dt.asarray(x)).compute().tolist() == x.sum(0).tolist()
    assert np.lcm.reduce(dt.asarray(x + 1)).compute().tolist() == np.lcm.reduce(x + 1).tolist()


def test_other_arguments():
    x = dt.asarray(np.arange(6.0).reshape(2, 3))
    out = dt.zeros(3)
    assert np.add.reduce(x, out=out) is out
    assert np.add.reduce(x, axis=None, initial=5).compute() == 20
    assert np.maximum.reduce(x, axis=None, initial=0, where=x < 3).compute() == 2
    assert np.multiply.reduce(x, dtype="f4").dtype == np.float32


@pytest.mark.parametrize("name", ["subtract", "divide", "power", "arctan2", "remainder"])
def test_what_depends_on_the_order_is_refused(name):
    with pytest.raises(TypeError):
        getattr(np, name).reduce(dt.ones(3))


@pytest.mark.parametrize("name", ["logical_or", "logical_and", "logical_xor"])
def test_one_of_several_objects_is_no_boolean(name):
    x = dt.asarray(np.array([3, None, True], object))
    with pytest.raises(dt.DTypeError, match="dtype=bool"):
        getattr(np, name).reduce(x)
    assert getattr(np, name).reduce(dt.asarray([3, 0, 1])).compute() == (name == "logical_or")


@pytest.mark.parametrize("name", ["logical_or", "logical_and", "logical_xor"])
@pytest.mark.parametrize("cells", [[3, None, True], ["", ""], ["1", "", 0.5], [[], None, 0]])
def test_objects_fold_to_booleans_where_these_are_asked_for(name, cells):
    x = np.empty(len(cells), object)
    x[:] = cells
    found = getattr(np, name).reduce(dt.asarray(x), dtype=bool)
    assert found.dtype == bool
    assert found.compute() == getattr(np, name).reduce(x, dtype=bool)


@pytest.mark.covering
@pytest.mark.parametrize("name", ["add", "multiply"])
@pytest.mark.parametrize("kind", ["i1", "i8", "f8", "?"])
@pytest.mark.parametrize("out_kind", ["i1", "i8", "f4", "?"])
def test_cells_are_folded_in_the_dtype_that_out_and_they_promote_to(name, kind, out_kind):
    x, out, expected = (
        np.array([100, 0, 100, 101], kind),
        dt.zeros((), out_kind),
        np.zeros((), out_kind),
    )
    getattr(np, name).reduce(x, out=expected)
    if not np.can_cast(np.promote_types(kind, out_kind), out_kind, "same_kind"):
        with pytest.raises(TypeError, match="cast"):
            getattr(np, name).reduce(dt.asarray(x), out=out)
        return
    for ufunc in (getattr(np, name), getattr(dt, name)):
        assert ufunc.reduce(dt.asarray(x), out=out) is out
        assert out.compute() == expected


def test_a_wrong_axis_is_told_of_before_a_wrong_dtype():
    dates = dt.asarray(np.zeros(3, "M8[s]"))
    with pytest.raises(np.exceptions.AxisError):
        np.add.reduce(dates, 1)
    with pytest.raises(TypeError, match="no loop"):
        np.add.reduce(dates, 0)
