"""Functions that programs draw seldom: a call each, over axes and options."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from tests.fuzz.steps import Call, Step, axis_of

Calls = list[tuple[str, str, Call]]  # text, trust and call


def statistics(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """Folds with options: dtypes, masks, initial values, weights, degrees of freedom."""
    axis, keep = axis_of(random, xs[0], several=True), random.random() < 0.5
    one, q = axis_of(random, xs[0]), random.choice([0, 10, 50, 99.5, 100])
    kind, bound = random.choice("i1,u4,i8,f4,f8,c16".split(",")), random.choice([0, 1, 2])
    calls: Calls = [
        (f"nanvar(x, {axis})", "rounded", lambda xp, x, y: xp.nanvar(x, axis=axis)),
        (f"nanstd(x, {axis})", "rounded", lambda xp, x, y: xp.nanstd(x, axis=axis, keepdims=keep)),
        (f"std(x, {axis}, ddof=1)", "rounded", lambda xp, x, y: xp.std(x, axis=axis, ddof=1)),
        (f"nanargmin(x, {one})", "jump", lambda xp, x, y: xp.nanargmin(x, axis=one)),
        (f"nanargmax(x, {one})", "jump", lambda xp, x, y: xp.nanargmax(x, axis=one)),
        (f"sum(x, {axis}, {kind})", "fold", lambda xp, x, y: xp.sum(x, axis=axis, dtype=kind)),
        (f"mean(x, {axis}, f8)", "rounded", lambda xp, x, y: xp.mean(x, axis=axis, dtype="f8")),
        (f"average(x, {one})", "rounded", lambda xp, x, y: xp.average(x, axis=one)),
        (
            f"average(x, {one}, weights)",
            "rounded",
            lambda xp, x, y: xp.average(x, axis=one, weights=xp.ones_like(x) + 1),
        ),
        (
            f"sum(x, {axis}, where=x > {bound})",
            "fold",
            lambda xp, x, y: xp.sum(x, axis=axis, where=x > bound, keepdims=keep),
        ),
        (
            f"max(x, {axis}, initial, where)",
            "jump",
            lambda xp, x, y: xp.max(x, axis=axis, initial=1, where=x != bound),
        ),
        (f"all(x, {axis}, keepdims)", "jump", lambda xp, x, y: xp.all(x, axis=axis, keepdims=keep)),
        (f"percentile(x, {q}, {one})", "rounded", lambda xp, x, y: xp.percentile(x, q, axis=one)),
        (f"nanmedian(x, {one})", "rounded", lambda xp, x, y: xp.nanmedian(x, axis=one)),
        (
            f"cumulative_sum(x, {one}, initial)",
            "fold",
            lambda xp, x, y: xp.cumulative_sum(x, axis=one, include_initial=keep),
        ),
        (f"nancumprod(x, {one})", "fold", lambda xp, x, y: xp.nancumprod(x, axis=one)),
        ("cov(x)", "rounded", lambda xp, x, y: xp.cov(x)),
    ]
    return _chosen(random, calls)


def arrangements(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """Cells in other places: by orders, grids, blocks and shapes."""
    a, b = axis_of(random, xs[0], none=False), axis_of(random, xs[0], none=False)
    shape, k = random.choice([(3,), (2, 5), (), (0, 2), (4, 1, 3)]), random.randint(-2, 3)
    calls: Calls = [
        (
            f"take_along_axis(x, argsort(x), {a})",
            "jump",
            lambda xp, x, y: xp.take_along_axis(x, xp.argsort(x, axis=a, kind="stable"), a),
        ),
        (f"resize(x, {shape})", "same", lambda xp, x, y: xp.resize(x, shape)),
        (f"rollaxis(x, {a}, {b})", "same", lambda xp, x, y: xp.rollaxis(x, a, b)),
        ("block([[x, x], [x, x]])", "same", lambda xp, x, y: xp.block([[x, x], [x, x]])),
        ("meshgrid(x, y)[1]", "same", lambda xp, x, y: xp.meshgrid(x, y)[1]),
        ("diagflat(x)", "same", lambda xp, x, y: xp.diagflat(x[:3], k)),
        (f"unstack(x, {a})[-1]", "same", lambda xp, x, y: xp.unstack(x, axis=a)[-1]),
        (f"partition sorted {k}", "jump", lambda xp, x, y: xp.sort(xp.partition(x, k))),
        ("lexsort((x, x))", "jump", lambda xp, x, y: xp.lexsort((x, x))),
        ("setxor1d(x, y)", "jump", lambda xp, x, y: xp.setxor1d(x, y)),
        ("select", "jump", lambda xp, x, y: xp.select([x > 1, x < 0], [x, -x], 0)),
        ("choose", "jump", lambda xp, x, y: xp.choose(xp.astype(x > 0, np.dtype("i8")), [x, x])),
        (f"roll(x, ({k}, 1))", "same", lambda xp, x, y: xp.roll(x, (k, 1), (a, b))),
        ("x[y-shaped mask]", "jump", lambda xp, x, y: x[y == 1]),
        (
            f"apply_along_axis(sort, {a})",
            "jump",
            lambda xp, x, y: xp.apply_along_axis(np.sort, a, x),
        ),
        ("atleast_3d(x)", "same", lambda xp, x, y: xp.atleast_3d(x)),
        (f"hsplit(x, {k})[0]", "same", lambda xp, x, y: xp.hsplit(x, k)[0]),
        ("ravel F", "same", lambda xp, x, y: xp.ravel(x, order="F")),
        ("matrix_transpose(x)", "same", lambda xp, x, y: xp.matrix_transpose(x)),
    ]
    return _chosen(random, calls)


def formulas(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """Functions of several cells, rounded or not."""
    digits, axis = random.randint(-2, 3), axis_of(random, xs[0], none=False)
    calls: Calls = [
        (f"round(x, {digits})", "jump", lambda xp, x, y: xp.round(x, digits)),
        ("kron(x, x)", "fold", lambda xp, x, y: xp.kron(x, x)),
        ("inner(x, x)", "fold", lambda xp, x, y: xp.inner(x, x)),
        ("vecdot(x, x)", "fold", lambda xp, x, y: xp.vecdot(x, x)),
        (f"gradient(x, {axis})", "rounded", lambda xp, x, y: xp.gradient(x, axis=axis)),
        ("vander(ravel(x)[:4])", "fold", lambda xp, x, y: xp.vander(xp.ravel(x)[:4], 3)),
        ("modf(x)[0]", "jump", lambda xp, x, y: xp.modf(x)[0]),
        ("divmod(x, 3)[1]", "jump", lambda xp, x, y: xp.divmod(x, 3)[1]),
        ("np.sum(x)", "fold", lambda xp, x, y: np.sum(x, axis=axis)),
        ("x.sum()", "fold", lambda xp, x, y: x.sum(axis=axis, keepdims=True)),
        ("x += 1", "jump", lambda xp, x, y: _in_place(x)),
        ("linalg.norm(x)", "rounded", lambda xp, x, y: xp.linalg.norm(x, axis=axis)),
        (
            f"fft.fft(x, 4, {axis})",
            "rounded",
            lambda xp, x, y: xp.fft.fft(x, 4, axis, "ortho"),
        ),
        ("cross", "jump", lambda xp, x, y: xp.cross(x[..., :3], x[..., :3] + x[..., :3])),
    ]
    return _chosen(random, calls)


def _in_place(x: Any) -> Any:
    z = x.copy()
    z += 1
    return z


def _chosen(random: Random, calls: Calls) -> Step:
    text, trust, call = random.choice(calls)
    return Step(text, call, trust)
