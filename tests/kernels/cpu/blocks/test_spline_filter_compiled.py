import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import spline_filter_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits


def both(x, monkeypatch, order=3, axis=0, ends="mirror", dtype="f8", few=0):
    """The value by NumPy, and compiled."""
    monkeypatch.setattr(spline_filter_compiled, "SMALL", 0)
    monkeypatch.setattr(spline_filter_compiled, "FEW", few)
    how = {"order": order, "axis": axis, "ends": ends, "dtype": np.dtype(dtype)}
    made, fill = [], spline_filter_compiled.filtered
    monkeypatch.setattr(
        spline_filter_compiled, "filtered", lambda *given: made.append(fill(*given)) or made[-1]
    )
    found = []
    for mode in ("off", "wait"):
        with compile_service.mode(mode):
            found.append(KERNELS["splinefilter"](None, x, **how))
    return (*found, made)


@pytest.mark.few(4)  # each order and mode
@pytest.mark.parametrize("ends", ["mirror", "reflect", "wrap"])
@pytest.mark.parametrize("order", [3, 4])
def test_the_loop_has_numpys_bits(order, ends, monkeypatch):
    x = np.random.default_rng(0).normal(size=(7, 19, 35))
    for axis in range(3):
        with monkeypatch.context() as patch:
            plain, compiled, made = both(x, patch, order, axis, ends)
        assert made == [False, True]
        assert same_bits(plain, compiled)


@pytest.mark.few(3)  # cells are converted by one function
@pytest.mark.parametrize(
    ("kind", "result"),
    [("?", "f8"), ("u1", "f4"), ("i8", "f8"), ("f4", "u8"), ("f8", "i1"), ("f8", "?")],
)
def test_dtypes(kind, result, monkeypatch):
    x = (np.random.default_rng(0).normal(size=(20, 33)) * 50).astype(kind)
    plain, compiled, made = both(x.T, monkeypatch, dtype=result)
    assert made[1]
    assert same_bits(plain, compiled)


def test_long_lanes_go_one_by_one(monkeypatch):
    monkeypatch.setattr(spline_filter_compiled, "LONG", 8)
    plain, compiled, made = both(np.random.default_rng(0).normal(size=(30, 40)), monkeypatch)
    assert made[1]
    assert same_bits(plain, compiled)


def test_few_lanes_wait_for_the_loop(monkeypatch):
    plain, compiled, made = both(np.random.default_rng(0).normal(size=(900, 2)), monkeypatch, few=3)
    assert made == [True, True]
    assert same_bits(plain, compiled)


def test_what_takes_numpy(monkeypatch):
    x = np.random.default_rng(0).normal(size=(20, 30))
    for cells in (x.astype("f2"), x.astype(">f8")):
        with monkeypatch.context() as patch:
            plain, found, made = both(cells, patch)
        assert made == [False, False]
        assert same_bits(plain, found)
