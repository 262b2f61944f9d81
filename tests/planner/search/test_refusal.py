"""What is planned can be verified; what is refused names the memory that would do."""

import re
from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from tests.covering import seeds_of
from tests.planner.graphs import stored


def sorted_cells(random):
    return dt.sort(stored((random.randint(10**5, 4 * 10**7),), "f8", (10**5,)))


def median_of_all(random):
    return dt.median(stored((random.randint(10**5, 10**7),), "f8", (10**5,)))


def wide_svd(random):
    rows = random.randint(20, 400)
    return dt.linalg.svd(stored((rows, 200 * rows), "f8", (rows, 4 * rows)), full_matrices=False)[0]


def singular_values(random):
    rows = random.randint(20, 1000)
    return dt.linalg.svd(stored((rows, rows), "f8", (100, 100)), compute_uv=False)


def cut_columns(random):
    x = stored((random.randint(10, 4000), random.randint(10, 4000)), "f8", (10, 4000))
    return x.T.rechunk((random.choice([1, 10, -1]), -1)).sum(axis=0)


def product(random):
    n, m = random.randint(100, 4000), random.randint(100, 4000)
    return stored((n, m), "f8", (100, 1000)) @ stored((m, n), "f8", (1000, 100))


def running_total(random):
    return dt.cumsum(stored((random.randint(10**3, 10**7),), "f8", (10**4,)))


def large_chunk(random):
    return stored((random.randint(10, 10**7),), "f8", (10**7,)) * 2 + 1


def transform(random):
    return dt.fft.fft(stored((2 ** random.randint(10, 22),), "c16", (2**14,)))


def taken(random):
    cells = random.randint(10**4, 10**6)
    return dt.take(stored((cells,), "f8", (10**4,)), stored((cells,), "i8", (10**4,)))


KINDS = (
    sorted_cells,
    median_of_all,
    wide_svd,
    singular_values,
    cut_columns,
    product,
    running_total,
    large_chunk,
    transform,
    taken,
)


def machines(random):
    """Workers whose memory may hold all, a part, or next to nothing."""
    return dt.Resources(
        workers=random.choice([1, 2, 8, 60, 1000]),
        threads=random.choice([1, 2, 8]),
        memory=int(10 ** random.uniform(3.5, 8)),
        local=False,
    )


def is_planned_or_refused(seed):
    """Plan a job: its plan passes, or the memory that the refusal names is enough."""
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    y, there = kind(random), machines(random)
    try:
        dt.plan(y, resources=there, budget=0).verify()
    except dt.MemoryLimitError as error:
        text = str(error)
        assert re.search(r"(float64|complex128|int64)\[", text), text
        (enough,) = re.findall(r"thread[s]? of ([\d.]+ \w+)(?: each)? would do", text)
        larger = dt.Resources(there.workers, there.threads, enough)
        dt.plan(y, resources=larger, budget=0).verify()


# A sort is planned last, as it takes longest: one that is refused is in `test_search`.
@pytest.mark.parametrize("seed", seeds_of([*range(1, 20), 0], 3))
def test_a_share_of_drawn_jobs_is_planned_or_refused(seed):
    is_planned_or_refused(seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(20, 400))
def test_drawn_jobs_are_planned_or_refused(seed):
    is_planned_or_refused(seed)


def test_groups_of_workers_and_this_machine_are_named_as_they_are():
    x = (stored((100, 10_000), "f8", (100, 10_000)) + 1).rechunk((-1, -1))
    groups = dt.Resources(groups=[(1, 1, "100 kB"), (1, 2, "200 kB")])
    with pytest.raises(dt.MemoryLimitError, match=r"1 worker, 2 threads, .*; 1 worker.* would do"):
        dt.plan(x, resources=groups)
    here = dt.Resources(threads=1, memory="1 MB", local=True)
    with pytest.raises(dt.MemoryLimitError, match=r"; a machine of .* would do"):
        dt.plan(x, resources=here)


def test_no_memory_is_named_that_no_machine_has():
    """Of what is not counted yet there may be as many cells as an index reaches."""
    wide = dt.placeholder((2**31, 2**31), "f8", (1, 2**31))
    with pytest.raises(dt.MemoryLimitError) as raised:
        dt.plan(dt.linalg.svd(wide, compute_uv=False), resources=dt.Resources(memory="1 GB"))
    assert "would do" not in str(raised.value)


def test_no_memory_is_named_where_the_user_has_set_the_limit():
    here = dt.Resources(threads=1, memory="1 GB", local=True)
    with dt.config(memory_limit="1 MB"), pytest.raises(dt.MemoryLimitError) as error:
        dt.plan(dt.asarray(np.ones(10**6)) + 1, resources=here)
    assert "would do" not in str(error.value)


def test_results_are_fetched_in_rounds_where_all_side_by_side_take_far_longer():
    x, places = (
        dt.placeholder((8_000_000,), kind, stored_chunks=(200_000,)) for kind in ("f8", "i8")
    )
    few = dt.Resources(workers=2, threads=1, memory="128 MiB")
    plan = dt.plan(dt.take(x, places), resources=few)
    assert plan.cost["seconds"] < 1
    assert "rounds" in plan.explain()
