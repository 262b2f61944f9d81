import re

import pytest

from benchmarks.suites.numpy_reasons import REASONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [("test_x :: DTypeError: arrays of Python objects are not supported", "Python objects")],
)
def test_a_failure_has_its_reason(text, expected):
    assert expected in next(why for what, why in REASONS.items() if re.search(what, text))
