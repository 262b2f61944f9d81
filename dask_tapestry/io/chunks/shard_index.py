"""The index of a shard, at its end or its beginning: places of its inner chunks."""

from __future__ import annotations

from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.chunk_decoders import Decoder, decoders_of
from dask_tapestry.io.files.file_cells import Block, CellFile
from dask_tapestry.late_dataclass import dataclass

ABSENT: Final = 2**64 - 1  # offset of an inner chunk that is not there
CHECKSUM: Final = 4  # bytes of a CRC-32C


@dataclass(frozen=True)
class ShardIndex:
    """The index of each shard of an array.

    Attributes
    ----------
    chunk
        Sides of the inner chunks.
    counts
        How many of them a shard has along each dimension.
    first
        Whether it stands before the chunks, else behind them.
    decoders
        Of its bytes.
    """

    chunk: tuple[int, ...]
    counts: tuple[int, ...]
    first: bool
    decoders: tuple[Decoder, ...]

    @classmethod
    def of(cls, codec: Any, shard: tuple[int, ...]) -> ShardIndex | None:
        """Return the index that zarr's codec writes; None where zarr must read it."""
        zarr_codecs = lazy_import("zarr.codecs")
        if not codec.index_codecs:
            return None
        to_bytes, *byte_codecs = codec.index_codecs
        if type(to_bytes) is not zarr_codecs.BytesCodec or to_bytes.endian.name != "little":
            return None
        decoders = decoders_of(byte_codecs)
        if decoders is None or any(type(c) is not zarr_codecs.Crc32cCodec for c in byte_codecs):
            return None
        chunk = tuple(codec.chunk_shape)
        counts = tuple(n // side for n, side in zip(shard, chunk, strict=True))
        return cls(chunk, counts, codec.index_location.name == "start", decoders)

    @property
    def nbytes(self) -> int:
        """Bytes of an index, as stored."""
        return 16 * prod(self.counts) + CHECKSUM * len(self.decoders)

    def read(self, file: CellFile, size: int) -> Block:
        """Return offset and length of each inner chunk of a shard of `size` bytes.

        Raises
        ------
        ValueError
            If there is none, or its checksum is another.
        """
        if size < self.nbytes:
            raise ValueError(f"it has {size} bytes, and its index alone {self.nbytes}")
        stored = np.empty(self.nbytes, np.uint8)
        file.read_bytes(0 if self.first else size - self.nbytes, stored)
        return self.decode(stored)

    def decode(self, stored: Block) -> Block:
        """Return offset and length of each inner chunk, as an index says.

        Raises
        ------
        ValueError
            If it is no index, or its checksum is another.
        """
        if len(stored) != self.nbytes:
            raise ValueError(f"its index has {len(stored)} bytes, not {self.nbytes}")
        for decoder in self.decoders:
            stored = decoder.decode(stored, None, self.nbytes)
        return stored.view("<u8").reshape(*self.counts, 2)


def bytes_within(at: int, length: int, size: int) -> slice:
    """Return the bytes that an index says an inner chunk has, of the `size` bytes of a shard.

    Raises
    ------
    ValueError
        If they are not all within: an index that lies takes no memory.

    Examples
    --------
    >>> bytes_within(4, 3, 10)
    slice(4, 7, None)
    """
    if at + length > size:
        raise ValueError(
            f"its index says that a chunk has {length} bytes from byte {at} on, but it has {size}"
        )
    return slice(at, at + length)
