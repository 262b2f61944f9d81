import pytest

from dask_tapestry.planner.machine.amounts import amounts_by_name, bytes_a_second, seconds


def test_a_rate_is_a_number_or_text():
    assert [bytes_a_second("x", rate) for rate in (5, "5", "2 GB/s", "2 GiB")] == [
        5, 5, 2 * 10**9, 2**31,
    ]  # fmt: skip


def test_a_time_is_a_number_or_text():
    assert [seconds("x", time) for time in (0, 0.5, "3 ms")] == [0, 0.5, 0.003]


@pytest.mark.parametrize(("check", "wrong"), [(bytes_a_second, 0), (seconds, -1)])
def test_an_error_names_the_parameter(check, wrong):
    with pytest.raises(ValueError, match=f"speed must be .* not {wrong}"):
        check("speed", wrong)


def test_amounts_are_sorted_by_name():
    assert list(amounts_by_name({"b": 1, "a": 2})) == ["a", "b"]
