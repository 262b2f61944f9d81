"""Reductions have one value, bit for bit, whatever the sharding, scheduler or number of workers."""

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

DTYPES = ("f4", "f8", "f2", "c16")
REDUCTIONS = ("sum", "mean", "var", "std", "prod", "min", "max", "argmin", "argmax")
REDUCTIONS += ("nanmean", "nanvar", "ptp")
SHAPE = (70, 53)
AXES = (None, 1)
STEPS = ((70, 53), (1, 53), (70, 1), (7, 5), (13, 11), (32, 32), (31, 33), (64, 2), (2, 64))
STEPS += ((69, 52), (35, 27), (33, 53), (70, 31), (11, 40), (48, 16))
IRREGULAR = (
    ((1, 2, 67), (50, 3)),
    ((35, 35), (1,) * 53),
    ((33, 1, 36), (31, 2, 20)),
    ((69, 1), (52, 1)),
    ((10, 20, 30, 10), -1),
)
BLOCKS = ((8, 1, 1), (100, 2, 1), (1000, 1, 3), (4096, 4, 4), (9000, 3, 2))


def ill_conditioned(dtype, special):
    """Cells of magnitudes from 1e-3 to 1e3 (1e16 where the dtype has it), nearly cancelling."""
    random = np.random.default_rng(7)
    top = 3 if dtype == "f2" else 16
    cells = random.normal(size=SHAPE) * 10.0 ** random.integers(-3, top, SHAPE)
    cells[35:] = -cells[:35] + random.normal(size=(35, 53))
    cells[5, 7] = cells[61, 2] = -0.0
    if special:
        cells[3, 4], cells[44, 40], cells[66, 1] = np.nan, np.inf, -np.inf
        cells[12, :5] = -0.0
    if np.dtype(dtype).kind == "c":
        parts = cells, cells[::-1, ::-1]
        cells = np.empty(SHAPE, dtype)
        cells.real, cells.imag = parts
    return cells.astype(dtype)


def reductions(x):
    names = [n for n in REDUCTIONS if not (x.dtype.kind == "c" and n in ("min", "max"))]
    return [getattr(dt, name)(x, axis=axis) for name in names for axis in AXES]


@pytest.fixture(params=[(d, s) for d in DTYPES for s in (False, True)], ids=str, scope="module")
def cells(request):
    return ill_conditioned(*request.param)


@pytest.fixture
def whole(cells):
    return dask.compute(*reductions(dt.asarray(cells)), scheduler="sync")


@pytest.mark.few(4)  # each dtype and scheduler
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_the_layout_of_the_input_does_not_matter(cells, whole, scheduler):
    """Under each scheduler every second layout."""
    for chunks in (*STEPS, *IRREGULAR)[scheduler == "threads" :: 2]:
        made = reductions(dt.asarray(cells).rechunk(chunks))
        for value, expected in zip(dask.compute(*made, scheduler=scheduler), whole, strict=True):
            assert same_bits(value, expected), chunks


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("forced", BLOCKS)
def test_the_plan_does_not_matter(cells, whole, scheduler, forced, shardings):
    x = dt.asarray(cells)
    with shardings.tiny(*forced):
        made = reductions(x)
        for value, expected in zip(dask.compute(*made, scheduler=scheduler), whole, strict=True):
            assert same_bits(value, expected)


@pytest.mark.few(4)  # as unlike as so many can be
def test_it_does_not_matter_where_the_data_come_from(cells, whole):
    rows = dt.concatenate([dt.asarray(part) for part in np.array_split(cells, 5)])
    turned = dt.asarray(np.ascontiguousarray(cells.T[:, ::-1])).T[::-1]
    for x in (rows, turned, dt.asarray(cells.reshape(7, 10, 53)).reshape(SHAPE)):
        for value, expected in zip(dask.compute(*reductions(x)), whole, strict=True):
            assert same_bits(value, expected)


@pytest.mark.parametrize("monoid", ["sum", "mean", "var", "std", "prod"])
def test_a_part_of_the_result_is_the_same_part(cells, monoid):
    x = dt.asarray(cells)
    all_rows = getattr(dt, monoid)(x, axis=1)
    alone, whole = dask.compute(all_rows[5:60:7], all_rows, scheduler="sync")
    assert same_bits(alone, whole[5:60:7])


def few(x):
    """Three reductions that keep different states."""
    return [x.sum(), x.var(axis=0), x.argmax(axis=1) if x.dtype.kind != "c" else x.prod(axis=1)]


@pytest.mark.cluster
def test_processes_give_the_same_value():
    """One pool and one graph for all layouts of all arrays, as processes are slow to start."""
    layouts = (*STEPS, *IRREGULAR)[::2]
    sources = [ill_conditioned(dtype, special) for dtype in DTYPES for special in (False, True)]
    expected = [v for x in sources for v in dask.compute(*few(dt.asarray(x)))]
    made = [few(dt.asarray(x).rechunk(chunks)) for chunks in layouts for x in sources]
    flat = [r for results in made for r in results]
    computed = dask.compute(*flat, scheduler="processes", num_workers=2)
    for value, one in zip(computed, expected * len(layouts), strict=True):
        assert same_bits(value, one)


def test_the_data_are_ill_conditioned():
    """Summing them in another order gives another value: the tests above can fail."""
    x = ill_conditioned("f4", False)
    assert x.sum() != x.ravel()[::-1].cumsum()[-1]
