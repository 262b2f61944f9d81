import inspect
import pickle
from operator import attrgetter

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.compatibility.ignored_hints import TAKERS, takes_hints

X = np.arange(24.0).reshape(4, 6)
FOLDS = "sum prod any all min max mean std var argmin argmax nansum nanmean nanstd".split()


@pytest.mark.parametrize("name", FOLDS)
def test_reductions_take_split_every(name):
    found = getattr(dt, name)(dt.asarray(X), axis=0, split_every=2)
    np.testing.assert_allclose(found.compute(), getattr(np, name)(X, axis=0))
    assert "split_every" in inspect.signature(getattr(dt, name)).parameters
    if hasattr(dt.Array, name):
        method = getattr(dt.asarray(X), name)
        assert "split_every" in inspect.signature(method).parameters
        np.testing.assert_allclose(method(split_every={0: 2}).compute(), getattr(np, name)(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.cumsum(x, axis=0, method="blelloch"),
        lambda xp, x: xp.reshape(x, (2, 2, 6), merge_chunks=True, limit="1 MiB"),
        lambda xp, x: x.reshape(24, merge_chunks=False),
        lambda xp, x: xp.concatenate([x, x], allow_unknown_chunksizes=True),
        lambda xp, x: xp.stack([x, x], allow_unknown_chunksizes=True),
        lambda xp, x: xp.zeros_like(x, name="zeros"),
        lambda xp, x: x.rechunk((2, 2), method="tasks", threshold=4, balance=True),
        lambda xp, x: xp.bincount(x[0].astype(int), split_every=4),
    ],
)
def test_layout_is_as_dask_takes_it(call):
    expected = call(da, da.from_array(X, chunks=3))
    assert np.array_equal(call(dt, dt.asarray(X)).compute(), expected.compute())


def test_others_are_refused_still():
    @takes_hints("method")
    def function(x):
        """Return it.

        Parameters
        ----------
        x
            What.

        Returns
        -------
        What.
        """
        return x

    assert function(1, method="blelloch") == 1
    with pytest.raises(ValueError, match="method must be one of"):
        function(1, method="any")
    with pytest.raises(TypeError, match="axis"):
        function(1, axis=0)
    assert str(inspect.signature(function)) == "(x, *, method=None)"
    assert "the plan chooses" in dt.sum.__doc__


def test_functions_with_hints_are_pickled_by_name():
    for function in (dt.sum, dt.zeros, dt.linalg.solve):
        assert pickle.loads(pickle.dumps(function)) is function


def test_hints_reach_every_function_once():
    for hints, names in TAKERS.items():
        for name in names.split():
            function = attrgetter(name)(dt)
            assert function.takes_hints
            assert not hasattr(function.__wrapped__, "takes_hints")
            assert set(hints) <= set(inspect.signature(function).parameters)
