import pickle

import dask
import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample


def test_what_it_is():
    x = sample("f8")
    y = ours(x)
    assert (y.shape, y.dtype, y.ndim, y.size, len(y)) == (x.shape, x.dtype, 2, 20, 4)
    assert (y.nbytes, y.itemsize, y.numblocks) == (x.nbytes, x.itemsize, (2, 3))
    assert y.fill_value == x.fill_value
    assert repr(y).startswith("dt.ma.MaskedArray<dt.Array<")
    assert dt.ma.masked_array([1]).mask is np.ma.nomask
    assert "nomask" in repr(dt.ma.masked_array([1]))


def test_a_dask_collection():
    x = sample("i4")
    for made in (
        *dask.compute(ours(x)),
        ours(x).persist(),
        *dask.persist(ours(x)),
        *dask.optimize(ours(x)),
        pickle.loads(pickle.dumps(ours(x))),
        dask.delayed(lambda x: x)(ours(x)),
    ):
        agree(made, x, beneath=True)
    told = dask.compute({"a": ours(x).sum(), "b": [ours(x)[0, 0]]})[0]
    assert told["a"] == x.sum()
    agree(ours(x[..., :0]), x[..., :0])


def test_tokens_are_of_the_value():
    x = ours(sample("i4"))
    assert dask.base.tokenize(x) == dask.base.tokenize(x.copy())
    assert dask.base.tokenize(x) != dask.base.tokenize(x + 1)


KEYS = [0, (1, 2), slice(1, 3), (..., [0, 2]), np.arange(20).reshape(4, 5) % 3 == 0, None]


@pytest.mark.parametrize("key", KEYS, ids=map(str, range(len(KEYS))))
def test_indexing_and_assignment(key):
    x = sample("i4")
    agree(ours(x)[key], x[key])
    for value in (7, np.ma.masked, np.ma.masked_array(5, True)):
        y, z = ours(x), x.copy()
        y[key] = z[key] = value
        agree(y, z)


def test_assignment_to_what_has_no_mask():
    for value in (1, np.ma.masked, sample("i4", (5,))):
        y, z = ours(sample("i4", mask=None)), sample("i4", mask=None)
        y[0] = z[0] = value
        agree(y, z)


def test_the_mask_and_the_fill_value_are_set():
    x, y = sample("i4"), ours(sample("i4"))
    y.mask = x.mask = [True, False, True, False, True]
    y.fill_value = x.fill_value = 7
    agree(y, x)
    assert y.compute().fill_value == 7
    y.fill_value = None
    assert y.fill_value == 999999
    with pytest.raises(dt.DTypeError, match="fill value"):
        y.fill_value = "a"


def test_without_hidden_cells():
    x = sample("i4")
    y = ours(x)
    assert np.array_equal(y.filled().compute(), x.filled())
    assert np.array_equal(y.filled(3).compute(), x.filled(3))
    assert np.array_equal(y.compressed().compute(), x.compressed())
    assert [i.compute().tolist() for i in y.nonzero()] == [i.tolist() for i in x.nonzero()]
    assert y.tolist() == x.tolist()


@pytest.mark.parametrize("endwith", [True, False])
@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_sorts(kind, endwith):
    x = np.ma.masked_invalid(sample(kind))
    y = ours(x)
    places = y.argsort(0, endwith=endwith).compute()
    assert np.array_equal(places, x.argsort(0, kind="stable", endwith=endwith))
    y.sort(1, endwith=endwith)
    x.sort(1, kind="stable", endwith=endwith)
    agree(y, x)


def test_a_sort_in_place_has_an_axis():
    for x in (sample("f8", mask=None), ours(sample("f8", mask=None)), ours(sample("f8"))):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            x.sort(axis=None)
        assert x.shape == (4, 5)


def test_cells_of_other_values():
    x = sample("f8", mask=0.5)
    x = np.ma.masked_invalid(x)
    agree(ours(x).astype("f4"), x.astype("f4"))
    agree(ours(x).round(), x.round())
    agree(ours(x).clip(0, 2), x.clip(0, 2))


def test_numpy_functions_keep_the_mask():
    x = sample("i4")
    for call in (
        lambda x: np.sum(x, axis=0),
        lambda x: np.mean(x),
        lambda x: np.amax(x, axis=1),
        lambda x: np.reshape(x, (5, 4)),
        lambda x: np.clip(x, 0, 1),
    ):
        agree(call(ours(x)), call(x))


def test_what_would_lose_the_mask_is_refused():
    x = ours(sample("i4"))
    for call in (np.asarray, dt.asarray, np.linalg.norm, dt.diff, lambda x: dt.ones(5)[x]):
        with pytest.raises(TypeError, match="mask"):
            call(x)
    with pytest.raises(dt.ArgumentError, match="hard masks"):
        x.harden_mask()
    with pytest.raises(dt.DTypeError, match="each field by itself"):
        dt.ma.MaskedArray(dt.zeros(3, [("a", "i4")]))


def test_one_cell_is_a_number():
    x = dt.ma.masked_array([[3]], [[0]])
    assert (int(x), float(x), bool(x)) == (3, 3.0, True)
    with pytest.raises(dt.ShapeError):
        int(dt.ma.masked_array([1, 2]))
    with pytest.raises(TypeError):
        hash(x)


def test_what_hides_a_cell_and_no_mask_are_numpys():
    assert dt.ma.masked is np.ma.masked
    x = dt.ma.masked_array([1, 2, 3], mask=dt.ma.nomask)
    x[1] = dt.ma.masked
    assert x.compute().tolist() == [1, None, 3]
