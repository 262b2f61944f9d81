import pytest
from distributed import LocalCluster

from dask_tapestry.command.main import main
from tests.command.processes import command


@pytest.mark.cluster
def test_a_cluster_that_is_fit_and_a_store_that_is_not_there(tmp_path):
    options = {"n_workers": 1, "threads_per_worker": 1, "memory_limit": "1 GiB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster:
        told = command("check", cluster.scheduler_address)
        assert told.code == (1 if "problem:" in told.out else 0), told
        assert "worker 0" in told.out
        told = command("check", cluster.scheduler_address, "--store", tmp_path / "none")
        assert told.code == 1
        assert "store: this process cannot list" in told.out


def test_wrong_addresses_are_told_in_a_line(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    assert main(["check"]) == 2
    assert "name the scheduler" in capsys.readouterr().err
    assert main(["check", "--scheduler-file", str(tmp_path / "none.json")]) == 2
    assert "there is no scheduler file" in capsys.readouterr().err
    assert main(["check", "tcp://127.0.0.1:1", "--timeout", "0.5"]) == 2
    assert "no scheduler answers at tcp://127.0.0.1:1" in capsys.readouterr().err
    assert main(["check", "nonsense://x", "--timeout", "0.5"]) == 2
