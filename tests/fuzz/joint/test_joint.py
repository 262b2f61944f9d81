"""Joint programs; ``python -m tests.fuzz --joint --programs 20000`` runs many more."""

from random import Random

import numpy as np
import pytest

from tests.covering import seeds_of
from tests.fuzz.joint import outcomes, programs

FEW = programs.Scope(most=10**5, dtypes=("f8", "f8", "f8", "f4"), few=True)


@pytest.mark.parametrize("seed", seeds_of(range(1, 41), 2))
def test_a_fixed_share_of_joint_programs(seed):
    programs.run(Random(seed), FEW)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_of(range(1000, 1100), 1))
def test_many_joint_programs(seed):
    programs.run(Random(seed))


@pytest.mark.parametrize(
    "wrong",
    [
        "v if xp.__name__ == 'numpy' else xp.sum(v, {axis}) + 1",
        "xp.sum(v, {axis}) if xp.__name__ == 'numpy' else xp.sum(v, {axis}, keepdims=True)",
        "xp.sum(v, {axis}) if xp.__name__ == 'numpy' else xp.sum(v, {axis}).astype('c16')",
    ],
)
def test_a_wrong_output_is_found(wrong, monkeypatch):
    bound = outcomes.Bound(wrong, lambda v, axis, _: np.zeros(()))
    monkeypatch.setattr(outcomes, "SUMS", (bound,))
    monkeypatch.setattr(outcomes, "SPREADS", ())
    monkeypatch.setattr(outcomes, "EXACT", ())
    with pytest.raises(programs.Mismatch, match="output 0"):
        programs.run(Random(3), FEW)


def test_what_depends_on_kernels_is_found(monkeypatch):
    """Of outputs that each compute gives another value, as wrong kernels would."""
    computed = programs._computed

    def other(sharding, outputs, numbers, name):
        found = computed(sharding, outputs, numbers, name)
        return [one + (name == "by turns") for one in found]

    monkeypatch.setattr(programs, "_computed", other)
    with pytest.raises(programs.Mismatch, match="by turns"):
        programs.run(Random(3), FEW)
