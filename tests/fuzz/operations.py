"""Operations of random programs.

An operation draws its arguments for NumPy's values and returns a call, which is made once with
NumPy and once with this library, and how far its result may be trusted. Some arguments are wrong on
purpose: then both must raise the same kind of error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tests.fuzz import values

Call = Callable[..., Any]  # (np or dt, its values) -> a value


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
    """

    text: str
    call: Call
    trust: str


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


# cell by cell ------------------------------------------------------------------------------

SAME = "add subtract multiply maximum minimum negative absolute square sign positive conjugate"
BINARY = "add subtract multiply maximum minimum fmax fmin copysign".split()
JUMPS = (
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "floor_divide remainder bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm "
    "fmod divide power hypot arctan2 logaddexp heaviside nextafter"
).split()
ROUNDED = {"power", "hypot", "arctan2", "logaddexp"}
UNARY = "negative absolute square sign positive conjugate real imag".split()
UNARY_JUMPS = (
    "floor ceil trunc rint isnan isfinite isinf logical_not invert signbit sqrt exp sin log1p cbrt "
    "reciprocal isnat bitwise_count spacing tanh"
).split()
UNARY_ROUNDED = {"exp", "sin", "log1p", "cbrt", "tanh", "sqrt"}


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


# selectors ---------------------------------------------------------------------------------


def key(random: Random, x: np.ndarray, arrays: bool) -> tuple[Any, ...]:
    items: list[Any] = []
    dim = 0
    while dim < x.ndim and random.random() < 0.8:
        n, kind = x.shape[dim], random.random()
        if kind < 0.25:
            items.append(random.randint(-n, n - 1) if n and random.random() < 0.97 else n)
        elif kind < 0.7 or not arrays:
            bounds = [random.choice([None, random.randint(-n - 2, n + 2)]) for _ in range(2)]
            items.append(slice(*bounds, random.choice([None, 1, 2, -1, -2, 3])))
        elif kind < 0.78:
            items.append(None)
            continue
        elif kind < 0.9:
            size = random.choice([1, 2, 3, 3])
            low, high = (-n, n - 1) if n and random.random() < 0.97 else (0, n + 1)
            items.append(np.array([random.randint(low, high) for _ in range(size)]))
        else:
            items.append(np.array([random.random() < 0.5 for _ in range(n)], bool))
        dim += 1
    if random.random() < 0.2:
        items.insert(random.randint(0, len(items)), ...)
    return tuple(items)


def index(random: Random, xs: Sequence[np.ndarray]) -> Step:
    chosen = key(random, xs[0], arrays=random.random() < 0.5)
    return Step(f"x[{chosen}]", lambda xp, x, y: x[chosen], "same")


def mask(random: Random, xs: Sequence[np.ndarray]) -> Step:
    bound = random.choice([0, 1, 2])
    return Step(f"x[x != {bound}]", lambda xp, x, y: x[x != bound], "jump")


def assign(random: Random, xs: Sequence[np.ndarray]) -> Step:
    chosen = key(random, xs[0], arrays=random.random() < 0.5)
    value = random.choice([0, 1, 2.0, True])

    def call(xp: Any, x: Any, y: Any) -> Any:
        z = (
            x.copy()
            if xp is np
            else x + xp.zeros((), x.dtype)
            if x.dtype.kind not in "mMb"
            else x[...]
        )
        z[chosen] = value
        return z

    return Step(f"x[{chosen}] = {value}", call, "same")


def assign_mask(random: Random, xs: Sequence[np.ndarray]) -> Step:
    value = random.choice([0, 1, 2.0])

    def call(xp: Any, x: Any, y: Any) -> Any:
        z = x.copy() if xp is np else x[...]
        z[x == 1] = value
        return z

    return Step(f"x[x == 1] = {value}", call, "jump")


def permute(random: Random, xs: Sequence[np.ndarray]) -> Step:
    order = random.sample(range(xs[0].ndim), xs[0].ndim)
    if random.random() < 0.05:
        order = [*order, 0]
    return Step(f"transpose(x, {order})", lambda xp, x, y: xp.transpose(x, order), "same")


def flip(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0], several=True)
    return Step(f"flip(x, {axis})", lambda xp, x, y: xp.flip(x, axis), "same")


def reshape(random: Random, xs: Sequence[np.ndarray]) -> Step:
    size = xs[0].size
    sides = [n for n in range(1, size + 1) if size % n == 0] or [0]
    first = random.choice(sides)
    rest = size // first if first else 3
    shape = random.choice([(first, rest), (-1,), (rest, 1, first), (first, -1), (first + 1, -1)])
    order = random.choice("CCF")
    return Step(
        f"reshape(x, {shape}, {order})", lambda xp, x, y: xp.reshape(x, shape, order=order), "same"
    )


