"""Scans in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits, values
from tests.kernels.cuda.simulated.run_kernel import run

WAYS = {
    "sum": ("add", "f8", "f8", "f8"),
    "half sum": ("add", "f2", "f4", "f2"),
    "single sum": ("add", "f4", "f4", "f4"),
    "small integers": ("add", "i1", "i8", "i8"),
    "words": ("add", "u8", "u8", "u8"),
    "truths": ("add", "?", "?", "?"),
    "truths counted": ("add", "?", "i8", "i8"),
    "product of integers": ("multiply", "i4", "i8", "i8"),
    "complex sum": ("add", "c8", "c8", "c8"),
    "complex product": ("multiply", "c16", "c16", "c16"),
    "least complex": ("minimum", "c8", "c8", "c8"),
    "greatest complex": ("fmax", "c16", "c16", "c16"),
    "product": ("multiply", "f8", "f8", "f8"),
    "greatest": ("maximum", "f4", "f4", "f4"),
    "greatest half": ("maximum", "f2", "f2", "f2"),
    "least integer": ("minimum", "i2", "i2", "i2"),
    "least number": ("fmin", "f8", "f8", "f8"),
    "greatest number": ("fmax", "f2", "f2", "f2"),
    "all": ("logical_and", "?", "?", "?"),
    "bits": ("bitwise_xor", "u1", "u1", "u1"),
    "multiples": ("lcm", "i2", "i2", "i2"),
    "divisors": ("gcd", "u8", "u8", "u8"),
    "narrowed": ("add", "f4", "f8", "f4"),
}
LEAF = 40  # more than a tile has, and no multiple of it
SHAPES = {
    "line": ((130,), 0),
    "one leaf": ((40,), 0),
    "one cell": ((1,), 0),
    "less than a tile": ((7,), 0),
    "lines": ((3, 2, 90), 2),
    "columns": ((90, 40), 0),
    "between": ((2, 85, 33), 1),
    "few columns": ((90, 3), 0),
    "no cells": ((0, 4), 0),
    "no lines": ((4, 0), 0),
}


def told(way, axis, **ways):
    function, _, state, dtype = WAYS[way]
    how = {"function": function, "axis": axis, "leaf": LEAF, "state": np.dtype(state)}
    return {**how, "dtype": np.dtype(dtype), **ways}


def without(arguments, *names):
    return {name: value for name, value in arguments.items() if name not in names}


def sample(shape, way):
    dtype = WAYS[way][1]
    if np.dtype(dtype).kind not in "fc":
        return values(shape, dtype)
    scale = 10.0 ** np.random.default_rng(0).integers(-3, 3, shape)
    with np.errstate(all="ignore"):
        return (values(shape, dtype) * scale).astype(dtype)


def check(name, *blocks, **arguments):
    """The kernel's bits beside those of the CPU, whose blocks are copies."""
    with np.errstate(all="ignore"):
        expected = CPU[name](None, *[np.copy(b) for b in blocks], **arguments)
    made = run(CUDA[name], None, *blocks, **arguments)
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected)), name
    return expected


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", ["line", "columns"])
def test_scans_of_every_kind(gpu, way, shape):
    extents, axis = SHAPES[shape]
    check("scan", sample(extents, way), **told(way, axis, skip=0))


@pytest.mark.parametrize("way", ["greatest", "greatest half", "least number"])
@pytest.mark.parametrize("axis", [0, 1])
def test_of_two_zeros_the_one_that_the_cpu_takes(gpu, way, axis):
    x = np.zeros((34, 130), WAYS[way][1])
    x[:, 40:80] = -0.0
    x[::2] = -x[::2]
    check("scan", x if axis else x.T.copy(), **told(way, axis, skip=0))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("way", ["sum", "narrowed"])
def test_scans_of_every_shape(gpu, way, shape):
    extents, axis = SHAPES[shape]
    x = sample(extents, way)
    check("scan", x, **told(way, axis, skip=0))
    check("leaf_totals", x, **without(told(way, axis), "dtype"))
    check("leaf_scan", x, **without(told(way, axis, skip=0), "dtype"))


