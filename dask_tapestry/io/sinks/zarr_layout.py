"""The layout of a new Zarr array: chunks, shards, compressor, version of the format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.errors import ArgumentError, ShapeError, StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.default_chunks import default_chunk_shape
from dask_tapestry.io.sources.zarr_source import NAMES_OF_VERSION_2
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Tensor, TensorType
from dask_tapestry.teg.types import Dims


class Extras(NamedTuple):
    """What may be asked of a write beside the array.

    Attributes
    ----------
    empty_chunks
        Whether chunks of the fill value alone are stored; None as `write_box` says.
    consolidated
        Path of the group whose metadata are consolidated in the end, if any.
    """

    empty_chunks: bool | None = None
    consolidated: str | None = None


PLAIN: Final = Extras()


@dataclass(frozen=True)
class ZarrLayout:
    """What a user asked of a new array.

    Attributes
    ----------
    chunks
        ``"auto"`` for the tensor's own chunks, or one length for all dimensions or one for each.
    shards
        Lengths of shards, None for none.
    compressor
        ``"auto"``, or what `zarr.create_array` takes as ``compressors``.
    zarr_format
        2 or 3; None for that of the group the array is in, else 3.
    """

    chunks: str | int | Sequence[int] = "auto"
    shards: Sequence[int] | None = None
    compressor: object = "auto"
    zarr_format: int | None = None

    def options(
        self, x: Tensor, location: Location, group: int | None, memory: int | None
    ) -> dict[str, Any]:
        """Return what zarr is told of a new array for `x`.

        Parameters
        ----------
        group
            Version of the format of the group that the array is in, if it is in one.
        memory
            Bytes that a task has, if they are known.

        Raises
        ------
        StoreError
            If the format has not what is asked for.
        ShapeError
            If chunks or shards do not fit the shape.
        """
        version = _version(self.zarr_format, group, location)
        chunks = _chunk_shape(self.chunks, x, self.shards, memory)
        shards = _shard_shape(self.shards, chunks, x.type)
        if shards is not None and version == 2:
            raise StoreError("there are no shards in version 2 of Zarr")
        options = {"chunks": chunks, "shards": shards, "zarr_format": version}
        compressor = compressor_options(self.compressor, x.type.dtype, version)
        return options | compressor | _names(x.type.dims, version)


def _version(requested: int | None, group: int | None, location: Location) -> int:
    """Version of the format that a new array has."""
    if requested not in (None, 2, 3):
        raise StoreError(f"zarr_format must be 2 or 3, not {requested!r}")
    if group is not None and requested not in (None, group):
        raise StoreError(f"{location} is in a group of format {group}, not {requested}")
    return requested or group or 3


def _names(dims: Dims, version: int) -> dict[str, Any]:
    """Options of a new array that name its dimensions."""
    if not dims:
        return {}
    if version == 2:
        return {"attributes": {NAMES_OF_VERSION_2: list(dims)}}
    return {"dimension_names": dims}


def _chunk_shape(
    chunks: str | int | Sequence[int],
    tensor: Tensor,
    shards: Sequence[int] | None,
    memory: int | None,
) -> tuple[int, ...]:
    x = tensor.type
    if isinstance(chunks, str):
        if chunks != "auto":
            raise ShapeError(f"chunks must be 'auto' or lengths, not {chunks!r}")
        found = default_chunk_shape(tensor, memory)
        return (
            found
            if shards is None
            else tuple(np.gcd(s, n) for s, n in zip(shards, found, strict=True))
        )
    lengths = (chunks,) * x.ndim if isinstance(chunks, int) else tuple(chunks)
    if len(lengths) != x.ndim:
        raise ShapeError(
            f"chunks {lengths} have {len(lengths)} lengths; the array {x} has {x.ndim} dimensions"
        )
    if any(not isinstance(n, int | np.integer) or (n < 1 and n != -1) for n in lengths):
        raise ShapeError(f"chunks {lengths} must be one length of at least 1 (or -1) a dimension")
    return tuple(max(1, n if m == -1 else int(m)) for m, n in zip(lengths, x.shape, strict=True))


def _shard_shape(
    shards: Sequence[int] | None, chunks: tuple[int, ...], x: TensorType
) -> tuple[int, ...] | None:
    if shards is None:
        return None
    sides = tuple(int(n) for n in shards)
    if len(sides) != x.ndim or any(s % c for s, c in zip(sides, chunks, strict=False)):
        raise ShapeError(
            f"shards {sides} must be multiples of chunks {chunks} in each dimension of {x}"
        )
    return sides


def compressor_options(
    choice: object, dtype: np.dtype[Any], zarr_format: int = 3
) -> dict[str, Any]:
    """Options of zarr that name the compressor.

    ``"auto"`` is Blosc with zstd at level 1, after a byte shuffle where cells have several bytes:
    on float16 pictures it encodes 2.5 times as fast as zarr's own choice (zstd level 0) and stores
    3 % more (benchmarks/image_job.py).

    Raises
    ------
    ArgumentError
        For another text: zarr takes codecs, not their names.
    """
    if not isinstance(choice, str):
        return {"compressors": choice}
    if choice != "auto":
        codec = "numcodecs.Zstd(3)" if zarr_format == 2 else "zarr.codecs.ZstdCodec(level=3)"
        raise ArgumentError(
            f"compressors must be 'auto', None or a codec, such as {codec}, not {choice!r}"
        )
    if zarr_format == 2:
        blosc = lazy_import("numcodecs").Blosc
        shuffle = blosc.SHUFFLE if dtype.itemsize > 1 else blosc.NOSHUFFLE
        return {"compressors": blosc(cname="zstd", clevel=1, shuffle=shuffle)}
    named = "shuffle" if dtype.itemsize > 1 else "noshuffle"
    codec = lazy_import("zarr.codecs").BloscCodec
    return {"compressors": codec(cname="zstd", clevel=1, shuffle=named)}
