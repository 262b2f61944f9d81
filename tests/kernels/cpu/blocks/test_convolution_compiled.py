import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import convolution_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(2)


def both(x, k, monkeypatch, strides=None, dilation=None, part=None, out=None):
    """The value by NumPy, and compiled, and whether the loop did it."""
    rank = x.ndim - 3
    told = {"strides": strides or (1,) * rank, "dilation": dilation or (1,) * rank}
    told |= {"part": part, "dtype": x.dtype}
    made, added_up = [], convolution_compiled.added_up
    monkeypatch.setattr(convolution_compiled, "SMALL", 0)
    monkeypatch.setattr(
        convolution_compiled, "added_up", lambda *given: made.append(added_up(*given)) or made[-1]
    )
    found = []
    for mode in ("off", "wait"):
        with compile_service.mode(mode):
            found.append(KERNELS["directconvolution"](None if out is None else out(), x, k, **told))
    calls = len(made) // 2
    assert not any(made[:calls])
    return (*found, all(made[calls:]))


def cells(shape, kind):
    return (RANDOM.normal(size=shape) * 50).astype(kind)


@pytest.mark.few(4)  # one text serves all dtypes
@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u4", "i8", "u8", "f4", "f8"])
def test_the_loop_has_numpys_bits(kind, monkeypatch):
    x, k = cells((2, 2, 3, 9, 40), kind), cells((2, 4, 3, 3, 5), kind)
    plain, compiled, made = both(x, k, monkeypatch)
    assert made
    assert same_bits(plain, compiled)


@pytest.mark.parametrize("length", [8, 9, 511, 512, 513, 1500])
def test_lines_of_any_length(length, monkeypatch):
    x, k = cells((1, 1, 1, length + 6), "f8"), cells((1, 1, 1, 7), "f8")
    plain, compiled, made = both(x, k, monkeypatch)
    assert made
    assert same_bits(plain, compiled)


def test_what_is_no_number_and_zeros_of_both_signs(monkeypatch):
    x = np.array([0.0, -0.0, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1.0] * 8)
    k = np.array([-0.0, 0.0, 1.0, -1e308])
    plain, compiled, made = both(x.reshape(1, 1, 1, -1), k.reshape(1, 1, 1, -1), monkeypatch)
    assert made
    np.testing.assert_array_equal(plain, compiled)
    known = ~np.isnan(plain)
    assert same_bits(plain[known], compiled[known])


def test_layouts_dilation_parts_and_memory_that_is_given(monkeypatch):
    x, k = cells((2, 1, 6, 8, 30), "f4"), cells((1, 3, 6, 2, 3), "f4")
    for given in (
        {"dilation": (2, 3)},
        {"strides": (2, 1)},
        {"part": 2},
        {"out": lambda: np.empty((2, 1, 3, 14, 28), "f4")[:, :, :, ::2]},
    ):
        plain, compiled, made = both(x, k, monkeypatch, **given)
        assert made, given
        assert same_bits(plain, compiled), given
    turned = np.ascontiguousarray(x.transpose(3, 0, 1, 2, 4)).transpose(1, 2, 3, 0, 4)
    plain, compiled, made = both(turned, k[:, ::-1, :, ::-1, ::-1], monkeypatch)
    assert made
    assert same_bits(plain, compiled)


def test_volumes(monkeypatch):
    x, k = cells((1, 1, 2, 5, 6, 20), "f8"), cells((1, 2, 2, 2, 3, 4), "f8")
    plain, compiled, made = both(x, k, monkeypatch)
    assert made
    assert same_bits(plain, compiled)


@pytest.mark.parametrize("kind", ["?", "f2", "c8", ">f8"])
def test_other_cells_are_numpys(kind, monkeypatch):
    x, k = cells((1, 1, 1, 40), kind), cells((1, 1, 1, 3), kind)
    plain, compiled, made = both(x, k, monkeypatch)
    assert not made
    assert same_bits(plain, compiled)


def test_cells_that_lie_apart_are_numpys(monkeypatch):
    x, k = cells((1, 1, 1, 80), "f8"), cells((1, 1, 1, 3), "f8")
    for given in ({"strides": (2,)}, {"out": lambda: np.empty((1, 1, 1, 156))[..., ::2]}):
        plain, compiled, made = both(x, k, monkeypatch, **given)
        assert not made
        assert same_bits(plain, compiled)
    empty, compiled, made = both(x[..., :0].reshape(1, 1, 1, 0), k, monkeypatch)
    assert empty.shape == compiled.shape
