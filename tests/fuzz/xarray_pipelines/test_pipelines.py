"""Random pipelines; ``python -m tests.fuzz.xarray_pipelines --pipelines 5000`` runs many more."""

from random import Random

import numpy as np
import pytest
import xarray as xr

from tests.covering import seeds_of
from tests.fuzz.programs import Mismatch
from tests.fuzz.xarray_pipelines import run, steps
from tests.fuzz.xarray_pipelines.run import differs
from tests.fuzz.xarray_pipelines.steps import Step


@pytest.mark.parametrize("seed", seeds_of(range(0, 160, 16), 1))
def test_a_fixed_share_of_pipelines(seed):
    for number in range(seed, seed + 16):
        run.run(Random(number))


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 2000, 20), 1))
def test_many_pipelines(seed):
    for number in range(seed, seed + 20):
        run.run(Random(number))


def is_ours(data):
    return data["a"].chunks is not None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda d: d + 1 if is_ours(d) else d,
        lambda d: d.astype("c16") if is_ours(d) else d.astype("c8"),
        lambda d: d.assign_attrs(more=1) if is_ours(d) else d,
        lambda d: d.isel(time=[0]) if is_ours(d) else d,
        lambda d: d.drop_vars("area") if is_ours(d) else d,
        lambda d: d.nothing if is_ours(d) else d,
    ],
)
def test_a_wrong_step_is_found(wrong, monkeypatch):
    monkeypatch.setattr(steps, "DRAWS", (lambda random, data: Step("wrong", wrong),))
    monkeypatch.setattr(run, "_by_dask", lambda *given: xr.Dataset())
    monkeypatch.setattr(run, "_is_plain", lambda data: True)
    with pytest.raises(Mismatch):
        run.run(Random(0), 1)


def test_when_datasets_differ():
    x = xr.Dataset({"a": ("x", np.array([1.0, np.nan]))}, {"x": [1, 2]}, {"title": "t"})
    assert not differs(x, x.copy(), 0)
    assert differs(x + 1e-12, x, 0)
    assert not differs((x + 1e-12).assign_attrs(title="t"), x, 1e-9)
    for other in (x.astype("f4"), x.isel(x=[0]), x.drop_vars("x"), x.assign_coords(x=[1, 3])):
        assert differs(other, x, 1e-9)
