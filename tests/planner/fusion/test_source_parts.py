"""Which parts of a stored array a step reads one after the other."""

from functools import reduce
from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of, members_of
from dask_tapestry.planner.fusion.source_parts import source_parts
from dask_tapestry.planner.tuning import LEAST_PART_CHUNK, MADE_AT_ONCE
from dask_tapestry.steps.peak import peak_of
from dask_tapestry.teg import Source

SIDE = 512  # an image of float32 takes a `LEAST_PART_CHUNK`
IMAGES = 12


def images(count=IMAGES, chunks=(1, SIDE, SIDE)):
    return dt.placeholder((count, SIDE, SIDE), "f4", chunks)


def numbers(x, views):
    """The numbers of parts of `x`, which one formula after the other adds."""
    parts = source_parts(members_of(reduce(dt.hypot, [x[view] for view in views]).node, ()))
    return sorted(parts.values())


def test_images_of_a_stack_are_parts():
    assert SIDE * SIDE * 4 == LEAST_PART_CHUNK
    assert numbers(images(), range(IMAGES)) == list(range(IMAGES))


def test_images_of_one_chunk_are_one_part():
    x = images(IMAGES, (2, SIDE, SIDE))
    assert numbers(x, range(IMAGES)) == [n // 2 for n in range(IMAGES)]
    assert numbers(x, range(MADE_AT_ONCE * 2)) == []


@pytest.mark.parametrize(
    ("x", "views"),
    [
        (images(), range(MADE_AT_ONCE)),
        (images(IMAGES, (1, SIDE, SIDE // 2)), range(IMAGES)),
        (dt.asarray(np.zeros((IMAGES, SIDE, SIDE), "f4")), range(IMAGES)),
        (images(), [slice(a, a + 4) for a in range(IMAGES - 4)]),
    ],
    ids=["few", "small chunks", "in memory", "overlapping"],
)
def test_others_are_read_at_once(x, views):
    assert numbers(x, views) == []


def test_a_source_that_others_read_whole_is_read_at_once():
    x = images()
    total = reduce(dt.hypot, [x[n] for n in range(IMAGES)])
    assert source_parts(members_of((total + x).node, ())) == {}


def test_few_images_are_there_at_a_time():
    x = images()
    total = reduce(lambda before, n: 0.9 * before + 0.1 * x[n], range(1, IMAGES), x[0])
    group = group_of(total.node, ())
    sources = [m for m in group.members if isinstance(m.operator, Source)]
    assert len(sources) == IMAGES
    assert len(group.members) == len(group.program.instructions)
    assert peak_of(group.program, group.program.type.box).all <= (MADE_AT_ONCE + 3) * total.nbytes


def test_memory_does_not_grow_with_images():
    def peak(count):
        x = images(count)
        total = reduce(lambda before, n: 0.9 * before + 0.1 * x[n], range(1, count), x[0])
        resources = dt.Resources(workers=2, threads=2, memory="300 MiB")
        return dt.plan(total.mean(), resources=resources).cost["peak_worker_bytes"]

    assert peak(64) <= 1.1 * peak(IMAGES)


def drawn(x, random):
    """Views of `x` that are combined at random, some of them more than once."""
    views = [x[n] for n in range(IMAGES)]
    views += [x[random.randrange(IMAGES), ::-1] for _ in range(3)]
    views += [x[n : n + 2].sum(0) for n in random.sample(range(IMAGES - 1), 2)]
    random.shuffle(views)
    values = list(views)
    for _ in range(random.randint(5, 20)):
        values.append(random.choice(values) * random.choice((0.5, 2)) - random.choice(values))
    return [reduce(lambda a, b: a * 0.5 + b, values), values[-1].max(1)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_parts_have_the_values_of_the_whole(tmp_path, seed, depth):
    cells = np.random.default_rng(seed).random((IMAGES, SIDE, SIDE), dtype="f4")
    dt.to_zarr(cells, tmp_path / "x", chunks=(depth, SIDE, SIDE))
    wanted = drawn(cells, Random(seed))
    results = drawn(dt.from_zarr(tmp_path / "x"), Random(seed))
    scheduler = ("threads", "sync")[seed % 2]
    for found, cell in zip(dt.compute(*results, scheduler=scheduler), wanted, strict=True):
        np.testing.assert_array_equal(found, cell)


def test_an_array_that_is_held_is_no_source():
    x = images()
    total = reduce(dt.hypot, [x[n] for n in range(IMAGES)])
    assert source_parts(members_of(total.node, {x.node})) == {}
    assert group_of(total.node, {x.node}).inputs == (x.node,)
