"""Arguments of public functions have NumPy's names, at NumPy's places."""

import inspect
from inspect import Parameter

import numpy as np
import pytest

import dask_tapestry as dt

SPACES = {"": (dt, np)} | {
    f"{name}.": (getattr(dt, name), getattr(np, name)) for name in ("fft", "linalg", "ma", "random")
}
NEEDLESS = {"like", "order", "subok", "device"}  # of memory and of subclasses
TEXTS = (  # which are handed on to NumPy as they are
    "dtype comments delimiter converters usecols unpack ndmin encoding max_rows"
).split()
GAPS = (
    "skip_header skip_footer missing_values filling_values names excludelist deletechars "
    "replace_space autostrip case_sensitive defaultfmt usemask loose invalid_raise"
).split()
LACKING = {
    "array": {"ndmax"},  # of nested sequences that become Python objects
    "genfromtxt": set(TEXTS) | set(GAPS),
    "load": {"allow_pickle", "encoding", "fix_imports", "max_header_size"},
    "loadtxt": set(TEXTS) | {"quotechar", "skiprows"},
    "savetxt": set("fmt delimiter newline header footer comments encoding".split()),
    "einsum_path": {"einsum_call"},  # of NumPy's own use
    "ma.dot": {"strict", "out"},
    "ma.empty_like": {"dtype", "shape"},  # which are taken as keywords
    "ma.ones_like": {"dtype", "shape"},
    "ma.stack": {"out", "dtype", "casting"},
    "ma.zeros_like": {"dtype", "shape"},
    "random.get_state": {"legacy"},
}
ELSEWHERE = {  # an argument has another place or, of NumPy, another name for each call
    "arange": "NumPy's has `start_or_stop`",
    "fft.fftfreq": "Dask has `chunks` where NumPy has `device`",
    "fft.rfftfreq": "Dask has `chunks` where NumPy has `device`",
}
BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
BY_PLACE = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.POSITIONAL_ONLY)


def parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def shared():
    """Functions of ours and of NumPy's that go by one name and tell their arguments."""
    for prefix, (ours, theirs) in SPACES.items():
        for name in getattr(ours, "__all__", dir(ours)):
            both = getattr(ours, name), getattr(theirs, name, None)
            if all(map(callable, both)) and not isinstance(both[1], type | np.ufunc):
                told = [parameters(one) for one in both]
                if None not in told:
                    yield prefix + name, *told


FUNCTIONS = {name: told for name, *told in shared()}


def test_there_are_functions_to_compare():
    assert len(FUNCTIONS) > 250


@pytest.mark.parametrize("name", FUNCTIONS)
def test_names_are_numpys(name):
    ours, theirs = FUNCTIONS[name]
    wanted = {p.name for p in theirs if p.kind in BY_NAME} - NEEDLESS
    assert wanted - {p.name for p in ours} == LACKING.get(name, set())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_places_are_numpys(name):
    ours, theirs = ([p.name for p in told if p.kind in BY_PLACE] for told in FUNCTIONS[name])
    known = [n for n in theirs if n in ours]
    assert [n for n in ours if n in theirs] == known
    if name not in {**LACKING, **ELSEWHERE}:
        assert ours[: len(theirs)] == theirs[: len(ours)]


def test_arguments_by_numpys_names():
    x = dt.asarray([3, 1, 2])
    assert dt.sort(a=x).compute().tolist() == [1, 2, 3]
    assert dt.argsort(a=x).compute().tolist() == dt.argpartition(a=x, kth=1).compute().tolist()
    assert dt.searchsorted(a=dt.sort(x), v=2) == 1
    assert dt.nonzero(a=x)[0].compute().tolist() == [0, 1, 2]
    assert dt.real(val=x).shape == dt.permute_dims(a=x, axes=(0,)).shape
