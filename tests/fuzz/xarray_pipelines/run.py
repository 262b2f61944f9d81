"""Running a pipeline in memory and over arrays of this library."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import dask
import numpy as np
import xarray as xr
from xarray.namedarray.daskmanager import DaskManager
from xarray.namedarray.parallelcompat import list_chunkmanagers
from zarr.storage import MemoryStore

import dask_tapestry as dt
from tests.fuzz.programs import Mismatch, kind_of
from tests.fuzz.xarray_pipelines.data import chunked, dataset
from tests.fuzz.xarray_pipelines.steps import JUMP, ROUNDED, Step, step
from tests.pieces import pieces_of

LENGTH = 4
MOST_CELLS = 30_000
STORED = 0.3  # share of the pipelines whose arrays have names of dimensions, as those of stores
# xarray without flox cannot reduce datasets by labels of which some never occur; this library can.
NOT_IN_XARRAY = "conflicting sizes for dimension 'phase'"


def run(random: Random, length: int = LENGTH) -> list[str]:
    """Draw a pipeline, run it and compare; return its text.

    Raises
    ------
    Mismatch
        With the pipeline and how the results differ.
    """
    data = dataset(random)
    chunks = chunked(random, data)
    text = [f"chunks {chunks} of {data!r}"]
    with warnings.catch_warnings(), np.errstate(all="ignore"), _settings(random, text):
        warnings.simplefilter("ignore")
        steps, theirs = _drawn(random, data, length)
        text += [one.text for one in steps]
        small = any(v.dtype in ("f4", "u1") for v in data.values()) or "f4" in str(text)
        exact = all(one.trust != ROUNDED for one in steps)
        near = 0 if exact else 1e-4 if small else 1e-9
        lazy = _lazy(data, chunks)
        if random.random() < STORED:
            text.append("opened from a store")
            lazy = _opened(lazy)
        ours, theirs = _ended(random, text, _made(lazy, steps), theirs, exact)
        _compare(text, near, ours, theirs, lambda: _by_dask(data, chunks, steps))
    return text


@contextmanager
def _settings(random: Random, text: list[str]) -> Iterator[None]:
    scheduler = random.choice(["sync", "sync", "threads"])
    block, pieces = random.choice([10**8, 10**8, 2000, 200]), random.choice([None, None, 200, 2000])
    text.append(f"{scheduler}, block_bytes={block}, pieces of {pieces}")
    with ExitStack() as stack:
        stack.enter_context(dt.xarray.use())
        stack.enter_context(dask.config.set(scheduler=scheduler))
        stack.enter_context(dt.config(block_bytes=block, max_tasks=10**6))
        if pieces:
            stack.enter_context(pieces_of(pieces))
        yield


def _drawn(
    random: Random, data: xr.Dataset, length: int
) -> tuple[list[Step], xr.Dataset | Exception]:
    """Steps, and what they make in memory; the last one may fail."""
    steps: list[Step] = []
    exact = True
    for _ in range(5 * length):
        one = step(random, data)
        if one.trust == JUMP and not exact:
            continue
        try:
            made = one.call(data)
        except Exception as error:
            if random.random() < 0.1 and NOT_IN_XARRAY not in str(error):
                return [*steps, one], error
            continue
        if not _is_plain(made):
            continue
        steps.append(one)
        data, exact = made, exact and one.trust != ROUNDED
        if len(steps) == length:
            break
    return steps, data


def _is_plain(data: Any) -> bool:
    """Whether it is a dataset with cells, not too many, which are numbers or times."""
    if not isinstance(data, xr.Dataset) or not data.data_vars:
        return False
    if any(v.dtype.kind not in "fiubmM" for v in data.data_vars.values()):
        return False
    cells = [v for v in data.variables.values() if v.dtype.kind not in "OSUT"]
    return bool(cells) and sum(v.size for v in cells) < MOST_CELLS


def _made(data: xr.Dataset, steps: list[Step]) -> xr.Dataset | Exception:
    try:
        for one in steps:
            data = one.call(data)
    except Exception as error:
        return error
    return data


def _ended(random: Random, text: list[str], data: Any, theirs: Any, exact: bool) -> tuple[Any, Any]:
    """Both computed; now and then by writing them to stores, which are read again."""
    if isinstance(data, Exception) or isinstance(theirs, Exception) or random.random() > 0.25:
        return _computed(data), theirs
    encoding = {str(name): _encoding(random, v, exact) for name, v in theirs.data_vars.items()}
    text.append(f"to_zarr(encoding={encoding})")
    with TemporaryDirectory() as folder:
        return tuple(
            _stored(one, f"{folder}/{n}", encoding) for n, one in enumerate((data, theirs))
        )


def _computed(data: Any) -> Any:
    try:
        return data if isinstance(data, Exception) else data.compute()
    except Exception as error:
        return error


def _stored(data: xr.Dataset, path: str, encoding: dict[str, Any]) -> Any:
    try:
        data.drop_encoding().to_zarr(path, encoding=encoding, consolidated=False)
        return xr.open_zarr(path, consolidated=False).load()
    except Exception as error:
        return error


def _encoding(random: Random, variable: xr.DataArray, exact: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if random.random() < 0.5:
        found["chunks"] = tuple(random.randint(1, max(1, n)) for n in variable.shape)
    if exact and variable.dtype.kind == "f" and random.random() < 0.3:
        found |= {"dtype": "i4", "scale_factor": 0.25, "_FillValue": -9999}
    return found


def _lazy(data: xr.Dataset, chunks: dict[str, int]) -> xr.Dataset:
    """The dataset in chunks; groups are known."""
    return data.chunk(chunks).assign_coords(phase=data["phase"])


def _opened(data: xr.Dataset) -> xr.Dataset:
    """The dataset from a store in memory, variables in order; its coordinates are known."""
    store = MemoryStore()
    data.drop_encoding().to_zarr(store, consolidated=False, zarr_format=3)
    found = xr.open_zarr(store, consolidated=False)[list(data.data_vars)]  # listed in any order
    return found.assign_coords({name: data[name].compute() for name in data.coords})


def _by_dask(data: xr.Dataset, chunks: dict[str, int], steps: list[Step]) -> Any:
    """What Dask's arrays come to."""
    managers = list_chunkmanagers()
    ours, managers["dask"] = managers["dask"], DaskManager()
    try:
        return _computed(_made(_lazy(data, chunks), steps))
    finally:
        managers["dask"] = ours


