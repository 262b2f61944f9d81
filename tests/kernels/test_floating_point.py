"""Errors of floating point as they are noted and told."""

import numpy as np
import pytest

from dask_tapestry_kernels import floating_point
from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.jit.compile_service import required
from dask_tapestry_kernels.floating_point import (
    FLAGS,
    KINDS,
    checking_fp_errors,
    listening,
    tell,
)

ALL = frozenset({"divide", "over", "invalid"})
ENDS = [0.0, -0.0, -1.0, 1.0, 2.0, 0.5, -30.5, np.inf, -np.inf, 710.0, 1e30]
WORDS = {words: kind for kind, words in KINDS.items()}


def test_who_listens_hears_numpy_and_what_is_told() -> None:
    with listening(frozenset({"divide"})) as heard:
        np.array([1.0, 0.0]) / 0
        tell("something else")
    assert heard == {"divide by zero encountered in divide", "something else"}


def test_nobody_suspects_anything_where_nobody_listens() -> None:
    with checking_fp_errors() as suspicion:
        np.ones(2) / 0
    assert suspicion is None
    tell("nobody hears that")


def test_a_suspicion_keeps_from_who_listens_what_it_is_not_sure_of() -> None:
    with listening(ALL) as heard, checking_fp_errors() as suspicion:
        np.ones(2) / 0
    assert not heard
    assert suspicion is not None
    assert suspicion.raised


def test_a_suspicion_tells_by_other_names() -> None:
    with listening(ALL) as heard:
        with checking_fp_errors() as suspicion:
            np.full(2, 1e308) * 10
            np.zeros(2) / 0
        assert suspicion is not None
        suspicion.tell({"multiply": "reduce"})
        assert heard == {"overflow encountered in reduce"}
        suspicion.tell_flags("accumulate")
    assert len(heard) == 3


def test_without_flags_of_c_everything_is_suspected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floating_point, "find_library", lambda _name: "no such library")
    floating_point._status.cache_clear()
    try:
        with listening(ALL), checking_fp_errors() as suspicion:
            floating_point.noted(lambda: None, ())
    finally:
        floating_point._status.cache_clear()
    assert suspicion is not None
    assert suspicion.raised


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p", "arctanh", "arccosh", "exp"])
def test_our_functions_raise_flags_where_numpy_errs(name: str, dtype: type) -> None:
    for end in ENDS:
        _compare(name, np.full(40, end, dtype))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_raise_flags_where_numpy_errs(dtype: type) -> None:
    """Those of 0 apart, which are looked for before: no flag need tell of their poles."""
    for base in filter(None, ENDS):
        for exponent in ENDS:
            _compare("power", np.full(40, base, dtype), np.full(40, exponent, dtype))


def _compare(name: str, *cells: np.ndarray) -> None:
    source = rows.call_source(name, len(cells), cells[0].dtype, cells[0].dtype)
    assert source is not None
    row, out = required(source, rows.ARITY, name), np.empty_like(cells[0])
    table = np.array([x.ctypes.data for x in cells], np.int64)
    with listening(ALL) as heard, checking_fp_errors() as suspicion:
        row(out.size, table.ctypes.data, out.ctypes.data)
    assert suspicion is not None
    with listening(ALL) as heard:
        getattr(np, name)(*cells)
    assert suspicion.raised or not heard, (name, [x[0] for x in cells], heard)


def test_flags_are_those_of_the_processor() -> None:
    assert len(set(FLAGS.values())) == 4
    assert set(FLAGS) == set(KINDS)
