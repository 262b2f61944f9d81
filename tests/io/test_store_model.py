"""The model finds what is wrong, and nothing where all is right."""

import pytest

from tests.io.store_model import defects, may_be_incomplete, writes_of


def wrote(number, row, begin, end, outcome="done"):
    rows = [0, 12] if row is None else [row, row + 1]
    told = [{"begins": number, "rows": rows, "at": begin, "process": 1}]
    if outcome != "killed":
        told.append({outcome: "writer", "number": number, "at": end, "process": 1, "known": True})
    return told


def saw(begun, at, *rows, first=0):
    seen = [[float(n) for n in (row if isinstance(row, list) else [row])] for row in rows]
    told = {"done": "reader", "begun": begun, "at": at, "first": first, "seen": seen}
    return [{**told, "process": 2}]


RIGHT = {
    "before anything": saw(0, 1, 0, 0),
    "while it is written": [*wrote(1, None, 1, 5), *saw(2, 3, 0, 0)],
    "written, and not told yet": [*wrote(1, None, 1, 5), *saw(2, 3, 1, 1)],
    "one row": [*wrote(1, 0, 1, 2), *saw(3, 4, 1, 0)],
    "killed when it was done": [*wrote(1, None, 1, 2, "killed"), *saw(3, 4, 1, 1)],
    "killed before": [*wrote(1, None, 1, 2, "killed"), *saw(3, 4, 0, 0)],
    "over an overwrite": [*wrote(1, None, 1, 2), *wrote(2, 1, 3, 4), *saw(5, 6, 1, 2)],
    "stored late": [
        *wrote(1, 0, 1, 9, "failed"),
        *wrote(2, None, 2, 3),
        *saw(4, 5, [1, 2], 2),
        *saw(6, 7, 1, 2),
    ],
}
WRONG = {
    "torn": saw(0, 1, [0, 1]),
    "nobody wrote it": saw(0, 1, 7),
    "failed": [*wrote(1, None, 1, 2, "failed"), *saw(3, 4, 1)],
    "failed before": [*wrote(1, 0, 1, 2, "failed"), *saw(3, 4, [1, 0])],
    "failed elsewhere": [*wrote(1, 5, 1, 9, "failed"), *saw(3, 4, [1, 0])],
    "two that did not fail": [*wrote(1, None, 1, 9), *wrote(2, None, 2, 3), *saw(4, 5, [1, 2])],
    "of the future": [*wrote(1, None, 5, 6), *saw(3, 4, 1)],
    "of another row": [*wrote(1, 0, 1, 2), *saw(3, 4, 1, first=1)],
    "gone long since": [*wrote(1, None, 1, 2), *saw(3, 4, 0)],
    "two versions": [*wrote(1, None, 1, 5), *saw(2, 3, 1, 0)],
    "two versions, both new": [*wrote(1, None, 1, 2), *wrote(2, None, 3, 9), *saw(4, 5, 2, 1)],
    "an error of Python's": [
        {
            "failed": "reader",
            "begun": 0,
            "at": 1,
            "known": False,
            "text": "KeyError: 1",
            "number": 0,
        }
    ],
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_found_where_all_is_right(name):
    assert defects(RIGHT[name]) == []


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name):
    assert len(defects(WRONG[name])) >= 1


def test_writes_have_outcomes():
    found = writes_of([*wrote(1, 0, 1, 2, "killed"), *wrote(2, 0, 3, 4, "failed")])
    assert [found[n].outcome for n in range(3)] == ["done", "killed", "failed"]


def test_an_array_is_incomplete_if_something_may_be_missing():
    failed = wrote(1, 0, 1, 2, "failed")
    assert not may_be_incomplete([])
    assert may_be_incomplete(failed)
    assert may_be_incomplete([*failed, *wrote(2, 1, 3, 4)])
    assert not may_be_incomplete([*failed, *wrote(2, 0, 3, 4)])
    assert not may_be_incomplete([*failed, *wrote(2, None, 3, 4)])
    assert may_be_incomplete([*failed, *wrote(2, None, 1.5, 4)]), "it stored cells until it failed"
