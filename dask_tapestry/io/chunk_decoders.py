"""Decoders of compressed chunks, into memory that is given where a codec knows how.

The codecs are those of numcodecs, which zarr's own call too: what is stored says how it is to be
decoded.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from struct import unpack_from
from typing import Any, Final

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.late_named_tuple import NamedTuple

Block = np.ndarray[Any, Any]
BYTES_ALONE: Final = ("BZ2", "LZ4", "LZMA", "Zlib")  # codecs that bring their own memory
GZIP: Final = 31  # what zlib calls the format
DEFLATES: Final = 1032  # times, at most
ZSTD: Final = b"\x28\xb5\x2f\xfd"  # what a frame begins with


class Decoder(NamedTuple):
    """How bytes that went through a codec are decoded.

    Attributes
    ----------
    decode
        Called with the stored bytes and memory for the decoded ones, or None.
    fills
        Whether it puts them there, and returns that, if they are just as long.
    """

    decode: Callable[[Block, Block | None], Any]
    fills: bool = False


def decoders_of(codecs: Sequence[Any]) -> tuple[Decoder, ...] | None:
    """Return the decoders of zarr's codecs from bytes to bytes, in the order of decoding.

    None where one is not known here.
    """
    found = [_decoder_of(codec) for codec in reversed(codecs)]
    return None if None in found else tuple(d for d in found if d is not None)


def _decoder_of(codec: Any) -> Decoder | None:
    zarr, numcodecs = lazy_import("zarr.codecs"), lazy_import("numcodecs")
    kind = type(codec)
    if kind in (zarr.BloscCodec, numcodecs.Blosc):
        return Decoder(_blosc, fills=True)
    if kind in (zarr.ZstdCodec, numcodecs.Zstd):
        return Decoder(_zstd, fills=True)
    if kind in (zarr.GzipCodec, numcodecs.GZip):
        return Decoder(_gzip)
    if kind is zarr.Crc32cCodec:
        return Decoder(_crc32c)
    if kind in [getattr(numcodecs, name) for name in BYTES_ALONE]:
        return Decoder(lambda stored, _: codec.decode(stored))
    return None


def _blosc(stored: Block, out: Block | None) -> Any:
    if len(stored) < 16:
        raise ValueError(f"{len(stored)} bytes are too few for blosc")
    size, _, whole = unpack_from("<3I", stored.data, 4)
    if whole != len(stored):  # reads beyond the end otherwise
        raise ValueError(f"it has {len(stored)} bytes, not the {whole} that blosc wrote")
    fits = out is not None and len(out) == size
    return lazy_import("numcodecs").Blosc().decode(stored, out if fits else None)


def _gzip(stored: Block, _: Block | None) -> Any:
    said = int.from_bytes(stored[-4:].tobytes(), "little")  # bytes of the last of its members
    found = zlib.decompress(stored.data, GZIP, max(1, min(said, len(stored) * DEFLATES)))
    return found if len(found) == said else lazy_import("numcodecs").GZip().decode(stored)


def _zstd(stored: Block, out: Block | None) -> Any:
    fits = out is not None and len(out) == zstd_size(stored)
    return lazy_import("numcodecs").Zstd().decode(stored, out if fits else None)


def zstd_size(stored: Block) -> int | None:
    """Bytes of what a frame of zstd holds; None where it does not say.

    Source: RFC 8878, section 3.1.1.1.

    Examples
    --------
    >>> zstd_size(np.frombuffer(ZSTD + bytes([0x20, 7]), np.uint8))
    7
    """
    if len(stored) < 5 or stored[:4].tobytes() != ZSTD:
        return None
    flags = int(stored[4])
    alone, dictionary = flags >> 5 & 1, (0, 1, 2, 4)[flags & 3]
    width = (alone, 2, 4, 8)[flags >> 6]
    at = 5 + (not alone) + dictionary
    size = int.from_bytes(stored[at : at + width].tobytes(), "little")
    return None if not width else size + 256 * (width == 2)


def _crc32c(stored: Block, _: Block | None) -> Block:
    cells, said = stored[:-4], stored[-4:].tobytes()
    found = lazy_import("google_crc32c").value(cells).to_bytes(4, "little")
    if found != said:
        raise ValueError(f"its checksum is {found.hex()}, not {said.hex()} as stored")
    return cells
