import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower import tiling
from dask_tapestry.planner.build import build_plan
from dask_tapestry.steps.formula_part import formula_part
from dask_tapestry.teg import TensorType
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.cpu.cells import compiled_tiles
from tests.comparisons import same_bits, values
from tests.pieces import pieces_of


def smooth(x):
    return x[:-2] + x[2:] * 2 - x[1:-1]


def across(x):
    return smooth(smooth(x).T).T


def around(x):
    return x[1:-1, 1:-1] + x[2:, 1:-1] * 2 - x[1:-1, :-2]


PROGRAMS = {
    "down twice": lambda x: smooth(smooth(x)),
    "both axes": lambda x: smooth(smooth(x).swapaxes(0, 1)),
    "around, three times": lambda x: around(around(around(x))),
    "every other": lambda x: smooth(smooth(x)[::2]),
    "backwards": lambda x: smooth(smooth(x)[::-1, ::-1]),
    "a column and a row": lambda x: smooth(smooth(x + x[:, :1]) * x[:1]),
}


@pytest.fixture
def small_tiles(monkeypatch):
    """Tiles so small that little arrays fall into many; every kernel compiled before its use."""
    monkeypatch.setattr(tiling, "SMALLEST_TILED_CELLS", 1)
    monkeypatch.setattr(tiling, "TILE_CACHE_BYTES", 2**11)
    monkeypatch.setattr(tiling, "TILE_WIDTHS", (16, 7))
    monkeypatch.setattr(tiling, "ROW_CALL_CELLS", 0)
    monkeypatch.setattr(tiling, "MOST_TILED_WORK", 20.0)
    tiling._tile.cache_clear()
    with compilation.mode("wait"):
        yield
    tiling._tile.cache_clear()


@pytest.fixture
def tiled_blocks(monkeypatch):
    """Whether each block was computed in tiles."""
    seen = []
    whole = compiled_tiles.run
    monkeypatch.setattr(compiled_tiles, "run", lambda *args: seen.append(whole(*args)) or seen[-1])
    return seen


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("shape", [(60, 50), (61, 47)])
def test_tiles_have_the_bits_of_the_whole(name, shape, small_tiles, tiled_blocks):
    x = values(shape, "f8")
    with np.errstate(all="ignore"):
        expected = PROGRAMS[name](x)
    assert same_bits(PROGRAMS[name](dt.asarray(x)).compute(scheduler="sync"), expected)
    assert all(tiled_blocks)
    assert tiled_blocks or name == "both axes"


@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_that_would_be_computed_in_pieces_have_the_same_bits(
    name, small_tiles, tiled_blocks
):
    x = values((61, 47), "f8")
    with np.errstate(all="ignore"):
        expected = PROGRAMS[name](x)
    with pieces_of(2**12):
        assert same_bits(PROGRAMS[name](dt.asarray(x)).compute(scheduler="sync"), expected)
    assert all(tiled_blocks)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["f4", "i2", "f2"])
def test_other_dtypes_and_ranks(dtype, small_tiles, tiled_blocks):
    x = values((9, 31, 20), dtype)
    with np.errstate(all="ignore"):
        expected = around(around(x.transpose(1, 2, 0)))
    y = around(around(dt.asarray(x).transpose(1, 2, 0))).rechunk((13, 9, 5))
    assert same_bits(y.compute(scheduler="threads"), expected)
    assert any(tiled_blocks)


def test_a_formula_of_what_is_no_formula(small_tiles, tiled_blocks):
    x = values((60, 50), "f8")
    x[~np.isfinite(x)] = 1
    y = dt.asarray(x)
    ours = smooth(smooth(dt.cumsum(y, axis=1)) - y.max(axis=0))
    theirs = smooth(smooth(ours_cumsum := dt.cumsum(y, axis=1).compute()) - x.max(axis=0))
    assert ours_cumsum.shape == x.shape
    assert same_bits(ours.compute(), theirs)
    assert any(tiled_blocks)


NUMBERS = {
    "before": lambda m, x, y: m.copysign(m.absolute(y), m.absolute(x) - 3) + 1,
    "behind": lambda m, x, y: m.copysign(m.absolute(x), m.negative(y)) * 2,
    "both ends": lambda m, x, y: m.add(y * y, m.copysign(x * 2, y + 1)) - m.sqrt(abs(y)),
    "a cell": lambda m, x, y: m.maximum(abs(x) - 1, m.copysign(x * 2, y)[(1,) * x.ndim] + y),
    "chosen": lambda m, x, y: m.where(y * 2 > 0, x + 1, y - 1) * 2,
}


@pytest.mark.covering
@pytest.mark.parametrize("mode", ["off", "wait"])
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(("cells", "number"), [("i4", "f2"), ("f2", "i1"), ("f4", "f8")])
def test_what_has_no_dimensions_is_the_same_in_all_tiles(name, cells, number, mode, small_tiles):
    x, y = values((3, 4, 6, 40), cells), np.array(-2, number)
    with np.errstate(all="ignore"), compilation.mode(mode):
        made = NUMBERS[name](dt, dt.asarray(x), dt.asarray(y))
        expected = NUMBERS[name](np, x, y)
        assert same_bits(made.compute(scheduler="sync"), expected)
        assert same_bits(made.rechunk((2, 3, 4, 17)).compute(scheduler="sync"), expected)


def test_a_tile_fits_the_cache_and_does_little_twice():
    u = dt.placeholder((6000, 6000), "f8")
    y = u
    for _ in range(10):
        y = around(y)
    program = list(build_plan([y.node]).__dict__["steps"].values())[-1].program
    assert program.type == TensorType((5980, 5980), np.dtype("f8"))
    tile = tiling._tile(formula_part(program), (1495, 2990))
    assert tile is not None
    assert tile[1] >= 128
    assert np.prod(tile) * 8 <= tiling.TILE_CACHE_BYTES


def test_small_blocks_stay_whole(tiled_blocks):
    with compilation.mode("off"):
        smooth(smooth(dt.ones((20, 20)) * dt.arange(20))).compute()
    assert tiled_blocks == []


@pytest.mark.parametrize("mode", ["off", "wait"])
def test_what_lies_between_the_formulas_is_computed_once_and_held(mode):
    """Products, and views of them, that are read by formulas before and after them."""
    x = np.random.default_rng(0).normal(size=(2000, 300))
    with compilation.mode(mode), dt.config(block_bytes=2**20):
        y = dt.asarray(x)
        centred = y - y.mean(axis=1, keepdims=True)
        spread = dt.sqrt(y.var(axis=1, keepdims=True) + 1e-5)
        made = (centred / spread * y[:1] + y[-1]).compute()
    off = x - x.mean(axis=1, keepdims=True)
    expected = off / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * x[:1] + x[-1]
    assert np.allclose(made, expected, rtol=1e-10)


def test_buffers_do_not_move_where_later_values_are_larger(small_tiles, tiled_blocks):
    """Values of one byte a cell, then of eight, in buffers that are used again."""
    x = values((61, 47), "i1")
    small = [x[:-2] + x[2:], x[:-2] * 2 + x[2:]]
    first = smooth(smooth(small[0]) + smooth(small[1]))
    expected = smooth(smooth(smooth(first.astype("f8") / 3)))
    y = dt.asarray(x)
    ours = smooth(smooth(y[:-2] + y[2:]) + smooth(y[:-2] * 2 + y[2:]))
    made = smooth(smooth(smooth(ours.astype("f8") / 3))).compute(scheduler="sync")
    assert same_bits(made, expected)
    assert any(tiled_blocks)
