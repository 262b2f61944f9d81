import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.read_parts import parts_read
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
