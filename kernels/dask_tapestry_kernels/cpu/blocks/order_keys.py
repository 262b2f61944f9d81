"""Order keys: numbers or texts in NumPy's order of which cells are in the order that sorts them.

They are integers for what has at most 64 bits. Complex numbers and those of extended precision have
keys of bytes, which are compared from the first one on: a complex one is ordered by which of its
parts are NaN, by its parts, and last by the signs of parts that are zero.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.key_bytes import key_bytes

Block = np.ndarray[Any, Any]

NEAR: Final = 2**63 - 1  # turns the signed order of times, NaT first, to the unsigned with NaT last


def order_keys(cells: Block) -> Block:
    """Numbers, or texts, in NumPy's order of which are sorted cells in that of `sort`.

    Of pairs those of their keys, where zeros of both signs are equal.
    """
    if cells.dtype.names:
        return equal_keys(cells[cells.dtype.names[0]])
    return _keys(cells)


def equal_keys(cells: Block) -> Block:
    """Like `order_keys`, but equal for equal cells: zeros of both signs have one key."""
    return _keys(_one_zero(cells))


def orderkey(out: Block | None, cells: Block, *, dtype: np.dtype[Any]) -> Block:  # noqa: ARG001
    """Unsigned integers, of as many bytes, in the order that `sort` puts cells in."""
    keys = _keys(cells)
    if keys.dtype.kind == "i":
        return np.asarray(keys.view(dtype) ^ _top(dtype))
    return np.asarray(keys.astype(dtype, copy=False))


def cellofkey(out: Block | None, keys: Block, *, dtype: np.dtype[Any]) -> Block:  # noqa: ARG001
    """The cells that have these keys."""
    if dtype.kind in "mM":
        return (keys - np.uint64(NEAR)).view(dtype)
    if dtype.kind not in "if":
        return keys.astype(dtype)
    number = np.dtype(f"i{dtype.itemsize}")
    signed = (keys ^ _top(keys.dtype)).view(number)
    if dtype.kind == "f":
        signed = signed ^ ((signed >> (8 * number.itemsize - 1)) & np.iinfo(number).max)
    return np.asarray(signed.view(dtype))


def _top(dtype: np.dtype[Any]) -> np.unsignedinteger[Any]:
    """The highest bit."""
    top: np.unsignedinteger[Any] = dtype.type(1 << (8 * dtype.itemsize - 1))
    return top


def _keys(cells: Block) -> Block:
    dtype = cells.dtype
    if dtype.kind == "c":
        return _texts(_complex_bytes(cells))
    if dtype.kind == "f" and dtype.itemsize > 8:
        return _texts(_float_bytes(cells))
    if dtype.kind == "f":
        number = np.dtype(f"i{dtype.itemsize}")
        bits = _one_nan(cells).view(number)
        ordered: Block = bits ^ ((bits >> (8 * number.itemsize - 1)) & np.iinfo(number).max)
        return ordered
    if dtype.kind in "mM":
        return cells.view(np.uint64) + np.uint64(NEAR)
    return cells


def _one_zero(cells: Block) -> Block:
    """The cells, whose zeros, or those of their parts, are 0.0."""
    if cells.dtype.kind not in "fc":
        return cells
    made = cells.copy()
    for part in (made.real, made.imag) if made.dtype.kind == "c" else (made,):
        part[part == 0] = 0
    return made


def _one_nan(cells: Block) -> Block:
    return np.where(np.isnan(cells), np.array(np.nan, cells.dtype), cells)


def _complex_bytes(cells: Block) -> Block:
    real, imag = cells.real, cells.imag
    unknown = 2 * np.isnan(real) + np.isnan(imag)
    plus = [(side != 0) | ~np.signbit(side) for side in (real, imag)]
    ends = [unknown, 2 * plus[0] + plus[1]]
    first, last = (end.astype(np.uint8)[..., None] for end in ends)
    numbers = _one_zero(cells)
    return np.concatenate([first, _float_bytes(numbers.real), _float_bytes(numbers.imag), last], -1)


def _float_bytes(cells: Block) -> Block:
    """Bytes, along a new last axis, that are in order from the first one on as the floats are."""
    size = key_bytes(cells.dtype)
    wide = np.ascontiguousarray(_one_nan(cells).astype(cells.dtype.newbyteorder(">")))
    found = wide.reshape(*cells.shape, 1).view(np.uint8)[..., -size:]
    below = np.signbit(cells) & ~np.isnan(cells)
    made = np.where(below[..., None], ~found, found)
    made[..., 0] ^= np.where(below, 0, 0x80).astype(np.uint8)
    return made


def _texts(bytes: Block) -> Block:
    made = np.ascontiguousarray(bytes)
    return made.view(f"S{made.shape[-1]}")[..., 0]


KERNELS: Final[dict[str, Kernel]] = {
    "orderkey": orderkey,
    "cellofkey": cellofkey,
}
