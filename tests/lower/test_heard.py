"""What goes wrong in blocks comes to who computes, from workers too."""

import pickle
import warnings

import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower.heard import Asking, Heard, asked

OPTIONS = {"dashboard_address": ":0", "n_workers": 2, "threads_per_worker": 1, "processes": False}


def test_a_local_one_remembers():
    with Asking(frozenset({"divide"})) as heard:
        assert asked() is heard
        heard.take({"one"})
        heard.take(set())
    assert asked() is None
    assert heard.texts == {"one"}


def test_a_pickled_one_tells_the_compute_it_comes_from():
    heard = Heard(frozenset({"over"}))
    sent = pickle.loads(pickle.dumps(heard))
    assert (sent.run, sent.kinds, sent.is_local) == (heard.run, heard.kinds, False)
    sent.take({"nobody is there to send it"})
    assert not sent.texts


def test_workers_are_heard():
    x = dt.asarray(np.arange(1000.0) - 500).rechunk(100)
    with Client(**OPTIONS):
        for _ in range(2):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                dt.log(x).sum().compute()
            assert [str(one.message) for one in told if one.category is RuntimeWarning] == [
                "divide by zero encountered in log",
                "invalid value encountered in log",
            ]
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            (1 / x).compute()
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            (1 / x).compute()
