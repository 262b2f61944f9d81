"""Each work of both libraries runs in a cluster, and ours is right."""

import re

import numpy as np
import pytest

from benchmarks import large_matrices


def test_it_prints_seconds_and_the_error(monkeypatch, capsys):
    arguments = ["--side", "64", "--workers", "1", "--memory", "2GB", "--only", "solve"]
    monkeypatch.setattr("sys.argv", ["large_matrices.py", *arguments])
    large_matrices.main()
    _, _, row = capsys.readouterr().out.splitlines()
    _, name, ours, error, theirs, _ = (cell.strip() for cell in row.split("|"))
    assert name == "solve"
    assert ours.endswith(" s")
    assert float(error) < 1e-12
    assert theirs.endswith(" s")  # dask.array needs SciPy


def test_it_tells_what_workers_take(monkeypatch, capsys):
    arguments = ["--side", "64", "--workers", "1", "--memory", "2GB", "--only", "cholesky"]
    options = ["--dtype", "f4", "--workers-processor"]
    monkeypatch.setattr("sys.argv", ["large_matrices.py", *arguments, *options])
    large_matrices.main()
    _, _, row = capsys.readouterr().out.splitlines()
    told = re.search(r"(\d+\.\d) s, (\d+\.\d) s of processors, (\d+) MB \| (\S+)", row)
    assert 10 < int(told[3]) < 2000
    assert 1e-9 < float(told[4]) < 1e-5


@pytest.mark.parametrize("name", large_matrices.WORKS)
def test_errors_are_told_apart(name, tmp_path):
    a = large_matrices.stored(tmp_path / "a.zarr", 16, "f8")
    right = {
        "solve": lambda: np.linalg.solve(a, np.ones((16, 8))),
        "cholesky": lambda: np.linalg.cholesky(a),
        "qr": lambda: np.linalg.qr(a)[0],
        "inv": lambda: np.linalg.inv(a),
    }
    made = right[name]()
    large_matrices.zarr.create_array(tmp_path / "made.zarr", data=made)
    assert large_matrices.error_of(name, a, tmp_path) < 1e-14
    large_matrices.zarr.create_array(tmp_path / "made.zarr", data=2 * made, overwrite=True)
    assert large_matrices.error_of(name, a, tmp_path) > 1e-3
