"""Stores with metadata and chunks that lie, each opened and read where memory is short.

The test of `checked_metadata` runs this as a program: a process with half a GiB to take for all.
"""

import json
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import zarr

import dask_tapestry as dt

BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
CRC = {"name": "crc32c"}


def with_fields(**fields: object) -> Callable[[dict], None]:
    return lambda metadata: metadata.update(fields)


def grid(*sides: int) -> dict:
    return {"name": "regular", "configuration": {"chunk_shape": sides}}


def shards(*sides: int, index: tuple = (BYTES, CRC), **fields: object) -> Callable[[dict], None]:
    settings = {"chunk_shape": sides, "codecs": [BYTES], "index_codecs": index}
    codec = {"name": "sharding_indexed", "configuration": {**settings, "index_location": "end"}}
    return with_fields(codecs=[codec], **fields)


def codecs(*after: dict) -> Callable[[dict], None]:
    return with_fields(codecs=[BYTES, *after])


def strings(data_type: str, codec: str) -> Callable[[dict], None]:
    return with_fields(data_type=data_type, fill_value="", codecs=[{"name": codec}])


def objects(*filters: str, compressor: str | None = None) -> Callable[[dict], None]:
    return with_fields(
        dtype="|O",
        filters=[{"id": name} for name in filters],
        compressor=compressor and {"id": compressor},
        fill_value="",
    )


