"""What is added to the history is in asv's format."""

import json

import pytest

from benchmarks import history
from benchmarks.asv_suite.machine import Programs
from tests.benchmarks.results import RESULT


def test_results_stand_in_the_order_of_the_parameters():
    entry = history.entry(RESULT, "vm")
    seconds, parameters, version = entry["results"][history.BENCHMARK]
    assert parameters == [["'image'", "'sort'"], ["'dask_tapestry'", "'NumPy'", "'JAX'"]]
    assert seconds == [0.1, 0.2, 0.05, 0.1, 0.8, None]
    assert version == Programs.version == history.VERSION
    assert entry["params"]["scale"] == "0.25"


def test_files_lie_where_asv_looks(tmp_path):
    written = history.add([RESULT], "vm", tmp_path)
    assert [path.relative_to(tmp_path).as_posix() for path in written] == [
        "benchmarks.json",
        "vm/machine.json",
        "vm/01234567-machine-py3.11.7-scale0.25.json",
    ]
    assert json.loads(written[1].read_text())["version"] == 1
    assert json.loads(written[2].read_text())["commit_hash"] == RESULT["commit"]


def test_benchmarks_that_asv_knows_stay(tmp_path):
    known = {"version": 2, "other": {"name": "other"}, history.BENCHMARK: {"name": "asv's"}}
    (tmp_path / "benchmarks.json").write_text(json.dumps(known))
    history.add([RESULT], "vm", tmp_path)
    assert json.loads((tmp_path / "benchmarks.json").read_text()) == known


def test_figures_of_no_commit_have_no_place(tmp_path):
    outside = {key: value for key, value in RESULT.items() if key != "commit"}
    with pytest.raises(SystemExit, match="need"):
        history.add([outside], "vm", tmp_path)
