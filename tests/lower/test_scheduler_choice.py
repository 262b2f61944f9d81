import subprocess
import sys

import dask
import pytest
from dask.base import named_schedulers

from dask_tapestry.lower.scheduler_choice import (
    LOCAL_SCHEDULERS,
    local_options,
    says_nothing,
)

PROGRAM = """
import sys
import numpy as np
import dask_tapestry as dt

x = dt.asarray(np.arange(100_000.0))
assert x[x > 7].compute().size == 99_992
assert x.persist().sum().compute() == np.arange(100_000.0).sum()
assert dt.compute(x, x + 1, scheduler="sync")[1][0] == 1
with dt.config(resources=None):
    assert dt.persist(x * 2)[0].compute()[1] == 2
assert "distributed" not in sys.modules
"""


def test_local_runs_do_not_import_distributed():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", LOCAL_SCHEDULERS)
def test_local_schedulers_are_functions(name, monkeypatch):
    monkeypatch.delitem(sys.modules, "distributed", raising=False)
    expected = named_schedulers[name or "threads"]
    assert local_options({"scheduler": name, "num_workers": 2}) == {
        "scheduler": expected,
        "num_workers": 2,
    }
    with dask.config.set(scheduler=name):
        assert local_options({})["scheduler"] is expected


def test_others_are_left_to_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", object())
    assert local_options({}) == {}
    assert local_options({"scheduler": "threads"}) == {"scheduler": "threads"}
    monkeypatch.delitem(sys.modules, "distributed")
    for other in ("processes", "distributed", dask.get, object()):
        assert local_options({"scheduler": other}) == {"scheduler": other}
        with dask.config.set(scheduler=other):
            assert local_options({}) == {}


def test_what_says_nothing():
    assert says_nothing({})
    assert says_nothing({"scheduler": None})
    assert not says_nothing({"scheduler": "processes"})
    assert not says_nothing({"scheduler": "threads", "num_workers": 2})
    assert not says_nothing({"scheduler": dask.get})
