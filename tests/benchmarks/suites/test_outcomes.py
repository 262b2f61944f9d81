from benchmarks.suites.outcomes import Outcome, behaving, reasons, run_pytest, table, tally

FOUND = [
    Outcome("a.py::one", "passed"),
    Outcome("a.py::two", "passed", "", False),
    Outcome("a.py::three", "failed", "TypeError: no"),
    Outcome("a.py::four", "failed", "missing: i0"),
    Outcome("a.py::five", "skipped"),
]
KNOWN = {"missing": "Not there.", "::five": "Not run."}


def test_counts():
    assert tally(FOUND) == {"passed": 2, "failed": 2, "skipped": 1, "of them without ours": 1}


def test_reasons_are_those_of_the_first_pattern_that_fits():
    assert {why: len(tests) for why, tests in reasons(FOUND, KNOWN).items()} == {
        "not explained": 1,
        "Not there.": 1,
    }


def test_tests_of_inner_workings_are_told_apart():
    known = {"keys": "inside", "sum": "meant"}
    ran = [
        Outcome("a", "passed"),
        Outcome("b", "passed", ours=False),
        Outcome("c", "failed", "keys differ"),
        Outcome("d", "failed", "sum differs"),
    ]
    assert behaving(ran, known, {"inside"}) == (1, 2)


def test_the_table_has_files_and_reasons():
    text = table({"a": FOUND}, KNOWN)
    assert "| a | 2 | 2 | 1 |" in text
    assert "| 1 | Not there. |" in text


def test_pytest_is_run_and_recorded(tmp_path):
    (tmp_path / "test_small.py").write_text(
        "import dask_tapestry as dt\n"
        "def test_ours():\n    assert dt.ones(3).shape == (3,)\n"
        "def test_other():\n    pass\n"
        "def test_wrong():\n    assert 1 == 2\n"
    )
    found = run_pytest(["test_small.py"], tmp_path / "log", tmp_path)
    assert [(x.test.split("::")[1], x.outcome, x.ours) for x in found] == [
        ("test_ours", "passed", True),
        ("test_other", "passed", False),
        ("test_wrong", "failed", False),
    ]
    assert "1 == 2" in found[2].error