MEMORY = r"MemoryLimitError: .*it reads an array that is stored in chunks of 800,.* bytes \(.*py:"
VERSION_3 = {
    "10**30 cells": (with_fields(shape=[10**30, 8]), r"shape, \(1e\+30, 8\), says .* 2\*\*63"),
    "10**30 by none": (with_fields(shape=[10**30, 0]), r"2\*\*63 bytes"),
    "2**63 bytes": (with_fields(shape=[2**30, 2**30]), r"2\*\*63 bytes"),
    "negative shape": (with_fields(shape=[-8, 8]), "non-negative"),
    "shape of text": (with_fields(shape=["8", 8]), "integers"),
    "shape of another rank": (with_fields(shape=[8]), "same number of dimensions"),
    "100 dimensions": (
        with_fields(shape=[1] * 100, chunk_grid=grid(*[1] * 100)),
        "100 dimensions, more than the 64",
    ),
    "chunks of 1 TB": (with_fields(chunk_grid=grid(10**6, 10**5)), MEMORY),
    "an array of one chunk of 1 TB": (
        with_fields(shape=[10**6, 10**5], chunk_grid=grid(10**6, 10**5)),
        MEMORY,
    ),
    "chunks of 10**30": (with_fields(chunk_grid=grid(10**30, 4)), r"chunks, .* 2\*\*63 bytes"),
    "chunks of 0": (with_fields(chunk_grid=grid(0, 4)), r"chunks, \(0, 4\), are empty"),
    "negative chunks": (with_fields(chunk_grid=grid(-4, 4)), "non-negative"),
    "chunks of another rank": (with_fields(chunk_grid=grid(4)), "same number of dimensions"),
    "fill value of text": (with_fields(fill_value="x"), "Invalid type: x"),
    "fill value without end": (with_fields(fill_value=10**400), "too large"),
    "no fill value": (with_fields(fill_value=None), "Invalid type: None"),
    "objects": (with_fields(data_type="object"), "No Zarr data type"),
    "cells that are smaller": (with_fields(data_type="float32"), "c/0/0: .*more than the 64"),
    "cells that are larger": (with_fields(data_type="complex128", fill_value=[0, 0]), "not 256"),
    "text of 10**13 letters": (
        with_fields(
            data_type={
                "name": "fixed_length_utf32",
                "configuration": {"length_bytes": 4 * 10**12},
            },
            fill_value="",
        ),
        "too large",
    ),
    "strings that are none": (strings("string", "vlen-utf8"), "cells, not 16"),
    "bytes that are none": (strings("bytes", "vlen-bytes"), "cells, not 16"),
    "unknown codec": (codecs({"name": "os.system"}), "Unknown codec"),
    "no codec": (with_fields(codecs=[]), "ArrayBytesCodec"),
    "codecs of 10,000": (
        codecs(*[{"name": "gzip", "configuration": {"level": 1}}] * 10**4),
        "c/0/0: .*header",
    ),
    "a level of 10**9": (
        codecs({"name": "zstd", "configuration": {"level": 10**9, "checksum": False}}),
        "Value must be",
    ),
    "inner chunks of 0": (shards(0, 4), "modulo by zero"),
    "inner chunks that do not fit": (shards(3, 4), "divisible"),
    "an index without codecs": (shards(2, 4, index=()), "cannot read"),
    "an index of 16 TB": (
        shards(1, 1, shape=[10**6, 10**6], chunk_grid=grid(10**6, 10**6)),
        "its index alone 16000000000004|needs 8,000",
    ),
    "names for other dimensions": (with_fields(dimension_names=["a"]), "same number"),
    "names of numbers": (with_fields(dimension_names=[1, 2]), "str"),
    "attributes in a list": (with_fields(attributes=[1]), "attributes are no dictionary"),
    "keys that lead away": (
        with_fields(chunk_key_encoding={"name": "default", "configuration": {"separator": "/../"}}),
        "separator",
    ),
    "a later version": (with_fields(zarr_format=4), "Invalid zarr_format"),
}
VERSION_2 = {
    "10**30 cells, v2": (with_fields(shape=[10**30, 8]), r"2\*\*63 bytes"),
    "chunks of 0, v2": (with_fields(chunks=[0, 4]), "are empty"),
    "chunks of 1 TB, v2": (with_fields(chunks=[10**6, 10**5]), MEMORY),
    "pickled objects": (objects("pickle"), "cannot open"),
    "pickled strings": (objects("vlen-utf8", "pickle"), "'pickle' may run any code"),
    "pickled bytes": (objects("vlen-bytes", "pickle"), "'pickle' may run any code"),
    "a compressor that is pickle": (
        objects("vlen-utf8", compressor="pickle"),
        "'pickle' may run any code",
    ),
    "cells by pickle": (with_fields(filters=[{"id": "pickle"}]), "cannot open"),
    "objects of JSON": (objects("json2"), "cannot open"),
    "strings that are none, v2": (objects("vlen-utf8"), "cells, not 16"),
    "arrays of any lengths": (
        with_fields(dtype="|O", filters=[{"id": "vlen-array", "dtype": "f8"}], fill_value=0),
        "cannot open",
    ),
    "dtype that calls": (with_fields(dtype="os.system('x')"), "No Zarr data type"),
    "dtype of 10**13 bytes": (with_fields(dtype="|S9999999999999", fill_value=""), "too large"),
    "a filter of objects": (with_fields(filters=[{"id": "delta", "dtype": "|O"}]), "not supported"),
    "an unknown filter": (with_fields(filters=[{"id": "zzz"}]), "codec not available"),
    "a dictionary of 4 GiB": (
        with_fields(
            compressor={
                "id": "lzma", "format": 3, "check": 0, "preset": None,
                "filters": [{"id": 33, "dict_size": 2**32 - 1}],
            }
        ),
        "chunk 0.0: ",
    ),
}  # fmt: skip


def stored(place: Path, version: int, change: Callable[[dict], None]) -> Path:
    """A store of 8 by 8 cells in chunks of 4, whose metadata were changed."""
    shutil.rmtree(place, ignore_errors=True)
    made = zarr.create_array(place, shape=(8, 8), chunks=(4, 4), dtype="f8", zarr_format=version)
    made[...] = np.arange(64.0).reshape(8, 8)
    name = place / ("zarr.json" if version == 3 else ".zarray")
    metadata = json.loads(name.read_text())
    change(metadata)
    name.write_text(json.dumps(metadata))
    return place


def said_of(place: Path) -> str:
    """The error of reading some cells of a store."""
    try:
        x = dt.from_zarr(place)
        found = x[(slice(0, 2),) * min(2, x.ndim)].compute(scheduler="sync")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"no error: {found!r}"


def main(folder: str) -> None:
    import resource

    warnings.simplefilter("ignore")
    said_of(stored(Path(folder, "x"), 3, with_fields()))  # imports what reading takes
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + 2**29,) * 2)
    found = {}
    for version, cases in ((3, VERSION_3), (2, VERSION_2)):
        for name, (change, _) in cases.items():
            found[name] = said_of(stored(Path(folder, "x"), version, change))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
