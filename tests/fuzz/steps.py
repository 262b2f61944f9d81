"""Steps of random programs: what an operation is, before it is called.

An operation draws its arguments for NumPy's values and returns a call, which is made once with
NumPy and once with this library, and how far its result may be trusted. Some arguments are wrong on
purpose: then both must raise the same kind of error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

Call = Callable[..., Any]  # (np or dt, its values) -> a value


class Write(NamedTuple):
    """A write of a program: how it is asked for, and what must be there when it has ended.

    Attributes
    ----------
    sink
        What `dt.compute` is given; None where a value of the program follows the write.
    expected
        What the target holds then.
    target
        Where it writes: `read` returns what is there, None for nothing; `clear` undoes it.
    """

    sink: Any
    expected: np.ndarray
    target: Any


class Step(NamedTuple):
    """One drawn operation.

    Attributes
    ----------
    text
        What it does, for reports.
    call
        Makes it: ``call(xp, *operands)``.
    trust
        ``"same"``: bits are those of the operands; ``"fold"``: as long as the operands hold small
        integers; ``"jump"``: bits too, but the operands must be exact; ``"rounded"``: never.
    inputs
        Arrays that take the operands' place; None to take those of the program.
    writes
        What `call` writes with this library: it adds them when it is called.
    """

    text: str
    call: Call
    trust: str
    inputs: tuple[np.ndarray, ...] | None = None
    writes: Sequence[Write] = ()


Draw = Callable[[Random, Sequence[np.ndarray]], Step]


def axis_of(random: Random, x: np.ndarray, none: bool = True, several: bool = False) -> Any:
    """An axis, perhaps None, several, or out of bounds."""
    choice = random.random()
    if none and choice < 0.3:
        return None
    if choice < 0.35:
        return x.ndim + random.randint(0, 1)
    if not x.ndim:
        return 0 if random.random() < 0.5 or not none else None
    if several and choice < 0.55:
        return tuple(random.sample(range(-x.ndim, x.ndim), random.randint(0, x.ndim)))
    return random.randint(-x.ndim, x.ndim - 1)
