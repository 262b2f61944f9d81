"""Chains of twenty selectors over a stored array: what they read, and how often they copy."""

from typing import ClassVar

import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore, WrapperStore

import dask_tapestry as dt

SHAPE, CHUNKS = (48, 40, 6), (8, 8, 3)
CHAIN = (
    lambda np, x: x[4:, ::-1],
    lambda np, x: np.transpose(x, (1, 0, 2)),
    lambda np, x: np.roll(x, 3, 0),
    lambda np, x: x[:, 2:40:2],
    lambda np, x: np.pad(x, ((1, 2), (3, 0), (0, 0)), mode="edge"),
    lambda np, x: np.flip(x, (0, 2)),
    lambda np, x: np.expand_dims(x, 1),
    lambda np, x: np.swapaxes(x, 0, 2),
    lambda np, x: np.concatenate([x, x[:, :, :5]], 2),
    lambda np, x: np.squeeze(x, 1),
    lambda np, x: np.rot90(x, 1, (0, 2)),
    lambda np, x: x[1:-1, 1:],
    lambda np, x: np.moveaxis(x, 0, -1),
    lambda np, x: np.pad(x, ((0, 0), (2, 2), (1, 1)), mode="reflect"),
    lambda np, x: np.roll(x, (-2, 4), (0, 1)),
    lambda np, x: np.stack([x, x[::-1]], 1),
    lambda np, x: np.fliplr(x),
    lambda np, x: np.concatenate([x[..., 3:], x[..., :3]], -1),
    lambda np, x: x[2:9, :, ::3],
    lambda np, x: np.matrix_transpose(x),
)
RESHAPED = (
    lambda np, x: np.repeat(x, 2, 0),
    lambda np, x: np.reshape(x, (-1, 6)),
    lambda np, x: np.tile(x, (1, 3)),
    lambda np, x: np.roll(x, -7, 0),
    lambda np, x: np.diagonal(np.reshape(x, (24, 160, 18)), 3, 2, 1),
    lambda np, x: np.pad(x, 2, mode="wrap"),
    lambda np, x: np.tril(x),
)


class CountedStore(WrapperStore):
    """A store that notes which chunks are read of it."""

    chunks: ClassVar[set] = set()  # of all such stores: reading makes new ones of one

    async def get(self, key, prototype, byte_range=None):
        if key.startswith("c/"):
            self.chunks.add(key)
        return await super().get(key, prototype, byte_range)


@pytest.fixture
def stored():
    store = CountedStore(MemoryStore())
    cells = np.arange(np.prod(SHAPE), dtype="f4").reshape(SHAPE)
    zarr.create_array(store, shape=SHAPE, chunks=CHUNKS, dtype="f4")[...] = cells
    store.chunks.clear()
    return store, cells


def made(np, x, chain):
    for step in chain:
        x = step(np, x)
    return x


def chunks_of(cells):
    """Keys of the chunks in which `cells`, which are numbered, are stored."""
    places = np.unravel_index(np.unique(cells).astype(int), SHAPE)
    blocks = {
        tuple(p // c for p, c in zip(place, CHUNKS, strict=True))
        for place in zip(*places, strict=True)
    }
    return {"c/" + "/".join(map(str, block)) for block in blocks}


KEYS = [(..., slice(0, 4)), (slice(0, 2),), (0,), (slice(None, None, 3), ..., slice(3, 5))]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("block_bytes", [10**9, 400])
def test_only_the_chunks_that_are_needed_are_read(stored, shardings, key, block_bytes):
    store, cells = stored
    assert len(CHAIN) == 20
    expected = made(np, cells, CHAIN)[key]
    with shardings.tiny(block_bytes):
        value = made(dt, dt.from_zarr(store), CHAIN)[key].compute()
    np.testing.assert_array_equal(value, expected)
    assert store.chunks == chunks_of(expected)


@pytest.mark.parametrize("key", KEYS)
def test_reshapes_read_no_other_chunks(stored, shardings, key):
    store, cells = stored
    expected = made(np, cells + 1, RESHAPED)[key[:2]]
    value = (made(dt, dt.from_zarr(store) + 1, RESHAPED)[key[:2]]).compute()
    np.testing.assert_array_equal(value, expected)
    needed = chunks_of(expected[expected > 0] - 1)
    assert len(store.chunks) <= 2 * len(needed) + 8


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("key", [(), *KEYS])
def test_a_block_is_copied_once(stored, key):
    """Views of the source are all that a plan holds beside one mosaic."""
    store, _ = stored
    plan = made(dt, dt.from_zarr(store), CHAIN)[key].plan()
    (step,) = plan.core.steps.values()
    names = [i.operator.name for i in step.program.instructions]
    copies = [n for n in names if n in ("mosaic", "concat")]
    assert len(copies) <= 1, plan.teg
    assert set(names) <= {"zarr", "view", "mosaic", "concat"}
