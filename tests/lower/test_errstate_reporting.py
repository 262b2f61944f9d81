"""Errors of floating point are said as the state in force wants them."""

import io
import warnings

import numpy as np
import pytest

from dask_tapestry.lower.errstate_reporting import CurrentLine, ErrorState, kind_of

TEXTS = {
    "Mean of empty slice",
    "divide by zero encountered in log",
    "invalid value encountered in log",
}


def test_kinds():
    assert [kind_of(text) for text in sorted(TEXTS)] == [None, "divide", "invalid"]


def test_each_error_is_said_as_its_mode_wants():
    said, calls, log = [], [], io.StringIO()
    with np.errstate(invalid="ignore"):
        state = ErrorState()
    assert state.asked == {"divide", "over"}
    state.tell(TEXTS, said.append)
    assert said == ["Mean of empty slice", "divide by zero encountered in log"]
    with np.errstate(divide="raise", invalid="log", call=log):
        state = ErrorState()
    assert state.raised == {"divide"}
    with pytest.raises(FloatingPointError, match="in log"):
        state.tell(TEXTS, said.append)
    state.tell(TEXTS - {"divide by zero encountered in log"}, said.append)
    assert log.getvalue() == "Warning: invalid value encountered in log\n"
    with np.errstate(all="call", call=lambda *what: calls.append(what)):
        ErrorState().tell(TEXTS, said.append)
    assert calls == [("divide by zero", 1), ("invalid value", 8)]


def test_a_line_is_warned_of_later_and_as_often_as_python_would():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        line = CurrentLine()
        for text in ("one", "one", "two"):
            line.warn(text)
    assert [(one.filename, str(one.message)) for one in told] == [
        (__file__, "one"),
        (__file__, "two"),
    ]
    assert len({one.lineno for one in told}) == 1
