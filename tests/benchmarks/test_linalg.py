"""Every work runs in every library that has it, and gives the same values."""

import json

import numpy as np
import pytest

from benchmarks import linalg


@pytest.mark.parametrize("name", linalg.WORKS)
def test_libraries_agree(name):
    calls = {k: call for k, call in linalg.WORKS[name](500).items() if call}
    assert linalg.OURS in calls
    if "svd" in name:
        return  # of random projections each has its own
    found = [call() for call in calls.values()]
    ours, *others = [one[0] if isinstance(one, tuple) else one for one in found]
    for theirs in others:
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-8)


def test_it_prints_a_table_and_writes_the_seconds(tmp_path, capsys):
    path = tmp_path / "linalg.json"
    linalg.main(["--scale", "500", "--only", "cholesky", "--repeats", "1", "--json", str(path)])
    assert "| cholesky 8000 | " in capsys.readouterr().out
    found = json.loads(path.read_text())
    assert found["scale"] == 500
    assert {"dask_tapestry", "NumPy"} <= set(found["seconds"]["cholesky 8000"])


def test_ratios_are_of_ours():
    text = linalg.line("x", {"dask_tapestry": 2.0, "NumPy": 3.0})
    assert text == "| x | 2.000 | 3.000 (1.50) | - | - |"
