"""What a comparison is, cells to try it on, and when two results agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

Arrays = tuple[np.ndarray, ...]

SHAPES = ((), (1,), (0,), (7,), (3, 0), (1, 4), (3, 4), (2, 1, 5))
DTYPES = "?,i1,u1,i2,i8,u8,f2,f4,f8,c8,c16,M8[s],m8[s]".split(",")
NUMBERS = DTYPES[1:11]
IEEE = frozenset(
    "absolute add subtract multiply divide true_divide sqrt square negative positive conjugate "
    "maximum minimum fmax fmin equal not_equal less less_equal greater greater_equal floor ceil "
    "trunc rint sign signbit isnan isinf isfinite isnat copysign nextafter spacing fabs frexp modf "
    "ldexp heaviside reciprocal logical_and logical_or logical_xor logical_not bitwise_and "
    "bitwise_or bitwise_xor bitwise_count invert left_shift right_shift gcd lcm floor_divide "
    "remainder fmod divmod".split()
)
ROUNDING = {"f2": 4e-3, "f4": 2e-5, "f8": 1e-12, "c8": 2e-5, "c16": 1e-12, "m8": 0.0}


class Bench(NamedTuple):
    """What makes a comparison a row of the benchmarks too.

    Attributes
    ----------
    large
        Returns the inputs, of as many times the usual cells as it is told.
    passes
        How often the inputs must cross memory.
    memory_bound
        Whether that, and writing the results, is all that takes time.
    numexpr
        The program as numexpr takes it, the inputs being a, b and c.
    cubed
        Whether Cubed runs it, when asked to: it takes seconds.
    arguments
        Keyword arguments of the program, where its defaults are to be quick to test.
    cannot
        Peers that have no way to run the program, and why.
    """

    large: Callable[[float], Arrays]
    passes: int = 1
    memory_bound: bool = False
    numexpr: str | None = None
    cubed: bool = False
    arguments: Mapping[str, Any] = MappingProxyType({})
    cannot: Mapping[str, str] = MappingProxyType({})


class Comparison(NamedTuple):
    """One operation.

    Attributes
    ----------
    name
        Its public name, then what else tells it from other uses of it.
    inputs
        Returns the sample inputs.
    ulp
        Distance from NumPy's value that is allowed, in units in the last place: 0 means the same
        bits, None that the value is within `rounding` of NumPy's.
    one_value
        Whether every sharding gives the same bits.
    bench
        Inputs to time it on, and its peers there; None for what is only tested.
    """

    name: str
    ours: Callable[..., Any]
    numpy: Callable[..., Any]
    inputs: Callable[[], Iterator[Arrays]]
    ulp: int | None = 0
    one_value: bool = True
    bench: Bench | None = None

    @property
    def public(self) -> str:
        """The public name alone; ``"program"`` for whole programs, which have none."""
        return self.name.partition(" ")[0]


def values(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells of small and of special values, the same ones each time."""
    kind = np.dtype(dtype)
    random = np.random.default_rng(crc32(f"{shape} {dtype} {seed}".encode()))
    size = prod(shape)
    if kind.kind == "b":
        cells = random.integers(0, 2, size)
    elif kind.kind in "iu":
        low = 0 if kind.kind == "u" else -9
        cells = random.integers(low, 10, size)
    elif kind.kind in "mM":
        cells = random.integers(-1000, 1000, size)
        cells[random.random(size) < 0.1] = np.iinfo("i8").min
    else:
        cells = random.normal(0, 2, size) + (kind.kind == "c") * 1j * random.normal(0, 2, size)
        cells = cells if kind.kind == "c" else cells.real
        special = random.random(size) < 0.2
        cells[special] = random.choice([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan], special.sum())
    return cells.astype("i8" if kind.kind in "mM" else kind).astype(kind).reshape(shape)


def mild(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells between 1/2 and 3/2, or small integers: sums of them are well conditioned."""
    if np.dtype(dtype).kind not in "fc":
        return values(shape, "i8" if dtype[0] == "m" else dtype, seed).astype(dtype)
    random = np.random.default_rng(crc32(f"mild {shape} {dtype} {seed}".encode()))
    return (random.random(shape) + 0.5).astype(dtype)


def positive(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells whose powers NumPy knows: no negative integers."""
    return np.abs(values(shape, dtype, seed)) if dtype[0] == "i" else values(shape, dtype, seed)


def each(
    arity: int,
    dtypes: Sequence[str],
    shapes: Sequence[tuple[int, ...]] = SHAPES,
    make: Any = values,
) -> Callable[[], Iterator[Arrays]]:
    """Inputs of every shape and dtype, all operands alike."""

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            for shape in shapes:
                yield tuple(make(shape, dtype, number) for number in range(arity))

    return inputs


def mixed(arity: int, pairs: Sequence[str]) -> Callable[[], Iterator[Arrays]]:
    """Inputs that promote and broadcast."""

    def inputs() -> Iterator[Arrays]:
        for pair in pairs:
            kinds = pair.split()
            for shapes in (((3, 1), (1, 4), (4,)), ((), (5,), (2, 1)), ((2, 3), (3,), ())):
                yield tuple(
                    values(shape, dtype, n)
                    for n, (shape, dtype) in enumerate(zip(shapes, kinds, strict=False))
                )[:arity]

    return inputs


def untied(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells without -0.0: which of two zeros NumPy's fmax takes depends on the place."""
    return np.where((cells := values(shape, dtype, seed)) == 0, np.zeros((), dtype), cells)


def alike(
    name: str, call: Callable[..., Any], inputs: Callable[[], Iterator[Arrays]]
) -> Comparison:
    """The same call on ours and on NumPy's."""
    return Comparison(name, call, partial(call, np), inputs)


def same_bits(ours: Any, expected: Any) -> bool:
    """Whether two results agree in type, shape and every bit; all NaNs are alike."""
    ours, expected = np.asarray(ours), np.asarray(expected)
    if (ours.dtype, ours.shape) != (expected.dtype, expected.shape):
        return False
    return _parts(ours) == _parts(expected)


def _parts(x: np.ndarray) -> tuple[bytes, ...]:
    if x.dtype.kind == "c":
        return _parts(x.real) + _parts(x.imag)
    if x.dtype.kind == "f":
        x = np.where(np.isnan(x), np.full((), np.nan, x.dtype), x)
    return (x.tobytes(),)


def agrees(comparison: Comparison, ours: Any, expected: Any) -> bool:
    """Whether our result is NumPy's, as closely as the comparison says."""
    ours, expected = np.asarray(ours), np.asarray(expected)
    kind = expected.dtype
    if comparison.ulp == 0 or kind.kind not in "fc":
        return same_bits(ours, expected)
    if (ours.dtype, ours.shape) != (kind, expected.shape):
        return False
    rounding = ROUNDING[kind.str[1:]]
    if comparison.ulp is not None:
        rounding = comparison.ulp * float(np.finfo(kind).eps) * (4 if kind.kind == "c" else 1)
    if kind.kind == "f":
        return np.allclose(ours, expected, rtol=rounding, atol=0, equal_nan=True)
    finite = np.isfinite(expected)  # of infinity the other part may differ in its last bit
    pairs = [(ours[finite], expected[finite])]
    pairs += [(part(ours[~finite]), part(expected[~finite])) for part in (np.real, np.imag)]
    return all(np.allclose(*pair, rtol=rounding, atol=rounding, equal_nan=True) for pair in pairs)
