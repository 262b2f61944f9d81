"""Decoders of compressed chunks, into memory that is given where a codec knows how.

The codecs are those of numcodecs, which zarr's own call too: what is stored says how it is to be
decoded.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from struct import unpack_from
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.io.tuning import LZMA_MEMORY, ZLIB_PIECE_BYTES

Block = np.ndarray[Any, Any]
GZIP: Final = 31  # what zlib calls the format
DEFLATED: Final = 1032  # bytes that one becomes at most: 258 of two bits, as zlib's manual says
BLOCK: Final = 2**17  # bytes that a block of zstd holds at most
REPEATED: Final = 1  # the kind of its blocks that are one byte, many times; 0 are those as they are
ZSTD: Final = b"\x28\xb5\x2f\xfd"  # what a frame begins with


class Decoder(NamedTuple):
    """How bytes that went through a codec are decoded.

    Attributes
    ----------
    decode
        Called with the stored bytes, memory for the decoded ones, or None, and how many bytes there
        may be: more are an error before they take memory, as far as the codec lets itself be asked.
    fills
        Whether it puts them there, and returns that, if they are just as long.
    """

    decode: Callable[[Block, Block | None, int], Any]
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
    if kind in (numcodecs.Zlib, numcodecs.BZ2, numcodecs.LZMA):
        return Decoder(partial(_bounded, codec))
    if kind is numcodecs.LZ4:
        return Decoder(partial(_lz4, codec))
    return None


def _refuse_more(size: int, most: int) -> None:
    """Raise `ValueError` if bytes are more than a chunk may hold."""
    if size > most:
        raise ValueError(f"it holds {size} bytes, more than the {most} of a chunk")


def _blosc(stored: Block, out: Block | None, most: int) -> Any:
    if len(stored) < 16:
        raise ValueError(f"{len(stored)} bytes are too few for blosc")
    size, _, whole = unpack_from("<3I", stored.data, 4)
    if whole != len(stored):  # reads beyond the end otherwise
        raise ValueError(f"it has {len(stored)} bytes, not the {whole} that blosc wrote")
    _refuse_more(size, most)
    fits = out is not None and len(out) == size
    return lazy_import("numcodecs").Blosc().decode(stored, out if fits else None)


def _lz4(codec: Any, stored: Block, _: Block | None, most: int) -> Any:
    _refuse_more(int.from_bytes(stored[:4].tobytes(), "little"), most)
    return codec.decode(stored)


def _bounded(codec: Any, stored: Block, _: Block | None, most: int) -> Any:
    """Decode by the standard library, which can be told to stop."""
    kind = type(codec).__name__
    if kind == "Zlib":
        return _inflated(zlib.MAX_WBITS, stored, most)
    if kind == "BZ2":
        return _streams(lazy_import("bz2").BZ2Decompressor, stored, most)
    lzma = lazy_import("lzma")
    if codec.format == lzma.FORMAT_RAW:
        # what was stored looks back no further than a chunk goes
        filters = [_with_smaller_dictionary(one, most) for one in codec.filters or ()]
        make = partial(lzma.LZMADecompressor, codec.format, None, filters)
    else:
        make = partial(lzma.LZMADecompressor, memlimit=max(LZMA_MEMORY, 2 * most))
    return _streams(make, stored, most)


def _with_smaller_dictionary(one: dict[str, Any], most: int) -> dict[str, Any]:
    if one.get("dict_size", 0) <= max(LZMA_MEMORY, most):
        return one
    return {**one, "dict_size": max(LZMA_MEMORY, most)}


def _gzip(stored: Block, _: Block | None, most: int) -> Any:
    return _inflated(GZIP, stored, most)


def _inflated(wbits: int, stored: Block, most: int) -> memoryview:
    """Decode streams of zlib piece by piece: all at once would take the decoded bytes twice.

    The buffer is not written before: strings may be as long as `most`, which few of them are.
    """
    buffer = np.empty(min(most, DEFLATED * len(stored)), np.uint8).data
    filled = at = 0
    inflater = zlib.decompressobj(wbits)
    while at < len(stored):
        if inflater.eof:
            inflater = zlib.decompressobj(wbits)
        piece: Any = stored.data[at : at + ZLIB_PIECE_BYTES]
        at += len(piece)
        while len(piece) and not inflater.eof:
            cells = inflater.decompress(piece, most + 1 - filled)
            _refuse_more(filled + len(cells), most)
            buffer[filled : filled + len(cells)] = cells
            filled += len(cells)
            piece = inflater.unconsumed_tail
        at -= len(inflater.unused_data)
    if len(stored) and not inflater.eof:
        raise ValueError("the compressed stream is truncated")
    return buffer[:filled]


def _streams(make: Callable[[], Any], stored: Block, most: int) -> bytes:
    """Decode streams that stand one after the other, by a decompressor of each."""
    unread: Any = stored.data
    decoded: list[bytes] = []
    decoded_bytes = 0
    while len(unread):
        decompressor = make()
        decoded.append(decompressor.decompress(unread, most + 1 - decoded_bytes))
        decoded_bytes += len(decoded[-1])
        _refuse_more(decoded_bytes, most)
        if not decompressor.eof:
            raise ValueError("the compressed stream is truncated")
        unread = decompressor.unused_data
    return decoded[0] if len(decoded) == 1 else b"".join(decoded)


def _zstd(stored: Block, out: Block | None, most: int) -> Any:
    size = zstd_size(stored)
    if size is None and stored[:4].tobytes() == ZSTD:
        # numcodecs would take ever more memory: here it is told what there must be
        if out is None:
            size = _size_by_blocks(stored, most + BLOCK) - BLOCK
        else:
            size = len(out)
            stored = _with_size(stored, size)
    _refuse_more(size or 0, most)
    fits = out is not None and len(out) == size
    return lazy_import("numcodecs").Zstd().decode(stored, out if fits else None)


def _with_size(stored: Block, size: int) -> Block:
    """A frame of zstd that says how many bytes it holds, made of one that does not."""
    flags = int(stored[4])
    rest = 6 + (0, 1, 2, 4)[flags & 3]  # one that does not say has a window
    head = ZSTD + bytes([flags | 3 << 6]) + stored[5:rest].tobytes() + size.to_bytes(8, "little")
    return np.concatenate([np.frombuffer(head, np.uint8), stored[rest:]])


def _size_by_blocks(stored: Block, most: int) -> int:
    """Bytes that a frame of zstd holds at most, by the heads of its blocks.

    Source: RFC 8878, section 3.1.1.2.
    """
    flags = int(stored[4])
    at, size = 6 + (0, 1, 2, 4)[flags & 3], 0
    while at + 3 <= len(stored) and size <= most:
        head = int.from_bytes(stored[at : at + 3].tobytes(), "little")
        kind, length = head >> 1 & 3, head >> 3
        size += length if kind <= REPEATED else BLOCK
        at += 3 + (1 if kind == REPEATED else length)
        if head & 1:
            break
    return size


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


def _crc32c(stored: Block, _: Block | None, __: int) -> Block:
    cells, said = stored[:-4], stored[-4:].tobytes()
    found = lazy_import("google_crc32c").value(cells).to_bytes(4, "little")
    if found != said:
        raise ValueError(f"its checksum is {found.hex()}, not {said.hex()} as stored")
    return cells
