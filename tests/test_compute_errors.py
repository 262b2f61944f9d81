"""Errors of blocks have their own type, what was computed, and the line of the user's function."""

import pickle

import pytest

import dask_tapestry as dt
from dask_tapestry.compute_errors import compute_error, of_user, raising_line, without_own_frames
from dask_tapestry.errors import ComputeError


def fails(block):
    raise KeyError("no such cell")


@pytest.mark.parametrize("kind", [ValueError, KeyError, ZeroDivisionError, OSError])
def test_it_is_of_the_type_that_was_raised(kind):
    error = compute_error(kind("no"), "while computing add")
    assert isinstance(error, kind)
    assert isinstance(error, ComputeError)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert "while computing add" in str(again)


@pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration])
def test_what_ends_loops_is_no_such_error(kind):
    assert type(compute_error(kind("no"), "while computing add")) is ComputeError


def exits(block):
    raise SystemExit(3)


def test_a_function_that_exits_fails_as_others_do():
    with pytest.raises(ComputeError, match=r"(?s)^SystemExit: 3\n.*in exits"):
        dt.map_blocks(exits, dt.ones(3), dtype="f8").compute()


def test_the_line_of_the_users_function_is_the_last():
    x = dt.map_blocks(fails, dt.ones(3), dtype="f8")
    with pytest.raises(KeyError) as found:
        x.compute()
    last = str(found.value).rstrip("'").splitlines()[-1]
    assert "raise KeyError" in last
    assert "in fails" in last


def test_frames_of_libraries_before_the_users_are_cut():
    with pytest.raises(KeyError) as found:
        fails(None)
    assert "in fails" in raising_line(found.value)
    assert of_user(found.value) is found.value
    lone = ComputeError("x")
    without_own_frames(lone)
    assert lone.__traceback__ is None
