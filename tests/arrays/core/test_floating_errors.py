"""NumPy's warnings of a compute, and `np.errstate`."""

import io
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.examples import examples

pytestmark = pytest.mark.filterwarnings("error")
CELLS = np.where(np.arange(120) % 7, 2.0, 0.0).reshape(12, 10)
NAN = np.where(np.arange(120).reshape(12, 10) < 30, np.nan, 1.0)


def _said(call, here=True):
    """What a call warns of; ours name a line of this file."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    assert not here or all(one.filename == __file__ for one in told)
    return [str(one.message) for one in told if one.category is RuntimeWarning]


FORMULAS = {
    "divide": lambda m, x: 1 / x,
    "log": lambda m, x: m.log(x - 1),
    "chosen": lambda m, x: m.where(x > 0, 1 / x, 0.0),
    "sum of quotients": lambda m, x: (1 / x).sum(axis=0),
    "sum": lambda m, x: (x * 0.9e308).sum(axis=1),
    "prod": lambda m, x: ((x + 1) * 1e300).prod(),
    "mean": lambda m, x: m.mean(x[:0], axis=0),
    "variance": lambda m, x: m.var(x[:1], axis=0, ddof=1),
    "cumsum": lambda m, x: m.cumsum(x * 0.9e308, axis=0),
    "cast": lambda m, x: (x / 0).astype("int32"),
    "matmul": lambda m, x: (x * 1e200) @ (x.T * 1e200),
    "nothing": lambda m, x: m.sqrt(x) + 1,
    "ptp": lambda m, x: m.ptp((x - 1) * 1.7e308, axis=0),
    "median": lambda m, x: m.median(x[:0], axis=0),
    "nanmedian": lambda m, x: m.nanmedian(x * np.nan, axis=1),
    "quantile": lambda m, x: m.quantile(x / 0, [0.3, 0.8], axis=0),
    "nanmax": lambda m, x: m.nanmax(x * np.nan, axis=1),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_compute_warns_as_numpy_does(name, shardings):
    formula = FORMULAS[name]
    theirs = sorted(set(_said(lambda: formula(np, CELLS), here=False)))
    built = formula(dt, dt.asarray(CELLS))
    assert sorted(_said(lambda: built.compute())) == theirs
    with shardings.tiny(100):
        built = formula(dt, dt.asarray(CELLS))
        assert sorted(_said(lambda: built.compute())) == theirs


@examples(15)
@given(data=st.data())
def test_what_is_told_does_not_depend_on_cuts(data):
    cells = np.ones((6, 8))
    places = st.tuples(st.integers(0, 5), st.integers(0, 7))
    for place in data.draw(st.lists(places, max_size=3)):
        cells[place] = data.draw(st.sampled_from([0.0, -1.0, np.nan, np.inf, 1e308]))
    axis = data.draw(st.sampled_from([None, 0, 1]))
    size = data.draw(st.sampled_from([8, 64, 10**6]))

    def said(size):
        with dt.config(block_bytes=size):
            x = dt.asarray(cells)
            y = (dt.log(x) / x).sum(axis=axis) if axis != 1 else dt.nanvar(x, axis=1, ddof=7)
            return _said(lambda: y.compute())

    assert said(size) == said(10**6)


def test_slices_of_nan():
    x = dt.asarray(NAN)
    for function in (dt.nanmean, dt.nanstd, dt.nanmin):
        numpys = getattr(np, function.__name__)
        theirs = _said(lambda f=numpys: f(NAN, axis=1), here=False)
        assert theirs
        assert _said(lambda f=function: f(x, axis=1).compute()) == theirs
    assert not _said(lambda: dt.nanmean(x, axis=0).compute())


def test_the_state_in_force_when_it_is_computed_decides():
    with np.errstate(divide="raise"):
        x = 1 / dt.asarray(CELLS)
    with np.errstate(divide="ignore"):
        x.compute()
    with np.errstate(all="ignore"):
        (x - x).compute()
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="encountered in div"):
        x.compute()
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        dt.compute(x)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        dt.plan(x).compute()


def test_calls_logs_and_prints(capsys):
    x, calls, log = 1 / dt.asarray(CELLS), [], io.StringIO()
    with np.errstate(divide="call", call=lambda *what: calls.append(what)):
        x.compute()
    with np.errstate(divide="log", call=log):
        x.compute()
    with np.errstate(divide="print"):
        x.compute()
    assert calls == [("divide by zero", 1)]
    assert log.getvalue() == "Warning: divide by zero encountered in divide\n"
    assert capsys.readouterr().err == log.getvalue()
    with np.errstate(divide="call"), pytest.raises(NameError, match="nothing to call"):
        x.compute()


def test_an_underflow_is_told_to_who_asks():
    x = dt.exp(dt.asarray(CELLS) * -400)
    x.compute()
    with (
        np.errstate(under="warn"),
        pytest.warns(RuntimeWarning, match="underflow encountered in exp"),
    ):
        x.compute()


def test_what_a_mask_needs_is_told_when_it_is_counted():
    x = dt.asarray(CELLS)
    chosen = x[1 / x > 0.1]
    assert _said(lambda: chosen.shape) == ["divide by zero encountered in divide"]
    assert not _said(lambda: chosen.compute())


def test_functions_of_the_user_are_heard_too():
    x = dt.asarray(CELLS).map_blocks(lambda block: block / 0, dtype=float)
    assert _said(lambda: x.compute()) == [
        "divide by zero encountered in divide",
        "invalid value encountered in divide",
    ]


def test_processes_raise_what_they_meet():
    x = 1 / dt.asarray(CELLS)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        x.compute(scheduler="processes", num_workers=1)


def _fails(block):
    raise KeyError("level")


@pytest.mark.parametrize("scheduler", [None, "sync", "threads"])
@pytest.mark.parametrize("compute", [lambda x, **how: x.compute(**how), dt.compute])
def test_errors_of_blocks_hide_how_these_came_to_be_computed(scheduler, compute):
    how = {"scheduler": scheduler} if scheduler else {}
    with pytest.raises(KeyError) as caught:
        compute(dt.ones((4, 4), chunks=2).map_blocks(_fails, dtype="f8"), **how)
    names = [entry.name for entry in caught.traceback]
    assert names.count("compute") == 1
    assert names[-1] == "compute"
    assert [entry.name for entry in caught.traceback if "lower" in str(entry.path)] == []
    cause = caught.value.__cause__
    assert cause.__traceback__.tb_frame.f_code is _fails.__code__
