"""COMPARISONS: every public operation, NumPy's meaning of it, and inputs to try both on.

The tests over shardings and the benchmarks read this one table. A comparison is called as
``ours(dt, *inputs)`` and ``numpy(*inputs)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from dask_tapestry.cells import UFUNCS

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
    """

    name: str
    ours: Callable[..., Any]
    numpy: Callable[..., Any]
    inputs: Callable[[], Iterator[Arrays]]
    ulp: int | None = 0
    one_value: bool = True

    @property
    def public(self) -> str:
        """The public name alone."""
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


def serves(function: str, *dtypes: str) -> bool:
    """Whether NumPy's ufunc has a loop for these dtypes."""
    ufunc = UFUNCS[function]
    try:
        ufunc.resolve_dtypes((*map(np.dtype, dtypes), *[None] * ufunc.nout))
    except TypeError:
        return False
    return True


PAIRS = ("i1 f4", "? i8", "u8 i8", "f2 f8", "f4 c8", "M8[s] m8[s]", "m8[s] i8", "i8 u1")
UNKNOWN = {("power", "? i8"), ("power", "u8 i8")}


def ufunc_comparisons() -> Iterator[Comparison]:
    for name, ufunc in UFUNCS.items():
        ulp = 0 if name in IEEE else 2
        call = partial(_call, name)
        kinds = [d for d in DTYPES if serves(name, *[d] * ufunc.nin)]
        make = {"power": positive, "fmax": untied, "fmin": untied}.get(name, values)
        if name in ("multiply", "square"):  # NumPy's own bits depend on the place in a block
            fused = each(ufunc.nin, ["c8", "c16"], make=mild)
            yield Comparison(f"{name} complex", call, getattr(np, name), fused, 2)
            kinds = [d for d in kinds if d[0] != "c"]
        yield Comparison(name, call, getattr(np, name), each(ufunc.nin, kinds, make=make), ulp)
        if ufunc.nin == 2:
            pairs = [p for p in PAIRS if serves(name, *p.split()) and (name, p) not in UNKNOWN]
            yield Comparison(f"{name} mixed", call, getattr(np, name), mixed(2, pairs), ulp)


def _call(name: str, dt: Any, *xs: Any) -> Any:
    return getattr(dt, name)(*xs)


def alike(
    name: str, call: Callable[..., Any], inputs: Callable[[], Iterator[Arrays]]
) -> Comparison:
    """The same call on ours and on NumPy's."""
    return Comparison(name, call, partial(call, np), inputs)


TERNARY = ("? f4 f8", "i8 f4 c8", "f8 i1 u1", "? M8[s] M8[s]")
ELEMENTWISE = (
    alike("where", lambda np, c, x, y: np.where(c, x, y), mixed(3, TERNARY)),
    alike("clip", lambda np, *xs: np.clip(*xs), each(3, [*NUMBERS[:8], "M8[s]"])),
    alike("clip above", lambda np, x: np.clip(x, None, 2), each(1, NUMBERS[:8])),
    alike("real", lambda np, x: np.real(x), each(1, NUMBERS)),
    alike("imag", lambda np, x: np.imag(x), each(1, NUMBERS)),
    Comparison(
        "nn.relu",
        lambda dt, x: dt.nn.relu(x),
        lambda x: np.maximum(x, x.dtype.type(0)),
        each(1, NUMBERS),
    ),
    *[
        Comparison(
            f"astype {target}",
            lambda dt, x, target=target: dt.astype(x, target),
            lambda x, target=target: x.astype(target),
            each(1, sources, make=mild),
        )
        for target, sources in (
            ("i1", DTYPES[:9]),
            ("f2", DTYPES[:9]),
            ("f8", DTYPES[:9]),
            ("c8", NUMBERS),
            ("?", NUMBERS),
            ("m8[ms]", ["m8[s]", "i8"]),
        )
    ],
)

REDUCED = ((7,), (3, 4), (2, 3, 5), (1, 1))
SUMMABLE = ["?", "i1", "u8", "i8", "f2", "f4", "f8", "c16"]


