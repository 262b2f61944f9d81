"""Versions that differ: an error of whoever reads first, before a cell is computed."""

import pickle

import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.lower import version_mark
from dask_tapestry.lower.version_mark import OfAnotherVersion, marked, unmarked

OLDER = "import dask_tapestry; dask_tapestry.__version__ = '0.0.9'"


def test_the_own_version_is_read():
    assert unmarked(marked(b"cells\0more")) == b"cells\0more"


def test_another_is_named(monkeypatch):
    payload = marked(b"cells")
    monkeypatch.setattr(version_mark, "version", lambda: "9.9")
    assert unmarked(payload) is None
    with pytest.raises(dt.PlanError, match=rf"{dt.__version__}; .* has 9.9: install one version"):
        OfAnotherVersion(payload).box((0,))
    assert unmarked(b"a pickle of an older version, which had no marks") is None


def test_what_stands_for_it_travels():
    other = pickle.loads(pickle.dumps(OfAnotherVersion(b"1.0\0cells")))
    with pytest.raises(dt.PlanError, match="was made by"):
        other.box((0,))


@pytest.mark.cluster
def test_workers_of_another_version_compute_nothing(tmp_path):
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options, preload=[OLDER]) as cluster, Client(cluster):
        x = dt.arange(1000) + 1
        with pytest.raises(dt.PlanError, match=r"has 0\.0\.9: install one version everywhere"):
            x.sum().compute()
        with pytest.raises(dt.PlanError, match=r"has 0\.0\.9"):
            dt.to_zarr(x, tmp_path / "x.zarr")


@pytest.mark.cluster
def test_so_does_a_scheduler_of_another_version(monkeypatch):
    """Dask's error says that environments differ, and is raised from the one that says how."""
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    monkeypatch.setattr(
        "dask_tapestry.lower.step_spec.marked", lambda payload: b"0.0.8\0" + payload
    )
    with (
        LocalCluster(**options, processes=False) as cluster,
        Client(cluster),
        pytest.raises(RuntimeError, match="different environments") as raised,
    ):
        (dt.arange(1000) + 1).sum().compute()
    assert "made by dask_tapestry 0.0.8" in str(raised.value.__cause__)
