import os
import signal
import subprocess
import sys
import time

import zarr

from tests.command.processes import ROOT, command, script

JOB = """
import time

def slowly(block):
    time.sleep(0.05)
    return block * 2

x = dt.map_blocks(slowly, dt.arange(400, chunks=10), dtype="int64")
dt.to_zarr(x, sys.argv[1], chunks=10)
print("done")
"""


def _chunks(array):
    """The files of the chunks that are stored of an array with one dimension."""
    return [path for path in (array / "c").glob("*") if path.name.isdigit()]


def test_a_killed_run_goes_on(tmp_path, monkeypatch):
    """Written again is at most what was in flight: on one thread the ten chunks of a task.

    A task marks what it has stored once, with its last chunk.
    """
    monkeypatch.setenv("DASK_NUM_WORKERS", "1")
    job, out = script(tmp_path, JOB), tmp_path / "out.zarr"
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "kernels")))
    line = [sys.executable, "-m", "dask_tapestry", "run", str(job), str(out), "--resume", "--quiet"]
    process = subprocess.Popen(line, env=os.environ | {"PYTHONPATH": paths})
    while len(_chunks(out)) < 12:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stored = {path: path.stat().st_mtime_ns for path in _chunks(out)}
    assert 12 <= len(stored) < 40
    told = command("run", job, out, "--resume", "--quiet")
    assert told.code == 0, told.err
    assert "goes on" in told.err
    again = {int(path.name) // 10 for path, at in stored.items() if path.stat().st_mtime_ns != at}
    assert len(again) <= 1
    assert min(again, default=1) > 0
    assert told.out == "done\n"
    assert (zarr.open_array(out)[:] == [2 * n for n in range(400)]).all()
    told = command("run", job, out, "--checksums", "--quiet")
    assert "is complete: nothing is written" in told.err


def test_a_script_runs_as_python_would_run_it(tmp_path):
    lines = "print(__name__, sys.argv[1:], sys.path[0] == sys.argv[-1])\n"
    lines += "if __name__ == '__main__':\n    raise ValueError('mine')\n"
    told = command("run", script(tmp_path, lines), "a", "--b", tmp_path)
    assert told.code == 1
    assert told.out.startswith(f"__main__ ['a', '--b', '{tmp_path}'] True")
    assert told.err.splitlines()[0].startswith("Traceback")
    assert told.err.splitlines()[-1] == "ValueError: mine"
    assert "dask_tapestry/command" not in told.err


def test_processes_that_a_script_starts_import_it_again(tmp_path):
    lines = """
from distributed import Client, LocalCluster

def double(block):
    return block * 2

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as c, Client(c):
        dt.to_zarr(dt.map_blocks(double, dt.arange(9), dtype="int64"), sys.argv[1])
"""
    told = command("run", script(tmp_path, lines), tmp_path / "o", "--resume", "--quiet")
    assert told.code == 0, told.err
    assert zarr.open_array(tmp_path / "o")[-1] == 16