def reduction(
    name: str, dtypes: Sequence[str], ulp: int | None, make: Any, **options: Any
) -> Comparison:
    """A reduction, with options that ours and NumPy's both take."""
    text = " ".join([name, *[f"{k}={v}" for k, v in options.items()]])
    ranks = [s for s in REDUCED if options.get("axis") != (0, -1) or len(s) > 1]
    shapes = ranks if "axis" in options else [(), *ranks]
    return Comparison(
        text,
        lambda dt, x: getattr(dt, name)(x, **options),
        lambda x: getattr(np, name)(x, **options),
        each(1, dtypes, shapes, make),
        ulp,
    )


def reduction_comparisons() -> Iterator[Comparison]:
    exact = {"min": DTYPES, "max": DTYPES, "any": DTYPES[:11], "all": DTYPES[:11]}
    exact |= {"argmin": DTYPES, "argmax": DTYPES}
    rounded = {"sum": [*SUMMABLE, "m8[s]"], "prod": SUMMABLE, "mean": SUMMABLE}
    rounded |= {"var": SUMMABLE, "std": SUMMABLE}
    for name, dtypes in (exact | rounded).items():
        ulp, make = (0, values) if name in exact else (None, mild)
        for options in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}):
            yield reduction(name, dtypes, ulp, make, **options)
        if not name.startswith("arg"):
            yield reduction(name, dtypes, ulp, make, axis=(0, -1))
            yield reduction(name, dtypes[1:2], ulp, make, axis=())
    for name in ("sum", "prod", "mean", "var", "std"):
        yield reduction(name, ["i8", "f2", "f4"], None, mild, dtype="f8")
    for name in ("var", "std"):
        yield reduction(name, ["f4", "f8", "c16"], None, mild, ddof=1)
        yield reduction(name, ["f8"], None, mild, ddof=0.5, axis=0)
    for name in ("sum", "prod", "any", "all"):
        nothing = each(1, ["?", "i1", "f2", "f8", "c16"], [(0,), (0, 3), (3, 0), (0, 0)])
        folded = partial(lambda name, np, x: getattr(np, name)(x, axis=0), name)
        yield alike(f"{name} of nothing", folded, nothing)


CUBE = ((2, 3, 4), (1, 3, 1), (2, 0, 3))
SELECTED = ("i1", "f8", "c8", "M8[s]")


def selector(name: str, call: Callable[..., Any], shapes: Any = CUBE, arity: int = 1) -> Comparison:
    """A selector, on cells that are only copied."""
    return alike(name, call, each(arity, SELECTED, shapes))


SELECTORS = (
    selector("transpose", lambda np, x: np.transpose(x)),
    selector("transpose axes", lambda np, x: np.transpose(x, (1, 2, 0))),
    selector("permute_dims", lambda np, x: np.permute_dims(x, (2, 0, 1))),
    selector("swapaxes", lambda np, x: np.swapaxes(x, 0, -1)),
    selector("moveaxis", lambda np, x: np.moveaxis(x, (0, 1), (-1, 0))),
    selector("flip", lambda np, x: np.flip(x)),
    selector("flip axis", lambda np, x: np.flip(x, (0, 2))),
    selector("squeeze", lambda np, x: np.squeeze(x), ((2, 3), (1, 3, 1), (1,), ())),
    selector("squeeze axis", lambda np, x: np.squeeze(x, 1), ((2, 1, 3), (0, 1))),
    selector("expand_dims", lambda np, x: np.expand_dims(x, (0, -1)), ((), (3,), (2, 0))),
    selector(
        "broadcast_to", lambda np, x: np.broadcast_to(x, (4, 2, 3)), ((), (3,), (2, 1), (2, 3))
    ),
    selector(
        "broadcast_to nothing", lambda np, x: np.broadcast_to(x, (0, 3)), ((1, 3), (1, 1), ())
    ),
    selector("broadcast_arrays", lambda np, *xs: np.broadcast_arrays(*xs)[0], ((2, 3),), 2),
    selector("concatenate", lambda np, *xs: np.concatenate(xs, -1), CUBE, 3),
    selector("concatenate flat", lambda np, *xs: np.concatenate(xs, None), (*CUBE, ()), 2),
    selector("concat", lambda np, *xs: np.concat(xs, axis=1), CUBE, 2),
    selector("reshape", lambda np, x: np.reshape(x, (4, -1)), ((2, 6), (8,), (2, 2, 3))),
    selector("reshape rank", lambda np, x: np.reshape(x, ()), ((1,), (1, 1), ())),
    selector("reshape nothing", lambda np, x: np.reshape(x, (0, 5)), ((3, 0), (0,))),
    selector("ravel", lambda np, x: np.ravel(x)),
    selector("getitem slices", lambda np, x: x[::-1, 1:3, ::2]),
    selector("getitem items", lambda np, x: x[-1, None, ..., 0], ((2, 3, 4), (1, 3, 1))),
    selector("getitem nothing", lambda np, x: x[2:1, ..., 5:]),
)