def _compare(text: list[str], near: float, ours: Any, theirs: Any, by_dask: Any) -> None:
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        kinds = [kind_of(one) for one in (ours, theirs) if isinstance(one, Exception)]
        if len(kinds) == 2 and kinds[0] is kinds[1]:
            return
        dasks = by_dask()
        if isinstance(dasks, Exception) and isinstance(ours, Exception):
            return  # xarray does not do it in chunks
        text.append(f"ours {ours!r}\nin memory {theirs!r}")
        raise Mismatch("\n".join(text))
    found = differs(ours, theirs, near)
    if found:
        dasks = by_dask()
        if isinstance(dasks, Exception) or differs(ours, dasks, near):
            raise Mismatch("\n".join([*text, found, f"by Dask {dasks!r}"]))


def differs(ours: xr.Dataset, theirs: xr.Dataset, near: float) -> str:
    """How datasets differ; nothing if they do not."""
    for what in (lambda d: set(d.data_vars), lambda d: set(d.coords), lambda d: d.attrs):
        if what(ours) != what(theirs):
            return f"{what(ours)}, in memory {what(theirs)}"
    for name, own in ours.variables.items():
        other = theirs.variables[name]
        pair = [(v.dims, v.shape, v.dtype, v.attrs) for v in (own, other)]
        if pair[0] != pair[1]:
            return f"{name}: {pair[0]}, in memory {pair[1]}"
        if not _same(own.values, other.values, near):
            return f"{name}: {own.values!r}\nin memory {other.values!r}"
    return ""


def _same(x: np.ndarray, y: np.ndarray, near: float) -> bool:
    if x.dtype.kind == "O":  # tuples of a MultiIndex, of which some hold NaN
        return repr(x.tolist()) == repr(y.tolist())
    if x.dtype.kind not in "fcmM":
        return bool((x == y).all())
    if not near or x.dtype.kind in "mM":
        return np.array_equal(x, y, equal_nan=True)
    finite = np.abs(y[np.isfinite(y)])
    scale = max(1.0, float(finite.max()) if finite.size else 1.0)
    return np.allclose(x, y, rtol=near, atol=near * scale, equal_nan=True)
