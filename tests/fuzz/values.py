"""Values of random programs: cells for which NumPy and any other order of operations agree.

Floats hold small integers, so that sums and products of them are exact in any order. A value says
how far it may be trusted: exact ones have NumPy's bits; the others agree within rounding, and no
operation that jumps (a comparison, a sort, a cast to integers) may look at them.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np

DTYPES = "?,i1,u1,i2,u4,i8,u8,f2,f4,f8,c8,c16,M8[s],m8[s]".split(",")
NUMBERS = [d for d in DTYPES if d[0] not in "mM"]
FEW = 200  # cells, of which a smaller example is found where each is drawn for itself
TRUSTED = {"f2": 2**10, "f4": 2**20, "f8": 2**45, "c8": 2**20, "c16": 2**45}


class Value(NamedTuple):
    """NumPy's value, ours, and how far they may be apart: 0 if their bits must agree.

    Those of a loose one depend on the sharding.
    """

    theirs: Any
    ours: Any
    rounding: float = 0.0
    loose: bool = False

    @property
    def exact(self) -> bool:
        """Whether the bits are NumPy's."""
        return not self.rounding


def cells(random: Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Random cells, NaN and infinity now and then, -0.0 never: an order of folds may show."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape, dtype=int))
    low = 0 if kind.kind in "ub" else -4
    high = 1 if kind.kind == "b" else 4
    whole = _numbers(random, size, low, high)
    if kind.kind in "mM":
        return whole.astype(kind).reshape(shape)
    made = whole.astype(kind)
    if kind.kind == "c":
        imaginary = _numbers(random, size, low, high).astype(made.real.dtype)
        made = made + made.dtype.type(1j) * imaginary
        made = made.astype(kind)
    if kind.kind == "f" and size and random.random() < 0.25:
        made[random.randrange(size)] = random.choice([np.nan, np.inf, -np.inf])
    return made.reshape(shape)


def _numbers(random: Random, size: int, low: int, high: int) -> np.ndarray:
    if size > FEW:
        return np.random.default_rng(random.getrandbits(32)).integers(low, high + 1, size)
    return np.array([random.randint(low, high) for _ in range(size)], "i8")


def ends(random: Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Random cells, among them the ends of the dtype's range, halves and what is no number."""
    kind = np.dtype(dtype)
    made = cells(random, shape, dtype)
    if kind.kind == "c" or not made.size:
        return made  # NumPy's products of complex infinities depend on the machine
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        special: list[Any] = [limits.min, limits.max, limits.max // 2 + 1, limits.bits, 1]
    elif kind.kind == "f":
        real = np.finfo(kind)
        special = [0.5, -1.5, real.max, real.tiny, real.eps, np.nan, np.inf, -np.inf, 255.0, 1e4]
    else:
        special = [False] if kind.kind == "b" else [kind.type("NaT")]
    flat = made.reshape(-1)
    for _ in range(random.randint(1, 3)):
        flat[random.randrange(flat.size)] = random.choice(special)
    return flat.reshape(shape)


def shape(random: Random, most: int = 5) -> tuple[int, ...]:
    """A shape of few cells, with dimensions of length 0 and 1 among them."""
    sides = [random.choice([0, 1, 2, 3, 4, 5, 3, 4, 7]) for _ in range(random.randint(0, most))]
    while np.prod(sides, dtype=int) > 200:
        sides[sides.index(max(sides))] = 1
    return tuple(sides)


def is_whole(x: np.ndarray) -> bool:
    """Whether folding the cells in any order gives the same bits: small integers alone."""
    if x.dtype.kind not in "fc":
        return True
    bound = TRUSTED.get(x.dtype.str[1:])
    if bound is None:
        return False
    parts = [x.real, x.imag] if x.dtype.kind == "c" else [x]
    with np.errstate(all="ignore"):
        return all(
            bool(np.all((np.abs(p) < bound) & (p == np.rint(p)) & ~((p == 0) & np.signbit(p))))
            for p in parts
        )


ROUNDING = {"f2": 2e-2, "f4": 1e-4, "f8": 1e-9, "c8": 1e-4, "c16": 1e-9}


def differs(ours: Any, theirs: Any, rounding: float) -> str:
    """How two results differ; empty if they agree as closely as `rounding` asks."""
    if isinstance(ours, str | bytes):  # a scalar of NumPy's forgets how long others may be
        ours = np.asarray(ours, np.asarray(theirs).dtype)
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype != theirs.dtype:
        return f"dtype {ours.dtype}, NumPy has {theirs.dtype}"
    if ours.shape != theirs.shape:
        return f"shape {ours.shape}, NumPy has {theirs.shape}"
    if theirs.dtype.names:
        fields = [differs(ours[n], theirs[n], rounding) for n in theirs.dtype.names]
        return "; ".join(filter(None, fields))
    if not rounding or theirs.dtype.kind in "mMSUV":
        same = np.array_equal(ours, theirs, equal_nan=theirs.dtype.kind in "fcmM")
    else:
        with np.errstate(all="ignore"):
            scale = np.max(np.abs(theirs[np.isfinite(theirs)]), initial=1)
            near = partial(np.allclose, rtol=rounding, atol=rounding * scale, equal_nan=True)
            same = near(ours.real, theirs.real) and near(ours.imag, theirs.imag)
    return "" if same else f"{ours!r}, NumPy has {theirs!r}"
