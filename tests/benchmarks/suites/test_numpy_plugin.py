import sys

from benchmarks.suites import numpy_plugin, numpy_stand_in


def test_numpys_marks_and_our_modules():
    assert callable(numpy_plugin.pytest_addoption)
    assert any(isinstance(finder, numpy_stand_in._Finder) for finder in sys.meta_path)
