"""The model finds what is wrong, and nothing where all is right."""

import pytest

from tests.io.store_model import defects, may_be_incomplete, writes_of


def wrote(number, band, begin, end, outcome="done"):
    told = [{"begins": number, "band": band, "at": begin, "process": 1}]
    if outcome != "killed":
        told.append({outcome: "writer", "number": number, "at": end, "process": 1, "known": True})
    return told


def saw(begun, at, *bands, first=0):
    seen = [[float(n) for n in (band if isinstance(band, list) else [band])] for band in bands]
    told = {"done": "reader", "begun": begun, "at": at, "first": first, "seen": seen}
    return [{**told, "process": 2}]


RIGHT = {
    "before anything": saw(0, 1, 0, 0),
    "while it is written": [*wrote(1, None, 1, 5), *saw(2, 3, 0, 0)],
    "written, and not told yet": [*wrote(1, None, 1, 5), *saw(2, 3, 1, 1)],
    "one band": [*wrote(1, 0, 1, 2), *saw(3, 4, 1, 0)],
    "killed when it was done": [*wrote(1, None, 1, 2, "killed"), *saw(3, 4, 1, 1)],
    "killed before": [*wrote(1, None, 1, 2, "killed"), *saw(3, 4, 0, 0)],
    "over an overwrite": [*wrote(1, None, 1, 2), *wrote(2, 1, 3, 4), *saw(5, 6, 1, 2)],
}
WRONG = {
    "torn": saw(0, 1, [0, 1]),
    "nobody wrote it": saw(0, 1, 7),
    "failed": [*wrote(1, None, 1, 2, "failed"), *saw(3, 4, 1)],
    "of the future": [*wrote(1, None, 5, 6), *saw(3, 4, 1)],
    "of another band": [*wrote(1, 0, 1, 2), *saw(3, 4, 1, first=1)],
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


def test_an_overwrite_may_mix_with_a_region_where_nothing_is_exchanged():
    both = [
        {"at": 1.0, "begins": 1, "band": None},
        {"at": 2.0, "begins": 2, "band": 0},
        {"at": 3.0, "done": "writer0", "number": 2},
        {"at": 4.0, "done": "overwriter", "number": 1},
    ]
    read = {"at": 6.0, "begun": 5.0, "done": "reader", "process": 9, "first": 0, "seen": [[1, 2]]}
    assert "is torn" in defects([*both, read])[0]
    assert not defects([*both, read], exchanges=False)
    one_after_the_other = [both[0], {**both[3], "at": 1.5}, both[1], both[2]]
    assert defects([*one_after_the_other, read], exchanges=False)
    two_regions = [{**event, "band": 0} if "begins" in event else event for event in both]
    assert defects([*two_regions, read], exchanges=False)
