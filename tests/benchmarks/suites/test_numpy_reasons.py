import re

import pytest

from benchmarks.suites.numpy_reasons import REASONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test_x :: DTypeError: arrays of Python objects are not supported", "Python objects"),
        ("test_allnans :: Failed: DID NOT WARN. No warnings", "no compute tells"),
        ("test_subclass :: AssertionError", "subclasses"),
        ("test_auto :: bins='stone' tries many", "stone"),
        ("test_reduce[a] :: DTypeError: power has no accumulate", "not folded"),
        ("TestEig::test_types[float32] :: ACTUAL: dtype('complex64')", "Eigenvalues"),
        ("TestSolve::test_0_size :: AssertionError", "subclasses"),
        ("test_slice :: DTypeError: NoneType is not an array: it needs shape", "None is a cell"),
    ],
)
def test_a_failure_has_its_reason(text, expected):
    assert expected in next(why for what, why in REASONS.items() if re.search(what, text))
