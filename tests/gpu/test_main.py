import json
import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.gpu import __main__ as gpu
from tests.gpu import bandwidth, figures, machine, once, operators, parts, programs, report, resumed
from tests.gpu.by_library import NoneOfThatKindError, convolved, scatter_add
from tests.gpu.works import WORKS
from tests.kernels.cuda.fake_cupy import Array, FakeCupy

FOUND = {
    "machine": {"commit": "c0ffee", "device": {"name": "a device", "driver": 12090}},
    "seconds": 3.0,
    "parts": {
        "figures": {
            "figures --peer ours": {
                "rows": {
                    "row sums": {
                        "cells": 2**28, "bytes": 2**30, "seconds": 6e-4, "kernels": 3e-4,
                    },
                    "gather": {"cells": 8, "bytes": 8, "failed": "no such kernel"},
                },
            }
        },
        "timed once": {
            "once": {"overhead": {"seconds": 2e-4, "target": 3e-4}, "job": {"failed": "no room"}}
        },
        "figures of cupy": {"figures --peer cupy": {"rows": {"row sums": {"seconds": 5e-4}}}},
        "operators": {
            "a": {"asked": 5, "done": 5, "wrong": {}},
            "b": {"asked": 5, "done": 3, "wrong": {"sin": "other bits"}},
            "c": {"failed": "it ended with -11", "said": ""},
        },
    },
}  # fmt: skip


class Event:
    def record(self):
        pass

    def synchronize(self):
        pass


@pytest.fixture
def cupy(monkeypatch):
    """A stand-in whose kernels do nothing, and whose functions are NumPy's."""
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    fake = FakeCupy().install(monkeypatch)
    names = (
        "add bincount exp copyto empty_like sort argsort take_along_axis partition interp random"
    )
    for name in names.split():
        setattr(fake.module, name, getattr(np, name))
    fake.module.asarray = lambda x: x.view(Array)
    fake.module.__version__ = "14"
    fake.module.cuda.Event = Event
    fake.module.cuda.get_elapsed_time = lambda start, end: 2.0
    told = fake.module.cuda.runtime
    told.getDeviceProperties = lambda number: {"name": b"a device", "totalGlobalMem": 2**30}
    told.driverGetVersion = told.runtimeGetVersion = lambda: 12090
    told.memGetInfo = lambda: (2**34, 2**35)
    monkeypatch.setattr(bandwidth, "REPEATS", 1)
    return fake


def read(file):
    return json.loads(file.read_text())


def python(*lines):
    return sys.executable, "-c", "\n".join(("import sys", "from pathlib import Path", *lines))


def test_without_a_device_it_says_so_and_ends_with_2(capsys):
    """As this machine has none, in processes as they are."""
    assert gpu.main(["--no-install"]) == 2
    assert "Nothing was run on a GPU: there is no C" in capsys.readouterr().out


def test_it_runs_from_any_python_without_an_environment_of_its_own():
    command = [sys.executable, "-m", "tests.gpu", "--no-install"]
    done = subprocess.run(command, cwd=parts.ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "")


def test_a_part_that_fails_hangs_or_writes_nonsense_says_so():
    runs = (
        parts.Run("good", python("Path(sys.argv[-1]).write_text('{\"done\": 3}')")),
        parts.Run("bad", python("print('why'); sys.exit(3)")),
        parts.Run("slow", python("import time; Path(sys.argv[-1]).write_text('{\"done\": 1}')",
                                 "time.sleep(60)")),
        parts.Run("nonsense", python("Path(sys.argv[-1]).write_text('{')")),
        parts.Run("silent", python("print('tests'); sys.exit(1)"), {"A": "b"}, writes=False),
    )  # fmt: skip
    found = parts.run_part(parts.Part("all", runs, 8))
    assert found["good"]["done"] == 3
    assert "failed" not in found["good"]
    assert (found["bad"]["failed"], found["bad"]["said"]) == ("it ended with 3", "why\n")
    assert (found["slow"]["failed"], found["slow"]["done"]) == ("it took longer than its time", 1)
    assert found["nonsense"]["failed"] == "what it wrote is no JSON"
    assert found["silent"]["failed"] == "it ended with 1"


def test_parts_take_less_than_all_seconds_and_every_test_of_kernels():
    every = parts.all_parts(500, 10**6, 1000, gpu.PEERS)
    assert sum(part.seconds for part in every) <= 500
    assert len({part.name for part in every}) == len(every)
    tests = next(part for part in every if part.name == "tests of kernels")
    assert [run.name for run in tests.runs] == [
        file.stem for file in sorted(parts.SIMULATED.glob("*_simulated.py"))
    ]
    assert all(run.environment == parts.ON_DEVICE for run in tests.runs)


