import sys
from types import SimpleNamespace

from dask_tapestry.arrays.jobs.host_facts import (
    cgroup_memory,
    file_system,
    host_facts,
    versions,
    worker_facts,
)
from dask_tapestry.memory.process_memory import machine_memory

module = sys.modules["dask_tapestry.arrays.jobs.host_facts"]


def test_a_process_tells_plain_values():
    before = "numba" in sys.modules
    facts = host_facts()
    assert facts["cores"] > 0
    assert 0 < facts["memory"] <= machine_memory()
    assert set(versions()) == {
        "python", "dask", "distributed", "numpy", "zarr", "numba", "dask_tapestry",
    }  # fmt: skip
    assert ("numba" in sys.modules) is before


def test_a_worker_tells_what_it_was_given(tmp_path):
    manager = SimpleNamespace(
        memory_limit=None,
        memory_target_fraction=0.6,
        memory_spill_fraction=False,
        memory_pause_fraction=None,
    )
    state = SimpleNamespace(nthreads=3)
    worker = SimpleNamespace(
        memory_manager=manager, local_directory=str(tmp_path), name=7, state=state
    )
    facts = worker_facts(worker)
    assert (facts["name"], facts["threads"], facts["limit"]) == ("7", 3, 0)
    none = {"spill": None, "pause": None, "terminate": None}
    assert facts["fractions"] == {"target": 0.6, **none}
    assert facts["scratch_free"] > 0


def test_the_limit_of_a_container_is_found(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(module, "CGROUPS", (tmp_path / "none", limit))
    assert cgroup_memory() is None
    limit.write_text("max\n")
    assert cgroup_memory() is None
    limit.write_text("1048576\n")
    assert cgroup_memory() == 2**20
    assert host_facts()["memory"] == 2**20


def test_the_innermost_mount_is_the_file_system(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nserver {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(module, "MOUNTS", mounts)
    assert file_system(str(tmp_path / "within")) == "nfs4"
    assert file_system("/") == "ext4"
    monkeypatch.setattr(module, "MOUNTS", tmp_path / "none")
    assert file_system("/") == ""
