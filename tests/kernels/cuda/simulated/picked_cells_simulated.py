"""Gathers and takes in the simulator have the cells of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

DTYPES = "?bHiQefdFD"
INTEGERS = "bBhHiIlL"
GENERATOR = np.random.default_rng(6)


def cells(shape, kind="d"):
    """Cells of any bits."""
    dtype = np.dtype(kind)
    if kind == "?":
        return GENERATOR.integers(0, 2, shape).astype(bool)
    count = int(np.prod(shape)) * dtype.itemsize
    return GENERATOR.integers(0, 256, count, np.uint8).view(dtype).reshape(shape)


def check(name, *blocks, out=None, **told):
    expected = CPU[name](None, *blocks, **told)
    got = run(CUDA[name], out, *blocks, **told)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    assert got.tobytes() == np.ascontiguousarray(expected).tobytes()
    return got


def gathered(operand, indices, numbers, sizes, lo=None, hi=None, kind=None):
    """A gather of a box of the result, of blocks of the whole tensors."""
    window = [sizes[dim] for dim in numbers.in_window(operand.ndim)]
    whole = numbers.cells_shape(indices.shape, tuple(window))
    box = ZRange(lo or (0,) * len(whole), hi or whole)
    origin = ZRange((0,) * operand.ndim, operand.shape)
    steps = numbers.steps(operand.shape, sizes, box, origin)
    batch = numbers.batch_axes(len(whole))
    cut = [slice(box.lo[axis], box.hi[axis]) for axis in batch]
    if numbers.vector_dim < indices.ndim:
        cut.insert(numbers.vector_dim, slice(None))
    told = {"steps": steps, "vector": numbers.vector_dim, "window": numbers.window_dims}
    return operand, indices[tuple(cut)], told | {"shape": box.shape}


#: operand, indices, numbers (windows, collapsed, batching, of the indices, map, vector), sizes
WAYS = {
    "rows": ((5, 4), (7,), ((1,), (0,), (), (), (0,), 1), (1, 4)),
    "rows by vectors": ((5, 4), (3, 1), ((1,), (0,), (), (), (0,), 1), (1, 4)),
    "columns": ((5, 4), (7,), ((0,), (1,), (), (), (1,), 1), (5, 1)),
    "cells": ((5, 4), (6, 2), ((), (0, 1), (), (), (1, 0), 1), (1, 1)),
    "windows": ((5, 4), (3, 2), ((1, 2), (), (), (), (0, 1), 1), (2, 3)),
    "windows first": ((5, 4), (2, 3), ((0, 1), (), (), (), (0, 1), 0), (2, 3)),
    "windows about": ((5, 4), (3, 2), ((0, 2), (), (), (), (0, 1), 1), (2, 3)),
    "batches": ((3, 5, 4), (3, 6, 1), ((2,), (1,), (0,), (0,), (1,), 2), (1, 1, 4)),
    "two batches": ((3, 2, 5), (2, 3, 6, 1), ((), (2,), (0, 1), (1, 0), (2,), 3), (1, 1, 1)),
    "all of one": ((5, 4), (3, 1), ((1, 2), (), (), (), (0,), 1), (5, 2)),
    "one cell": ((1,), (), ((), (0,), (), (), (0,), 0), (1,)),
    "three axes": ((3, 4, 5), (4, 2), ((0, 2), (1,), (), (), (2, 1), 1), (3, 1, 2)),
}


@pytest.mark.parametrize("way", WAYS)
def test_gathers_of_all_dimension_numbers(gpu, way):
    shape, vectors, numbers, sizes = WAYS[way]
    indices = GENERATOR.integers(-3, 8, vectors)
    operand, indices, told = gathered(cells(shape), indices, DimensionNumbers(*numbers), sizes)
    check("gather", operand, indices, **told)
    turned = np.asfortranarray(operand), np.asfortranarray(indices)
    check("gather", *turned, **told)
    assert len(gpu.launches) == 2


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("of", ["l", "b", "L"])
def test_gathers_of_every_dtype(gpu, kind, of):
    shape, vectors, numbers, sizes = WAYS["windows"]
    top = np.iinfo(of)
    indices = GENERATOR.choice(np.array([top.min, 0, 1, 2, 3, top.max], of), vectors)
    x = cells(shape, kind)
    operand, indices, told = gathered(x, indices, DimensionNumbers(*numbers), sizes)
    check("gather", operand, indices, **told)


def test_parts_of_a_gather(gpu):
    shape, vectors, numbers, sizes = WAYS["batches"]
    numbers = DimensionNumbers(*numbers)
    operand, indices, told = gathered(
        cells(shape), GENERATOR.integers(-3, 8, vectors), numbers, sizes, (1, 2, 1), (3, 5, 3)
    )
    check("gather", operand, indices, **told)
    steps = [s._replace(origin=1) if d in (0, 2) else s for d, s in enumerate(told["steps"])]
    check("gather", operand[1:, :, 1:], indices, **told | {"steps": steps})


def test_a_gather_fills_memory_of_any_strides(gpu):
    operand, indices, told = gathered(
        cells((5, 4)), np.array([4, 0, 2]), DimensionNumbers(*WAYS["rows"][2]), (1, 4)
    )
    whole = np.zeros((4, 6))
    made = check("gather", operand, indices, out=whole[:, ::2].T, **told)
    assert same_bits(whole[:, ::2].T, made)
    assert not whole[:, 1::2].any()


@pytest.mark.parametrize("kind", INTEGERS)
def test_taken_rows_and_columns(gpu, kind):
    x = cells((6, 5), "f")
    signed = kind in "bhil"
    places = GENERATOR.integers(-5 if signed else 0, 5, (2, 3)).astype(kind)
    for axis in (0, 1):
        told = {"axes": (axis,), "at": axis, "extents": (x.shape[axis],), "origin": (0,)}
        check("take", x, places, **told)
        few = x[::-1, ::2]
        check("take", few, places % 3, **told | {"extents": (few.shape[axis],)})


PLACES = {
    "of two axes": ((0, 2), 0, [(3,), (3,)]),
    "apart": ((0, 2), 1, [(3,), (3,)]),
    "that broadcast": ((1, 2), 1, [(3, 1), (4,)]),
    "of all axes": ((0, 1, 2), 0, [(2, 2)] * 3),
    "one": ((1,), 1, [()]),
    "none": ((1,), 0, [(0,)]),
}


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("name", PLACES)
def test_places_of_several_axes(gpu, name, kind):
    axes, at, shapes = PLACES[name]
    x = cells((4, 5, 3), kind)
    extents = tuple(x.shape[axis] for axis in axes)
    places = [GENERATOR.integers(-n, n, s) for n, s in zip(extents, shapes, strict=True)]
    told = {"axes": axes, "at": at, "extents": extents, "origin": (0,) * len(axes)}
    check("take", x, *places, **told)
    check("take", x.transpose(1, 0, 2).copy().transpose(1, 0, 2), *places, **told)


@pytest.mark.parametrize("axis", [0, 1])
def test_places_in_several_blocks(gpu, axis):
    x = cells((9, 8) if axis == 0 else (8, 9))
    parts = [np.take(x, range(*span), axis) for span in [(0, 2), (4, 5), (7, 9)]]
    told = {"axes": (axis,), "at": axis, "extents": (9,), "origin": (0,), "starts": (0, 4, 7)}
    for places in (np.array([8, 0, -5, 1, 7]), np.array([[4, 1], [-1, 0]])):
        check("take", *parts, places, **told)


def test_a_block_that_begins_later(gpu):
    x = cells((4, 3))
    told = {"axes": (0,), "at": 0, "extents": (10,), "origin": (5,)}
    check("take", x, np.array([5, 8, -2, -5]), **told)


@pytest.mark.parametrize(
    ("shape", "places", "axis"),
    [
        ((4, 5), (4, 2), 1),
        ((4, 5), (6, 5), 0),
        ((4, 1), (4, 3), 0),
        ((4, 5), (1, 2), 1),
        ((3,), (0,), 0),
    ],
)
def test_places_along_an_axis(gpu, shape, places, axis):
    x, extent = cells(shape, "e"), shape[axis]
    check("takealong", x, GENERATOR.integers(-extent, extent, places), axis=axis, extent=extent)


@pytest.mark.parametrize("wrong", [[0, 7, 9], [-8, 0, 3], [7]])
def test_places_out_of_bounds_are_numpys_error(gpu, wrong):
    x, places = cells((7, 2)), np.array(wrong)
    told = {"axes": (0,), "at": 0, "extents": (7,), "origin": (0,)}
    for name, given, way in (
        ("take", places, told),
        ("take", places.astype("i2"), told),
        ("takealong", places[:, None], {"axis": 0, "extent": 7}),
    ):
        with pytest.raises(IndexError) as expected:
            CPU[name](None, x, given, **way)
        with pytest.raises(IndexError) as found:
            run(CUDA[name], None, x, given, **way)
        assert str(found.value) == str(expected.value)
    with pytest.raises(IndexError):
        run(CUDA["take"], None, x[:, :0], places, **told)
    with pytest.raises(IndexError, match="take from an empty axes"):
        run(CUDA["take"], None, x[:0], np.array([1]), **told)


def test_boxes_are_put_into_blocks(gpu):
    x, box = cells((4, 5)), cells((2, 3))
    told = {"index": (slice(1, 3), slice(0, 5, 2)), "shape": (4, 5)}
    before = x.copy()
    check("insert", x, box, **told)
    check("insert", x[:, ::-1], box, **told)
    check("insert", x[:0], cells((4, 5)), **told)
    check("insert", x, box[:0], **told)
    assert same_bits(x, before)


def test_cells_between_cells_are_copied(gpu):
    records = np.zeros(9, [("a", "u1"), ("b", "f8"), ("c", "i4")])
    records["b"], records["c"] = np.arange(9) / 7, np.arange(9)[::-1]
    told = {"axes": (0,), "at": 0, "extents": (9,), "origin": (0,)}
    check("take", records["b"], records["c"], **told)


def test_numbers_of_many_cells_take_64_bits(gpu, monkeypatch):
    from dask_tapestry_kernels.cuda.blocks import picked_cells

    monkeypatch.setattr(picked_cells, "NARROW", 4)
    told = {"axes": (0,), "at": 0, "extents": (6,), "origin": (0,)}
    check("take", cells((6, 4))[:, ::2], np.array([3, 1]), **told)
    assert "np.uint64(rest" in gpu.launches[-1][0].source
