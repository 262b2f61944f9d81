"""Simulated jobs on more and more workers."""

import pytest

from benchmarks.planner.efficiency import JOBS, efficiency, images, runs, table


@pytest.fixture(scope="module")
def found():
    mlp = "MLP of 8 layers, 410 GB"
    jobs = {mlp: JOBS[mlp], "images, 59 GB": lambda: images(300_000)}
    return list(runs(jobs, (8, 64)))


def test_more_workers_take_less_time(found):
    for job in {run.job for run in found}:
        few, many = (run for run in found if run.job == job)
        assert many.seconds < few.seconds / 4
        assert 0.5 < efficiency({8: few, 64: many}, 64) < 1.3
        assert 0 < few.utilisation <= 1


def test_the_table_has_a_row_a_job(found):
    head, line, *rows = table(found).splitlines()
    assert head == "| job | 8 workers | 64 workers |"
    assert line == "|---|---|---|"
    assert len(rows) == 2
    assert all(", 100% |" in row for row in rows)
