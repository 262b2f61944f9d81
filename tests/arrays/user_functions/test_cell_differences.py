"""Differences beyond rounding."""

import numpy as np
import pytest

from dask_tapestry.arrays.user_functions.cell_differences import Closeness, same_bits


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (np.array([1, 2]), np.array([1, 2])),
        (np.array([1.0, np.nan, np.inf]), np.array([1 + 1e-12, np.nan, np.inf])),
        (np.array([1e-12, 1.0]), np.array([0.0, 1.0])),  # beside the largest cell
        (np.array(["NaT", 5], "m8[s]"), np.array(["NaT", 5], "m8[s]")),
        (np.array([1 + 2j]), np.array([1 + 2j])),
        (np.array(["a"], object), np.array(["a"], object)),
        (np.zeros((0, 3)), np.zeros((0, 3))),
        (np.float32(3), np.float32(3)),
    ],
)
def test_rounding_is_no_difference(made, expected):
    assert Closeness().difference(made, expected) is None


@pytest.mark.parametrize(
    ("made", "expected", "text"),
    [
        (np.array([1, 2]), np.array([1, 3]), "1 of 2 cells differ, first at (1,): 2, not 3"),
        (np.zeros(2), np.zeros(3), "the shape is (2,), not (3,)"),
        (np.array([1.0, np.nan]), np.array([1.0, 2.0]), "first at (1,): nan, not 2.0"),
        (np.array([-np.inf]), np.array([np.inf]), "first at (0,): -inf, not inf"),
        (np.array([(1, 2.0)], "i8,f8"), np.array([(1, 3.0)], "i8,f8"), "f1: 1 of 1 cells"),
        (np.array(["NaT"], "M8[s]"), np.array([0], "M8[s]"), "1 of 1 cells differ"),
        (
            np.array([[0, 1], [2, 3]]),
            np.array([[0, 1], [9, 9]]),
            "2 of 4 cells differ, first at (1, 0)",
        ),
    ],
)
def test_what_differs_is_said(made, expected, text):
    assert text in Closeness().difference(made, expected)


def test_how_near_is_as_asked():
    made, expected = np.array([1.0, 1.01]), np.array([1.0, 1.0])
    assert Closeness().difference(made, expected)
    assert Closeness(0.1).difference(made, expected) is None


def test_bits_are_stricter_than_values():
    assert same_bits(np.array([0.0, np.nan]), np.array([0.0, np.nan]))
    assert not same_bits(np.array([0.0]), np.array([-0.0]))
    assert not same_bits(np.array([1.0]), np.array([1]))
    assert not same_bits(np.zeros(2), np.zeros((2, 1)))
    assert same_bits(np.array([None, "a"]), np.array([None, "a"]))
