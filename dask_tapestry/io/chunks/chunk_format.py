"""The format of a Zarr array's chunks, where it is simple enough to decode them here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.chunk_decoders import Decoder, decoders_of
from dask_tapestry.io.files.file_cells import Block, Part, bytes_of, part_of
from dask_tapestry.io.tuning import INNER_CODEC_SLACK_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.memory.buffer_pool import POOL

BYTE = np.dtype(np.uint8)


@dataclass(frozen=True)
class ChunkFormat:
    """Chunks of one shape whose cells lie one after the other, perhaps compressed.

    Attributes
    ----------
    sides
        Lengths of the dimensions, as they are stored.
    axes
        For each dimension of what is stored, that of the array.
    dtype
        Of the stored cells, with their byte order.
    decoders
        Of the codecs that the bytes went through, in the order of decoding.
    """

    sides: tuple[int, ...]
    axes: tuple[int, ...]
    dtype: np.dtype[Any]
    decoders: tuple[Decoder, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of a chunk that is not compressed."""
        return prod(self.sides) * self.dtype.itemsize

    @property
    def is_decoded_in_place(self) -> bool:
        """Whether a whole chunk is decoded to where its cells are wanted, next to each other."""
        ordered = self.axes == tuple(range(len(self.axes))) and self.dtype.isnative
        return ordered and len(self.decoders) == 1 and self.decoders[0].fills

    @property
    def most_stored(self) -> int:
        """Bytes that a chunk, or what one of several codecs made of it, has at most as stored."""
        return 2 * self.nbytes + INNER_CODEC_SLACK_BYTES

    @classmethod
    def of_version_2(cls, metadata: Any) -> ChunkFormat | None:
        """Return the format that metadata of version 2 describe; None where zarr must decode it."""
        decoders = decoders_of([] if metadata.compressor is None else [metadata.compressor])
        dtype = metadata.dtype.to_native_dtype()
        if metadata.filters or decoders is None or dtype.hasobject:
            return None
        axes = tuple(range(len(metadata.chunks)))
        return _format(
            metadata.chunks, axes if metadata.order == "C" else axes[::-1], dtype, decoders
        )

    @classmethod
    def of_codecs(
        cls, codecs: Sequence[Any], chunk: Sequence[int], dtype: np.dtype[Any]
    ) -> ChunkFormat | None:
        """Return the format that codecs of version 3 make; None where zarr must decode it."""
        known = lazy_import("zarr.codecs")
        transposes = [codec for codec in codecs if type(codec) is known.TransposeCodec]
        to_bytes, *compressors = codecs[len(transposes) :]
        decoders = decoders_of(compressors)
        if type(to_bytes) is not known.BytesCodec or decoders is None or dtype.hasobject:
            return None
        if to_bytes.endian is not None:
            dtype = dtype.newbyteorder(to_bytes.endian.name)
            dtype = dtype.newbyteorder("=") if dtype.isnative else dtype  # as NumPy writes it
        every = tuple(range(len(chunk)))
        axes = reduce(lambda axes, codec: tuple(axes[a] for a in codec.order), transposes, every)
        return _format(chunk, axes, dtype, decoders)

    def unpack(self, stored: Block, part: Part, out: Block) -> None:
        """Fill `out` with a part of the cells of a chunk, both in the array's order.

        Raises
        ------
        ValueError
            If what is stored does not hold a chunk.
        """
        self.decode(stored, tuple(part[a] for a in self.axes), out.transpose(self.axes))

    def decode(self, stored: Block, part: Part, out: Block) -> None:
        """Fill `out` with a part of the cells of a chunk, both in the stored order.

        Raises
        ------
        ValueError
            If what is stored does not hold a chunk.
        """
        whole = out.shape == self.sides and out.dtype == self.dtype and out.flags.c_contiguous
        decoded: Any = stored
        for decoder in self.decoders:
            place = None
            if decoder is self.decoders[-1] and decoder.fills:
                place = bytes_of(out) if whole else POOL.empty((self.nbytes,), BYTE)
            most = self.nbytes if decoder is self.decoders[-1] else self.most_stored
            decoded = decoder.decode(_as_bytes(decoded), place, most)
            if whole and decoded is place:
                return
        decoded = _as_bytes(decoded)
        if len(decoded) != self.nbytes:
            raise ValueError(f"it holds {len(decoded)} bytes, not {self.nbytes}")
        cells = decoded.view(self.dtype).reshape(self.sides)
        out[...] = part_of(cells, part)


def _format(
    chunk: Sequence[int], axes: tuple[int, ...], dtype: np.dtype[Any], decoders: tuple[Decoder, ...]
) -> ChunkFormat:
    return ChunkFormat(tuple(max(1, int(chunk[a])) for a in axes), axes, dtype, decoders)


def _as_bytes(decoded: Any) -> Block:
    """What a decoder gave, as an array of bytes."""
    if isinstance(decoded, np.ndarray):
        return bytes_of(decoded)
    return np.frombuffer(decoded, np.uint8)
