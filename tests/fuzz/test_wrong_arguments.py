"""Whatever is wrong with an argument, the error is the library's."""

import warnings
from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from tests.fuzz.surface import PHRASES
from tests.fuzz.values import DTYPES, cells, shape
from tests.fuzz.wrong_arguments import escapes, wrong_call

NAMES = sorted(PHRASES)
PARTS = 6


def _computed(value):
    if isinstance(value, tuple | list):
        return [_computed(one) for one in value]
    return value.compute(scheduler="sync") if hasattr(value, "compute") else value


def _escaped(seed):
    """What a wrong call raised that is no error of ours, with the call; None where it did not."""
    random = Random(seed)
    sides, kind = shape(random, most=3), random.choice(DTYPES)
    xs = [cells(random, sides, kind) for _ in range(2)]
    call = wrong_call(random, random.choice(PHRASES[NAMES[seed % len(NAMES)]]), xs)
    if call is None:
        return None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            _computed(call.run(dt))
        except Exception as error:
            return f"{seed}: {call.text}: {error!r}" if escapes(error) else None
    return None


@pytest.mark.parametrize("part", range(PARTS))
def test_a_wrong_argument_of_any_public_name_is_an_error_of_the_library(part):
    missed = [_escaped(seed) for seed in range(part, 2 * len(NAMES), PARTS)]
    assert not any(missed), "\n".join(filter(None, missed))


def test_most_names_are_called_wrongly():
    random, made = Random(0), 0
    for name in NAMES:
        xs = [cells(random, (3, 4), "f8") for _ in range(2)]
        made += wrong_call(random, random.choice(PHRASES[name]), xs) is not None
    assert made > 0.7 * len(NAMES)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: dt.Resources(workers=0), ValueError),
        (lambda: dt.Resources(workers=1.5), TypeError),
        (lambda: dt.ones((4, 4)).rechunk(1e3), TypeError),
        (lambda: dt.random.default_rng(0).integers(5, 2), ValueError),
        (lambda: dt.random.default_rng(0).normal(0, -1), ValueError),
        (lambda: dt.random.default_rng("x"), TypeError),
        (lambda: dt.ones(3).transpose(1.5), TypeError),
        (lambda: dt.IndexProjection(((1,),), (0,), (-1,)), ValueError),
    ],
)
def test_it_is_what_numpy_raises_too(call, kind):
    with pytest.raises(dt.TapestryError) as error:
        call()
    assert isinstance(error.value, kind)
