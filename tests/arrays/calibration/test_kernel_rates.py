import sys

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.calibration.kernel_rates import (
    ALIKE,
    PROBES,
    kernel_rates,
    operations,
    rate_of,
    seconds,
)
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.tiled_reductions import TiledReductions
from dask_tapestry.planner.machine.rates import shipped_rates
from dask_tapestry_kernels.devices import kernels_of

module = sys.modules["dask_tapestry.arrays.calibration.kernel_rates"]


def test_every_shipped_rate_is_measured():
    measured = {probe.rate for probe in PROBES} | set(ALIKE)
    assert measured == set(dict(shipped_rates().operations)) - {""}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_reductions_in_one_pass_have_the_rate_of_one(dtype):
    rates, cells = shipped_rates(), np.dtype(dtype)
    for kernel in (JointReductions.kernel, TiledReductions.kernel):
        assert rates.operations_a_second(kernel, cells) == rates.operations_a_second(
            "reduce", cells
        )


def test_rates_are_of_kernels():
    assert {probe.rate.split()[0] for probe in PROBES} - {"across"} <= set(kernels_of("cpu"))


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.rate)
def test_a_program_has_its_kernel_in_proportion_to_its_cells(probe):
    kernel = probe.rate.split()[0]
    if kernel == "across":
        return
    few, many = operations(probe.make(2**12), kernel), operations(probe.make(2**14), kernel)
    assert 0 < few < many


def test_a_rate_is_operations_over_seconds(monkeypatch):
    monkeypatch.setattr(module, "seconds", lambda x: x.size * 1e-3)
    probe = module.RateProbe("map float64", lambda n: dt.exp(dt.asarray(np.ones(n))), 2**15)
    assert rate_of(probe) == pytest.approx(32e3)


def test_computing_takes_time():
    assert seconds(dt.asarray(np.ones(2**16)) + 1) > 0


def test_what_the_budget_does_not_suffice_for_is_in_proportion(monkeypatch):
    shipped = dict(shipped_rates().operations)
    assert kernel_rates(budget=-1) == {n: pytest.approx(r) for n, r in shipped.items() if n}
    clock = iter([0.0, 0.0, 2.0])  # the start, and before each of two programs
    monkeypatch.setattr(module, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(module, "rate_of", lambda probe: 3 * shipped[probe.rate])
    assert kernel_rates(budget=1)["sort"] == pytest.approx(3 * shipped["sort"])
