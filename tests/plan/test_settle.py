import pytest

import dask_tapestry as dt
from dask_tapestry.plan import settle
from dask_tapestry.plan.build import build_plan

MACHINES = dt.Resources(workers=4, threads=2, memory="8 GiB")


def stored(shape, chunks, dtype="uint8"):
    return dt.placeholder(shape, dtype, stored_chunks=chunks)


def steps_of(*arrays, resources=MACHINES):
    plan = build_plan([a.node for a in arrays], resources)
    plan.verify()
    return list(plan.steps.values())


def test_a_shared_source_is_cut_as_fine_as_its_readers(tmp_path):
    x = stored((6400, 256, 256, 3), (64, 256, 256, 3))
    y = dt.to_zarr(x.astype("f4"), tmp_path / "y", compute=False)
    z = dt.to_zarr(-x.astype("f4"), tmp_path / "z", compute=False)
    source, *readers = steps_of(y, z)
    assert source.count == 100
    assert all(step.cuts[0].step % source.cuts[0].step == 0 for step in readers)


def test_a_small_value_that_every_block_reads_is_held_whole():
    w = stored((1000, 64), (10, 64), "f4") * 2
    x = stored((1_000_000, 1000), (1000, 1000), "f4")
    weights, product = steps_of(x @ w)
    assert weights.count == 1
    assert product.count > 8


def test_a_sink_whose_pieces_are_too_coarse_gathers_a_held_value(tmp_path):
    z = stored((100_000, 10_000), (100, 10_000), "f4").sum(axis=1)
    *_, computed, written = steps_of(dt.to_zarr(z, tmp_path / "z", chunks=100_000, compute=False))
    assert written.count == 1
    assert computed.count > 8


def test_grids_are_chosen_once_for_what_does_not_change(monkeypatch):
    asked = []
    choose = settle.choose_grid
    monkeypatch.setattr(
        settle,
        "choose_grid",
        lambda program, *rest: asked.append(program) or choose(program, *rest),
    )
    w = stored((1000, 64), (10, 64), "f4") * 2
    steps = steps_of(stored((1_000_000, 1000), (1000, 1000), "f4") @ w)
    assert len(asked) <= 3 * len(steps)


def test_a_piece_that_fits_nowhere_is_an_error_with_the_users_line(tmp_path):
    x = stored((10**6,), (1000,), "f8") + 1
    sink = dt.to_zarr(x, tmp_path / "x", chunks=(10**6,), compute=False)
    with pytest.raises(dt.MemoryLimitError, match=r"store .*test_settle.py:\d+"):
        steps_of(sink, resources=dt.Resources(memory="1 MB"))
