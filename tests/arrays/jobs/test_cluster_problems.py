import re

import pytest

from dask_tapestry.arrays.jobs.cluster_problems import (
    clock_problems,
    kinds_of_workers,
    memory_problems,
    scratch_problems,
    thread_problems,
    version_problems,
)

FRACTIONS = {"target": 0.6, "spill": 0.7, "pause": 0.8, "terminate": 0.95}
VERSIONS = {"python": "3.11.2", "dask": "2026.8.0", "numpy": "2.2.1", "dask_tapestry": "0.1.0"}


def worker(**changed):
    usual = {
        "host": "n1", "threads": 4, "cores": 8, "memory": 64 * 2**30, "cgroup": None,
        "limit": 16 * 2**30, "blas_threads": 1, "fractions": FRACTIONS, "scratch": "/tmp",
        "scratch_free": 2**40, "scratch_kind": "ext4", "versions": VERSIONS, "code": "a",
    }  # fmt: skip
    return usual | changed


def problems(**changed):
    there = {"w": worker(**changed)}
    finders = (thread_problems, memory_problems, scratch_problems)
    return [text for find in finders for text in find(there)]


def test_a_usual_worker_has_none():
    assert not problems()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"threads": 9}, "n1 has 8 cores and workers with 9 threads; start fewer"),
        ({"blas_threads": 8}, "starts 8 threads, and w runs 4 tasks.*OMP_NUM_THREADS=1"),
        ({"limit": 65 * 2**30}, "may take 65.00 GiB, and it has 64.00 GiB; .*--memory-limit"),
        ({"cgroup": 2**33, "memory": 2**33}, "lets its processes have 8.00 GiB"),
        ({"limit": 0}, "w has no limit"),
        ({"fractions": FRACTIONS | {"pause": 0.5}}, "would pause at 0.5.*pause to 0.8"),
        ({"scratch_kind": "tmpfs"}, "which is memory.*--local-directory"),
        ({"scratch_kind": "nfs4"}, "over the network"),
        ({"scratch_free": 2**30}, "1.00 GiB left in /tmp, less than its memory of 16.00 GiB"),
    ],
)
def test_each_problem_says_what_to_do(changed, words):
    (found,) = problems(**changed)
    assert re.search(words, found)


def test_workers_of_a_machine_share_its_cores_and_memory():
    there = {f"w{i}": worker() for i in range(5)}
    (threads,) = thread_problems(there)
    assert "8 cores and workers with 20 threads" in threads
    (memory,) = memory_problems(there)
    assert "may take 80.00 GiB" in memory


def test_versions_that_differ_are_problems_and_patches_are_notes():
    here = worker()

    def of(**changed):
        return version_problems(here, {"w": worker(versions=VERSIONS | changed)})

    assert of() == ([], [])
    (found,), notes = of(python="3.13.1")
    assert "python is 3.11.2 here and 3.13.1 at w; install the same" in found
    assert not notes
    assert of(numpy="2.2.9") == ([], ["versions: numpy is 2.2.1 here and 2.2.9 at w"])
    assert len(of(dask_tapestry="0.1.1")[0]) == 1
    (found,), _ = version_problems(here, {"w": worker(code="b")})
    assert "files of dask_tapestry" in found


def test_clocks_that_differ():
    assert not list(clock_problems({"w": 0.3}))
    (found,) = clock_problems({"w": -7.0})
    assert "7.0 s behind" in found


def test_unequal_workers_are_told():
    assert not kinds_of_workers({"a": worker(), "b": worker()})
    (found,) = kinds_of_workers({"a": worker(), "b": worker(threads=1, limit=2**30)})
    assert "2 kinds, 1 with 4 threads and 16.00 GiB, 1 with 1 threads and 1.00 GiB" in found
