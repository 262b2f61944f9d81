"""Reads and writes of boxes of a stored array: Zarr chunks are decoded and encoded here.

`ZarrSource` reads a box with `read_box`; `ZarrSink` and `ZarrTarget` write one with `write_box`.
Usual encodings go the short way: `zarr_direct` for files, `zarr_remote` for stores behind a
network. All others go through zarr. Where the store allows, its codecs run in the thread of the
task (`zarr_sync`), and large chunks one after the other: side by side they take ten times the
memory. Threads that are idle meanwhile take some of them (`idle_threads`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache, partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import StoreError
from dask_tapestry.idle_threads import by_idle_threads
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.chunk_costs import split_by_chunk
from dask_tapestry.io.chunks.filled_chunks import none_is_filled
from dask_tapestry.io.chunks.zarr_array_format import has_other_pipeline
from dask_tapestry.io.chunks.zarr_direct import DirectArray
from dask_tapestry.io.chunks.zarr_on_device import DeviceArray, has_kvikio
from dask_tapestry.io.chunks.zarr_remote import RemoteArray
from dask_tapestry.io.files.file_cells import part_of
from dask_tapestry.io.stores.pinned_folder import PinnedLocation
from dask_tapestry.io.stores.retry_policy import read_patiently
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_location import zarr as zarr_module
from dask_tapestry.io.stores.zarr_open import moved, open_stamped
from dask_tapestry.io.stores.zarr_sync import run_inline, runs_inline
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat

if TYPE_CHECKING:
    import zarr

Block = np.ndarray[Any, Any]


def read_box(
    location: Location,
    selection: tuple[slice, ...],
    out: Block,
    shape: tuple[int, ...],
    every: int = 1,
    metadata: object = None,
) -> None:
    """Read and decode the cells that slices of an array select, into `out`.

    Parameters
    ----------
    shape
        Of the array, when it was opened.
    every
        Of the first axis one cell in so many is wanted, the first one first; others need not be
        read.
    metadata
        What stands for the array's metadata, where a look at them would be slow.

    Raises
    ------
    StoreError
        If the array has another shape or dtype now, or a chunk is not what it must be.
    """
    array, way = _opened_as(location, shape, out.dtype, metadata)
    dtype = array.dtype
    if isinstance(way, DirectArray):
        way.read(selection, out, every)
    elif way is not None:
        way.read(selection, out)
    elif out.dtype == dtype:
        read_patiently(lambda: _read_by_zarr(array, selection, out), location)
    else:
        cells = np.empty(out.shape, dtype)
        read_patiently(lambda: _read_by_zarr(array, selection, cells), location)
        out[...] = cells


@contextmanager
def opened_box(
    location: Location,
    selection: tuple[slice, ...],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    metadata: object = None,
) -> Iterator[tuple[int, int] | None]:
    """The open file in which cells lie side by side, as `Source.opened`; arguments of `read_box`.

    Raises
    ------
    StoreError
        If the array has another shape or dtype now.
    """
    array, way = _opened_as(location, shape, dtype, metadata)
    if isinstance(way, DirectArray) and array.dtype == dtype:
        with way.opened(selection) as place:
            yield place
    else:
        yield None


def read_to_device(
    location: Location,
    box: ZRange,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    wanted: BlockFormat,
    metadata: object = None,
) -> Any:
    """The cells `box` of an array on a device, in whose memory kvikio reads them.

    None where the host is to read them: without kvikio, and where cells are encoded.

    Raises
    ------
    StoreError
        As of `read_box`.
    """
    if not has_kvikio():
        return None
    _, way = _opened_as(location, shape, dtype, metadata)
    files = DeviceArray.of_way(way)
    if files is None:
        return None
    with wanted.current():
        cells = wanted.empty(box.shape, dtype)
        files.read(box.slices(), cells)
    return cells


def _opened_as(
    location: Location, shape: tuple[int, ...], dtype: np.dtype[Any], metadata: object
) -> tuple[zarr.Array[Any], DirectArray | RemoteArray | None]:
    """An array, which is to have a shape and a dtype still, and the short way to its chunks."""
    stamp = location.stamp
    array, way = _opened(location, metadata if stamp is None else stamp)
    if array.shape != shape:
        raise StoreError(f"it has another shape now, {array.shape}")
    if cell_dtype(array.dtype) != dtype:
        raise StoreError(f"it has another dtype now, {array.dtype}")
    return array, way


def direct_path(array: zarr.Array[Any]) -> DirectArray | RemoteArray | None:
    """Return the way to an array's chunks that is not zarr's; None where there is none."""
    return DirectArray.of(array) or RemoteArray.of(array)


@lru_cache(maxsize=128)
def _opened(
    location: Location, stamp: object, mode: str = "r", empty_chunks: bool = False
) -> tuple[zarr.Array[Any], DirectArray | RemoteArray | None]:
    """An array and the short way to its chunks, looked for again when its metadata change."""
    array = open_stamped(location, mode, empty_chunks, stamp)
    way = direct_path(array)
    if mode == "r" and way is None and not has_other_pipeline(array):
        array = lazy_import("dask_tapestry.io.chunks.bounded_codecs").bounded(array)
    return array, way


def _read_by_zarr(array: zarr.Array[Any], selection: tuple[slice, ...], out: Block) -> None:
    if not runs_inline(array):
        with _memory_for(array, out) as buffer:
            array.get_orthogonal_selection(selection, out=buffer)
        return

    def read(part: tuple[slice, ...]) -> None:
        with _memory_for(array, part_of(out, _slices_within(part, selection))) as buffer:
            run_inline(array.async_array.get_orthogonal_selection(part, out=buffer))

    parts = split_by_chunk(selection, stored_chunk_shape(array), array.dtype.itemsize)
    by_idle_threads([partial(read, part) for part in parts])


@contextmanager
def _memory_for(array: zarr.Array[Any], out: Block) -> Iterator[Any]:
    """A buffer of zarr's that a pipeline decodes into, whose cells are in `out` afterwards.

    Pipelines other than zarr's own may take contiguous memory alone, as that of `zarrs` does.
    """
    buffer = zarr_module().core.buffer.cpu.NDBuffer.from_numpy_array
    if out.flags.c_contiguous or not has_other_pipeline(array):
        yield buffer(out)
        return
    cells = np.empty(out.shape, out.dtype)
    yield buffer(cells)
    out[...] = cells


def write_box(
    location: Location, selection: tuple[slice, ...], block: Block, empty_chunks: bool | None = None
) -> None:
    """Encode and write a block of cells to where slices of an array select.

    Parameters
    ----------
    empty_chunks
        Whether chunks of the fill value alone are stored. None leaves them out, as zarr does.

    Raises
    ------
    StoreError
        If a chunk cannot be written.
    """
    array, way = _opened(location, location.stamp, "r+", bool(empty_chunks))
    if isinstance(location, PinnedLocation):  # what is kept was opened by another handle
        array = moved(array, location.folder)
        way = replace(way, folder=location.folder) if isinstance(way, DirectArray) else way
    may_be_empty = (
        not empty_chunks and array.metadata.fill_value is not None
    )  # version 2 may have none
    if isinstance(way, DirectArray) and way.writes(selection, block.dtype):
        way.write(selection, block, not may_be_empty)
        return
    if not runs_inline(array):
        cells = np.array(block) if location.is_in_memory else block
        told = _told_of_fill(array, selection, cells, may_be_empty)
        told.set_basic_selection(selection, cells if cells.ndim else cells[()])
        return
    sides = stored_chunk_shape(array)

    def write(part: tuple[slice, ...]) -> None:
        own = part_of(block, _slices_within(part, selection))
        cells = _contiguous_cells(own, prod(sides), location)
        told = _told_of_fill(array, part, cells, may_be_empty)
        run_inline(told.async_array.setitem(part, cells if cells.ndim else cells[()]))

    parts = split_by_chunk(selection, sides, array.dtype.itemsize)
    by_idle_threads([partial(write, part) for part in parts])


def _told_of_fill(
    array: zarr.Array[Any], selection: tuple[slice, ...], cells: Block, may_be_empty: bool
) -> zarr.Array[Any]:
    """An array that compares no cell with the fill value, where a few cells tell enough."""
    steps = {part.step for part in selection}
    if not may_be_empty or cells.dtype != array.dtype or not steps <= {None, 1}:
        return array
    whole = (part.stop % side == 0 for part, side in zip(selection, _shards(array), strict=True))
    if not all(whole):
        return array  # of a shard that reaches over the edge, chunks beyond it are filled
    if not none_is_filled(cells, selection, array.chunks, array.metadata.fill_value):
        return array
    return array.with_config({"write_empty_chunks": True})


def _shards(array: zarr.Array[Any]) -> tuple[int, ...]:
    return getattr(array, "shards", None) or (1,) * array.ndim


def _contiguous_cells(cells: Block, most: int, location: Location) -> Block:
    """Cells as zarr may keep them: it copies a chunk whose cells are not in order to fresh memory.

    A store in memory keeps uncompressed cells where they are, and these are somebody else's.
    """
    if location.is_in_memory:
        return np.array(cells, order="C")
    if cells.flags.c_contiguous or cells.size > most:
        return cells
    copied = POOL.empty(cells.shape, cells.dtype)
    copied[...] = cells
    return copied


def stored_chunk_shape(array: zarr.Array[Any]) -> tuple[int, ...]:
    """Shape of what is decoded and encoded as a whole: a shard, or a chunk where none are."""
    sides = getattr(array, "shards", None) or array.chunks
    return tuple(max(1, int(n)) for n in sides)


def _slices_within(part: tuple[slice, ...], whole: tuple[slice, ...]) -> tuple[slice, ...]:
    """Where the cells of a part lie in a block of the whole."""
    pairs = zip(part, whole, strict=True)
    return tuple(slice(a.start - b.start, a.stop - b.start) for a, b in pairs)
