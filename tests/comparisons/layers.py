"""Comparisons of convolutions and layers of networks, beside windows that NumPy shows and sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.comparisons.table import Arrays, Comparison, mild, values

KINDS = ("f8", "f4", "f2", "c16", "i2", "u1", "?")
MODES = {"zeros": "constant", "reflect": "reflect", "wrap": "wrap", "edge": "edge"}
SPACE = "stuvw"


def all_for(given: Any, rank: int) -> Sequence[Any]:
    return (given,) * rank if isinstance(given, int) else given


def conv(
    x: np.ndarray,
    k: np.ndarray,
    strides: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    padding_mode: str = "zeros",
) -> np.ndarray:
    """What `dt.nn.conv` means, of windows that NumPy shows."""
    rank = x.ndim - 2
    strides, dilation = all_for(strides, rank), all_for(dilation, rank)
    pairs = [(p, p) if isinstance(p, int) else p for p in all_for(padding, rank)]
    dtype = np.matmul.resolve_dtypes((x.dtype, k.dtype, None))[2]
    work = np.float32 if dtype == np.float16 else dtype
    x = np.pad(x, [(0, 0), (0, 0), *pairs], mode=MODES[padding_mode]).astype(work)
    reach = [d * (w - 1) + 1 for w, d in zip(k.shape[2:], dilation, strict=True)]
    seen = sliding_window_view(x, reach, tuple(range(2, 2 + rank)))
    steps = [slice(None, None, s) for s in (*strides, *dilation)]
    seen = seen[(slice(None), slice(None), *steps)]
    each, own = len(k) // groups, k.shape[1]
    made = []
    for g in range(groups):
        part, weights = seen[:, g * own : (g + 1) * own], k[g * each : (g + 1) * each].astype(work)
        axes = [(1, *range(2 + rank, 2 + 2 * rank)), (1, *range(2, 2 + rank))]
        nothing = np.zeros((len(x), *seen.shape[2 : 2 + rank], each))
        sums = np.tensordot(part, weights, axes) if own else nothing
        made.append(np.moveaxis(sums, -1, 1))
    return np.concatenate(made, axis=1).astype(dtype)


def conv_transpose(
    x: np.ndarray,
    k: np.ndarray,
    strides: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> np.ndarray:
    """Each cell times the window of its place, added up there."""
    rank = x.ndim - 2
    strides, dilation = all_for(strides, rank), all_for(dilation, rank)
    padding, extra = all_for(padding, rank), all_for(output_padding, rank)
    pairs = [(p, p) if isinstance(p, int) else p for p in padding]
    dtype = np.matmul.resolve_dtypes((x.dtype, k.dtype, None))[2]
    work = np.float32 if dtype == np.float16 else dtype
    own = x.shape[1] // groups
    spans = zip(x.shape[2:], k.shape[2:], strides, dilation, extra, strict=True)
    sides = [(n - 1) * s + d * (w - 1) + 1 + e for n, w, s, d, e in spans]
    made = np.zeros((len(x), k.shape[1] * groups, *sides), work)
    for channel in range(x.shape[1]):
        into = made[:, channel // own * k.shape[1] :][:, : k.shape[1]]
        for place in np.ndindex(x.shape[2:]):
            at = [
                slice(i * s, i * s + d * (w - 1) + 1, d)
                for i, w, s, d in zip(place, k.shape[2:], strides, dilation, strict=True)
            ]
            cells = x[(slice(None), channel, *place)].astype(work)
            window = into[(slice(None), slice(None), *at)]
            window += np.multiply.outer(cells, k[channel].astype(work))
    cut = [slice(a, n - b) for n, (a, b) in zip(sides, pairs, strict=True)]
    return made[(slice(None), slice(None), *cut)].astype(dtype)


def pooled(x: np.ndarray, fold: Any, window: Any, strides: Any = None) -> np.ndarray:
    """A fold of the windows that NumPy shows."""
    rank = x.ndim - 2
    window = all_for(window, rank)
    strides = window if strides is None else all_for(strides, rank)
    seen = sliding_window_view(x, window, tuple(range(2, 2 + rank)))
    steps = [slice(None, None, s) for s in strides]
    return fold(seen[(slice(None), slice(None), *steps)], axis=tuple(range(-rank, 0)))


def softmax(x: np.ndarray, axis: Any = -1) -> np.ndarray:
    """In the same precision; of float16 in float32."""
    cells = x.astype({"e": "f4", "f": "f4"}.get(x.dtype.char, "f8"))
    made = np.exp(cells - cells.max(axis=axis, keepdims=True))
    made /= made.sum(axis=axis, keepdims=True)
    return made.astype(x.dtype) if x.dtype == np.float16 else made


def layer_norm(x: np.ndarray, axes: tuple[int, ...] | None, eps: float = 1e-5) -> np.ndarray:
    cells = x.astype({"e": "f4", "f": "f4"}.get(x.dtype.char, "f8"))
    mean, var = cells.mean(axis=axes, keepdims=True), cells.var(axis=axes, keepdims=True)
    made = (cells - mean) / np.sqrt(var + cells.dtype.type(eps))
    return made.astype(x.dtype) if x.dtype == np.float16 else made


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any = None, causal: bool = False
) -> np.ndarray:
    kind = q.dtype if q.dtype.kind == "f" else np.dtype(np.float64)
    work = np.dtype(np.float32) if kind == np.float16 else kind
    scores = q.astype(work) @ np.swapaxes(k.astype(work), -1, -2) / np.sqrt(work.type(q.shape[-1]))
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -np.inf)
    return (softmax(scores.astype(work)) @ v.astype(work)).astype(kind)


def pairs(shapes: Any, kinds: Sequence[str] = KINDS) -> Callable[[], Iterator[Arrays]]:
    def inputs() -> Iterator[Arrays]:
        for kind in kinds:
            for x, k in shapes:
                yield mild(x, kind, 0), mild(k, kind, 1)

    return inputs


def cells(
    shapes: Sequence[tuple[int, ...]], kinds: Sequence[str]
) -> Callable[[], Iterator[Arrays]]:
    def inputs() -> Iterator[Arrays]:
        for kind in kinds:
            for shape in shapes:
                yield (values(shape, kind),)

    return inputs


def heads() -> Iterator[Arrays]:
    for kind in ("f8", "f4", "f2"):
        for lead in ((), (2, 3), (0,)):
            yield tuple(mild((*lead, *s), kind, n) for n, s in enumerate(((5, 4), (7, 4), (7, 3))))


def _conv(
    name: str, shapes: Any, one_value: bool = False, kinds: Any = KINDS, **how: Any
) -> Comparison:
    return Comparison(
        f"nn.conv {name}",
        lambda dt, x, k: dt.nn.conv(x, k, **how),
        lambda x, k: conv(x, k, **how),
        pairs(shapes, kinds),
        None,
        one_value=one_value,
    )


def _line(name: str, mode: str, kinds: Sequence[str] = KINDS) -> Comparison:
    shapes = (((9,), (4,)), ((4,), (9,)), ((5,), (5,)), ((1,), (3,)), ((300,), (7,)))
    return Comparison(
        f"{name} {mode}",
        lambda dt, a, v: getattr(dt, name)(a, v, mode),
        lambda a, v: getattr(np, name)(a, v, mode),
        pairs(shapes, kinds),
        None,
    )


SAMPLES = (((1, 2, 4, 5), (3, 2, 3, 3)),)
IMAGES = (((2, 5, 5, 4), (4, 5, 3, 2)), ((0, 5, 4, 4), (4, 5, 2, 2)))
APART = (((2, 4, 7, 8), (4, 1, 2, 3)),)
SCALES = ((4,), (3, 5), (2, 3, 4), (0, 3))
POOLED = ((1, 2, 5, 4), (2, 3, 6), (1, 1, 3, 4, 5), (0, 2, 4))
WAYS = ("full", "same", "valid")
FLOATS = ("f8", "f4", "f2")
COMPARISONS = (
    _conv("of images", IMAGES),
    _conv("of a line", (((2, 5, 8), (4, 5, 3)),), strides=2, padding=((2, 1),)),
    _conv("of volumes", (((1, 5, 3, 4, 3), (4, 5, 2, 2, 2)),), padding=1),
    _conv("by groups", (((2, 8, 5, 4), (8, 4, 2, 2)),), groups=2, dilation=2, strides=(1, 2)),
    _conv("of channels alone", APART, True, groups=4, padding=1, strides=2),
    *[
        _conv(
            f"padded by {mode}", (((1, 2, 4, 5), (3, 2, 3, 3)),), True, padding=2, padding_mode=mode
        )
        for mode in MODES
    ],
    Comparison(
        "nn.conv_transpose",
        lambda dt, x, k: dt.nn.conv_transpose(x, k, strides=2, padding=1, output_padding=1),
        lambda x, k: conv_transpose(x, k, strides=2, padding=1, output_padding=1),
        pairs((((2, 5, 3, 4), (5, 4, 3, 2)), ((1, 1, 4), (1, 2, 3))), ("f8", "f4", "f2", "i4")),
        None,
        one_value=False,
    ),
    Comparison(
        "nn.conv_transpose by groups",
        lambda dt, x, k: dt.nn.conv_transpose(x, k, strides=3, dilation=2, groups=2),
        lambda x, k: conv_transpose(x, k, strides=3, dilation=2, groups=2),
        pairs((((2, 4, 3, 2), (4, 3, 2, 2)),), ("f8", "i4")),
        None,
    ),
    Comparison(
        "nn.max_pool",
        lambda dt, x: dt.nn.max_pool(x, 2),
        lambda x: pooled(x, np.max, 2),
        cells(POOLED, KINDS),
    ),
    Comparison(
        "nn.max_pool overlapping",
        lambda dt, x: dt.nn.max_pool(x, 3, strides=1),
        lambda x: pooled(x, np.max, 3, 1),
        cells(((1, 2, 5, 4), (2, 3, 6)), KINDS),
    ),
    Comparison(
        "nn.sum_pool",
        lambda dt, x: dt.nn.sum_pool(x, 3, strides=2),
        lambda x: pooled(x, np.sum, 3, 2),
        lambda: (tuple(one) for kind in KINDS for one in [(mild((2, 2, 5, 4), kind),)]),
        None,
    ),
    Comparison(
        "nn.avg_pool",
        lambda dt, x: dt.nn.avg_pool(x, (2, 1), strides=1),
        lambda x: pooled(x, np.mean, (2, 1), 1),
        lambda: (tuple(one) for kind in KINDS for one in [(mild((2, 2, 5, 4), kind),)]),
        None,
    ),
    Comparison("nn.softmax", lambda dt, x: dt.nn.softmax(x), softmax, cells(SCALES, FLOATS), None),
    Comparison(
        "nn.softmax over all",
        lambda dt, x: dt.nn.softmax(x, None),
        lambda x: softmax(x, None),
        cells(SCALES[:3], ("i2", "?", "f4")),
        None,
    ),
    Comparison(
        "nn.layer_norm",
        lambda dt, x: dt.nn.layer_norm(x),
        lambda x: layer_norm(x, (-1,)),
        cells(SCALES, ("i2", *FLOATS)),
        None,
    ),
    Comparison(
        "nn.layer_norm over two axes",
        lambda dt, x: dt.nn.layer_norm(x, (3, 5), x[0], x[1], 0.1),
        lambda x: (layer_norm(x, (-2, -1), 0.1) * x[0] + x[1]).astype(x.dtype),
        lambda: ((mild((4, 3, 5), kind),) for kind in ("f8", "f4")),
        None,
    ),
    Comparison(
        "nn.attention",
        lambda dt, q, k, v: dt.nn.attention(q, k, v),
        attention,
        heads,
        None,
        one_value=False,
    ),
    Comparison(
        "nn.attention causal",
        lambda dt, q, k, v: dt.nn.attention(q, k, v, causal=True),
        lambda q, k, v: attention(q, k, v, causal=True),
        heads,
        None,
        one_value=False,
    ),
    *[
        _line(name, mode)
        for name in ("convolve", "correlate")
        for mode in ("full", "same", "valid")
    ],
)
