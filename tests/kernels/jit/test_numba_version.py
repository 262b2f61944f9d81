import sys
from importlib import metadata

import pytest

from dask_tapestry_kernels.jit.numba_version import numba_version


@pytest.fixture(autouse=True)
def _forgotten():
    numba_version.cache_clear()
    yield
    numba_version.cache_clear()


def installed(tmp_path, monkeypatch, *names):
    """A folder with numba's package and others beside it, as installers leave them."""
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "numba")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    for name in names:
        (tmp_path / name).mkdir()
    if names:
        (tmp_path / "numba").mkdir()
        (tmp_path / "numba" / "__init__.py").write_text("raise SystemExit")


def test_it_is_the_version_that_is_installed():
    assert numba_version() == metadata.version("numba")


def test_numba_is_not_imported(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "numba-0.99.3.dist-info", "numba_stats-1.0.dist-info")
    assert numba_version() == "0.99.3"


def test_leftovers_of_another_version_do_not_matter(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch, "numba-0.99.3.dist-info", "numba-0.98.0.dist-info")

    monkeypatch.setattr(metadata, "version", lambda name: "0.99.3")
    assert numba_version() == "0.99.3"


def test_without_numba_it_is_empty(tmp_path, monkeypatch):
    installed(tmp_path, monkeypatch)
    assert numba_version() == ""
