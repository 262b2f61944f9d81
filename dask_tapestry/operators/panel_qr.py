"""Orthonormal columns and triangles of matrices larger than a worker, in panels of columns.

Reflections of a panel are made in one block, and applied to others as products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.operators.panels import (
    AWAITED,
    Panel,
    factored,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
    zeros,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices, spread
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.reflectors import reflectors


def _panels(x: Tensor, width: int) -> list[Panel]:
    """Panels of which the factors are ``V``, ``T``, with ``I - V @ T @ V.H``, and a triangle."""
    return list(factored(x, width, _factor, _turned_back))


def _factor(x: Tensor, *awaited: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    kind, columns = x.type.dtype, x.type.shape[1]
    outputs, order = {"mn": kind, "nj": kind, "nk": kind}, ("mnn", 4.0)
    sizes = {"j": columns, "k": columns}
    parts = [(x, "mn"), *zip(awaited, AWAITED, strict=False)]
    v, t, r = call_on_matrices(_reflectors, parts, outputs, order, sizes=sizes, copies=3)
    return v, t, spread(r)


def _reflectors(block: Any, *_awaited: Any) -> tuple[Any, Any, Any]:
    return reflectors(block)


def _turned_back(v: Tensor, t: Tensor, r: Tensor, rest: Tensor) -> tuple[Tensor, Tensor]:
    """``Q.H @ rest`` for the rotation Q of a panel: its first rows, and the others."""
    (count, _), kind = r.type.shape, rest.type.dtype
    parts = [(v, "mn"), (t, "nn"), (rest, "mk")]
    (turned,) = call_on_matrices(_on_reflectors, parts, {"nk": kind}, ("mnk", 2.0), cut="k")
    parts = [(rows_of(v, None, count), "nn"), (turned, "nk"), (rows_of(rest, None, count), "nk")]
    (first,) = call_on_matrices(_less_reflected, parts, {"nk": kind}, ("nnk", 2.0), cut="k")
    parts = [(v, "mn"), (turned, "nk"), (rest, "mk"), (first, "nk")]
    outputs, sizes = {"lk": kind}, {"l": rest.type.shape[0] - count}
    (others,) = call_on_matrices(_others_less, parts, outputs, ("mnk", 2.0), "k", sizes, copies=1)
    return first, others


def _on_reflectors(v: Any, t: Any, rest: Any) -> Any:
    return t.conj().T @ (v.conj().T @ rest)


def _less_reflected(v: Any, turned: Any, rest: Any) -> Any:
    made = v @ turned
    return np.subtract(rest, made, out=made)


def _others_less(v: Any, turned: Any, rest: Any, first: Any) -> Any:
    count = first.shape[0]
    return _less_reflected(v[count:], turned, rest[count:])


def _turned(v: Tensor, t: Tensor, x: Tensor) -> Tensor:
    """``x - v @ t @ v.H @ x``."""
    parts, outputs = [(v, "mn"), (t, "nn"), (x, "mk")], {"mk": x.type.dtype}
    (made,) = call_on_matrices(_reflected, parts, outputs, ("mnk", 4.0), cut="k", copies=1)
    return made


def _reflected(v: Any, t: Any, x: Any) -> Any:
    return _less_reflected(v, t @ (v.conj().T @ x), x)


def qr_by_panels(x: Tensor, width: int) -> Tensor:
    """``[Q, R]``, one below the other, or side by side where rows are fewer than columns."""
    rows, columns = x.type.shape
    panels = _panels(x, width)
    q, r = _columns(panels, rows), _triangle(panels)
    return stacked([q, r]) if rows >= columns else side_by_side([q, r])


def _columns(panels: list[Panel], rows: int) -> Tensor:
    """The orthonormal columns: rotations of those of a unit matrix, the last ones first."""
    dtype = panels[0].factors[0].type.dtype
    side = panels[-1].columns.stop
    q = zeros((rows - side, 0), dtype)
    for panel in reversed(panels):
        v, t, _ = panel.factors
        above = unit_matrix(panel.width, panel.width + q.type.shape[1], dtype)
        left = zeros((q.type.shape[0], panel.width), dtype)
        q = _turned(v, t, stacked([above, side_by_side([left, q])]))
    return q


def _triangle(panels: list[Panel]) -> Tensor:
    """The factor R."""
    dtype = panels[0].factors[0].type.dtype
    made = []
    for panel in panels:
        left = zeros((panel.width, panel.columns.start), dtype)
        made.append(side_by_side([left, panel.factors[2], panel.beside]))
    return stacked(made)


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    return _triangle(_panels(x, width))
