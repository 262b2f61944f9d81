"""Each work of both libraries runs in a cluster, and ours is right."""

import re

import numpy as np
import pytest

from benchmarks import large_matrices
from tests.covering import beyond


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


@pytest.mark.exhaustive  # one part is written below
@pytest.mark.parametrize("name", [beyond("qr"), "q and r"])  # one part is as of "solve"
def test_one_part_or_two_are_written(name, monkeypatch, capsys):
    arguments = ["--side", "64", "--workers", "1", "--memory", "2GB", "--only", name]
    monkeypatch.setattr("sys.argv", ["large_matrices.py", *arguments])
    large_matrices.main()
    _, _, row = capsys.readouterr().out.splitlines()
    _, _, ours, error, _, _ = (cell.strip() for cell in row.split("|"))
    assert ours.endswith(" s")
    assert float(error) < 1e-13


@pytest.mark.exhaustive  # seconds and the error are told above
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
        "q and r": lambda: tuple(np.linalg.qr(a)),
    }
    made = right[name]()
    parts = made if isinstance(made, tuple) else (made,)
    for place, part in zip(large_matrices.MADE, parts, strict=False):
        large_matrices.zarr.create_array(tmp_path / place, data=part)
    assert large_matrices.error_of(name, a, tmp_path) < 1e-14
    first = large_matrices.MADE[0]
    large_matrices.zarr.create_array(tmp_path / first, data=2 * parts[0], overwrite=True)
    assert large_matrices.error_of(name, a, tmp_path) > 1e-3
