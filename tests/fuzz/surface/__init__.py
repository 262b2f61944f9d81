"""Every public name, and phrases that call it: `tests.fuzz.surface.names` says what is left out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from random import Random

import numpy as np

from tests.fuzz.phrases import Phrase, filled
from tests.fuzz.steps import Step
from tests.fuzz.surface import (
    arrangements,
    cells,
    distributions,
    filters,
    interpolation,
    layers,
    masked,
    matrices,
    methods,
    own,
    records,
    statistics,
)
from tests.fuzz.trust import takes_for_ever

TABLES: tuple[Mapping[str, Sequence[Phrase | str]], ...] = (
    arrangements.PHRASES, cells.PHRASES, distributions.PHRASES, filters.PHRASES,
    interpolation.PHRASES, layers.PHRASES, masked.PHRASES, matrices.PHRASES, methods.PHRASES,
    own.PHRASES, records.PHRASES, statistics.PHRASES,
)  # fmt: skip
PHRASES: dict[str, tuple[Phrase, ...]] = {
    name: tuple(p if isinstance(p, Phrase) else Phrase(p) for p in phrases)
    for table in TABLES
    for name, phrases in table.items()
}
TRIES, WRONG = 6, 0.03
NAMES = tuple(PHRASES)


def public(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A call of any public name: each is as likely as every other; few are errors."""
    return call_of(random, PHRASES[random.choice(NAMES)], xs)


def onward(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A phrase of text or of records, of such values that a program has."""
    phrases = PHRASES["records" if xs[0].dtype.names else "strings"]
    return call_of(random, [phrase._replace(inputs="") for phrase in phrases], xs)


def call_of(random: Random, phrases: Sequence[Phrase], xs: Sequence[np.ndarray]) -> Step:
    """One of the phrases; when NumPy refuses it, mostly another one, or with other arguments."""
    for _ in range(TRIES):
        step = filled(random, random.choice(phrases), xs)
        if random.random() < WRONG or _is_defined(step, xs):
            break
    return step


def _is_defined(step: Step, xs: Sequence[np.ndarray]) -> bool:
    if takes_for_ever(step, xs[0]):
        return False
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            step.call(np, *(xs if step.inputs is None else step.inputs))
        except Exception:
            return False
    return True
