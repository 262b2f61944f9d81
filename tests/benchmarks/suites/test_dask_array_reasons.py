import re

import pytest

from benchmarks.suites.dask_array_reasons import GRAPHS, LACKING, NAMES, REASONS


def reason(text):
    return next(why for what, why in REASONS.items() if re.search(what, text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test_masked.py::test_basic :: AttributeError: missing: ma.masked_equal", "masked"),
        ("test_core.py::test_x :: assert same_keys(a, b)", NAMES),
        ("test_stats.py::test_one :: isinstance(Significance(statistic=1), Delayed)", "lazy"),
        ("test_core.py::test_x :: AttributeError: missing: from_tiledb", "functions"),
        ("test_core.py::test_x :: assert 2 == len(HighLevelGraph with 2)", GRAPHS),
    ],
)
def test_a_failure_has_its_reason(text, expected):
    assert expected in reason(text)


def test_work_to_do_is_told_from_what_is_meant():
    assert any(why.startswith(LACKING) for why in REASONS.values())
    assert not all(why.startswith(LACKING) for why in REASONS.values())
