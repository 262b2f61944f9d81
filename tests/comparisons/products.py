"""Comparisons of products."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Comparison, alike, mild

Shapes = Sequence[tuple[tuple[int, ...], ...]]


def products(shapes: Shapes, kinds: str) -> Callable[[], Iterator[Arrays]]:
    """Mild factors of the given shapes, in each kind or pair of kinds."""

    def inputs() -> Iterator[Arrays]:
        for kind in kinds.split():
            names = kind.split("*")
            for row in shapes:
                yield tuple(mild(s, names[n % len(names)], n) for n, s in enumerate(row))

    return inputs


def product(name: str, shapes: Shapes, kinds: str, **options: Any) -> Comparison:
    """A function that ours and NumPy share; values are within rounding."""
    text = " ".join([name, *[f"{k}={v}" for k, v in options.items()]])
    return Comparison(
        text,
        lambda dt, *x: getattr(dt, name)(*x, **options),
        lambda *x: getattr(np, name)(*x, **options),
        products(shapes, kinds),
        None,
        one_value=False,
    )


def summation(
    subscripts: str, *shapes: tuple[int, ...], kinds: str = "f8 f2 c8 i1 ?"
) -> Comparison:
    """An einsum."""
    return Comparison(
        f"einsum {subscripts}",
        lambda dt, *x: dt.einsum(subscripts, *x),
        partial(np.einsum, subscripts),
        products([shapes], kinds),
        None,
        one_value=False,
    )


MATRICES = (
    ((3, 4), (4, 5)),
    ((4,), (4,)),
    ((4,), (4, 2)),
    ((2, 3, 4), (4,)),
    ((2, 1, 3, 4), (3, 4, 2)),
    ((3, 0), (0, 2)),
    ((0, 3), (3, 2)),
)
DOTS = (*MATRICES[:4], ((2, 3, 4), (2, 4, 3)), ((), (3,)), ((2, 2), ()), ((3, 0), (0, 2)))
INNERS = (((3, 4), (5, 4)), ((4,), (4,)), ((2, 3, 4), (4,)), ((), (2,)), ((2, 0), (3, 0)))
PAIRS = (((5,), (5,)), ((2, 3), (2, 3)), ((0,), (0,)))
VECTORS = (((4,), (4,)), ((2, 3, 4), (4,)), ((3, 1, 4), (2, 4)), ((2, 0), (2, 0)))
OUTERS = (((3,), (4,)), ((2, 2), (3,)), ((), (3,)), ((0,), (2,)))
KRONS = (((2,), (3,)), ((2, 3), (2, 2)), ((2, 1, 2), (3,)), ((), (2, 2)), ((0, 2), (2, 2)))
LAYERS = (((3, 4), (4, 5), (5,)), ((1, 1), (1, 1), (1,)), ((0, 4), (4, 2), (2,)))
SQUARES = [(3, 4), (4, 3), (2, 3, 3), (1, 1), (0, 2)]
KINDS = "f8 f4 f2 c16 i8 u1 ? f2*f4 i8*f4"
SUMS = (
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("ij,kj->ki", (3, 4), (5, 4)),
    ("ijk,kjl->il", (2, 3, 4), (4, 3, 5)),
    ("ij,ij->", (3, 4), (3, 4)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ij,ij->i", (3, 4), (3, 4)),
    ("i,j->ji", (3,), (4,)),
    ("ij->", (3, 4)),
    ("ij->j", (3, 4)),
    ("ji", (3, 4)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iji->j", (3, 2, 3)),
    ("iii->i", (3, 3, 3)),
    ("ii,ij->j", (3, 3), (3, 4)),
    ("...ij,jk->...ik", (2, 3, 4), (4, 5)),
    ("...i,...i", (2, 1, 4), (3, 4)),
    ("i...,i...->...", (3, 2), (3, 2)),
    ("...ii->...i", (2, 3, 3)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,j,i", (2, 3), (3,), (2,)),
    ("a,ab,abc->abc", (2,), (2, 3), (2, 3, 4)),
    ("ij,jk->ik", (3, 0), (0, 2)),
    ("ij,jk->ik", (3, 1), (4, 2)),
    ("ij,ik->jk", (1, 2), (3, 4)),
    (",i->i", (), (3,)),
    ("->", ()),
)
COMPARISONS = (
    product("matmul", MATRICES, KINDS),
    product("dot", DOTS, KINDS),
    product("inner", INNERS, KINDS),
    product("vdot", PAIRS, KINDS),
    product("vecdot", VECTORS, KINDS),
    product("vecdot", (((3, 2), (3, 2)), ((4, 2, 3), (4, 2, 3))), "f8 c8 i1", axis=0),
    product("matvec", (((3, 4), (4,)), ((2, 3, 4), (2, 4)), ((2, 0), (0,))), "f8 c8 i1 f2"),
    product("vecmat", (((3,), (3, 4)), ((2, 3), (2, 3, 4)), ((0,), (0, 2))), "f8 c8 i1 f2"),
    product("tensordot", (((2, 3, 4), (3, 4, 5)), ((3, 4), (3, 4))), KINDS),
    product("tensordot", (((2, 3), (3, 4)), ((3,), (3,))), "f8 i1", axes=1),
    product("tensordot", (((2, 3), (4,)), ((), (3,))), "f8 i1", axes=0),
    product("tensordot", (((2, 3, 4), (4, 5, 2)),), "f8 c8 i1", axes=([0, -1], [2, 0])),
    product("tensordot", (((2, 3), (5, 3)),), "f8", axes=(1, 1)),
    product("outer", OUTERS, KINDS),
    product("kron", KRONS, KINDS),
    product("cross", (((3,), (3,)), ((2, 3), (3,)), ((4, 1, 3), (2, 3))), "f8 c8 i8 u1 f2"),
    product("cross", (((3, 4), (3, 4)), ((3, 1), (3, 2))), "f8 i1", axis=0),
    product("cross", (((3, 4), (4, 3)),), "f8", axisa=0, axisc=0),
    alike("trace", lambda np, x: np.trace(x), products([(s,) for s in SQUARES], "i1 i8 ? u8")),
    product("trace", [(s,) for s in SQUARES], "f8 f2 c8", offset=1),
    product("trace", (((2, 3, 4),),), "f8 i1", axis1=-1, axis2=0, dtype="f4"),
    *[summation(text, *shapes) for text, *shapes in SUMS],
    Comparison(
        "einsum of lists",
        lambda dt, x, w: dt.einsum(x, [0, ..., 1], w, [1, 2], [2, ..., 0]),
        lambda x, w: np.einsum(x, [0, ..., 1], w, [1, 2], [2, ..., 0]),
        products([((2, 5, 3), (3, 4))], "f8 i1"),
        None,
        one_value=False,
    ),
    Comparison(
        "einsum dtype",
        lambda dt, x, w: dt.einsum("ij,jk", x, w, dtype="f2", casting="unsafe"),
        lambda x, w: np.einsum("ij,jk", x, w, dtype="f2", casting="unsafe"),
        products([((2, 3), (3, 4))], "f8 i1 f4"),
        None,
        one_value=False,
    ),
    *[
        Comparison(
            f"linalg.{name}",
            lambda dt, *x, name=name: getattr(dt.linalg, name)(*x),
            lambda *x, name=name: getattr(np.linalg, name)(*x),
            products([shapes], "f8 i1"),
            None,
            one_value=False,
        )
        for name, shapes in (
            ("matmul", ((3, 4), (4, 5))),
            ("tensordot", ((2, 3), (2, 3))),
            ("vecdot", ((2, 3), (3,))),
            ("outer", ((2,), (3,))),
            ("cross", ((2, 3), (3,))),
            ("trace", ((4, 2, 3),)),
            ("diagonal", ((4, 2, 3),)),
            ("matrix_transpose", ((4, 2, 3),)),
        )
    ],
    Comparison(
        "linalg.matrix_power",
        lambda dt, x: dt.linalg.matrix_power(x, 5),
        lambda x: np.linalg.matrix_power(x, 5),
        products([((3, 3),), ((2, 2, 2),), ((0, 0),)], "f8 c16 i1 ?"),
        None,
        one_value=False,
    ),
    Comparison(
        "linalg.multi_dot",
        lambda dt, *x: dt.linalg.multi_dot(x),
        lambda *x: np.linalg.multi_dot(x),
        products([((2, 3), (3, 4), (4, 5)), ((3,), (3, 2), (2, 4), (4,))], "f8 c16"),
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
