"""Random programs against NumPy; ``python -m tests.fuzz --programs 20000`` runs many more."""

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.compiling import by_turns
from tests.covering import seeds_of
from tests.examples import examples
from tests.fuzz import programs
from tests.fuzz.steps import Step
from tests.fuzz.trust import takes_for_ever
from tests.fuzz.values import differs

SHORT = 4  # operations of the programs that every change is tried on


@pytest.mark.parametrize("seed", seeds_of(range(0, 200, 20), 2))
def test_a_fixed_share_of_programs(seed):
    for number in range(seed, seed + 10):
        programs.run(Random(number), length=SHORT)


@pytest.mark.parametrize("seed", seeds_of(range(0, 20, 10), 1))
def test_a_fixed_share_of_programs_with_many_cells(seed):
    """As many as it takes for kernels to be compiled, to go row by row, to look at samples."""
    for number in range(seed, seed + 10):
        programs.run(Random(number), SHORT, programs.WIDE_SCALE)


@pytest.mark.parametrize("seed", seeds_of(range(0, 8, 4), 1))
def test_a_fixed_share_of_programs_with_kernels_that_come_and_go(seed):
    """The same cells whether a block meets the interpreter or compiled kernels."""
    for number in range(seed, seed + 4):
        with by_turns(Random(number)):
            programs.run(Random(number), SHORT, programs.WIDE_SCALE)


@examples(30, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_programs_that_hypothesis_can_shrink(random):
    programs.run(random, length=SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 1030, 10), 1))
def test_many_programs_with_many_cells(seed):
    for number in range(seed, seed + 10):
        programs.run(Random(number), SHORT, programs.WIDE_SCALE)


@pytest.mark.slow
@examples(40, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_many_programs(random):
    programs.run(random)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda xp, x, y: x if xp is np else x + 1,
        lambda xp, x, y: x if xp is np else dt.astype(x, "c16"),
        lambda xp, x, y: x if xp is np else x[None],
        lambda xp, x, y: x if xp is np else x.compute(),
        lambda xp, x, y: x if xp is np else xp.nothing(x),
        lambda xp, x, y: np.zeros(2)[5] if xp is np else x,
        lambda xp, x, y: np.zeros(2)[5] if xp is np else x.reshape(-2, -3, -4),
    ],
)
def test_a_wrong_operation_is_found(wrong, monkeypatch):
    draws = {lambda random, xs: Step("wrong", wrong, "same"): 1}
    monkeypatch.setattr(programs, "OPERATIONS", draws)
    monkeypatch.setattr(programs, "shape", lambda random: (2, 3))
    monkeypatch.setattr(programs, "DTYPES", ["i8"])
    with pytest.raises(programs.Mismatch, match="v2"):
        programs.run(Random(0))


def test_when_results_differ():
    x = np.array([1.0, np.nan])
    assert not differs(x, x, 0)
    assert differs(x, x.astype("f4"), 0)
    assert differs(x, x[:1], 0)
    assert differs(x + 1e-12, x, 0)
    assert not differs(x + 1e-12, x, 1e-9)
    assert differs(x + 1e-3, x, 1e-9)


def test_records_may_be_as_far_apart_as_their_fields():
    x = np.zeros(2, [("a", "f8"), ("b", "i4")])
    y = x.copy()
    y["a"] += 1e-12
    assert differs(y, x, 0)
    assert not differs(y, x, 1e-9)
    x["a"][0] = y["a"][0] = np.nan
    assert not differs(y[:1], x[:1], 0)
    y["b"] += 1
    assert "int32" in differs(y, x, 1e-9)


@pytest.mark.parametrize(("cells", "long"), [([5], False), ([-(2**62)], True), ([], True)])
def test_what_numpy_never_ends(cells, long):
    step = Step("x.choose([x, x], mode='wrap')", lambda xp, x, y: x, "jump")
    assert takes_for_ever(step, np.array(cells, "i8")) == long
