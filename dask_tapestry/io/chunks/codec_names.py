"""Codec names: by which library an array's chunks are compressed, as rates of codecs are named."""

from __future__ import annotations

from typing import Any, Final

from dask_tapestry.teg import PLAIN_CODEC

CHECKSUMS: Final = frozenset({"crc32", "crc32c", "adler32", "fletcher32"})


def codec_name(array: Any) -> str:
    """The name of what compresses the chunks of one of zarr's arrays; ``"plain"`` if nothing does.

    Of Blosc it is that of the library which Blosc calls. Data of HDF5 name theirs among filters.
    """
    codecs = [*array.filters, *array.compressors]
    names = [name for name in map(_name, codecs) if name not in CHECKSUMS]
    return names[-1] if names else PLAIN_CODEC


def _name(codec: Any) -> str:
    """As numcodecs names it: of its own codecs, and of zarr's, which have the name in the class."""
    inner = getattr(codec, "cname", None)
    if inner is not None:
        return str(getattr(inner, "value", inner))
    called = getattr(codec, "codec_id", None) or getattr(codec, "codec_name", None)
    return str(called or type(codec).__name__.removesuffix("Codec")).lower().rpartition(".")[2]
