"""Comparisons of selectors: cells are copied, never changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.comparisons.table import Comparison, alike, each

CUBE = ((2, 3, 4), (1, 3, 1), (2, 0, 3))
SELECTED = ("i1", "f8", "c8", "M8[s]")


def selector(name: str, call: Callable[..., Any], shapes: Any = CUBE, arity: int = 1) -> Comparison:
    """A selector, on cells that are only copied."""
    return alike(name, call, each(arity, SELECTED, shapes))


def _windows(space: Any) -> Callable[..., Any]:
    return sliding_window_view if space is np else space.overlap.sliding_window_view


def _smoothed(block: np.ndarray) -> np.ndarray:
    return np.maximum(block, np.roll(block, 1, 0)) | np.roll(block, -1, 0)


PACKED = (
    alike("packbits", lambda np, x: np.packbits(x), each(1, ["?", "i2"], CUBE)),
    alike("packbits axis", lambda np, x: np.packbits(x, 1, "little"), each(1, ["?", "u1"], CUBE)),
    alike("unpackbits", lambda np, x: np.unpackbits(x), each(1, ["u1"], CUBE)),
    alike("unpackbits count", lambda np, x: np.unpackbits(x, 1, 5), each(1, ["u1"], CUBE[:2])),
)
COMPARISONS = (
    *PACKED,
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
    Comparison(
        "broadcast_shapes",
        lambda dt: dt.empty(dt.broadcast_shapes((3, 1), 4, ())) * 0,
        lambda: np.zeros((3, 4)),
        lambda: iter([()]),
    ),
    selector("concatenate", lambda np, *xs: np.concatenate(xs, -1), CUBE, 3),
    selector("concatenate flat", lambda np, *xs: np.concatenate(xs, None), (*CUBE, ()), 2),
    selector("concat", lambda np, *xs: np.concat(xs, axis=1), CUBE, 2),
    selector("reshape", lambda np, x: np.reshape(x, (4, -1)), ((2, 6), (8,), (2, 2, 3))),
    selector("reshape rank", lambda np, x: np.reshape(x, ()), ((1,), (1, 1), ())),
    selector("reshape nothing", lambda np, x: np.reshape(x, (0, 5)), ((3, 0), (0,))),
    selector("ravel", lambda np, x: np.ravel(x)),
    selector("getitem slices", lambda np, x: x[::-1, 1:3, ::2]),
    selector("getitem items", lambda np, x: x[-1, None, ..., 0], ((2, 3, 4), (1, 3, 1))),
    selector(
        "overlap.sliding_window_view",
        lambda np, x: _windows(np)(x, (2, 3), (0, 2)),
        ((2, 3, 4), (3, 1, 5)),
    ),
    Comparison(
        "map_overlap",
        lambda dt, x: dt.map_overlap(_smoothed, x, depth={0: 1}, boundary="nearest"),
        lambda x: _smoothed(np.pad(x, [(1, 1)] + [(0, 0)] * (x.ndim - 1), "edge"))[1:-1],
        each(1, ("i1", "?"), ((4, 3), (1, 2), (7,))),
    ),
    selector("getitem nothing", lambda np, x: x[2:1, ..., 5:]),
)
