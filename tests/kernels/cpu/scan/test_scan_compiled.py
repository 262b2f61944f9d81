"""Compiled scans against the ways through NumPy, bit for bit."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.scan import scan_compiled, scan_texts
from dask_tapestry_kernels.floating_point import listening
from tests.comparisons import same_bits


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


RANDOM = np.random.default_rng(3)
WAYS = {
    "sum": ("add", "f8", "f8", "f8"),
    "half sum": ("add", "f2", "f4", "f2"),
    "wide sum": ("add", "f4", "f8", "f8"),
    "small integers": ("add", "i1", "i8", "i8"),
    "truths": ("add", "?", "?", "?"),
    "complex product": ("multiply", "c16", "c16", "c16"),
    "greatest complex": ("maximum", "c16", "c16", "c16"),
    "least complex number": ("fmin", "c8", "c8", "c8"),
    "greatest": ("maximum", "f8", "f8", "f8"),
    "least": ("minimum", "f4", "f4", "f4"),
    "bits": ("bitwise_xor", "i4", "i4", "i4"),
    "least number": ("fmin", "f8", "f8", "f8"),
}
SHAPES = (
    ((1000,), 0),
    ((1024,), 0),
    ((3, 700), 1),
    ((3, 700), 0),
    ((300, 9), 0),
    ((20, 2, 300), 0),
    ((2, 50, 3), 1),
    ((3, 40, 40), 1),
    ((3, 1, 40), 1),
    ((2, 3, 2, 80), 2),
    ((1, 1), 0),
    ((19, scan_texts.STRIP + 3), 0),
)


def sample(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "biu":
        return RANDOM.integers(-100, 100, shape).astype(dtype)
    x = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-3, 3, shape)
    x[RANDOM.random(shape) < 0.3] = 0.0
    x[RANDOM.random(shape) < 0.2] *= -1
    special = np.array([np.nan, np.inf, -np.inf, -0.0])
    rare = RANDOM.random(shape) < 0.02
    x[rare] = RANDOM.choice(special, shape)[rare]
    with np.errstate(all="ignore"):
        return (x * (1 - 0.5j) if dtype.kind == "c" else x).astype(dtype)


def laid(x, order):
    if order == "F":
        return np.asfortranarray(x)
    if order == "reversed":
        return x[..., ::-1].copy()[..., ::-1]
    if order == "apart":
        return x.repeat(2, axis=-1)[..., ::2]
    if order == "inside":
        room = np.zeros([n + 3 for n in x.shape], x.dtype)
        inner = room[tuple(slice(1, n + 1) for n in x.shape)]
        inner[...] = x
        return inner
    return x


@pytest.mark.few(4)  # one loop scans all; others are met by its other tests
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_bits_are_those_of_the_way_through_numpy(way, shape, axis, monkeypatch):
    function, cell, state, dtype = WAYS[way]
    x = sample(shape, cell)
    prefix = sample((*shape[:axis], 1, *shape[axis + 1 :]), state)
    for leaf in (8, 64):
        told = {"function": function, "axis": axis, "leaf": leaf, "state": np.dtype(state)}
        for skip in {0, min(5, shape[axis]), min(80, shape[axis])}:
            part = told | {"skip": skip}
            calls = [
                ("scan", (prefix,), part | {"dtype": np.dtype(dtype), "begins": False}),
                ("scan", (), part | {"dtype": np.dtype(dtype)}),
                ("leaf_scan", (), part),
                ("leaf_totals", (), told),
            ]
            for name, more, arguments in calls:
                monkeypatch.setattr(scan_compiled, "SMALL", 10**9)
                expected = KERNELS[name](None, x, *more, **arguments)
                monkeypatch.setattr(scan_compiled, "SMALL", 0)
                for order in ("C", "F", "reversed", "apart", "inside"):
                    found = KERNELS[name](None, laid(x, order), *more, **arguments)
                    assert same_bits(found, expected), (name, order)
                    if name == "leaf_totals":
                        continue
                    out = laid(np.empty_like(expected), order)
                    assert same_bits(KERNELS[name](out, x, *more, **arguments), expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_blocks_that_lie_like_their_results_are_not_copied(axis, monkeypatch):
    monkeypatch.setattr(scan_compiled, "_in_order", None)
    x = sample((300, 200), "f8")
    how = {"function": "add", "axis": axis, "leaf": 64, "state": x.dtype, "dtype": x.dtype}
    expected = KERNELS["scan"](None, x, **how)
    out = np.empty_like(x, order="F")
    assert same_bits(KERNELS["scan"](out, np.asfortranarray(x), **how), expected)


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("kernel", ["scan", "leaf_scan"])
@pytest.mark.parametrize("function", ["add", "multiply"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_no_errors_but_of_cells_that_are_combined(
    kernel, function, dtype, shape, axis, monkeypatch
):
    """Leaves scanned apart are not, nor is what nobody has written."""
    empty = np.empty

    def unwritten(shape, dtype=float):
        made = empty(shape, dtype)
        made.reshape(-1).view("u4")[:] = 0x7FA00000  # NaN that an addition would tell of
        return made

    monkeypatch.setattr(scan_compiled, "SMALL", 0)
    x = np.full(shape, function == "multiply", dtype)
    lanes = np.moveaxis(x, axis, 0)
    how = {"function": function, "axis": axis, "leaf": 4, "state": x.dtype}
    if kernel == "leaf_scan":
        for place, cell in enumerate((np.inf, -np.inf, 0, np.finfo(dtype).max)):
            lanes[4 * place :: 16] = cell
    else:
        lanes[-1:] = np.inf
        how["dtype"] = x.dtype
    with monkeypatch.context() as patched, listening(frozenset({"invalid", "over"})) as heard:
        patched.setattr(scan_compiled.np, "empty", unwritten)
        KERNELS[kernel](None, x, **how)
    assert not heard
