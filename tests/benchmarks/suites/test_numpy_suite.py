import ast

import pytest

from benchmarks.suites.numpy_suite import FILES, PLUGIN, copied
from benchmarks.suites.outcomes import run_pytest


def test_copies_are_python_with_our_modules(tmp_path):
    files = copied(tmp_path)
    assert len(files) == sum(map(len, FILES.values()))
    for name in ("core/numeric", "linalg/linalg"):
        text = (tmp_path / files[name]).read_text()
        ast.parse(text)
        assert "import tapestry_as_numpy as np" in text


@pytest.mark.exhaustive  # the program itself, with NumPy's own tests
def test_a_file_runs_with_our_functions(tmp_path):
    files = copied(tmp_path)
    more = [*PLUGIN, "-k", "TestNonarrayArgs and (squeeze or trace)"]
    found = run_pytest([files["core/numeric"]], tmp_path / "log", tmp_path, more)
    assert found
    assert all(one.outcome == "passed" and one.ours for one in found)
