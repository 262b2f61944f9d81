"""Digests of the cells of arrays in memory: two arrays of one digest have the same bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import blake2b
from typing import Any

import numpy as np

from dask_tapestry.io.tuning import DIGEST_SLAB_BYTES
from dask_tapestry.teg.origin import TO_ZARR, UnnamedError

Cells = np.ndarray[Any, Any]


def cells_digest(array: Cells) -> str:
    """Return a digest of shape, dtype and cells, whatever order these lie in.

    Large arrays are looked at by several threads.

    Raises
    ------
    UnnamedError
        For cells that are Python objects.

    Examples
    --------
    >>> x = np.arange(6).reshape(2, 3)
    >>> cells_digest(x) == cells_digest(np.asfortranarray(x)), cells_digest(x) == cells_digest(x.T)
    (True, False)
    """
    dtype = array.dtype
    if isinstance(dtype, np.dtypes.StringDType):
        texts = [text if isinstance(text, str) else None for text in array.ravel().tolist()]
        return _joined(f"{array.shape} texts", [repr(texts).encode()])
    if dtype.hasobject:
        raise UnnamedError(f"Python objects in an array of {array.shape} have no name", TO_ZARR)
    form = f"{array.shape} {dtype if dtype.names else dtype.str}"
    if array.nbytes <= DIGEST_SLAB_BYTES:
        return _joined(form, map(_slab_digest, _slabs(array)))
    with ThreadPoolExecutor(os.cpu_count(), "tapestry-digest") as threads:
        return _joined(form, threads.map(_slab_digest, _slabs(array)))


def _slabs(array: Cells) -> Iterator[Cells]:
    """Parts of an array in C order, cut by its shape and dtype alone."""
    if array.ndim <= 1 or array.nbytes <= DIGEST_SLAB_BYTES:
        flat = array.reshape(-1) if array.ndim <= 1 else array
        rows = (
            max(1, DIGEST_SLAB_BYTES // max(1, array.itemsize)) if array.ndim <= 1 else len(array)
        )
    else:
        flat, rows = array, max(1, DIGEST_SLAB_BYTES // max(1, array.nbytes // len(array)))
    for first in range(0, len(flat), max(1, rows)):
        yield flat[first : first + max(1, rows)]


def _slab_digest(slab: Cells) -> bytes:
    cells = np.ascontiguousarray(slab)
    if not cells.size:
        return b""
    return blake2b(cells.view(np.uint8).data, digest_size=16).digest()


def _joined(form: str, digests: Any) -> str:
    whole = blake2b(form.encode(), digest_size=16)
    for one in digests:
        whole.update(one)
    return whole.hexdigest()
