"""Stored arrays that are joined are one source, if they are stored alike."""

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.rules.joined_sources import source_of_all
from dask_tapestry.rules.tuning import FEWEST_JOINED_SOURCES as FEWEST
from dask_tapestry.rules.views import VIEW_RULES
from tests.rules.graphs import after

FOUR = dt.Resources(workers=4, threads=2, memory="1 GiB")


def stored(count, shape=(4, 30, 20), chunks=(2, 30, 20)):
    return [dt.placeholder(shape, "f4", stored_chunks=chunks) for _ in range(count)]


def test_joins_and_stacks_of_many_are_one_source():
    parts = stored(FEWEST)
    text = after(dt.concatenate(parts), source_of_all).splitlines()
    assert len(text) == 2
    assert f"float32[{4 * FEWEST}, 30, 20]" in text[0]
    assert len(after(dt.stack(parts, axis=1), *VIEW_RULES, source_of_all).splitlines()) == 2
    assert "concat" in after(dt.concatenate(parts[1:]), source_of_all)


def test_what_is_read_alone_too_stays_apart():
    parts = stored(FEWEST)
    both = dt.concatenate([dt.concatenate(parts).sum(axis=0), *[x.sum(axis=0) for x in parts]])
    assert "concat" in after(both, source_of_all).splitlines()[FEWEST]


def test_what_is_written_as_a_part_of_others_stays_apart():
    parts = stored(FEWEST)
    assert "concat" in after(dt.concatenate([*parts[1:], parts[0][1:]]), source_of_all)
    assert "concat" in after(
        dt.concatenate([*parts[1:], dt.ones((4, 30, 20), "f4")]), source_of_all
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    cells = np.random.default_rng(0).random((20, 4, 30, 20)).astype("f4")
    for number, own in enumerate(cells):
        zarr.create_array(folder / str(number), data=own, chunks=(2, 30, 20))
    return folder, cells


def opened(folder, order):
    return [dt.from_zarr(folder / str(number)) for number in order]


JOBS = {
    "anomaly": lambda m, parts: (lambda x: x - x.mean(axis=0))(m.concatenate(parts)),
    "every fourth": lambda m, parts: m.concatenate(parts)[1::4].sum(axis=0),
    "stack": lambda m, parts: m.stack(parts, axis=1).max(axis=1),
    "a cut": lambda m, parts: m.concatenate(parts)[7:19, 3:, ::-2] * 2,
    "along columns": lambda m, parts: m.concatenate(parts, axis=2).sum(axis=1),
    "formulas": lambda m, parts: m.concatenate([x * 3 + 1 for x in parts]).min(axis=(1, 2)),
    "means": lambda m, parts: m.stack([x.mean(axis=0) for x in parts]),
    "tiles": lambda m, parts: m.block([parts[:10], parts[10:]]).sum(axis=1),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_values_are_those_of_the_files_in_their_order(files, job, scheduler):
    """Also by plans that are found again for others of the same files."""
    folder, cells = files
    for order in (range(20), range(19, -1, -1)):
        wanted = JOBS[job](np, [cells[n] for n in order])
        found = JOBS[job](dt, opened(folder, order)).compute(scheduler=scheduler)
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_plans_of_many_files_are_those_of_one_array():
    x = dt.placeholder((4 * 200, 300, 200), "f4", stored_chunks=(4, 300, 200))
    parts = stored(200, (4, 300, 200), (4, 300, 200))

    def job(x):
        return x - x.mean(axis=0)

    one, many = (dt.plan(job(y), resources=FOUR) for y in (x, dt.concatenate(parts)))
    many.verify()
    assert many.cost == one.cost


def test_a_file_is_overwritten_by_what_is_made_of_it_and_others(tmp_path):
    cells = np.random.default_rng(0).random((FEWEST, 4, 3))
    for number, own in enumerate(cells):
        zarr.create_array(tmp_path / str(number), data=own, chunks=(2, 3))
    whole = dt.concatenate(opened(tmp_path, range(FEWEST)))
    dt.to_zarr(whole[15:11:-1] + whole[:4], tmp_path / "3", overwrite=True)
    made = zarr.open_array(tmp_path / "3")[...]
    np.testing.assert_array_equal(made, cells[3][::-1] + cells[0])
