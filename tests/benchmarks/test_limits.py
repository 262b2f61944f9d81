"""The ledger of limits: every work runs beside its limit, and the table says what was measured."""

import json

import pytest

from benchmarks import limits
from benchmarks.peers import BENCHED
from benchmarks.unavoidable import Memory


@pytest.mark.exhaustive  # the program itself, which nothing else needs
def test_a_work_and_its_limit_take_turns(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(limits, "SIDE", 20)
    monkeypatch.setattr(limits.storage, "CHUNK", 10)
    path = tmp_path / "limits.json"
    limits.main(["--scale", ".001", "--repeats", "1", "--peers", "numpy", "--json", str(path)])
    found = json.loads(path.read_text())
    works = [*limits.MEMORY_BOUND, *limits.PRODUCTS]
    stored = [limits.stored_name(name, codec) for codec in limits.CODECS for name in limits.STORED]
    assert [line["name"] for line in found["rows"]] == works + stored
    assert all(line["seconds"].keys() >= {"limit", "dask_tapestry"} for line in found["rows"])
    assert "| exp_sum | " in capsys.readouterr().out


def test_only_what_is_asked_for(tmp_path):
    path = tmp_path / "limits.json"
    words = ["--scale", ".001", "--repeats", "1", "--only", "sum", "--json", str(path)]
    limits.main([*words, "--peers", "numpy"])
    assert [line["name"] for line in json.loads(path.read_text())["rows"]] == ["sum"]


@pytest.mark.parametrize(
    ("name", "moved"),
    [("sum", [1]), ("double_difference", [2]), ("image", [2, 3]), ("anomaly", [1, 2])],
)
def test_the_limit_moves_what_the_work_must(name, moved):
    """In times of the inputs' bytes: one to read, two to copy."""
    read, result = 8 * 10**4, {"sum": 0, "image": 4 * 8 * 10**4}.get(name, 8 * 10**4)
    together = limits.of_memory(Memory(), BENCHED[name].bench.passes, read, result)
    assert [part.amount / read for part in together.parts] == moved


def test_times_are_of_the_limit():
    line = {"name": "sum", "seconds": {"limit": (2.0, 4.0), "dask_tapestry": (3.0, 5.0)}}
    assert limits.times(line, "dask_tapestry") == 1.5
    assert limits.times(line, "dask_tapestry", 1) == 1.25
    assert limits.times(line, "NumPy") is None
    result = {"peers": ["dask_tapestry", "NumPy"], "rates": [], "rows": [line]}
    assert "| sum | 2000.0 | 3000.0 | 1.50 | 5000.0 | 1.25 | – |" in limits.table(result)
