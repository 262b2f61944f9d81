"""Buckets of an exchange in objects of a folder or URL: one for some producers and consumers.

An object has the number of cells of each bucket, and then their cells, those of each consumer
together: who reads some consumers reads one stretch of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.zarr_direct import replaced_file
from dask_tapestry.io.stores.retry_policy import patiently, read_patiently
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.buckets import cells_of
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.bucket_blocks import BucketBlocks

Block = np.ndarray[Any, Any]
NUMBER: Final = np.dtype("<i8")
NO_BUCKET: Final = -1  # stands for the length of one that was never made


@dataclass(frozen=True)
class StoredBuckets:
    """The buckets of a value, stored in groups of some `sides` in a folder or URL."""

    folder: str
    sides: tuple[int, ...]

    def prepare(self) -> None:
        """Make the folder, where folders are made."""
        if "://" not in self.folder:
            Path(self.folder).mkdir(exist_ok=True)

    def write(self, box: ZRange, buckets: BucketBlocks) -> None:
        """Store the buckets `box`, which are whole groups."""
        for name, group in self._groups(box):
            parts = list(_by_consumer(buckets.cells[group.slices(box)]).flat)
            self._store(name, [_header(parts), *[_bytes(one) for one in parts if one is not None]])

    def read(self, box: ZRange, type_: TensorType) -> BucketBlocks:
        """The buckets `box` of a value of some type."""
        made, dtype = BucketBlocks.empty(box.shape), cells_of(type_)
        for name, wanted in self._groups(box):
            group = self._whole(wanted).intersection(type_.box)
            request = partial(self._read, name, dtype, group, wanted)
            made.cells[wanted.slices(box)] = read_patiently(request, self.folder)
        return made

    def _groups(self, box: ZRange) -> Iterator[tuple[str, ZRange]]:
        """Names of the groups that meet a box, each with the part of it that does."""
        spans = [
            range(lo // side, -(-hi // side))
            for lo, hi, side in zip(box.lo, box.hi, self.sides, strict=True)
        ]
        for numbers in product(*spans) if box.size else ():
            first = tuple([n * side for n, side in zip(numbers, self.sides, strict=True)])
            group = self._whole(ZRange(first, first))
            yield ".".join(("c", *map(str, numbers))), group.intersection(box)

    def _whole(self, part: ZRange) -> ZRange:
        """The group that a part lies in, as if none ended with the value."""
        lows = [lo // side * side for lo, side in zip(part.lo, self.sides, strict=True)]
        highs = [lo + side for lo, side in zip(lows, self.sides, strict=True)]
        return ZRange(tuple(lows), tuple(highs))

    def _read(self, name: str, dtype: np.dtype[Any], group: ZRange, wanted: ZRange) -> Block:
        """The `wanted` buckets of a group, as an array of arrays."""
        (rank,) = self._numbers(name, 0, 1)
        known = self._numbers(name, 1, rank + group.size)
        row, lengths = tuple(known[:rank]), np.array(known[rank:])
        ends = np.cumsum(np.maximum(lengths, 0))
        order = np.arange(group.size).reshape(group.shape[-1], *group.shape[:-1])
        chosen = np.moveaxis(order, 0, -1)[wanted.slices(group)]
        lo, hi = int(chosen.min()), int(chosen.max())
        start = int(ends[lo] - max(lengths[lo], 0))
        head, step = NUMBER.itemsize * (1 + len(known)), dtype.itemsize * prod(row)
        stretch = self._load(name, head + start * step, (int(ends[hi]) - start) * step)
        cells = stretch.view(dtype).reshape(ends[hi] - start, *row)
        made = np.empty(wanted.shape, object)
        for at, number in np.ndenumerate(chosen):
            if lengths[number] >= 0:
                end = int(ends[number]) - start
                made[at] = cells[end - int(lengths[number]) : end]
        return made

    def _numbers(self, name: str, first: int, count: int) -> list[int]:
        size = NUMBER.itemsize
        found: list[int] = self._load(name, first * size, count * size).view(NUMBER).tolist()
        return found

    def _load(self, name: str, start: int, count: int) -> Block:
        """So many bytes of an object."""
        place = f"{self.folder}/{name}"
        if "://" in self.folder:
            files, path = lazy_import("fsspec.core").url_to_fs(place)
            found = np.frombuffer(files.cat_file(path, start, start + count), np.uint8)
        else:
            # In the pool's memory, `unique` of 1.28 GB took 455 MB of a worker, without it 300
            with Path(place).open("rb", buffering=0) as file:
                found = np.fromfile(file, np.uint8, count, offset=start)
        if found.size != count:
            raise StoreError(f"{place} ends before its cells do")
        return found

    def _store(self, name: str, parts: Sequence[Block]) -> None:
        """Store an object: all of it, or nothing."""
        place = f"{self.folder}/{name}"
        if "://" in self.folder:
            files, path = lazy_import("fsspec.core").url_to_fs(place)
            whole = b"".join([part.tobytes() for part in parts])
            patiently(lambda: files.pipe_file(path, whole), self.folder)
            return
        with (
            replaced_file(Path(place), in_folder=True) as number,
            open(number, "wb", buffering=0, closefd=False) as file,
        ):
            for part in parts:
                part.tofile(file)


def _by_consumer(buckets: Block) -> Block:
    """Buckets with the consumers, the last axis, first."""
    return np.moveaxis(buckets, -1, 0)


def _header(parts: Sequence[Block | None]) -> Block:
    """The shape of what a bucket has rows of, filled up, and the number of rows of each."""
    rows = {part.shape[1:] for part in parts if part is not None} or {()}
    if len(rows) > 1:
        raise StoreError(f"buckets have rows of several shapes, {sorted(rows)}")
    (row,) = rows
    lengths = [NO_BUCKET if part is None else len(part) for part in parts]
    return np.array([len(row), *row, *lengths], NUMBER)


def _bytes(cells: Block) -> Block:
    """The bytes of an array, copied where they are not in order."""
    return np.ascontiguousarray(cells).reshape(-1).view(np.uint8)
