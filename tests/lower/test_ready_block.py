import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ComputeError
from dask_tapestry.lower import execute, ready_block
from dask_tapestry.lower.ready_block import ReadyBlock
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry.zspace import block_box

x = np.arange(24.0).reshape(4, 6)
CALLED = {
    "formula": lambda a: a * 2 + 1,
    "sum": lambda a: (a + 1).sum(axis=0),
    "product": lambda a: (a + 1) @ a.T,
    "order": lambda a: np.sort(a, axis=1)[:, ::-1],
    "joined": lambda a: np.concatenate([a * 2, a - 1]).cumsum(axis=0),
    "a part": lambda a: a[1:3, ::2] * 3,
    "nothing": lambda a: a[:0] * 3,
}


def block_of(array):
    """The first block of the first step."""
    step, *_ = plan_of([array.node]).steps.values()
    return block_schedule_of(step.program, block_box(step.cuts, (0,) * len(step.cuts)))


@pytest.mark.parametrize("name", CALLED)
def test_a_small_block_is_a_list_of_calls(name, monkeypatch):
    def walked(frame):
        raise AssertionError(frame)

    monkeypatch.setattr(execute, "walk", walked)
    made = CALLED[name](dt.asarray(x)).compute()
    np.testing.assert_array_equal(made, CALLED[name](x))


@pytest.mark.parametrize("name", CALLED)
def test_its_bits_are_those_of_the_walk(name, monkeypatch):
    cells = np.random.default_rng(0).normal(size=(4, 6))
    ready = CALLED[name](dt.asarray(cells)).compute()
    monkeypatch.setattr(ReadyBlock, "of", lambda block: None)
    walked = CALLED[name](dt.asarray(cells)).compute()
    assert ready.tobytes() == walked.tobytes()


def test_it_is_found_once(monkeypatch):
    found = []
    find = ready_block._calls
    monkeypatch.setattr(ready_block, "_calls", lambda *parts: found.append(1) or find(*parts))
    for shift in range(5):
        (dt.asarray(x + shift) * 5 - 7).compute()
    assert len(found) == 1


def test_what_is_computed_in_turns_or_read_from_a_store_is_walked_through(tmp_path):
    assert ReadyBlock.of(block_of(dt.arange(3 * 10**7).sum())) is None
    dt.asarray(x).to_zarr(tmp_path / "x.zarr")
    assert ReadyBlock.of(block_of(dt.from_zarr(tmp_path / "x.zarr") + 1)) is None


def test_values_go_when_nothing_reads_them_any_more():
    ready = ReadyBlock.of(block_of(np.sort(np.sort(dt.asarray(x)), axis=0)))
    places = [place for call in ready._calls for place in call.done]
    assert sorted(places) == sorted({read.place for call in ready._calls for read in call.reads})


def test_errors_tell_what_was_computed_and_where():
    def fails(block):
        raise ValueError("no")

    with pytest.raises(ComputeError, match=r"no.*\n?.*while computing"):
        dt.asarray(x).map_blocks(fails, dtype=float).compute()
