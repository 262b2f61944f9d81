import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import points_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.splines import Spline
from tests.comparisons import same_bits


def both(x, monkeypatch, order=1, mode="mirror", dtype="f8"):
    """The value by NumPy, and compiled."""
    monkeypatch.setattr(points_compiled, "SMALL", 0)
    places = np.random.default_rng(1).uniform(-20, 50, (x.ndim, 30, 20))
    places[:, :20] %= np.array(x.shape).reshape(-1, 1, 1) - 1.0
    places[0, 3, 4:6] = np.nan, np.inf
    how = {"spline": Spline(x.shape, 0, order, mode, 2.5), "origin": (0,) * x.ndim}
    made, fill = [], points_compiled.interpolated
    monkeypatch.setattr(
        points_compiled, "interpolated", lambda *given: made.append(fill(*given)) or made[-1]
    )
    found = []
    for kind in ("off", "wait"):
        with compile_service.mode(kind):
            found.append(KERNELS["points"](None, x, *places, **how, dtype=np.dtype(dtype)))
    return (*found, made)


CASES = [
    ("f8", "f8", 3, "constant"),
    ("f8", "f8", 0, "wrap"),
    ("f4", "f4", 2, "grid-constant"),
    ("?", "?", 1, "nearest"),
    ("u1", "u8", 1, "grid-wrap"),
    ("i8", "i8", 1, "reflect"),
    ("f8", "i1", 5, "mirror"),
]


@pytest.mark.few(3)  # one text serves all dtypes, orders and modes
@pytest.mark.parametrize(("kind", "result", "order", "mode"), CASES)
def test_the_loop_has_numpys_bits(kind, result, order, mode, monkeypatch):
    x = (np.random.default_rng(0).normal(size=(9, 8, 30)) * 50).astype(kind)
    for cells in (x[1, 2], x[0], x, x[:, ::-1, ::2]):
        with monkeypatch.context() as patch:
            plain, compiled, made = both(cells, patch, order, mode, result)
        assert made == [False, True]
        assert same_bits(plain, compiled)


def test_what_takes_numpy(monkeypatch):
    x = np.random.default_rng(0).normal(size=(6, 30))
    for cells in (x.astype("f2"), x.astype(">f8")):
        with monkeypatch.context() as patch:
            plain, found, made = both(cells, patch)
        assert made == [False, False]
        assert same_bits(plain, found)
