"""Operations over dtypes: each ufunc of each pair of them, and operands of no dimension."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tests.fuzz import values
from tests.fuzz.steps import Call, Step


def _ufuncs(inputs: int) -> list[str]:
    """Names of NumPy's ufuncs cell by cell of so many inputs."""
    found = {name: getattr(np, name) for name in sorted(dir(np))}
    ufuncs = {name: u for name, u in found.items() if isinstance(u, np.ufunc)}
    return [name for name, u in ufuncs.items() if u.nin == inputs and not u.signature]


UNARY, BINARY = _ufuncs(1), _ufuncs(2)
ROUNDED = set(
    "arccos acos arccosh acosh arcsin asin arcsinh asinh arctan atan arctanh atanh arctan2 atan2 "
    "cbrt cos cosh exp exp2 expm1 float_power hypot log log10 log1p log2 logaddexp logaddexp2 pow "
    "power sin sinh sqrt tan tanh".split()
)
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le gt ge"
PYTHON = (
    True, False, 0, 1, 2, -1, 3, 200, -200, 2**31, 2**40, 2**63, 2**64, -(2**63), 0.0, 0.5, -2.0,
    1e5, 1e300, float("nan"), float("inf"), 1 + 2j, 1j,
)  # fmt: skip


def _trust(name: str) -> str:
    return "rounded" if name in ROUNDED else "jump"


def _first(name: str, place: int) -> Call:
    """A ufunc; of one of several results, that at `place`."""

    def call(xp: Any, *xs: Any) -> Any:
        made = getattr(xp, name)(*xs)
        return made[place] if isinstance(made, tuple) else made

    return call


def pair(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A ufunc of new cells of any two dtypes, among them the ends of their ranges."""
    name, place = random.choice(BINARY), random.randint(0, 1)
    sides = values.shape(random, most=3)
    other = random.choice([sides, sides, sides[1:], (), tuple(min(n, 1) for n in sides)])
    shapes = [sides, other] if random.random() < 0.5 else [other, sides]
    inputs = tuple(_cells(random, s, random.choice(values.DTYPES)) for s in shapes)
    return Step(f"{name}(x, y) [{place}]", _first(name, place), _trust(name), inputs)


def single(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A ufunc of new cells of any dtype."""
    name, place = random.choice(UNARY), random.randint(0, 1)
    inputs = (_cells(random, values.shape(random, most=3), random.choice(values.DTYPES)),)
    return Step(f"{name}(x) [{place}]", _first(name, place), _trust(name), inputs)


def _cells(random: Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    make = values.ends if random.random() < 0.4 else values.cells
    return make(random, shape, dtype)


# operands of no dimension ------------------------------------------------------------------


class Scalar(NamedTuple):
    """Something of no dimension.

    Attributes
    ----------
    text
        How it is written.
    make
        A function ``(xp, x, y)`` that makes it.
    given
        What it is, if no array of this library.
    """

    text: str
    make: Call
    given: Any = None

    @property
    def is_large(self) -> bool:
        """Whether it is a Python integer that some dtype of integers does not hold."""
        return type(self.given) is int and not 0 <= self.given < 128


def scalar(random: Random, xs: Sequence[np.ndarray]) -> Scalar:
    """A scalar of Python's or NumPy's, or an array of no dimension."""
    kind = random.randint(0, 4)
    if kind == 0:
        value: Any = random.choice(PYTHON)
        return Scalar(repr(value), lambda xp, x, y: value, value)
    if kind == 1:
        value = _cells(random, (), random.choice(values.DTYPES))
        wrapped = value if random.random() < 0.5 else value[()]
        return Scalar(repr(wrapped), lambda xp, x, y: wrapped, wrapped)
    if kind == 2:
        lazy = _cells(random, (), random.choice(values.DTYPES))
        return Scalar(f"asarray({lazy!r})", lambda xp, x, y: xp.asarray(lazy))
    at = random.randint(0, 1)
    if kind == 3:
        places = tuple(random.randint(-n, n - 1) if n else 0 for n in xs[at].shape)
        return Scalar(f"{'xy'[at]}[{places}]", lambda xp, *operands: operands[at][places])
    fold = random.choice("max min any all argmin count_nonzero".split())
    return Scalar(f"{fold}({'xy'[at]})", lambda xp, *operands: getattr(xp, fold)(operands[at]))


def with_scalar(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """A ufunc or an operator of an array, or of a scalar of one, and of a scalar."""
    other, first = scalar(random, xs), scalar(random, xs)
    if first.given is not None or random.random() < 0.7:
        first = Scalar("x", lambda xp, x, y: x)
    swapped = random.random() < 0.5
    name, call = _applied(random)
    if name in ("eq", "ne") and other.given is not None:
        swapped = False  # what NumPy's == does with a ufunc's error is not open to others
    if name.startswith("logical") and other.is_large:
        return with_scalar(random, xs)  # NumPy takes those of a C long alone, truth though it asks

    def made(xp: Any, x: Any, y: Any) -> Any:
        a, b = first.make(xp, x, y), other.make(xp, x, y)
        return call(xp, b, a) if swapped else call(xp, a, b)

    texts = (other.text, first.text) if swapped else (first.text, other.text)
    return Step(f"{name}({', '.join(texts)})", made, _trust(name))


def _applied(random: Random) -> tuple[str, Call]:
    """A ufunc or an operator of two operands."""
    if random.random() < 0.5:
        name = random.choice(BINARY)
        return name, _first(name, random.randint(0, 1))
    name = random.choice(OPERATORS.split())
    return f"{name}", lambda xp, a, b: getattr(operator, name)(a, b)


def chosen_by_scalars(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """Functions of three operands, of which some have no dimension."""
    first, second = scalar(random, xs), scalar(random, xs)
    one, two = first.text, second.text
    calls: list[tuple[str, Call]] = [
        (f"where({one}, x, {two})", lambda xp, x, a, b: xp.where(a, x, b)),
        (f"where(x, {one}, {two})", lambda xp, x, a, b: xp.where(x, a, b)),
        (f"where({one}, {two}, x)", lambda xp, x, a, b: xp.where(a, b, x)),
        (f"clip(x, {one}, {two})", lambda xp, x, a, b: xp.clip(x, a, b)),
        (f"clip(x, {one}, None)", lambda xp, x, a, b: xp.clip(x, a, None)),
        (f"clip({one}, x, {two})", lambda xp, x, a, b: xp.clip(a, x, b)),
    ]
    text, call = random.choice(calls)
    if text.startswith("where") and (first.is_large or second.is_large):
        return with_scalar(random, xs)  # NumPy's where wraps Python integers that do not fit
    if text.startswith(f"clip({2**64}, x"):
        return with_scalar(random, xs)  # an array of a Python object

    def made(xp: Any, x: Any, y: Any) -> Any:
        return call(xp, x, first.make(xp, x, y), second.make(xp, x, y))

    return Step(text, made, "jump")
