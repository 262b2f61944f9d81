"""What goes wrong in blocks comes to who computes, from workers too."""

import contextlib
import pickle
import warnings

import dask
import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower import fp_error_events
from dask_tapestry.lower.fp_error_events import (
    ErrorLog,
    collect_errors,
    current_log,
    without_collection,
)
from dask_tapestry_kernels.cpu.cells import formula_errors

OPTIONS = {"dashboard_address": ":0", "n_workers": 2, "threads_per_worker": 1, "processes": False}


def test_a_local_one_remembers():
    with collect_errors(ErrorLog(frozenset({"divide"}))) as heard:
        assert current_log() is heard
        heard.take({"one"})
        heard.take(set())
    assert current_log() is None
    assert heard.texts == {"one"}


def test_a_pickled_one_tells_the_compute_it_comes_from_once(monkeypatch):
    heard, events = ErrorLog(frozenset({"over"})), []
    monkeypatch.setattr(fp_error_events, "_send", lambda run, texts: events.append((run, texts)))
    sent = pickle.loads(pickle.dumps(heard))
    assert (sent.run, sent.kinds, sent.is_local) == (heard.run, heard.kinds, False)
    assert not sent.known
    sent.take({"overflow encountered in exp"})
    sent.take({"overflow encountered in exp", "overflow encountered in add"})
    sent.take({*sent.known})
    told = ["overflow encountered in exp"], ["overflow encountered in add"]
    assert events == [(heard.run, texts) for texts in told]


def test_nobody_has_to_be_there():
    ErrorLog(frozenset({"over"}), "a run").take({"nobody is there to send it"})


def test_what_one_block_has_told_is_not_found_again_of_the_next(monkeypatch):
    found = []
    tell = formula_errors._tell_errors_of
    monkeypatch.setattr(
        formula_errors, "_tell_errors_of", lambda *about: found.append(1) or tell(*about)
    )
    x = dt.asarray(np.full(8 * 10_000, -1.0)).rechunk(10_000)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dt.sqrt(x).compute(scheduler="synchronous")
    assert [str(one.message) for one in told] == ["invalid value encountered in sqrt"]
    assert len(found) == 1


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


def _said(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    told = [one for one in told if one.category is RuntimeWarning]
    assert all(one.filename == __file__ for one in told)
    return sorted(str(one.message) for one in told)


SAID_OF_LOG = ["divide by zero encountered in log", "invalid value encountered in log"]


def test_what_nobody_attends_tells_by_itself_once():
    with collect_errors(ErrorLog(frozenset())) as heard, without_collection():
        assert current_log() is heard

    def compute():
        with without_collection():
            alone = current_log()
        alone.take({"one"})
        alone.take({"one"})

    assert _said(compute) == ["one"]
    with np.errstate(over="raise"), without_collection():
        alone = pickle.loads(pickle.dumps(current_log()))
    with pytest.raises(FloatingPointError, match="overflow encountered in exp"):
        alone.take({"overflow encountered in exp"})


@pytest.mark.parametrize("where", ["here", "on a cluster"])
def test_computes_of_dasks_tell_once(where):
    x = dt.asarray(np.arange(1000.0) - 500).rechunk(100)
    waits = [
        lambda: dask.compute(dt.log(x).sum(), dt.log(x)),
        lambda: dask.persist(dt.log(x))[0].compute(),
        lambda: dt.log(x).persist().compute(),
        lambda: dt.persist(dt.log(x) + 1)[0].compute(),
    ]
    with contextlib.ExitStack() as stack:
        if where != "here":
            client = stack.enter_context(Client(**OPTIONS))
            waits.append(lambda: client.compute(dt.log(x)).result())
            waits.append(lambda: client.gather(client.compute([dt.log(x), dt.log(x).sum()])))
            waits.append(lambda: client.persist(dt.log(x)).compute())
        for wait in waits:
            assert _said(wait) == SAID_OF_LOG
            state = np.errstate(divide="raise", invalid="ignore")
            with state, pytest.raises(FloatingPointError):
                wait()
            with np.errstate(all="ignore"):
                assert not _said(wait)
