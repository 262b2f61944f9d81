"""The model orders programs as a clock does; the clock itself is for `benchmarks/planner`."""

import pytest

from benchmarks.planner import rates
from dask_tapestry.planner.machine.machine import Machine


def test_ranks_that_agree_correlate():
    assert rates.rank_correlation([1, 20, 300], [2, 3, 4]) == pytest.approx(1)
    assert rates.rank_correlation([1, 2, 3], [9, 8, 7]) == pytest.approx(-1)


@pytest.mark.parametrize("name", rates.PROGRAMS)
def test_every_program_takes_seconds_in_proportion(name):
    make, machine = rates.PROGRAMS[name], Machine.of(rates.ONE)
    few, many = (rates.predicted(make(n), machine) for n in (2**14, 2**16))
    assert 0 < few < many


def test_a_report_ends_with_the_correlation():
    chosen = {name: rates.PROGRAMS[name] for name in ("x + y", "sort")}
    found = rates.compare(chosen, 2**16, 1, Machine.of(rates.ONE))
    assert rates.report(found).splitlines()[-1].startswith("rank correlation of 2: ")
