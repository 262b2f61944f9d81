"""Every measured program runs small in each of its layouts; the figures are those of its rows."""

import json

import pytest

from benchmarks.planner import regret
from benchmarks.planner.measured_programs import PROGRAMS, Data
from benchmarks.planner.places import on_one

ROWS = [
    {"layout": "chosen", "predicted": 1.0, "simulated": 3.0, "tasks": 1, "seconds": 0.3},
    {"layout": "2 rows", "predicted": 2.0, "simulated": 2.0, "tasks": 2, "seconds": 0.2},
    {"layout": "4 rows", "predicted": 3.0, "simulated": 1.0, "tasks": 4, "seconds": 0.6},
]


@pytest.mark.few(6)  # all are measured by one function
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_measured_in_its_layouts(name, tmp_path):
    x = PROGRAMS[name](Data(tmp_path, False, 0.002))
    with on_one() as place:
        rows = regret.measured(x, place, 1, 0)
    assert rows[0]["layout"] == "chosen"
    assert all(0 < row["seconds"] < 60 and row["predicted"] > 0 for row in rows)


def test_regret_is_beside_the_best_of_all():
    assert regret.regret(ROWS) == pytest.approx(1.5)
    assert regret.regret(ROWS[1:]) == 1


def test_correlation_is_of_all_layouts():
    assert regret.correlation({"a": ROWS}) == pytest.approx(0.5)
    assert regret.correlation({"a": ROWS}, "simulated") == pytest.approx(-0.5)


@pytest.mark.exhaustive  # what is measured is tested above
def test_what_is_measured_is_added_to_a_file(tmp_path, monkeypatch, capsys):
    file = tmp_path / "regret.json"
    for name in ("chain", "softmax"):
        given = ["--only", name, "--json", str(file), "--size", ".001", "--repeats", "1"]
        monkeypatch.setattr("sys.argv", ["regret.py", *given])
        regret.main()
    assert json.loads(file.read_text())["threads"].keys() == {"chain", "softmax"}
    assert "regret: median" in capsys.readouterr().out


def test_programs_are_chosen_by_parts_of_their_names():
    assert regret.chosen_programs("sort of r,gram") == ["gram", "sort of rows"]
    assert regret.chosen_programs("") == list(PROGRAMS)
