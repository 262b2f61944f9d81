import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.read_parts import parts_read
from tests.planner.enumerated import in_slices
from tests.planner.spaces import space_of

MACHINES = dt.Resources(64, 4, "16 GiB")
MAPS = (5000, 4096, 4096)


def frames():
    return dt.placeholder(MAPS, "u2", (1, *MAPS[1:]))


def found(x, y):
    (step,) = space_of(y).state(Choices()).placed.values()
    return parts_read(step, [x.node])


def test_a_part_stands_for_its_source():
    x = frames()
    part = x[:1000]
    assert found(x, part + 1) == [part.node]
    assert found(x, part.astype("f4")) == [part.node]


def test_a_source_that_is_read_whole_has_none():
    x = frames()
    assert found(x, x + 1) == []
    assert found(x, dt.flip(x, 0) + 1) == []


def test_a_source_with_several_readers_has_none():
    x = frames()
    assert found(x, x[1:] - x[:-1]) == []


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "work",
    [
        lambda x: dt.sort(x, axis=0),
        lambda x: dt.median(x, axis=0),
        lambda x: abs(dt.fft.rfft(x.astype("f4"), axis=0)).sum(0),
    ],
)
def test_the_rest_is_not_read(work):
    x = frames()
    plan = dt.plan(work(x[:1000]), resources=MACHINES)
    plan.verify()
    assert plan.cost["bytes_read"] <= 2.1 * x[:1000].nbytes  # a fifth of all


def test_of_a_source_all_parts_are_held_if_they_are_less():
    x = frames()
    one, other = x[:500], x[4000:4500]
    assert set(found(x, one - other)) == {one.node, other.node}
    assert found(x, x[:3000] + x[2000:]) == []  # together they are more


def test_a_part_of_a_part_is_held():
    x = frames()
    part = dt.flip(x, 0)[:, :100]
    assert found(x, part + 1) == [space_of(part + 1).graph.roots[0].inputs[0]]


CROPS = [
    lambda x: dt.median(x[:500], axis=0) - dt.median(x[4000:4500], axis=0),
    lambda x: dt.median(x[::10], axis=0) - dt.median(x[5::10], axis=0),
    lambda x: dt.sort(x[:1000], axis=0),
    lambda x: dt.median(x[:1000], axis=0),
]


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("work", CROPS)
def test_parts_are_read_once(work):
    plan = dt.plan(work(frames()), resources=MACHINES)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.01 * frames()[:1000].nbytes


OVERLAPS = [
    lambda x: dt.median(x[:600], axis=0) - dt.median(x[400:1000], axis=0),
    lambda x: dt.median(x[:600:2], axis=0) - dt.sort(x[100:1000], axis=0),
    lambda x: dt.sort(x[1000:400:-1], axis=0)[:100] - dt.sort(x[300:900], axis=0)[:100],
]


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("work", OVERLAPS)
def test_parts_that_overlap_are_read_once(work):
    """In bulk, parts that are read apart may take half the time."""
    with in_slices():
        plan = dt.plan(work(frames()), resources=MACHINES)
    plan.verify()
    assert plan.cost["bytes_read"] <= 1.01 * frames()[:1000].nbytes


@pytest.mark.few(1)  # any fold is planned alike
@pytest.mark.parametrize("fold", ["mean", "sum", "max"])
def test_folds_of_parts_are_as_of_one_alone(fold):
    """Both are folded as one alone is, though to change one of them gains little."""
    one, other = (getattr(part, fold)(0) for part in (frames()[:500], frames()[4000:4500]))
    alone, both = (dt.plan(x, resources=MACHINES) for x in (one, one - other))
    both.verify()
    for name, times in (("bytes_read", 2.01), ("seconds", 2.06)):
        assert both.cost[name] <= times * alone.cost[name]
    if fold == "max":
        assert both.cost["bytes_read"] <= 1.01 * frames()[:1000].nbytes


SHARDINGS = [
    dt.Resources(1, 1, "1 GiB"),
    dt.Resources(4, 2, "64 MiB"),
    dt.Resources(64, 4, "16 GiB"),
]


@pytest.mark.parametrize("machines", SHARDINGS)
def test_parts_have_the_same_values(machines, tmp_path):
    cells = np.random.default_rng(1).integers(0, 1000, (60, 30, 20)).astype("u2")
    dt.to_zarr(dt.asarray(cells).rechunk((1, 30, 20)), f"{tmp_path}/x.zarr")
    x = dt.from_zarr(f"{tmp_path}/x.zarr")
    found = dt.median(x[:9], axis=0) - dt.median(x[48:57], axis=0) + dt.sort(x[::10], axis=0)[0]
    wanted = np.median(cells[:9], 0) - np.median(cells[48:57], 0) + np.sort(cells[::10], 0)[0]
    plan = dt.plan(found, resources=machines)
    plan.verify()
    np.testing.assert_array_equal(plan.compute(scheduler="threads"), wanted)


@pytest.mark.parametrize("places", [False, True])
def test_what_a_known_mask_or_known_places_take_is_a_part(places):
    days = np.arange(14_610) % 365 < 90
    x = dt.placeholder((14_610, 721, 1440), "f4", (24, 721, 1440))
    chosen = np.sort(np.random.default_rng(0).choice(1000, 400, replace=False)) if places else days
    machine = dt.Resources(50, 4, "16 GiB")
    cost = dt.plan(dt.median(x[chosen], axis=0), resources=machine).cost
    assert cost["bytes_read"] < 0.43 * x.nbytes  # blocks of the same chunks may read these twice
