from math import inf, nan

import numpy as np
import pytest

from dask_tapestry import amounts
from dask_tapestry.errors import ArgumentError, ArgumentTypeError


def test_a_rate_is_a_number_or_text():
    assert [amounts.bytes_a_second("x", rate) for rate in (5, "5", "2 GB/s", "2 GiB")] == [
        5, 5, 2 * 10**9, 2**31,
    ]  # fmt: skip


def test_a_time_is_a_number_or_text():
    assert [amounts.seconds("x", time) for time in (0, 0.5, "3 ms")] == [0, 0.5, 0.003]


def test_bytes_are_a_number_or_text():
    assert [amounts.bytes_of("x", n) for n in (5, 1e3, np.int64(7), "1e3", "2 kB")] == [
        5, 1000, 7, 1000, 2000,
    ]  # fmt: skip


def test_a_whole_number_is_an_integer():
    assert [amounts.whole_number("x", n, 0) for n in (0, 3, np.uint8(4))] == [0, 3, 4]
    assert type(amounts.whole_number("x", np.uint8(4))) is int


@pytest.mark.parametrize(
    "check", [amounts.whole_number, amounts.bytes_of, amounts.bytes_a_second, amounts.seconds]
)
@pytest.mark.parametrize(
    "wrong", [-1, nan, inf, -inf, "many", "8 gigs", "", " ", None, True, 2j, [1], 10**400, "nan"]
)
def test_an_error_names_the_parameter(check, wrong):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=r"^speed must be .* not "):
        check("speed", wrong)


def test_a_kind_is_a_type_error_and_a_value_is_a_value_error():
    for wrong in (1.5, "4", None, True):
        with pytest.raises(TypeError, match="whole number of at least 1, not"):
            amounts.whole_number("workers", wrong)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        amounts.whole_number("workers", 0)


def test_amounts_are_sorted_by_name():
    assert list(amounts.amounts_by_name({"b": 1, "a": 2})) == ["a", "b"]
    for wrong in ({"a": "much"}, {1: 1}, 7):
        with pytest.raises(ArgumentTypeError):
            amounts.amounts_by_name(wrong)
    for wrong in ({"a": 0}, {"a": nan}, {"a": inf}):
        with pytest.raises(ArgumentError):
            amounts.amounts_by_name(wrong)


def test_truth_is_a_bool_or_what_environments_write():
    assert [amounts.truth("x", t) for t in (True, 0, 1)] == [True, False, True]
    for wrong in ("yes", 2, None, 1.0):
        with pytest.raises(ArgumentTypeError, match="x must be True or False"):
            amounts.truth("x", wrong)


def test_a_name_that_is_nearly_one_is_suggested():
    with pytest.raises(ArgumentError, match="not 'lower '; did you mean 'lower'"):
        amounts.one_of("method", "lower ", ["linear", "lower"])
    for wrong in ("quite another", 5, None, ["linear"]):
        with pytest.raises(ArgumentError, match=r"one of 'linear', 'lower', not [^;]*$"):
            amounts.one_of("method", wrong, ["linear", "lower"])


def test_a_function_that_converts_an_argument_is_decorated():
    @amounts.reading("ends")
    def ends(given):
        low, high = given
        return float(low), float(high)

    assert ends("12") == (1, 2)
    for wrong in ("wide", 5, [None, 1], "ab"):
        with pytest.raises((ArgumentError, ArgumentTypeError), match=r"^ends: "):
            ends(wrong)


def test_integers_are_a_sequence_of_integers():
    assert amounts.integers(np.array([1, 2]), "axes") == (1, 2)
    assert amounts.integers(iter([3]), "axes") == (3,)
    for wrong in ("", b"1", {}, {1: 2}, 5, [True], [1.5], ["a"], [None], np.array(3)):
        with pytest.raises(ArgumentTypeError):
            amounts.integers(wrong, "axes")


def test_several_are_a_sequence():
    several = [[1], (), np.ones(1), "ab", 3, np.array(3), None]
    assert [amounts.is_several(one) for one in several] == [True] * 4 + [False] * 3
