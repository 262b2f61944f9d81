"""Operations that move, choose and assign cells."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.steps import Call, Step, axis_of


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


def assign_cells(random: Random, xs: Sequence[np.ndarray]) -> Step:
    chosen = (*key(random, xs[0], arrays=random.random() < 0.5), ...)
    if any(item is ... for item in chosen[:-1]):  # a lone cell takes no array, in many ways
        chosen = chosen[:-1]

    def call(xp: Any, x: Any, y: Any) -> Any:
        z = x.copy() if xp is np else x[...]
        z[chosen] = y
        return z

    return Step(f"x[{chosen}] = y", call, "assign")


def narrow(random: Random, x: np.ndarray) -> tuple[str, Call]:
    """What is read of a value that is not looked at as a whole: all, some, or nothing of it."""
    zero = np.zeros((), x.dtype)
    ways: list[tuple[str, Call]] = [
        ("all", lambda xp, z: z),
        ("[...]", lambda xp, z: z[...]),
        ("where(False, z, 0)", lambda xp, z: xp.where(False, z, zero)),
        ("z[None][:0]", lambda xp, z: z[None][:0]),
        ("repeat(z, 0)", lambda xp, z: xp.repeat(z, 0)),
        ("broadcast_to(0, z)", lambda xp, z: xp.broadcast_to(z, (0, *z.shape))),
        ("z[z == z]", lambda xp, z: z[z == z]),
        ("z == z", lambda xp, z: z == z),
    ]
    chosen = key(random, x, arrays=False)
    ways += [(f"z[{chosen}]", lambda xp, z: z[chosen])] * 4
    if x.ndim:
        none = np.zeros(x.shape[0], bool)
        ways += [
            ("z[:0]", lambda xp, z: z[:0]),
            ("z[..., -1:]", lambda xp, z: z[..., -1:]),
            ("z[::-2]", lambda xp, z: z[::-2]),
            ("z[no cell]", lambda xp, z: z[none]),
            ("pad(z, 3)[:2]", lambda xp, z: xp.pad(z, 3)[:2]),
            ("concatenate([z, z])[:1]", lambda xp, z: xp.concatenate([z, z])[:1]),
            ("any(z)", lambda xp, z: xp.any(z, axis=0)),
        ]
    return random.choice(ways)
