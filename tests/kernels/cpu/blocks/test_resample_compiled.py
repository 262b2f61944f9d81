import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import resample_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.splines import SplineAxis
from tests.comparisons import same_bits


def both(x, monkeypatch, order=1, mode="mirror", dtype="f8", counts=(5, 7, 40)):
    """The value by NumPy, and compiled."""
    monkeypatch.setattr(resample_compiled, "SMALL", 0)
    lines = [SplineAxis(n, 0, -1.7, 0.73) for n in x.shape]
    how = {"lines": lines, "box": ((0,) * x.ndim, counts[-x.ndim :]), "origin": (0,) * x.ndim}
    how |= {"order": order, "mode": mode, "cval": 2.5, "dtype": np.dtype(dtype)}
    made, fill = [], resample_compiled.resampled
    monkeypatch.setattr(
        resample_compiled, "resampled", lambda *given: made.append(fill(*given)) or made[-1]
    )
    found = []
    for kind in ("off", "wait"):
        with compile_service.mode(kind):
            found.append(KERNELS["resample"](None, x, **how))
    return (*found, made)


CASES = [
    ("f8", "f8", 3, "constant"),
    ("f8", "f8", 0, "wrap"),
    ("f4", "f4", 2, "grid-constant"),
    ("?", "?", 1, "nearest"),
    ("u1", "u8", 1, "grid-wrap"),
    ("i8", "i8", 1, "reflect"),
    ("f8", "i1", 5, "mirror"),
    ("f8", "u2", 1, "constant"),
]


@pytest.mark.few(3)  # one text serves all dtypes, orders and modes
@pytest.mark.parametrize(("kind", "result", "order", "mode"), CASES)
def test_the_loop_has_numpys_bits(kind, result, order, mode, monkeypatch):
    x = (np.random.default_rng(0).normal(size=(4, 5, 30)) * 50).astype(kind)
    for cells in (x[1, 2], x[0], x, x[:, ::-1, ::2]):
        with monkeypatch.context() as patch:
            plain, compiled, made = both(cells, patch, order, mode, result)
        assert made == [False, True]
        assert same_bits(plain, compiled)


def test_rows_longer_than_a_chunk_and_calls_of_some_rows(monkeypatch):
    monkeypatch.setattr(resample_compiled, "CALL", 10)
    x = np.random.default_rng(0).normal(size=(4, 1500))
    plain, compiled, made = both(x, monkeypatch, counts=(6, 2500))
    assert made[1]
    assert same_bits(plain, compiled)


def test_cells_that_are_no_numbers(monkeypatch):
    x = np.random.default_rng(0).normal(size=(9, 30))
    x[3, 4], x[5, 6] = np.nan, np.inf
    for dtype in ("f8", "i4", "u1", "?"):
        with monkeypatch.context() as patch:
            plain, compiled, made = both(x, patch, dtype=dtype)
        assert made[1]
        assert same_bits(plain, compiled)


def test_what_takes_numpy(monkeypatch):
    x = np.random.default_rng(0).normal(size=(6, 30))
    for cells in (x.astype("f2"), x.astype(">f8"), x.reshape((1,) * 5 + x.shape)):
        with monkeypatch.context() as patch:
            counts = (1,) * 5 + (7, 40)
            plain, found, made = both(cells, patch, counts=counts)
        assert made == [False, False]
        assert same_bits(plain, found)
