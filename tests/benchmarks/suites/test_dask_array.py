from benchmarks.suites.dask_array import PACKAGE, copied


def test_files_are_copied_with_our_modules(tmp_path):
    files = copied(tmp_path)
    names = [file.name for file in files]
    assert "test_reductions.py" in names
    assert not any("cupy" in name for name in names)
    assert (tmp_path / PACKAGE / "__init__.py").read_text() == ""
    assert "import tapestry_as_dask as da" in files[names.index("test_reductions.py")].read_text()
