"""Plans of programs whose best plans are known are nearly as good, by a count of their blocks.

The figures, and how they are counted, are in `benchmarks/planner`. What today's planner misses is
in `MISSED`, exactly: a figure that is met now has to leave it.
"""

import pytest

from benchmarks.planner.named import find
from benchmarks.planner.programs import NAMED

VERIFIED = "verified"
MISSED: dict[str, set[str]] = {
    # lanes of chunks are fewer than slots; plans of finer ones take a third longer
    "sort of 1 TB": {"work idle in a last wave"},
}


@pytest.mark.parametrize("name", NAMED)
def test_a_named_plan_meets_its_figures(name):
    found = find(NAMED[name])
    missed = {ask.what: value for ask, value in found.figures() if value > ask.most}
    if found.error:
        missed[VERIFIED] = found.error
    assert set(missed) == MISSED.get(name, set()), missed
    if missed:
        pytest.xfail(f"yet to be met: {missed}")
