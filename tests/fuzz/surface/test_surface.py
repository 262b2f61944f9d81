"""Phrases call every public name, and each of them means something."""

from functools import partial
from random import Random

import numpy as np
import pytest

from tests.fuzz import programs
from tests.fuzz.programs import quietly
from tests.fuzz.surface import PHRASES, call_of, public
from tests.fuzz.surface.names import LEFT_OUT, expected
from tests.fuzz.values import DTYPES, cells, shape


def test_every_public_name_is_called_or_left_out_for_a_reason():
    names = expected()
    missing = names - set(PHRASES) - set(LEFT_OUT)
    assert not missing, f"write a phrase in a table of tests/fuzz/surface for each of {missing}"
    assert set(LEFT_OUT) - names == set()
    assert not set(LEFT_OUT) & set(PHRASES)


def _operands(random: Random) -> list[np.ndarray]:
    sides = shape(random, most=3)
    return [cells(random, sides, random.choice(DTYPES)) for _ in range(2)]


@pytest.mark.parametrize("part", range(4))
def test_numpy_defines_every_phrase_for_some_values(part):
    for name in sorted(PHRASES)[part::4]:
        for phrase in PHRASES[name]:
            if phrase.theirs != "ours":
                assert any(_is_defined(phrase, seed) for seed in range(60)), (name, phrase.text)


def _is_defined(phrase, seed):
    random = Random(seed)
    xs = _operands(random)
    step = call_of(random, [phrase], xs)
    made = quietly(step.call, np, *(xs if step.inputs is None else step.inputs))
    return not isinstance(made, Exception)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(PHRASES))
def test_a_program_of_each_phrase(name, monkeypatch):
    for number, phrase in enumerate(PHRASES[name]):
        draw = partial(call_of, phrases=[phrase])
        monkeypatch.setattr(programs, "OPERATIONS", {lambda r, xs, draw=draw: draw(r, xs=xs): 1})
        programs.run(Random(f"{name} {number}"), length=1)


def test_a_call_of_any_name_is_drawn():
    random = Random(0)
    texts = {public(random, _operands(random)).text for _ in range(50)}
    assert len(texts) > 40
