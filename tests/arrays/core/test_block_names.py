"""Names of blocks, known before anything is planned."""

import dask
import dask.array as da
import numpy as np
import pytest
from dask.utils import key_split

import dask_tapestry as dt

X = dt.arange(12.0, chunks=5)
CALLED = {
    "sum": X.sum(),
    "add": X + 1,
    "exp": dt.exp(X),
    "frexp": dt.frexp(X)[0],
    "mean": X.mean(),
    "negate": X.map_blocks(np.negative, token="negate"),
    "slice": X[2:],
}


@pytest.mark.parametrize("called", CALLED)
def test_an_array_is_named_by_what_made_it(called):
    x = CALLED[called]
    assert key_split(x.name) == called
    assert {key[0] for key in dask.core.flatten(x.__dask_keys__())} == {x.name}
    assert x.name == list(x.dask.layers)[-1]


def test_the_name_is_the_same_every_time():
    assert (X + 1).name == (X + 1).name != (X + 2).name
    assert X.rechunk(4).name != X.rechunk(3).name


def test_no_plan_is_made_for_it():
    x = X * 2
    assert x.name
    assert not x.lowered_for(all_held=False)


def test_blocks_of_others_keep_their_name():
    theirs = da.ones(6, chunks=2)
    assert dt.from_dask_array(theirs).name == theirs.name


def test_blocks_that_are_not_moved_are_called_anew():
    theirs = dt.from_dask_array(da.arange(6, chunks=2))
    again = dt.from_array(theirs, chunks=2, name="again")
    assert again.dask["again", 1].dependencies == {(theirs.name, 1)}
    np.testing.assert_array_equal(again.to_dask_array(), np.arange(6))
