"""xarray's tests are copied with the library in place of dask.array."""

import ast

from benchmarks.suites.xarray_suite import FILES, copied


def test_copies_are_python_and_call_the_library(tmp_path):
    for name in FILES:
        text = (tmp_path / copied(tmp_path, name)).read_text()
        ast.parse(text)
        assert "dask.array" not in text
        assert "import dask_tapestry" in text
    assert (tmp_path / "conftest.py").exists()