def test_all_parts_run_though_some_fail_and_all_is_written(tmp_path, monkeypatch, capsys):
    some = {"machine": FOUND["machine"]} | FOUND["parts"]

    def run_part(part):
        found = some.get(part.name, {"a": {"failed": "it ended with 1"}})
        return {"machine": found} if part.name == "machine" else found

    monkeypatch.setattr(parts, "run_part", run_part)
    files = ["--json", str(tmp_path / "made" / "gpu.json"), "--page", str(tmp_path / "gpu.md")]
    assert gpu.main(["--no-install", *files]) == 1
    found = read(tmp_path / "made" / "gpu.json")
    assert list(found["parts"]) == [part.name for part in parts.all_parts(1, 1, 1, gpu.PEERS)]
    assert (tmp_path / "gpu.md").read_text() == report.page(found)
    assert "operators: sin" in capsys.readouterr().out
    assert gpu.main(["--no-install", "--only", "of cupy", *files]) == 0
    assert list(read(tmp_path / "made" / "gpu.json")["parts"]) == ["figures of cupy"]


def test_installing_asks_for_what_is_missing_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(gpu.subprocess, "run", lambda command, **_: asked.append(command))
    monkeypatch.setattr(gpu.importlib.util, "find_spec", lambda name: object())
    gpu.install()
    assert not asked
    monkeypatch.setattr(gpu.importlib.util, "find_spec", lambda name: None)
    gpu.install()
    assert asked[0][-1] == "cupy-cuda12x>=14,<15"


def test_the_page_has_figures_and_what_failed():
    page = report.page(FOUND)
    assert "a device, driver 12090; commit c0ffee" in page
    assert "| row sums | 0.3 | 3579 | 0.6 | 0.5 | ≤ 0.27 |" in page
    assert (
        "| operators | 3 | 8 of 10 | 3: operators: sin; operators, c: it ended with -11; " in page
    )
    assert report.failures(FOUND) == [
        "figures: gather",
        "timed once: job",
        "operators: sin",
        "operators, c: it ended with -11",
        "operators: there was time for 8 of 10",
    ]


def test_the_machine_is_told(cupy, tmp_path):
    assert machine.main([str(tmp_path / "a")]) == 0
    found = read(tmp_path / "a")
    assert found["device"]["name"] == "a device"
    assert found["packages"]["numpy"] == np.__version__


def test_rates_of_kernels_are_written(cupy, tmp_path):
    bandwidth.main(["--bytes", "40000", str(tmp_path / "a")])
    rates = read(tmp_path / "a")["rates"]
    assert rates["x * y + x"]["ours"] == 0.002
    assert set(rates) == set(bandwidth.works(40_000))
    assert len(cupy.launches) > 20


def test_operators_are_compared_with_the_host(device_kernels, tmp_path, monkeypatch):
    share = ["--share", "1/60", str(tmp_path / "a")]
    assert operators.main(share) == 0
    found = read(tmp_path / "a")
    assert found["asked"] == found["done"] > 5
    (wrong,) = [one for one in operators.COMPARISONS if one.name == "sin"]
    monkeypatch.setattr(operators, "COMPARISONS", [wrong])
    monkeypatch.setattr(operators, "there", lambda x: operators.dt.asarray(x).to_device("cuda") + 1)
    assert operators.main([str(tmp_path / "b")]) == 1
    assert list(read(tmp_path / "b")["wrong"]) == ["sin"]


def test_random_programs_have_the_hosts_bits(device_kernels, tmp_path):
    assert programs.main(["--programs", "12", str(tmp_path / "a")]) == 0, read(tmp_path / "a")
    assert read(tmp_path / "a")["done"] == 12
    assert {"map", "view"} <= set(device_kernels.called)


def test_a_program_with_other_bits_is_told(device_kernels, tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "there", lambda x: x * 1 if x.dtype.kind == "f" else x)
    monkeypatch.setattr(programs, "same_bits", lambda a, b: False)
    assert programs.main(["--programs", "2", str(tmp_path / "a")]) == 1
    assert "v0 on the device is" in read(tmp_path / "a")["wrong"]["program 0"]