def creation(name: str, call: Callable[..., Any]) -> Comparison:
    """A call that takes no input."""
    return alike(name, call, lambda: iter([()]))


def ranges() -> Iterator[Comparison]:
    bounds = ((5,), (2, 9, 3), (9, 2, -3), (0.0, 1.0, 0.1), (3, 3), (0, -4), (1e16, 1e16 + 9, 1.5))
    for given in bounds:
        yield creation(f"arange {given}", lambda np, given=given: np.arange(*given))
    for d in ("f2", "f4", "u1", "c16"):
        yield creation(f"arange {d}", lambda np, d=d: np.arange(3, 40, 5, dtype=d))


CREATION = (
    creation("zeros", lambda np: np.zeros((2, 3), "M8[s]")),
    creation("ones", lambda np: np.ones((3, 0), "f2")),
    creation("full", lambda np: np.full((2, 3), -0.0)),
    creation("full rank", lambda np: np.full((), 7, "i1")),
    creation("full row", lambda np: np.full((2, 3), [1, 2, 3], "f4")),
    *ranges(),
    selector("zeros_like", lambda np, x: np.zeros_like(x)),
    selector("ones_like", lambda np, x: np.ones_like(x)),
    selector("full_like", lambda np, x: np.full_like(x, 3)),
    selector("empty_like", lambda np, x: np.zeros_like(x)),
    selector("asarray", lambda np, x: np.asarray(x)),
)


def products(
    shapes: Sequence[tuple[tuple[int, ...], ...]], kinds: str
) -> Callable[[], Iterator[Arrays]]:
    """Mild factors of the given shapes, in each kind or pair of kinds."""

    def inputs() -> Iterator[Arrays]:
        for kind in kinds.split():
            names = kind.split("*")
            for row in shapes:
                yield tuple(mild(s, names[n % len(names)], n) for n, s in enumerate(row))

    return inputs


MATRICES = (
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 2)),
    ((2, 3, 4), (4,)),
    ((2, 1, 3, 4), (3, 4, 2)),
    ((3, 0), (0, 2)),
    ((0, 3), (3, 2)),
)
LAYERS = (((3, 4), (4, 5), (5,)), ((1, 1), (1, 1), (1,)), ((0, 4), (4, 2), (2,)))
PRODUCTS = (
    Comparison(
        "matmul",
        lambda dt, x, w: dt.matmul(x, w),
        np.matmul,
        products(MATRICES, "f8 f4 f2 c16 i8 u1 ? f2*f4 i8*f4"),
        None,
        one_value=False,
    ),
    Comparison(
        "nn.linear",
        lambda dt, x, w, b: dt.nn.linear(x, w, b),
        lambda x, w, b: x @ w + b,
        products(LAYERS, "f8 f4 f2 c16 i8 f2*f4"),
        None,
        one_value=False,
    ),
)

COMPARISONS: tuple[Comparison, ...] = (
    *ufunc_comparisons(),
    *ELEMENTWISE,
    *reduction_comparisons(),
    *SELECTORS,
    *CREATION,
    *PRODUCTS,
)


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
    return np.allclose(
        ours, expected, rtol=rounding, atol=0 if kind.kind == "f" else rounding, equal_nan=True
    )
