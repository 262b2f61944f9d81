import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.views.steps import Steps

SHAPE, CHUNKS = (60, 40), (4, 10)
CELLS = np.random.default_rng(0).integers(-99, 99, SHAPE)


@pytest.fixture
def x(tmp_path):
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "x.zarr", chunks=CHUNKS)
    return dt.from_zarr(tmp_path / "x.zarr")


PROGRAMS = {
    "rows": (lambda x: x[::7], 9, 4),
    "backwards": (lambda x: x[58::-9], 7, 4),
    "both": (lambda x: x[1::8, 3::11], 8, 4),
    "turned": (lambda x: x[::20].T, 3, 4),
    "row of columns": (lambda x: x[5, ::13], 1, 4),
    "as a new axis": (lambda x: x[::30, None, 2], 2, 1),
    "of a formula": (lambda x: (x * 2 + 1)[::30], 2, 4),
    "summed": (lambda x: x[::15].sum(0), 4, 4),
    "short steps": (lambda x: x[::3], 15, 4),
    "diagonal": (lambda x: dt.diagonal(x)[::20], 2, 1),
    "one": (lambda x: x[9:10:5], 1, 4),
    "less the one before": (lambda x: x[20::20] - x[:-20:20], 3, 4),
}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("name", PROGRAMS)
def test_chunks_that_are_stepped_over_are_not_read(x, name, shardings):
    program, rows, columns = PROGRAMS[name]
    expected = program(CELLS) if name != "diagonal" else np.diagonal(CELLS)[::20]
    made = program(x)
    np.testing.assert_array_equal(made.compute(), expected)
    with shardings.tiny(1000):
        np.testing.assert_array_equal(program(x).compute(), expected)
    if name not in ("diagonal", "less the one before"):
        assert dt.plan(made).cost["bytes_read"] == rows * columns * 40 * 8


def has_steps(*arrays):
    plan = dt.plan(*arrays)
    operators = [i.operator for s in plan.core.steps.values() for i in s.program.instructions]
    return any(isinstance(one, Steps) for one in operators)


def test_what_is_in_memory_and_short_steps_stay_views(x):
    assert has_steps(x[::4])
    assert not has_steps(x[::3])
    assert not has_steps(dt.asarray(CELLS)[::4])


def test_steps_over_chunks_at_true_size():
    x = dt.placeholder((87_600, 721, 1440), "f4", stored_chunks=(1, 721, 1440))
    cluster = dt.Resources(workers=50, threads=4, memory="16 GiB")
    days = 3650 * 721 * 1440 * 4
    for array in (x[::24].mean(0), x[12::24] * 2, x[::24].std((1, 2))):
        assert dt.plan(array, resources=cluster).cost["bytes_read"] < 1.02 * days
    years = (x[8760::24] - x[:-8760:24]).mean(0)  # each day is read by two blocks at most
    assert dt.plan(years, resources=cluster).cost["bytes_read"] < 2 * days


READ = {
    "steps": (lambda x: x[1::12] + 1, range(1, 60, 12)),
    "backwards": (lambda x: x[50::-20].sum(1), (50, 30, 10)),
    "places": (lambda x: x[np.array([2, 41, 3])], (2, 3, 41)),
    "a mask": (lambda x: x[np.isin(np.arange(60), [5, 6, 30])] * 2, (5, 6, 30)),
    "folded": (lambda x: x[np.array([2, 41, 59])].max(0), (2, 41, 59)),
}


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", READ)
def test_chunks_that_are_not_needed_may_be_broken(x, name, tmp_path, shardings):
    program, rows = READ[name]
    needed = {str(row // 4) for row in rows}
    for file in (tmp_path / "x.zarr" / "c").rglob("*"):
        if file.is_file() and file.parent.name not in needed:
            file.write_bytes(b"nothing")
    np.testing.assert_array_equal(program(x).compute(), program(CELLS))
    with shardings.tiny(1000):
        np.testing.assert_array_equal(program(x).compute(), program(CELLS))
