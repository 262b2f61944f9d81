"""Codecs that zarr itself runs, with a bound on what they decode: what is stored may lie.

This module imports zarr: it is imported when an array is opened that zarr must read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final, cast

import numpy as np
import zarr
from zarr.abc.codec import BytesBytesCodec, Codec
from zarr.codecs import ShardingCodec, VLenBytesCodec, VLenUTF8Codec
from zarr.codecs._v2 import V2Codec
from zarr.core.array import AsyncArray
from zarr.core.array_spec import ArraySpec
from zarr.core.buffer import Buffer, NDBuffer

from dask_tapestry.io.chunks.chunk_decoders import Decoder, decoders_of
from dask_tapestry.io.tuning import CODEC_SLACK_BYTES, FILTER_BYTES_A_CELL, STRING_CHUNK_BYTES

VLEN: Final = ("vlen-utf8", "vlen-bytes", "vlen-array")


def bounded(array: zarr.Array[Any]) -> zarr.Array[Any]:
    """Return an array that is decoded within the memory that its metadata say, where that is known.

    Decompressors that are known here stop where a chunk is longer than it may be, and strings are
    counted before memory is taken for them. Codecs of others are left as they are.
    """
    known, pipeline = array.async_array, array.async_array.codec_pipeline
    codecs = [_bounded(codec, array) for codec in cast("Any", pipeline)]
    made: AsyncArray[Any] = AsyncArray(known.metadata, known.store_path, known.config)
    object.__setattr__(made, "codec_pipeline", type(pipeline).from_codecs(codecs))
    return zarr.Array(made)


def _bounded(codec: Codec, array: zarr.Array[Any]) -> Codec:
    if type(codec) is V2Codec:
        cells = prod(array.chunks)
        filters: list[Any] = [
            _Counted(inner, cells) if inner.codec_id in VLEN else inner
            for inner in codec.filters or ()
        ]
        return V2Codec(tuple(filters) or None, _bounded_compressor(codec.compressor, array))
    if type(codec) is VLenUTF8Codec:
        return _CountedUTF8()
    if type(codec) is VLenBytesCodec:
        return _CountedBytes()
    if type(codec) is ShardingCodec:
        return replace(codec, codecs=tuple(_bounded(inner, array) for inner in codec.codecs))
    if isinstance(codec, BytesBytesCodec):
        decoders = decoders_of([codec])
        return codec if decoders is None else _Bounded(codec, decoders[0])
    return codec


def _bounded_compressor(codec: Any, array: zarr.Array[Any]) -> Any:
    decoders = None if codec is None else decoders_of([codec])
    most = _most(prod(array.chunks), array.dtype)
    return codec if decoders is None else _BoundedCompressor(codec, decoders[0], most)


def _most(cells: int, dtype: np.dtype[Any]) -> int:
    """Bytes that a chunk of so many cells has at most, on its way through filters."""
    if dtype.kind in "OT":
        return STRING_CHUNK_BYTES
    return cells * (2 * dtype.itemsize + FILTER_BYTES_A_CELL) + CODEC_SLACK_BYTES


def _refuse_other_count(stored: Any, cells: int) -> None:
    """Raise `ValueError` if a chunk of strings does not say that it has so many cells."""
    said = int.from_bytes(_as_bytes(stored)[:4].tobytes(), "little")
    if said != cells:
        raise ValueError(f"it says that it has {said} cells, not {cells}")


def _as_bytes(stored: Any) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(stored).reshape(-1).view(np.uint8)


class _Counted:
    """A codec of numcodecs for strings: their number stands first."""

    def __init__(self, codec: Any, cells: int) -> None:
        self.codec, self.cells = codec, cells
        self.codec_id = codec.codec_id
        self.encode = codec.encode

    def decode(self, stored: Any, out: Any = None) -> Any:
        _refuse_other_count(stored, self.cells)
        return self.codec.decode(stored, out)


class _BoundedCompressor:
    """A compressor of numcodecs."""

    def __init__(self, codec: Any, decoder: Decoder, most: int) -> None:
        self.decoder, self.most = decoder, most
        self.codec_id = codec.codec_id
        self.encode = codec.encode

    def decode(self, stored: Any, out: Any = None) -> Any:
        cells = _as_bytes(stored)
        return self.decoder.decode(cells, None, self.most)


class _CountedUTF8(VLenUTF8Codec):
    """The codec of strings."""

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        _refuse_other_count(chunk_bytes.as_numpy_array(), prod(chunk_spec.shape))
        return await super()._decode_single(chunk_bytes, chunk_spec)


class _CountedBytes(VLenBytesCodec):
    """The codec of bytes of any lengths."""

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        _refuse_other_count(chunk_bytes.as_numpy_array(), prod(chunk_spec.shape))
        return await super()._decode_single(chunk_bytes, chunk_spec)


@dataclass(frozen=True)
class _Bounded(BytesBytesCodec):
    """A codec of bytes."""

    codec: BytesBytesCodec
    decoder: Decoder
    is_fixed_size = False

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer:
        most = _most(prod(chunk_spec.shape), chunk_spec.dtype.to_native_dtype())
        found = self.decoder.decode(_as_bytes(chunk_bytes.as_numpy_array()), None, most)
        return chunk_spec.prototype.buffer.from_bytes(found)

    async def _encode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> Buffer | None:
        return await self.codec._encode_single(chunk_bytes, chunk_spec)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        return self.codec.compute_encoded_size(input_byte_length, chunk_spec)
