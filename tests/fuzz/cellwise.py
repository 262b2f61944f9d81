"""Operations cell by cell: functions of one and two arrays, casts, choices."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz import values
from tests.fuzz.steps import Call, Step

SAME = "add subtract multiply maximum minimum negative absolute square sign positive conjugate"
BINARY = "add subtract multiply maximum minimum fmax fmin".split()
JUMPS = (
    "copysign equal not_equal less less_equal greater greater_equal logical_and logical_or "
    "logical_xor floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift "
    "gcd lcm fmod divide power hypot arctan2 logaddexp heaviside nextafter"
).split()
ROUNDED = {"power", "hypot", "arctan2", "logaddexp"}
UNARY = "negative absolute square sign positive conjugate real imag".split()
UNARY_JUMPS = (
    "floor ceil trunc rint isnan isfinite isinf logical_not invert signbit sqrt exp sin log1p cbrt "
    "reciprocal isnat bitwise_count spacing tanh log cos sinh arctan arcsinh exp2 log2"
).split()
UNARY_ROUNDED = set("exp sin log1p cbrt tanh sqrt log cos sinh arctan arcsinh exp2 log2".split())


def _scalar(random: Random, x: np.ndarray) -> Any:
    return random.choice(
        [0, 1, 2, -3, 2.0, 0.5, True, 1j, 100, 300, np.float32(2), np.int8(3), np.uint8(200)]
    )


def binary(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name = random.choice([*BINARY, *BINARY, *JUMPS])
    if random.random() < 0.4:
        other = _scalar(random, xs[0])
        if random.random() < 0.5:
            call: Call = lambda xp, x, y: getattr(xp, name)(x, other)  # noqa: E731
        else:
            call = lambda xp, x, y: getattr(xp, name)(other, x)  # noqa: E731
        text = f"{name}(x, {other!r}) or swapped"
    else:
        call, text = (lambda xp, x, y: getattr(xp, name)(x, y)), f"{name}(x, y)"
    trust = "rounded" if name in ROUNDED else "jump" if name in JUMPS else "same"
    return Step(text, call, trust)


def unary(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name = random.choice([*UNARY, *UNARY_JUMPS])
    trust = "rounded" if name in UNARY_ROUNDED else "jump" if name in UNARY_JUMPS else "same"
    return Step(f"{name}(x)", lambda xp, x, y: getattr(xp, name)(x), trust)


def cast(random: Random, xs: Sequence[np.ndarray]) -> Step:
    dtype = random.choice(values.NUMBERS)
    return Step(f"x.astype({dtype})", lambda xp, x, y: xp.astype(x, np.dtype(dtype)), "cast")


def where(random: Random, xs: Sequence[np.ndarray]) -> Step:
    other = random.choice([0, 1.5, 3, True])
    if random.random() < 0.5:
        return Step(f"where(x, {other}, y)", lambda xp, x, y: xp.where(x, other, y), "jump")
    return Step("where(y, x, y)", lambda xp, x, y: xp.where(y, x, y), "jump")


def clip(random: Random, xs: Sequence[np.ndarray]) -> Step:
    low, high = random.choice([None, -2, 0, 1.5]), random.choice([None, 2, 1, 0.5])
    return Step(f"clip(x, {low}, {high})", lambda xp, x, y: xp.clip(x, low, high), "jump")
