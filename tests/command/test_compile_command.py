import os
import re

from tests.command.processes import command, script

JOB = """
def halved(block):
    open(sys.argv[1] + ".called", "w")
    return block / 2

x = dt.arange(10**6, chunks=10**5)
y = np.sqrt(x * 3 + 1) / (x + 2)
dt.to_zarr(y, sys.argv[1], compute=True)
dt.to_zarr(dt.map_blocks(halved, y, dtype="f8"), sys.argv[1] + "2")
"""


def test_kernels_are_compiled_ahead_and_the_job_asks_for_no_others(tmp_path, monkeypatch):
    """The run itself, told to wait for kernels, finds all of them."""
    monkeypatch.setitem(os.environ, "DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(os.environ, "DASK_TAPESTRY_KERNELS", "wait")
    job, out = script(tmp_path, JOB), tmp_path / "out"
    told = command("compile", job, out)
    assert told.code == 0, told.err
    lines = told.out.splitlines()
    assert lines[0].startswith("plan 1, job.py:9: ")
    assert "it calls a function of yours" in told.out
    found = re.fullmatch(r"(\d+) kernels compiled, 0 were there: .*cache", lines[-1])
    assert found is not None
    assert int(found[1]) > 0
    assert not out.exists()
    assert not (tmp_path / "out.called").exists()
    kept = set(os.listdir(tmp_path / "cache"))
    told = command("run", job, out, "--quiet")
    assert told.code == 0, told.err
    assert set(os.listdir(tmp_path / "cache")) == kept


def test_a_value_that_the_script_needs_ends_it(tmp_path):
    told = command("compile", script(tmp_path, "print(float(dt.ones(9).sum()))"))
    assert told.code == 3
    assert "job.py:2: the script needs" in told.err
    assert "kernels compiled" in told.out


ON_DEVICE = """
dt.config(host_parts=False)
x = dt.arange(10**6, chunks=10**5, dtype="f8").to_device("cuda")
y = np.sqrt(x * 3 + 1) / (x + 2)
dt.to_zarr(y[::2], sys.argv[1], compute=True)
dt.to_zarr(y.reshape(1000, 1000).sum(axis=1), sys.argv[1] + "2", compute=True)
"""


def test_kernels_of_gpus_are_compiled_where_none_is(tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    job, out = script(tmp_path, ON_DEVICE), tmp_path / "out"
    without = command("compile", job, out)
    assert "it is a GPU's, of which no architecture is told" in without.out
    one = command("compile", job, out, "--sm", "90")
    assert one.code == 0, one.err
    assert "left out" not in one.out
    (made,) = re.findall(r"(\d+) kernels compiled", one.out)
    assert int(made) > 2
    cubins = tmp_path / "cubins"
    more = command("compile", job, out, "--sm", "90", "100", "--cubins", cubins)
    assert len(list(cubins.iterdir())) >= int(made)
    (again,) = re.findall(r"(\d+) kernels compiled", more.out)
    assert int(again) == int(made)
    assert not out.exists()


def test_no_architecture_of_a_gpu_is_refused(tmp_path):
    told = command("compile", script(tmp_path, "dt.ones(9)"), "--sm", "9")
    assert told.code != 0
    assert "--sm: 9 is not a GPU architecture: give 90 for sm_90" in told.err
