import pytest

from dask_tapestry.planner.machine.worker_group import WorkerGroup, workers_text


def test_memory_may_be_written_as_text():
    assert WorkerGroup(2, 4, "1 GiB") == WorkerGroup(2, 4, 2**30)
    assert str(WorkerGroup(1, 4, "1 GiB")) == "1 worker, 4 threads, 1.00 GiB each"


@pytest.mark.parametrize("wrong", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_there_is_one_of_each(wrong):
    with pytest.raises(ValueError, match="at least 1"):
        WorkerGroup(*wrong)


def test_one_is_not_many():
    assert [workers_text(1, 2), workers_text(2, 1)] == [
        "1 worker, 2 threads",
        "2 workers, 1 thread",
    ]


def test_a_group_is_a_place():
    assert WorkerGroup(2, 4, "1 GiB").place == "4 threads, 1.00 GiB"
    big = WorkerGroup(2, 4, "1 GiB", "big", 2.5)
    assert (big.place, str(big)) == ("big", "big: 2 workers, 4 threads, 1.00 GiB each")
    with pytest.raises(ValueError, match="speed of a group must be a positive number"):
        WorkerGroup(1, 1, 1, speed=0)
