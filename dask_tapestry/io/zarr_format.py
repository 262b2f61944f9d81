"""How the chunks of a Zarr array are encoded, where that is simple enough to decode them here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dask_tapestry.imports import lazy_import

if TYPE_CHECKING:
    import zarr

Decoder = Callable[..., Any]  # decode(stored, out=None), as of numcodecs' codecs


class ChunkFormat(NamedTuple):
    """Chunks of one shape whose cells lie one after the other, perhaps compressed.

    Attributes
    ----------
    sides
        Lengths of the dimensions, as they are stored.
    axes
        For each dimension of what is stored, that of the array.
    dtype
        Of the stored cells, with their byte order.
    fill
        The cell of chunks that are not there.
    key
        The name of a chunk, of its place in the grid.
    decoders
        Of the codecs that the bytes went through, in the order of decoding.
    """

    sides: tuple[int, ...]
    axes: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: Any
    key: Callable[[tuple[int, ...]], str]
    decoders: tuple[Decoder, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of a chunk that is not compressed."""
        return prod(self.sides) * self.dtype.itemsize

    @classmethod
    def of(cls, array: zarr.Array[Any]) -> ChunkFormat | None:
        """Return the format of an array; None where zarr must decode it."""
        return _version_2(array) if array.metadata.zarr_format == 2 else _version_3(array)


def _version_2(array: Any) -> ChunkFormat | None:
    metadata = array.metadata
    codecs = [] if metadata.compressor is None else [metadata.compressor]
    decoders = _decoders(codecs)
    dtype = metadata.dtype.to_native_dtype()
    if metadata.filters or decoders is None or dtype.hasobject:
        return None
    axes = range(array.ndim)
    return _format(array, tuple(axes if metadata.order == "C" else axes[::-1]), dtype, decoders)


def _version_3(array: Any) -> ChunkFormat | None:
    metadata, codecs = array.metadata, lazy_import("zarr.codecs")
    transposes = [c for c in metadata.codecs if type(c) is codecs.TransposeCodec]
    to_bytes, *compressors = metadata.codecs[len(transposes) :]
    decoders = _decoders(compressors)
    regular = lazy_import("zarr.core.chunk_grids").RegularChunkGrid
    if type(to_bytes) is not codecs.BytesCodec or type(metadata.chunk_grid) is not regular:
        return None
    if decoders is None or metadata.storage_transformers:
        return None
    dtype = metadata.data_type.to_native_dtype()
    if to_bytes.endian is not None:
        dtype = dtype.newbyteorder(to_bytes.endian.name)
    every = tuple(range(array.ndim))
    axes = reduce(lambda axes, codec: tuple(axes[a] for a in codec.order), transposes, every)
    return _format(array, axes, dtype, decoders)


def _format(
    array: Any, axes: Sequence[int], dtype: np.dtype[Any], decoders: tuple[Decoder, ...]
) -> ChunkFormat:
    metadata = array.metadata
    fill = metadata.fill_value
    if fill is None:
        fill = metadata.dtype.default_scalar()
    sides = tuple(max(1, int(array.chunks[axis])) for axis in axes)
    return ChunkFormat(sides, tuple(axes), dtype, fill, metadata.encode_chunk_key, decoders)


def _decoders(codecs: Sequence[Any]) -> tuple[Decoder, ...] | None:
    """Decoders of compressors, the last first; None if one is not known.

    What zarr calls by its own names are codecs of numcodecs, which say in their bytes how these
    are to be decoded.
    """
    return () if not codecs else None
