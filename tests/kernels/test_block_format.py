import pickle
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse
import sparse

from dask_tapestry_kernels.block_format import (
    BlockFormat,
    device_among,
    is_foreign,
    on_cuda,
    refusal,
    with_all_cells,
)
from dask_tapestry_kernels.device_error import KernelDeviceError

CELLS = np.array([[0.0, 1.5, 0], [0, 0, -2]])
ARRAYS = {  # made when a test asks: the first of sparse compiles for seconds
    "COO": sparse.COO.from_numpy,
    "COO of a fill value": partial(sparse.COO.from_numpy, fill_value=1.5),
    "GCXS": sparse.GCXS.from_numpy,
    "DOK": sparse.DOK.from_numpy,
    "csr_array": scipy.sparse.csr_array,
    "csc_matrix": scipy.sparse.csc_matrix,
    "coo_array": scipy.sparse.coo_array,
    "lil_array": scipy.sparse.lil_array,
}


@pytest.fixture(params=ARRAYS)
def array(request):
    return ARRAYS[request.param](CELLS)


@pytest.mark.few(4)  # as unlike as so many can be
def test_cells_come_and_go_in_every_format(array):
    known = BlockFormat.of(array)
    made = known.holding(CELLS)
    assert type(made) is type(array)
    assert BlockFormat.of(made) == known == pickle.loads(pickle.dumps(known))
    for cells in (with_all_cells(made), with_all_cells(array)):
        assert type(cells) is np.ndarray
        np.testing.assert_array_equal(cells, CELLS, strict=True)
    assert made.nnz == array.nnz
    assert known.of_block(made) is made
    assert (
        type(known.of_block(scipy.sparse.csr_array(CELLS)))
        is type(known.of_block(CELLS))
        is type(array)
    )
    both = known.joined([made, made], 1)
    assert type(both) is type(array)
    np.testing.assert_array_equal(with_all_cells(both), np.concatenate([CELLS, CELLS], 1))
    assert with_all_cells(known.holding(np.empty((0, 4), np.int8))).shape == (0, 4)


@pytest.mark.few(9)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", [*"?bBhHiIlLqQefdgFDG"])
def test_a_format_that_takes_a_dtype_holds_it(array, dtype):
    known, cells = BlockFormat.of(array), CELLS.astype(complex).real.astype(dtype)
    if not known.takes(2, cells.dtype):
        assert dtype in "egG"
        return
    np.testing.assert_array_equal(with_all_cells(known.holding(cells)), cells, strict=True)


@pytest.mark.parametrize("value", [CELLS, np.float64(1), 1, None, [1], np.ma.ones(3), "text"])
def test_other_values_are_not_foreign(value):
    assert BlockFormat.of(value) is None
    assert not is_foreign(value)
    assert refusal(value) is None
    assert with_all_cells(value) is value


@pytest.mark.parametrize(
    ("make", "cells"),
    [(scipy.sparse.coo_array, np.ones(3)), (sparse.COO.from_numpy, np.ones(2, "U1"))],
    ids=["one dimension", "texts"],
)
def test_what_no_block_can_be_held_in_says_so(make, cells):
    array = make(cells)
    assert BlockFormat.of(array) is None
    assert "todense" in refusal(array)


def test_fill_values_are_of_formats_that_have_one():
    coordinates, rows = (BlockFormat.of(ARRAYS[name](CELLS)) for name in ("COO", "csr_array"))
    assert coordinates.filled(2).holding(np.full(3, 2)).nnz == 0
    assert rows.filled(2) == rows
    assert coordinates.filled(float("nan")).holding(np.full(3, np.nan)).fill_value != 0


def test_arrays_that_are_filled_otherwise_are_joined():
    blocks = [sparse.COO.from_numpy(CELLS, fill_value=fill) for fill in (0.0, 1.5)]
    made = BlockFormat.of(blocks[0]).joined(blocks, 0)
    assert made.fill_value == 0
    np.testing.assert_array_equal(made.todense(), np.concatenate([CELLS, CELLS]))


def test_arrays_of_cupy_come_and_go(device_kernels):
    known = on_cuda()
    made = known.holding(CELLS)
    assert BlockFormat.of(made) == known == pickle.loads(pickle.dumps(known))
    assert str(known) == "cupy.ndarray"
    assert (known.device, known.kind, known.on_device) == ("cuda", "cuda", True)
    np.testing.assert_array_equal(with_all_cells(made), CELLS)
    assert known.of_block(made) is made
    assert known.empty((2, 3), np.dtype("f4")).shape == (2, 3)
    assert not known.takes(1, np.dtype("g"))
    assert not known.takes(1, np.dtype("M8[s]"))


def test_blocks_go_from_device_to_device(device_kernels):
    first, second = on_cuda().holding(CELLS), on_cuda(1).holding(CELLS)
    assert (first.device.id, second.device.id) == (0, 1)
    assert BlockFormat.of(second).device == "cuda:1"
    moved = on_cuda(1).of_block(first)
    assert moved.device.id == 1
    assert on_cuda(1).of_block(moved) is moved
    np.testing.assert_array_equal(moved.get(), CELLS)


def test_what_lies_on_two_devices_is_on_none():
    assert device_among([None, BlockFormat.of(ARRAYS["COO"](CELLS))]) is None
    assert device_among([on_cuda(1), None, on_cuda(1)]) == on_cuda(1)
    with pytest.raises(KernelDeviceError, match="cuda and cuda:1"):
        device_among([on_cuda(), on_cuda(1)])


def test_where_there_is_no_cupy_an_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(KernelDeviceError, match="there is no CuPy"):
        on_cuda().holding(CELLS)
