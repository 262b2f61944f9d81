import pytest

from tests.command.processes import command, script

CLUSTERED = """
from distributed import Client, LocalCluster, progress, wait
from dask_jobqueue import SLURMCluster

def main():
    cluster = SLURMCluster(cores=8, processes=2, memory="64 GiB")
    cluster.scale(jobs=4)
    with Client(cluster) as client:
        client.wait_for_workers(8)
        x = dt.ones((4000, 1000), chunks=(500, 1000))
        y = (x * 2).persist()
        write = dt.to_zarr(y.sum(axis=0), sys.argv[1], compute=False)
        futures = client.compute([write])
        progress(futures)
        wait(futures)
        client.gather(futures)
        try:
            print(float(y.mean()))
        except Exception:
            print("nobody hears it")

if __name__ == "__main__":
    main()
"""


def test_a_script_with_a_cluster_is_planned_up_to_the_first_value(tmp_path):
    job, folder = script(tmp_path, CLUSTERED), tmp_path / "plans"
    told = command("plan", job, tmp_path / "out.zarr", "--save", folder)
    assert told.code == 3, told.err
    lines = [line for line in told.out.splitlines() if line.startswith("plan")]
    usual = "plan for 8 workers, 4 threads, 32.00 GiB each"
    assert lines == [
        "plan 1, job.py:12 keeps", usual, "plan 2, job.py:14 writes", usual,
        "plan 3, job.py:19 computes", usual,
    ]  # fmt: skip
    assert told.err == "job.py:19: the script needs this value: what follows cannot be planned\n"
    assert not (tmp_path / "out.zarr").exists()
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"plan-{n}.{kind}" for n in (1, 2, 3) for kind in ("html", "json")]


def test_the_commands_machines_go_before_the_scripts(tmp_path):
    job = script(
        tmp_path,
        "with dt.config(resources=dt.Resources(2, 1, '1 GiB')):\n"
        "    dt.to_zarr(dt.ones((400, 100)), sys.argv[1])\n"
        "    print(sys.argv[2:])\n",
    )
    own = "--workers", 512, "--threads", 8, "--memory", "32 GiB"
    told = command("plan", job, "out.zarr", "x", *own, "--", "--threads", 3, folder=tmp_path)
    assert told.code == 0, told.err
    assert "plan for 512 workers, 8 threads, 32.00 GiB each" in told.out
    assert "['x', '--threads', '3']" in told.out
    assert not (tmp_path / "out.zarr").exists()


@pytest.mark.few(5)  # a process each
@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        ("dt.to_zarr(dt.ones(9), 'o')\ndt.from_zarr('o')\n", 3, "job.py:3: StoreNotFoundError"),
        ("dt.from_zarr('none')\n", 1, "job.py:2: StoreNotFoundError"),
        ("np.asarray(dt.ones(9) + 1)\n", 3, "job.py:2: the script needs this value"),
        ("import dask.array as da\nda.ones(9).compute(scheduler='sync')\n", 3, "job.py:3: the"),
        ("dt.ones(9).to_dask_array().compute()\n", 3, "job.py:2: the script needs tasks for Dask"),
        ("from distributed import Client\nClient().submit(len, ())\n", 3, "what Client.submit"),
        ("sys.exit(7)\n", 7, "computes and writes nothing"),
        ("x = 1 / 0\n", 1, "ZeroDivisionError"),
        ("x = (\n", 1, "SyntaxError"),
    ],
)
def test_what_cannot_be_planned_is_told_with_its_line(tmp_path, lines, code, words):
    told = command("plan", script(tmp_path, lines), folder=tmp_path)
    assert told.code == code, told.err
    assert words in told.err or code == 7
    assert "dask_tapestry/command" not in told.err
    assert [path.name for path in tmp_path.iterdir()] == ["job.py"]
