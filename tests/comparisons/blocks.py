"""Comparisons of functions of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.comparisons.products import products
from tests.comparisons.table import NUMBERS, Comparison, each, mild, values

MATRICES = ((3, 4), (1, 1), (5, 2), (4, 7))
MAPPED = ("?", "i1", "u8", "i8", "f2", "f4", "f8", "c16", "M8[s]")


def linear(dt: Any) -> Any:
    """A layer, by its signature."""
    return dt.block_operator(
        index={"batch": "parallel", "out": "parallel", "in": dt.reduce_over("sum")},
        inputs={"x": "batch in", "w": "in out"},
        outputs={"z": "batch out"},
        finalize=lambda z, b: z + b,
        finalize_inputs={"b": "out"},
    )(np.matmul)


def extremes(dt: Any, x: Any) -> Any:
    """Two outputs, one of them with the axes the other way round."""
    return dt.block_operator(
        index={"i": "parallel", "j": "parallel"},
        inputs={"x": "i j"},
        outputs={"least": "i j", "doubled": "j i"},
    )(_extremes)(x)


def _extremes(x: Any) -> Any:
    return np.negative(x), (x + x).T


def windows(dt: Any, x: Any) -> Any:
    """Windows of three cells, every second one."""
    return dt.block_operator(
        index={"at": "parallel"},
        inputs={"x": dt.IndexProjection([[2]], [0], [3])},
        outputs={"z": "at"},
    )(_windows)(x)


def _windows(x: Any) -> Any:
    return x[:-2:2] - x[2::2]


def largest(dt: Any, x: Any) -> Any:
    """A reduction by a monoid of the user's."""
    monoid = dt.Monoid(0, np.maximum)
    return dt.block_operator(
        index={"i": "parallel", "j": dt.reduce_over(monoid)},
        inputs={"x": "i j"},
        outputs={"z": "i"},
    )(_largest)(x)


def _largest(x: Any) -> Any:
    return x.max(axis=1)


def _twice(x: Any) -> Any:
    return x + x if x.dtype.kind != "M" else x


def _range(x: Any) -> Any:
    return x.max(-1) - x.min(-1)


def _digits(x: Any) -> Any:
    return np.array([x.min(), x.max()])


COMPARISONS = (
    Comparison(
        "block_operator",
        lambda dt, x, w, b: linear(dt)(x, w, b=b),
        lambda x, w, b: x @ w + b,
        products([((3, 4), (4, 5), (5,)), ((1, 1), (1, 1), (1,))], "f8 f4 c16 i8"),
        None,
        one_value=False,
    ),
    Comparison(
        "block_operator of several outputs", extremes, _extremes, each(1, ["i8", "f4"], MATRICES)
    ),
    Comparison("block_operator of windows", windows, _windows, each(1, ["i8", "f8"], [(7,), (3,)])),
    Comparison("reduce_over", largest, _largest, each(1, ["i8", "u1", "f8"], MATRICES, mild)),
    Comparison(
        "pin", lambda dt, x: dt.pin(x[::-1] * 2), lambda x: x[::-1] * 2, each(1, NUMBERS, MATRICES)
    ),
    Comparison("map_blocks", lambda dt, x: dt.map_blocks(_twice, x), _twice, each(1, MAPPED)),
    Comparison(
        "blockwise",
        lambda dt, x, y: dt.blockwise(np.add, "ij", x, "ij", y, "j"),
        np.add,
        lambda: ((values((3, 4), k), values((4,), k)) for k in ("i1", "f4", "c16")),
    ),
    Comparison(
        "apply_gufunc",
        lambda dt, x: dt.apply_gufunc(_range, "(i)->()", x),
        _range,
        each(1, ["i8", "f4", "f8"], [(3, 4), (2, 3, 5), (7,), (0, 3)]),
    ),
    Comparison(
        "gufunc",
        lambda dt, x, y: dt.gufunc(np.outer, signature="(i),(j)->(i,j)", vectorize=True)(x, y),
        lambda x, y: x[..., :, None] * y[..., None, :],
        lambda: ((values((3, 4), k), values((1, 2), k)) for k in ("i8", "f8")),
    ),
    Comparison(
        "as_gufunc",
        lambda dt, x: dt.as_gufunc("(i)->()", axis=0, keepdims=True)(_range)(x),
        lambda x: _range(np.moveaxis(x, 0, -1))[None],
        each(1, ["i8", "f4"], MATRICES),
    ),
    Comparison(
        "apply_along_axis",
        lambda np, x: np.apply_along_axis(_digits, 0, x),
        lambda x: np.apply_along_axis(_digits, 0, x),
        each(1, ["i1", "f8", "M8[s]"], MATRICES),
    ),
    Comparison(
        "apply_over_axes",
        lambda dt, x: dt.apply_over_axes(np.max, x, (0, -1)),
        lambda x: np.apply_over_axes(np.max, x, (0, -1)),
        each(1, ["i1", "f8", "u8"], MATRICES),
    ),
    Comparison(
        "reduction",
        lambda dt, x: dt.reduction(x, np.max, np.max, axis=0, split_every=2),
        lambda x: x.max(axis=0),
        each(1, ["i1", "f8", "u8"], MATRICES, mild),
    ),
    Comparison(
        "reduction by a monoid",
        lambda dt, x: dt.reduction(x, dt.Monoid(0, np.add, map=np.square), keepdims=True),
        lambda x: np.square(x).sum(keepdims=True),
        each(1, ["i8", "u8", "f8", "f4"], MATRICES, mild),
        None,
    ),
)
