"""Operations that read many cells for each: folds, scans, order, tables, products."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.steps import Call, Step, axis_of

FOLDS = "sum prod mean nansum nanprod nanmean".split()
CHOICES = "count_nonzero min max any all argmin argmax ptp nanmin nanmax".split()


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


def folds_together(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """Folds of one array along the same axes, and what is often made of them."""
    axis = axis_of(random, xs[0], several=True)
    names = random.choices(["sum", "mean", "var", "std", "min", "max", "prod", "nanmean"], k=3)
    first, *others = names

    def call(xp: Any, x: Any, y: Any) -> Any:
        made = x - getattr(xp, first)(x, axis=axis, keepdims=True)
        for name in others:
            made = made + getattr(xp, name)(x, axis=axis, keepdims=True) / 8
        return made

    return Step(f"x - {first} + {' + '.join(others)} along {axis}", call, "rounded")


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