def test_neighbouring_threads_have_neighbouring_cells(gpu):
    check("scan", sample((90, 40), "sum"), **told("sum", 0, skip=0))
    assert not any("tile" in program.source for program, _ in gpu.launches[-1:])
    check("scan", sample((40, 90), "sum"), **told("sum", 1, skip=0))
    assert "tile" in gpu.launches[-1][0].source


@pytest.mark.parametrize("skip", [0, 1, 39, 40, 41, 95, 129, 130])
@pytest.mark.parametrize("begins", [True, False])
def test_parts_of_an_axis(gpu, skip, begins):
    x, axis = sample((2, 130), "sum"), 1
    prefix = sample((2, 5), "half sum").astype("f8")
    check("scan", x, prefix, begins=begins, **told("sum", axis, skip=skip))
    check("leaf_scan", x, **without(told("sum", axis, skip=skip), "dtype"))


@pytest.mark.parametrize("order", ["F", "backwards", "every second", "repeated"])
def test_cells_lie_anyhow(gpu, order):
    x = sample((34, 82), "single sum")
    x = {
        "F": x.copy("F"),
        "backwards": x[::-1, ::-1],
        "every second": x[:, ::2],
        "repeated": np.broadcast_to(x[:1], x.shape),
    }[order]
    for axis in (0, 1):
        check("scan", x, **told("single sum", axis, skip=0))


def test_a_buffer_is_filled(gpu):
    x = sample((3, 90), "sum")
    out = np.zeros((90, 3)).T
    made = run(CUDA["scan"], out, x, **told("sum", 1, skip=0))
    assert same_bits(made.copy(), CPU["scan"](None, x, **told("sum", 1, skip=0)))
    assert out.any()


@pytest.mark.parametrize("way", ["sum", "narrowed"])
def test_pieces_after_one_another_hand_on_the_total(gpu, way):
    x = sample((200, 3), way)
    state = np.dtype(WAYS[way][2])
    carries = np.full((1, 3), np.nan, state), np.full((1, 3), np.nan, state)
    for lo in range(0, 200, 80):
        arguments = told(way, 0, begins=not lo)
        piece = x[lo : lo + 80]
        expected = CPU["scan_on"](None, piece, carries[0], **arguments)
        made = CUDA["scan_on"](None, piece, carries[1], **arguments)
        assert same_bits(made.copy(), expected)
        assert same_bits(carries[1], carries[0])


@pytest.mark.covering
@pytest.mark.parametrize("way", ["sum", "narrowed", "greatest half"])
@pytest.mark.parametrize("skip", [0, 1, 39, 40, 45, 200])
@pytest.mark.parametrize("axis", [0, 1])
def test_leaves_go_on_from_the_ends_before(gpu, way, skip, axis):
    state = np.dtype(WAYS[way][2])
    x = np.moveaxis(sample((101, 3), way).astype(state), 0, axis)
    shape = [3, 3]
    shape[axis] = 6
    prefix = sample(tuple(shape), way).astype(state)
    check("after_leaf", x, prefix, **told(way, axis, skip=skip))


def test_ends_of_leaves(gpu):
    x = sample((3, 130), "sum")
    ends = check("leaf_ends", x, axis=1, leaf=LEAF, count=3)
    assert ends.shape == (3, 3)


@pytest.mark.parametrize(
    ("function", "dtype"),
    [("hypot", "f8"), ("add", "m8[s]"), ("logaddexp", "f8")],
)
def test_what_has_no_form_is_an_error_with_function_and_dtypes(gpu, function, dtype):
    how = {"function": function, "axis": 0, "leaf": LEAF, "state": np.dtype(dtype)}
    expected = f"kernel scan: {function} of {np.dtype(dtype)}".replace("[", r"\[")
    with pytest.raises(KernelDeviceError, match=expected):
        CUDA["scan"](None, np.ones(3, dtype), **how, dtype=np.dtype(dtype), skip=0)
