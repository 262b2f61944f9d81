import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import rank_range
from dask_tapestry_kernels.cpu.blocks.rank_range import ranked, ranked_places
from dask_tapestry_kernels.cpu.blocks.sort import sort_cells, sort_line

RANDOM = np.random.default_rng(13)
SIZE = 4000
PARTS = [(0, 1000), (1000, 2500), (2500, SIZE), (0, SIZE), (1999, 2001), (SIZE - 1, SIZE), (5, 5)]


@pytest.fixture(autouse=True)
def small_samples(monkeypatch):
    monkeypatch.setattr(rank_range, "SAMPLE", 256)
    monkeypatch.setattr(rank_range, "DOUBT", 20)
    rank_range._sampled.cache_clear()
    yield
    rank_range._sampled.cache_clear()


def lines():
    normal = RANDOM.normal(size=SIZE)
    signs = RANDOM.choice([0.0, -0.0, 1.0, -1.0], SIZE)
    unknown = np.where(RANDOM.random(SIZE) < 0.4, np.nan, normal)
    ends = np.where(RANDOM.random(SIZE) < 0.6, np.inf, -np.inf)
    numbers = RANDOM.integers(-50, 50, SIZE)
    period = np.tile(np.arange(40.0), SIZE // 40)
    yield from (normal, signs, unknown, ends, numbers, period, np.full(SIZE, np.nan))
    yield from (np.zeros(SIZE), np.sort(normal)[::-1].copy(), normal.astype("f4"))
    yield from (numbers.astype("u8"), np.iinfo("i4").max - np.arange(SIZE, dtype="i4") // 9)


@pytest.mark.parametrize("line", list(lines()), ids=lambda x: f"{x.dtype} {x[:2]}")
@pytest.mark.parametrize(("start", "stop"), PARTS)
def test_cells_of_some_ranks(line, start, stop):
    expected = line.copy()
    sort_cells(expected, -1, in_runs=False)
    before = line.copy()
    assert ranked(line, start, stop, sort_line).tobytes() == expected[start:stop].tobytes()
    place = np.zeros((stop - start, 2), line.dtype)[:, 0]
    assert ranked(line, start, stop, sort_line, place) is place
    assert place.tobytes() == expected[start:stop].tobytes()
    order = np.argsort(line, kind="stable")
    assert np.array_equal(ranked_places(line, start, stop), order[start:stop])
    assert line.tobytes() == before.tobytes()


def test_a_guess_that_was_wrong_costs_a_pass_and_changes_nothing(monkeypatch):
    x = RANDOM.normal(size=SIZE)
    for low, high in ((1.0, 1.1), (-1.1, -1.0), (np.inf, np.inf), (-np.inf, -5.0)):
        monkeypatch.setattr(rank_range, "borders", lambda *_, ends=(low, high): ends)
        assert np.array_equal(ranked(x, 1900, 2100, sort_line), np.sort(x)[1900:2100])
        assert np.array_equal(ranked_places(x, 1900, 2100), np.argsort(x)[1900:2100])


def test_near_ranks_are_found_together():
    x = RANDOM.normal(size=SIZE)
    chosen = [SIZE - 1, 2000, 1999, 2000, 0]
    made = rank_range.some_ranked(x, chosen, sort_line)
    assert np.array_equal(made, np.sort(x)[chosen])
