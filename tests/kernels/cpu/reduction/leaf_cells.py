"""Leaves of all kinds of cells, and a compiled fold called on them."""

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.fold_sources import FOLD_ARITY, fold_source
from dask_tapestry_kernels.cpu.reduction.leaf_tables import CALL, record
from tests.comparisons import same_bits

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0]


def state_of(monoid, dtype):
    """Dtype of the monoid's state, or None if it does not take such cells."""
    try:
        return MONOIDS[monoid].dtypes(np.dtype(dtype), None)[1]
    except DTypeError:
        return None


def cells_of(random, dtype, shape):
    """Cells of widely different size, ties, infinities, NaNs and zeros of two signs among them."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        cells = np.empty(shape, dtype)
        part = f"f{dtype.itemsize // 2}"
        cells.real, cells.imag = (cells_of(random, part, shape) for _ in range(2))
        return cells
    if dtype.kind == "b":
        return random.random(shape) < random.random()
    if dtype.kind != "f":
        few = random.integers(0, 3, shape).astype("i8")
        bits = random.integers(0, 256, (*shape, 8), "u1").view("i8")[..., 0]
        return (bits if random.random() < 0.5 else few).astype(dtype)
    cells = random.normal(size=shape) * 10.0 ** random.integers(-3, 3, shape)
    if random.random() < 0.3:
        cells = random.choice([0.0, -0.0, 1.0, -1.0], shape)
    strange = random.random(shape) < random.choice([0.0, 0.02, 0.9])
    return np.where(strange, random.choice(SPECIAL, shape), cells).astype(dtype)


def fold_of(monoid, cell, state):
    """The compiled fold."""
    with compile_service.mode("wait"):
        found = compile_service.compiled(fold_source(monoid, cell, state), FOLD_ARITY, monoid)
    assert found is not None
    return found


def fold(compiled, address, leaves, leaf_stride, n, strides, kept, parts):
    """Call a compiled fold; `strides` are those of a round and of a cell."""
    where = np.array([part.ctypes.data for part in parts], np.int64)
    call = record(
        CALL,
        cells=address,
        leaves=leaves,
        leaf_stride=leaf_stride,
        n=n,
        round_stride=strides[0],
        cell_stride=strides[1],
        kept=kept,
        parts=where.ctypes.data,
        source=0,
        picks=0,
    )
    compiled(call.ctypes.data)


def folded(monoid, cells, state):
    """States of cells (leaves, n, kept) by the compiled fold."""
    leaves, n, kept = cells.shape
    names = state.names or (None,)
    parts = [np.empty((leaves, kept), state[name] if name else state) for name in names]
    far, near = cells.strides[:2]
    compiled = fold_of(monoid, cells.dtype, state)
    fold(compiled, cells.ctypes.data, leaves, far, n, (32 * near, near), kept, parts)
    if not state.names:
        return parts[0]
    states = np.empty((leaves, kept), state)
    for name, part in zip(names, parts, strict=True):
        states[name] = part
    return states


def same_states(ours, expected):
    if not expected.dtype.names:
        return same_bits(ours, expected)
    return all(same_bits(ours[name], expected[name]) for name in expected.dtype.names)
