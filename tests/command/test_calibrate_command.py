import dask_tapestry as dt
from dask_tapestry.command.main import main
from dask_tapestry.planner.machine.rates import shipped_rates


def test_rates_are_printed(monkeypatch, capsys):
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    monkeypatch.setattr(dt, "calibrate", lambda client=None: shipped_rates())
    assert main(["calibrate"]) == 0
    assert repr(shipped_rates())[:20] in capsys.readouterr().out


def test_a_cluster_that_is_not_there(capsys):
    assert main(["calibrate", "tcp://127.0.0.1:1", "--timeout", "0.5"]) == 2
    assert "no scheduler answers" in capsys.readouterr().err
