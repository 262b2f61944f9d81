"""Every case runs small in each of its strategies; the figures are those of its rows."""

import json

import pytest

from benchmarks.planner import strategies
from benchmarks.planner.measured_programs import Data
from benchmarks.planner.places import on_one
from benchmarks.planner.strategies import Case
from dask_tapestry.operators.indexing import gather, scatter

RIGHT = {
    "replicate": {"predicted": 1.0, "seconds": 0.3},
    "mask": {"predicted": 2.0, "seconds": 0.29},
}
WRONG = {
    "replicate": {"predicted": 1.0, "seconds": 0.3},
    "mask": {"predicted": 2.0, "seconds": 0.2},
}


@pytest.mark.parametrize("what", ["gather", "scatter"])
@pytest.mark.parametrize("skew", strategies.SKEWS)
def test_a_case_is_measured_in_each_strategy(what, skew, tmp_path, monkeypatch):
    for module in (gather, scatter):
        monkeypatch.setattr(module, "WORTH_SHUFFLING_BYTES", 0)
    x = strategies.value_of(Case(what, 300, 200, skew), Data(tmp_path, False))
    with on_one() as place:
        rows = strategies.measured(x, place, 1, 0)
    assert list(rows) == ["replicate", "shuffle", "mask"][: 3 if what == "gather" else 2]
    assert all(0 < row["seconds"] < 60 and row["predicted"] > 0 for row in rows.values())


def test_a_case_is_right_where_the_predicted_best_is_as_fast_as_any():
    assert strategies.is_right(RIGHT)
    assert not strategies.is_right(WRONG)
    told = strategies.report({"a": RIGHT, "b": WRONG, "c": {"replicate": RIGHT["replicate"]}})
    assert "in 1 of 2 cases (50%, asked 90%); at worst it takes 1.50 times it" in told


def test_what_is_measured_is_added_to_a_file(tmp_path, monkeypatch, capsys):
    file = tmp_path / "strategies.json"
    monkeypatch.setattr(strategies, "ROWS", (1000,))
    monkeypatch.setattr(strategies, "COUNTS", (100,))
    for skew in ("random", "one"):
        given = ["--only", f"gather 1e+03 1e+02 {skew}", "--json", str(file), "--repeats", "1"]
        monkeypatch.setattr("sys.argv", ["strategies.py", *given])
        strategies.main()
    assert len(json.loads(file.read_text())["threads"]) == 2
    assert "the predicted best" in capsys.readouterr().out