def test_a_share_ends_in_time(device_kernels, tmp_path):
    assert programs.main(["--programs", "1000", "--seconds", "0", str(tmp_path / "a")]) == 0
    assert read(tmp_path / "a")["done"] == 0


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.parametrize("name", WORKS)
def test_works_have_numpys_values(name):
    work = WORKS[name]
    inputs = work.inputs(2**16)
    wanted = work.program(np, *inputs)
    found = work.program(dt, *map(dt.asarray, inputs)).compute()
    np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-4)


def test_figures_of_ours_are_written(device_kernels, tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "REPEATS", 1)
    assert figures.main(["--bytes", "100000", str(tmp_path / "a")]) == 0
    found = read(tmp_path / "a")
    assert list(found["rows"]) == list(WORKS)
    assert all(row["seconds"] > 0 for row in found["rows"].values()), found["rows"]


def test_figures_go_on_behind_the_work_in_which_a_process_ended(
    device_kernels, tmp_path, monkeypatch
):
    monkeypatch.setattr(figures, "REPEATS", 1)
    first, second, *rest = WORKS
    (tmp_path / "a").write_text(json.dumps({"rows": {first: {"seconds": 7.0}}, "at": second}))
    assert figures.main(["--bytes", "100000", str(tmp_path / "a")]) == 1
    rows = read(tmp_path / "a")["rows"]
    assert rows[first] == {"seconds": 7.0}
    assert rows[second]["failed"] == "the process ended in it"
    assert all(rows[name]["seconds"] for name in rest)


def test_a_process_that_has_lost_its_device_asks_for_another(device_kernels, tmp_path, monkeypatch):
    def lost():
        raise RuntimeError("cudaErrorIllegalAddress")

    monkeypatch.setattr(figures, "ours", lambda program, inputs: lost())
    monkeypatch.setitem(figures.PEERS, "ours", figures.ours)
    assert figures.main(["--bytes", "100000", str(tmp_path / "a")]) == 1, "it has its device"
    monkeypatch.setattr(sys.modules["cupy"], "asarray", lambda cells: lost())
    assert figures.main(["--bytes", "100000", str(tmp_path / "b")]) == resumed.AGAIN
    assert len(read(tmp_path / "b")["rows"]) == 1
    monkeypatch.setattr(programs, "compare", lambda seed: lost())
    assert programs.main(["--programs", "4", str(tmp_path / "c")]) == resumed.AGAIN
    assert programs.main(["--programs", "4", str(tmp_path / "c")]) == resumed.AGAIN
    found = read(tmp_path / "c")
    assert (found["done"], list(found["wrong"])) == (2, ["program 0", "program 1"])


def test_a_share_goes_on_behind_the_piece_in_which_a_process_ended(device_kernels, tmp_path):
    begun = {"asked": 3, "done": 1, "wrong": {}, "at": "program 1"}
    (tmp_path / "a").write_text(json.dumps(begun))
    assert programs.main(["--programs", "3", str(tmp_path / "a")]) == 1
    found = read(tmp_path / "a")
    assert (found["done"], found["wrong"]) == (3, {"program 1": "the process ended in it"})


def test_a_run_that_lost_its_device_or_crashed_begins_again():
    counting = (
        "import json, os, signal",
        "file = Path(sys.argv[-1])",
        "found = json.loads(file.read_text()) if file.exists() else {'done': 0}",
        "file.write_text(json.dumps({'done': found['done'] + 1}))",
    )
    runs = (
        parts.Run("lost", python(*counting, "sys.exit(75 if found['done'] < 3 else 0)")),
        parts.Run("crashed", python(*counting, "found['done'] or os.kill(os.getpid(), 9)")),
        parts.Run("always", python(*counting, "sys.exit(75)")),
    )
    found = parts.run_part(parts.Part("all", runs, 30))
    assert (found["lost"]["done"], found["lost"]["again"]) == (4, 3)
    assert (found["crashed"]["done"], found["crashed"]["again"]) == (2, 1)
    assert "failed" not in found["lost"] | found["crashed"]
    assert found["always"]["failed"] == "it ended with 75"
    assert found["always"]["again"] == parts.MOST_AGAIN


def test_a_job_from_store_to_store_runs_on_the_device(device_kernels):
    found = once.stored_job(2**18)
    assert found["written"] == 2**18
    assert min(found[name] for name in ("seconds", "stores", "link there")) > 0
    assert "map" in device_kernels.called


def test_many_small_operations_run_on_the_device(device_kernels):
    assert once.small_operations(4000, 100)["tried"] == 200