def squeeze(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0])
    return Step(f"squeeze(x, {axis})", lambda xp, x, y: xp.squeeze(x, axis), "same")


def expand(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0], none=False)
    return Step(f"expand_dims(x, {axis})", lambda xp, x, y: xp.expand_dims(x, axis), "same")


def broadcast(random: Random, xs: Sequence[np.ndarray]) -> Step:
    shape = (random.randint(0, 2), *[random.choice([n, n, 3]) for n in xs[0].shape])
    return Step(f"broadcast_to(x, {shape})", lambda xp, x, y: xp.broadcast_to(x, shape), "same")


def join(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name = random.choice(["concatenate", "stack"])
    axis = axis_of(random, xs[0], none=name == "concatenate")
    twice = random.random() < 0.7
    return Step(
        f"{name}([x, {'x' if twice else 'y'}], {axis})",
        lambda xp, x, y: getattr(xp, name)([x, x if twice else y], axis=axis),
        "same",
    )


def repeat(random: Random, xs: Sequence[np.ndarray]) -> Step:
    count, axis = random.choice([0, 1, 2, 3]), axis_of(random, xs[0])
    return Step(f"repeat(x, {count}, {axis})", lambda xp, x, y: xp.repeat(x, count, axis), "same")


def tile(random: Random, xs: Sequence[np.ndarray]) -> Step:
    reps = tuple(random.choice([0, 1, 2, 2]) for _ in range(random.randint(0, 3)))
    return Step(f"tile(x, {reps})", lambda xp, x, y: xp.tile(x, reps), "same")


def roll(random: Random, xs: Sequence[np.ndarray]) -> Step:
    shift, axis = random.randint(-9, 9), axis_of(random, xs[0])
    return Step(f"roll(x, {shift}, {axis})", lambda xp, x, y: xp.roll(x, shift, axis), "same")


PAD_MODES = "constant edge wrap reflect symmetric".split()


def pad(random: Random, xs: Sequence[np.ndarray]) -> Step:
    mode = random.choice(PAD_MODES)
    widths = [(random.randint(0, 4), random.randint(0, 4)) for _ in range(xs[0].ndim)]
    width: Any = random.choice([widths, 1, (2, 1)])
    return Step(f"pad(x, {width}, {mode})", lambda xp, x, y: xp.pad(x, width, mode), "same")


def triangle(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name, k = random.choice(["tril", "triu"]), random.randint(-2, 2)
    return Step(f"{name}(x, {k})", lambda xp, x, y: getattr(xp, name)(x, k), "same")


def diagonal(random: Random, xs: Sequence[np.ndarray]) -> Step:
    offset = random.randint(-2, 2)
    if random.random() < 0.5:
        return Step(f"trace(x, {offset})", lambda xp, x, y: xp.trace(x, offset), "fold")
    return Step(f"diagonal(x, {offset})", lambda xp, x, y: xp.diagonal(x, offset), "same")


def take(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0])
    n = xs[0].size if axis is None else xs[0].shape[axis] if -xs[0].ndim <= axis < xs[0].ndim else 1
    places = np.array([random.randint(-n, n) if n else 0 for _ in range(random.randint(0, 4))], int)
    if n and random.random() < 0.9:
        places = places % n
    return Step(f"take(x, {places}, {axis})", lambda xp, x, y: xp.take(x, places, axis), "same")


# folds -------------------------------------------------------------------------------------

FOLDS = "sum prod mean nansum nanprod nanmean count_nonzero".split()
CHOICES = "min max any all argmin argmax ptp nanmin nanmax".split()


def fold(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name = random.choice([*FOLDS, *CHOICES, "var", "std"])
    axis = axis_of(random, xs[0], several=not name.startswith("arg"))
    options: dict[str, Any] = {"keepdims": True} if random.random() < 0.3 else {}
    if name == "sum" and random.random() < 0.2:
        options["initial"] = 2
    if name in ("sum", "any", "all", "prod") and random.random() < 0.2:
        options["where"] = random.choice([True, False])
    trust = "fold" if name in FOLDS else "jump" if name in CHOICES else "rounded"
    return Step(
        f"{name}(x, {axis}, {options})",
        lambda xp, x, y: getattr(xp, name)(x, axis=axis, **options),
        trust,
    )


def scan(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name = random.choice(["cumsum", "cumprod", "nancumsum"])
    axis = axis_of(random, xs[0])
    return Step(f"{name}(x, {axis})", lambda xp, x, y: getattr(xp, name)(x, axis=axis), "fold")


# order -------------------------------------------------------------------------------------


def sort(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0])
    if random.random() < 0.5:
        return Step(f"sort(x, {axis})", lambda xp, x, y: xp.sort(x, axis=axis), "jump")
    return Step(
        f"argsort(x, {axis})", lambda xp, x, y: xp.argsort(x, axis=axis, kind="stable"), "jump"
    )


def unique(random: Random, xs: Sequence[np.ndarray]) -> Step:
    if random.random() < 0.5:
        return Step("unique(x)", lambda xp, x, y: xp.unique(x), "jump")
    place = random.randint(0, 2)
    return Step(
        f"unique(x, all)[{place}]",
        lambda xp, x, y: xp.unique(x, return_inverse=True, return_counts=True)[place],
        "jump",
    )


def nonzero(random: Random, xs: Sequence[np.ndarray]) -> Step:
    if random.random() < 0.5:
        return Step("argwhere(x)", lambda xp, x, y: xp.argwhere(x), "jump")
    return Step("nonzero(x)[0]", lambda xp, x, y: xp.nonzero(x)[0], "jump")


def quantile(random: Random, xs: Sequence[np.ndarray]) -> Step:
    axis = axis_of(random, xs[0], several=True)
    if random.random() < 0.5:
        return Step(f"median(x, {axis})", lambda xp, x, y: xp.median(x, axis=axis), "rounded")
    q = random.choice([0.0, 0.25, 0.5, 1.0])
    return Step(
        f"quantile(x, {q}, {axis})", lambda xp, x, y: xp.quantile(x, q, axis=axis), "rounded"
    )


def search(random: Random, xs: Sequence[np.ndarray]) -> Step:
    side = random.choice(["left", "right"])
    if random.random() < 0.5:
        return Step("isin(x, y)", lambda xp, x, y: xp.isin(x, y), "jump")
    return Step(
        f"searchsorted(sort(ravel(y)), x, {side})",
        lambda xp, x, y: xp.searchsorted(xp.sort(xp.ravel(y)), x, side=side),
        "jump",
    )


# products ----------------------------------------------------------------------------------


def product(random: Random, xs: Sequence[np.ndarray]) -> Step:
    x = xs[0]
    letters = "ijkl"[: x.ndim]
    calls = [
        ("matmul(x, x.T)", lambda xp, x, y: xp.matmul(x, x.T)),
        ("matmul(x, y)", lambda xp, x, y: xp.matmul(x, y)),
        ("outer(x, x)", lambda xp, x, y: xp.outer(x, x)),
        ("dot(x, y)", lambda xp, x, y: xp.dot(x, y)),
        ("tensordot(x, x)", lambda xp, x, y: xp.tensordot(x, x, axes=x.ndim)),
        ("tensordot(x, y, 1)", lambda xp, x, y: xp.tensordot(x, y, axes=1)),
        ("vdot(x, x)", lambda xp, x, y: xp.vdot(x, x)),
        ("einsum reversed", lambda xp, x, y: xp.einsum(f"{letters}->{letters[::-1]}", x)),
        ("einsum self", lambda xp, x, y: xp.einsum(f"{letters},{letters}->{letters[:1]}", x, x)),
    ]
    text, call = random.choice(calls)
    return Step(text, call, "fold")


# more of each family ---------------------------------------------------------------------


def moved(random: Random, xs: Sequence[np.ndarray]) -> Step:
    a, b = axis_of(random, xs[0], none=False), axis_of(random, xs[0], none=False)
    k = random.randint(-3, 5)
    calls: list[tuple[str, Call]] = [
        (f"swapaxes(x, {a}, {b})", lambda xp, x, y: xp.swapaxes(x, a, b)),
        (f"moveaxis(x, {a}, {b})", lambda xp, x, y: xp.moveaxis(x, a, b)),
        (f"rot90(x, {k})", lambda xp, x, y: xp.rot90(x, k)),
        ("atleast_2d(x)", lambda xp, x, y: xp.atleast_2d(x)),
        ("vstack", lambda xp, x, y: xp.vstack([x, x])),
        ("hstack", lambda xp, x, y: xp.hstack([x, y])),
        ("dstack", lambda xp, x, y: xp.dstack([x, x])),
        ("column_stack", lambda xp, x, y: xp.column_stack([x, x])),
        (f"split(x, 2, {a})[0]", lambda xp, x, y: xp.split(x, 2, a)[0]),
        (f"array_split(x, 3, {a})[1]", lambda xp, x, y: xp.array_split(x, 3, a)[1]),
        (f"delete(x, {k}, {a})", lambda xp, x, y: xp.delete(x, k, a)),
        (f"insert(x, {k}, 1, {a})", lambda xp, x, y: xp.insert(x, k, 1, a)),
        (f"append(x, y, {a})", lambda xp, x, y: xp.append(x, y, a)),
        ("append(x, y)", lambda xp, x, y: xp.append(x, y)),
        ("diag(x)", lambda xp, x, y: xp.diag(x)),
        ("broadcast_arrays(x, y)[0]", lambda xp, x, y: xp.broadcast_arrays(x, y)[0]),
        ("full_like(x, 3)", lambda xp, x, y: xp.full_like(x, 3)),
    ]
    text, call = random.choice(calls)
    return Step(text, call, "same")


def differences(random: Random, xs: Sequence[np.ndarray]) -> Step:
    n, axis = random.choice([0, 1, 1, 2]), axis_of(random, xs[0], none=False)
    if random.random() < 0.3:
        return Step("ediff1d(x)", lambda xp, x, y: xp.ediff1d(x), "same")
    return Step(f"diff(x, {n}, {axis})", lambda xp, x, y: xp.diff(x, n, axis), "same")


ACCUMULATED = "add multiply maximum minimum logical_and logical_or bitwise_xor".split()


def methods(random: Random, xs: Sequence[np.ndarray]) -> Step:
    name, axis = random.choice(ACCUMULATED), axis_of(random, xs[0], none=False)
    method = random.choice(["reduce", "accumulate"])
    trust = "fold" if name in ("add", "multiply") else "jump"
    return Step(
        f"{name}.{method}(x, {axis})",
        lambda xp, x, y: getattr(getattr(np, name), method)(x, axis=axis),
        trust,
    )


def tables(random: Random, xs: Sequence[np.ndarray]) -> Step:
    edges = np.array([-2.5, -1, 0.5, 2])
    calls: list[tuple[str, Call]] = [
        ("histogram", lambda xp, x, y: xp.histogram(x, bins=4, range=(-4, 4))[0]),
        ("histogram edges", lambda xp, x, y: xp.histogram(x, bins=edges)[0]),
        ("bincount", lambda xp, x, y: xp.bincount(x)),
        ("bincount minlength", lambda xp, x, y: xp.bincount(x, minlength=5)),
        ("digitize", lambda xp, x, y: xp.digitize(x, edges)),
        ("interp", lambda xp, x, y: xp.interp(x, [0, 1, 2], [3.0, 4.0, 8.0])),
        ("unique_counts", lambda xp, x, y: xp.unique_counts(x)[1]),
        ("union1d", lambda xp, x, y: xp.union1d(x, y)),
        ("intersect1d", lambda xp, x, y: xp.intersect1d(x, y)),
        ("setdiff1d", lambda xp, x, y: xp.setdiff1d(x, y)),
        ("compress", lambda xp, x, y: xp.compress(xp.ravel(y) > 0, x)),
        ("extract", lambda xp, x, y: xp.extract(y, x)),
        ("where(x)[0]", lambda xp, x, y: xp.where(x)[0]),
        ("flatnonzero", lambda xp, x, y: xp.flatnonzero(x)),
    ]
    text, call = random.choice(calls)
    return Step(text, call, "jump")


def assign_cells(random: Random, xs: Sequence[np.ndarray]) -> Step:
    chosen = (*key(random, xs[0], arrays=random.random() < 0.5), ...)
    if any(item is ... for item in chosen[:-1]):  # a lone cell takes no array, in many ways
        chosen = chosen[:-1]

    def call(xp: Any, x: Any, y: Any) -> Any:
        z = x.copy() if xp is np else x[...]
        z[chosen] = y
        return z

    return Step(f"x[{chosen}] = y", call, "assign")


OPERATIONS: dict[Draw, int] = {
    moved: 3, differences: 1, methods: 1, tables: 2, assign_cells: 1,
    binary: 6, unary: 4, cast: 2, where: 1, clip: 1, index: 6, mask: 1, assign: 2, assign_mask: 1,
    permute: 2, flip: 1, reshape: 3, squeeze: 1, expand: 1, broadcast: 1, join: 2, repeat: 1,
    tile: 1, roll: 1, pad: 2, triangle: 1, diagonal: 1, take: 1, fold: 5, scan: 1, sort: 1,
    unique: 1, nonzero: 1, quantile: 1, search: 1, product: 2,
}  # fmt: skip