def test_shares_of_a_copy_are_those_of_as_many_bytes(device_kernels, monkeypatch):
    cupy = sys.modules["cupy"]
    monkeypatch.setattr(cupy, "empty_like", cupy.asarray, raising=False)
    monkeypatch.setattr(cupy, "copyto", lambda out, x: None, raising=False)
    monkeypatch.setattr(cupy.cuda, "get_elapsed_time", lambda start, end: 4.0, raising=False)
    monkeypatch.setattr(cupy.cuda.runtime, "memGetInfo", lambda: (2**20, 2**30), raising=False)
    monkeypatch.setattr(once, "by_events", lambda copy: 0.002)
    monkeypatch.setattr(once, "launches_timed", lambda: nullcontext([(1, 2)]))
    found = once.kernel_share(10**9)
    assert (found["bytes"], found["share"]) == (2 * 2**17, 0.5), "an eighth of what is free"
    monkeypatch.setattr(once, "timed", lambda call, wait: 0.004 if call() else 0.001)
    assert once.expression_share()["share"] == 0.25, "a copy returns nothing"


def test_what_is_timed_once_is_written_each(tmp_path, monkeypatch):
    def fails():
        assert read(tmp_path / "a") == {"good": {"seconds": 1.0}, "at": "bad"}
        raise ValueError("no room")

    monkeypatch.setattr(once, "ONCE", {"good": lambda: {"seconds": 1.0}, "bad": fails})
    assert once.main([str(tmp_path / "a")]) == 1
    assert read(tmp_path / "a")["bad"]["failed"] == "ValueError: no room"
    (tmp_path / "b").write_text(json.dumps({"at": "bad"}))
    assert once.main([str(tmp_path / "b")]) == 1
    assert read(tmp_path / "b")["bad"]["failed"] == "the process ended in it"


def test_peers_that_are_not_there_are_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    assert figures.main(["--peer", "jax", "--bytes", "100000", str(tmp_path / "a")]) == 0
    assert "jax" in read(tmp_path / "a")["without"]


def test_figures_that_fail_are_told_and_the_others_timed(tmp_path, monkeypatch):
    def peer(program, inputs):
        if len(inputs) == 3:
            raise ValueError("no such function")
        return {"seconds": 1.0}

    monkeypatch.setitem(figures.PEERS, "cupy", peer)
    assert figures.main(["--peer", "cupy", "--bytes", "100000", str(tmp_path / "a")]) == 0
    rows = read(tmp_path / "a")["rows"]
    assert rows["row sums"]["seconds"] == 1.0
    assert "no such function" in rows["RotaryEmbedding"]["none"]
    monkeypatch.setitem(figures.PEERS, "ours", peer)
    assert figures.main(["--bytes", "100000", str(tmp_path / "b")]) == 1
    assert "no such function" in read(tmp_path / "b")["rows"]["RotaryEmbedding"]["failed"]


def test_libraries_that_have_no_such_work_say_so():
    import dask.array

    for work in (scatter_add, convolved):
        with pytest.raises(NoneOfThatKindError, match=r"^dask\.array "):
            work(dask.array, *[np.ones(3)] * (2 + (work is scatter_add)))


def test_kernels_that_fail_are_told_and_the_others_timed(cupy, tmp_path, monkeypatch):
    def fails():
        raise ValueError("no such kernel")

    some = {"a": (8, fails, lambda: None), "b": (8, lambda: None, fails)}
    monkeypatch.setattr(bandwidth, "works", lambda size: some)
    monkeypatch.setattr(resumed, "is_lost", lambda: False)
    assert bandwidth.main([str(tmp_path / "a")]) == 1
    rates = read(tmp_path / "a")["rates"]
    assert (rates["a"]["failed"], rates["a"]["cupy"]) == ("ValueError: no such kernel", 0.002)
    assert (rates["b"]["none"], rates["b"]["ours"]) == ("ValueError: no such kernel", 0.002)
    page = report.page(FOUND | {"parts": {"rates of kernels": {"bandwidth": {"rates": rates}}}})
    assert "| a | – | – | 2 |" in page


def test_without_git_the_commit_is_not_known(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert machine.commit() == ""


def test_names_of_torch_are_numpys(monkeypatch):
    named = figures.TorchNames(SimpleNamespace(exp=np.exp, index_select=lambda x, d, a: (d, a)))
    assert named.exp is np.exp
    assert named.take("x", "at", 0) == (0, "at")
