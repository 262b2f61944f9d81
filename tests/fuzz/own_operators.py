"""Operations of the user's own: functions of blocks, which NumPy calls with whole arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from random import Random
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from tests.fuzz import values
from tests.fuzz.selectors import narrow
from tests.fuzz.steps import Step

Function = Callable[..., Any]


class Own(NamedTuple):
    """A drawn operator of one array.

    Attributes
    ----------
    text
        What it does.
    theirs
        Its meaning: a function of the whole array.
    ours
        The same with this library.
    trust
        As that of a step.
    """

    text: str
    theirs: Function
    ours: Function
    trust: str = "same"


CELLS: dict[str, Function] = {
    "copy": np.copy,
    "x == x": lambda b: b == b,
    "maximum(x, x)": lambda b: np.maximum(b, b),
    "[x, x][1]": lambda b: np.stack([b, b])[1],
    "negative zeros": lambda b: np.zeros_like(b),
}


def _names(x: np.ndarray) -> list[str]:
    return [f"d{axis}" for axis in range(x.ndim)]


def _kinds(names: Sequence[str], **others: Any) -> dict[str, Any]:
    return dict.fromkeys(names, "parallel") | others


def parallel(random: Random, x: np.ndarray) -> Own:
    """Cell by cell, with the axes in another order."""
    cell, names = random.choice(list(CELLS)), _names(x)
    order = random.sample(range(x.ndim), x.ndim)

    def whole(b: Any) -> Any:
        return np.transpose(CELLS[cell](b), order)

    operator = dt.block_operator(
        index=_kinds(names), inputs={"x": names}, outputs={"z": [names[a] for a in order]}
    )
    return Own(f"own {cell}, transposed {order}", whole, operator(whole))


def of_two(random: Random, x: np.ndarray) -> Own:
    """Of an array and of its first rows along an axis, with `finalize` behind."""
    axis, names = random.randrange(x.ndim), _names(x)
    rest = [n for n in names if n != names[axis]]

    def both(a: Any, b: Any) -> Any:
        return np.maximum(a, np.expand_dims(b, axis))

    operator = dt.block_operator(
        index=_kinds(names),
        inputs={"x": names, "row": rest},
        outputs={"z": names},
        finalize=lambda z, c: z == c,
        finalize_inputs={"c": names},
    )(both)

    def first(a: Any) -> Any:
        return a[(slice(None),) * axis + (0,)]

    return Own(
        f"own maximum(x, x[0]) == x along {axis}",
        lambda a: both(a, first(a)) == a,
        lambda a: operator(a, first(a), a),
    )


FOLDS: dict[str, tuple[str, Function]] = {
    "sum": ("fold", np.sum),
    "prod": ("fold", np.prod),
    "max": ("jump", np.max),
    "min": ("jump", np.min),
    "any": ("jump", np.any),
    "all": ("jump", np.all),
}


def _later(a: Any, b: Any) -> Any:
    """The later of two cells that is not zero: associative, not commutative."""
    return np.where(b == np.zeros((), b.dtype), a, b)


def _along(combine: Function) -> Function:
    """A function that combines all cells along an axis, one after the other."""

    def folded(b: Any, axis: int) -> Any:
        rows = list(np.moveaxis(b, axis, 0))
        return reduce(combine, rows) if rows else np.zeros(np.delete(b.shape, axis), b.dtype)

    return folded


MONOIDS: dict[str, tuple[str, Function]] = {  # their identity is zero, of the cells' dtype
    "later": ("jump", _later),
    "added": ("fold", np.add),
    "first": ("jump", lambda a, b: _later(b, a)),
}


def folded(random: Random, x: np.ndarray) -> Own:
    """Folded along an axis: by a named monoid, or by one of the user's own."""
    axis, names = random.randrange(x.ndim), _names(x)
    if random.random() < 0.5:
        name = random.choice(list(FOLDS))
        (trust, fold), monoid = FOLDS[name], name
    else:
        name = random.choice(list(MONOIDS))
        (trust, combine), zero = MONOIDS[name], np.zeros((), x.dtype)[()]
        fold, monoid = _along(combine), dt.Monoid(zero, combine)

    def whole(b: Any) -> Any:
        return fold(b, axis=axis)

    operator = dt.block_operator(
        index=_kinds(names) | {names[axis]: dt.reduce_over(monoid)},
        inputs={"x": names},
        outputs={"z": [n for n in names if n != names[axis]]},
    )
    return Own(f"own {name} folded along {axis}", whole, operator(whole), trust)


def moments(random: Random, x: np.ndarray) -> Own:
    """Several outputs, folded together, then one of them."""
    axis, names = random.randrange(x.ndim), _names(x)
    rest, place = [n for n in names if n != names[axis]], random.randint(0, 1)
    operator = dt.block_operator(
        index=_kinds(names) | {names[axis]: dt.reduce_over("sum")},
        inputs={"x": names},
        outputs={"total": rest, "count": rest},
    )

    def whole(b: Any) -> Any:
        return b.sum(axis=axis), np.full(np.delete(b.shape, axis), b.shape[axis])

    made = operator(whole)
    return Own(
        f"own sum and count along {axis} [{place}]",
        lambda b: whole(b)[place],
        lambda a: made(a)[place],
        "fold",
    )


ATOMIC: dict[str, Function] = {
    "sort": lambda b, axis: np.sort(b, axis=axis),
    "flip": lambda b, axis: np.flip(b, axis),
    "roll": lambda b, axis: np.roll(b, 1, axis),
}


def atomic(random: Random, x: np.ndarray) -> Own:
    """All of an axis at once: one output, or one of two."""
    axis, names, name = random.randrange(x.ndim), _names(x), random.choice(list(ATOMIC))
    kinds = _kinds(names) | {names[axis]: "atomic"}
    if random.random() < 0.5:

        def whole(b: Any) -> Any:
            return ATOMIC[name](b, axis)

        operator = dt.block_operator(index=kinds, inputs={"x": names}, outputs={"z": names})
        return Own(f"own {name} along {axis}", whole, operator(whole), "jump")
    place = random.randint(0, 1)

    def two(b: Any) -> Any:
        return {"count": np.count_nonzero(b, axis=axis), "done": ATOMIC[name](b, axis)}

    rest = [n for n in names if n != names[axis]]
    made = dt.block_operator(
        index=kinds, inputs={"x": names}, outputs={"done": names, "count": rest}
    )(two)
    key = ("done", "count")[place]
    return Own(f"own {name} along {axis}, {key}", lambda b: two(b)[key], lambda a: made(a)[place])


def _units(ndim: int) -> list[list[int]]:
    return [[int(a == d) for d in range(ndim)] for a in range(ndim)]


def windowed(random: Random, x: np.ndarray) -> Own:
    """The largest of each window, which strides and is dilated, along an axis."""
    axis, names = random.randrange(x.ndim), _names(x)
    offset, stride = random.choice([0, 0, 1]), random.randint(1, 3)
    width, dilation = random.randint(1, 3), random.randint(1, 2)
    reach = (width - 1) * dilation + 1
    matrix, sides, lead = _units(x.ndim), [1] * x.ndim, (slice(None),) * axis
    matrix[axis][axis], sides[axis] = stride, width
    steps = [dilation if a == axis else 1 for a in range(x.ndim)]
    offsets = [offset if a == axis else 0 for a in range(x.ndim)]

    def slide(b: Any) -> Any:
        count = max(0, (b.shape[axis] - reach) // stride + 1)
        starts = [np.arange(count) * stride + e * dilation for e in range(width)]
        return reduce(np.maximum, [b[(*lead, places)] for places in starts])

    operator = dt.block_operator(
        index=_kinds(names),
        inputs={"x": dt.IndexProjection(matrix, offsets, sides, steps)},
        outputs={"z": names},
    )
    text = f"own windows of {width}, stride {stride}, dilation {dilation}, from {offset}"
    return Own(
        f"{text}, axis {axis}", lambda b: slide(b[(*lead, slice(offset, None))]), operator(slide)
    )


def widened(random: Random, x: np.ndarray) -> Own:
    """Each cell written several times: an output of windows."""
    axis, names, times = random.randrange(x.ndim), _names(x), random.randint(2, 3)
    matrix, sides = _units(x.ndim), [1] * x.ndim
    matrix[axis][axis] = sides[axis] = times

    def whole(b: Any) -> Any:
        return np.repeat(b, times, axis)

    form = dt.IndexProjection(matrix, [0] * x.ndim, sides)
    operator = dt.block_operator(index=_kinds(names), inputs={"x": names}, outputs={"z": form})
    return Own(f"own repeat {times} along {axis}", whole, operator(whole))


def mapped(random: Random, x: np.ndarray) -> Own:
    """`map_blocks` and `blockwise` of functions cell by cell, whose value no block changes."""
    cell = CELLS[name := random.choice(list(CELLS))]
    letters = "ijklmnop"[: x.ndim]
    calls = [
        (f"map_blocks({name})", cell, lambda a: dt.map_blocks(cell, a)),
        (f"map_blocks({name}), dtype", cell, lambda a: dt.map_blocks(cell, a, dtype=kind)),
        (
            f"map_blocks(maximum, x, {name})",
            lambda b: np.maximum(b, cell(b)),
            lambda a: dt.map_blocks(np.maximum, a, dt.map_blocks(cell, a)),
        ),
        (
            f"map_blocks({name}), new_axis",
            lambda b: cell(b)[None],
            lambda a: dt.map_blocks(lambda b: cell(b)[None], a, new_axis=0),
        ),
        (
            f"blockwise({name}), transposed",
            lambda b: cell(b).T,
            lambda a: dt.blockwise(lambda b: cell(b).T, letters[::-1], a, letters),
        ),
    ]
    kind = cell(np.zeros((), x.dtype)).dtype
    return Own(*random.choice(calls))


GUFUNCS: dict[str, tuple[str, Function, str]] = {
    "max over i": ("(i)->()", lambda b: np.max(b, axis=-1), "jump"),
    "sum over i": ("(i)->()", lambda b: np.sum(b, axis=-1), "fold"),
    "sort i": ("(i)->(i)", lambda b: np.sort(b, axis=-1), "jump"),
    "transpose": ("(i,j)->(j,i)", lambda b: np.swapaxes(b, -1, -2), "same"),
    "copy": ("()->()", np.copy, "same"),
    "outer": ("(i)->(i,i)", lambda b: np.maximum(b[..., None], b[..., None, :]), "jump"),
}


def gufunc(random: Random, x: np.ndarray) -> Own:
    """`apply_gufunc` along the last axes."""
    name = random.choice(list(GUFUNCS))
    signature, function, trust = GUFUNCS[name]
    if signature == "(i)->()" and random.random() < 0.3:
        return Own(
            f"apply_gufunc {name}, keepdims",
            lambda b: function(b)[..., None],
            lambda a: dt.apply_gufunc(function, signature, a, keepdims=True),
            trust,
        )
    return Own(
        f"apply_gufunc {name}",
        function,
        lambda a: dt.apply_gufunc(function, signature, a),
        trust,
    )


def reduction(random: Random, x: np.ndarray) -> Own:
    """`dt.reduction` by functions, by partial results that are dictionaries, and by a monoid."""
    axis, keep = random.randrange(x.ndim), random.random() < 0.5
    zero, name = np.zeros((), x.dtype)[()], random.choice(["sum", "max", "any"])
    trust, fold = FOLDS[name]
    calls = [
        (
            f"reduction {name} {axis} {keep}",
            lambda b: fold(b, axis=axis, keepdims=keep),
            lambda a: dt.reduction(a, fold, fold, axis=axis, keepdims=keep),
            trust,
        ),
        (
            f"reduction later {axis}",
            lambda b: _along(_later)(b, axis),
            lambda a: dt.reduction(a, dt.Monoid(zero, _later), axis=axis),
            "jump",
        ),
        (
            f"reduction count {axis}",
            lambda b: np.count_nonzero(b, axis=axis),
            lambda a: dt.reduction(
                a, _counted, _total, axis, combine=_joined, concatenate=False, dtype="i8"
            ),
            "jump",
        ),
    ]
    return Own(*random.choice(calls))


def _counted(b: Any, axis: Any, keepdims: bool) -> dict[str, Any]:
    return {"n": np.count_nonzero(b, axis=axis, keepdims=keepdims)}


def _flat(parts: Any) -> list[Any]:
    return [one for part in parts for one in _flat(part)] if isinstance(parts, list) else [parts]


def _joined(parts: Any, axis: Any, keepdims: bool) -> dict[str, Any]:
    return {"n": sum(part["n"] for part in _flat(parts))}


def _total(parts: Any, axis: Any, keepdims: bool) -> Any:
    total = _joined(parts, axis, keepdims)["n"]
    return total if keepdims else np.squeeze(total, axis)


SCALARS = (parallel, mapped)  # that take arrays of no dimension, too
MAKERS = (parallel, of_two, folded, folded, moments, atomic, windowed, windowed, widened, mapped,
          gufunc, reduction)  # fmt: skip


def own(random: Random, xs: Sequence[np.ndarray]) -> Step:
    """An operator of the user's own, and what is read of it."""
    x, inputs = xs[0], None
    if random.random() < 0.4:  # a longer one
        sides = random.choice([(40,), (17, 3), (2, 23), (3, 2, 11)])
        x = values.cells(random, sides, random.choice(values.DTYPES))
        inputs = (x,)
    made = random.choice(MAKERS if x.ndim else SCALARS)(random, x)
    result = _result(made.theirs, x)
    if result is None:  # ours then says that it cannot learn a dtype
        made = parallel(random, x)
        result = made.theirs(x)
    text, read = narrow(random, result) if random.random() < 0.5 else ("all", lambda xp, z: z)

    def call(xp: Any, x: Any, *rest: Any) -> Any:
        return read(xp, (made.theirs if xp is np else made.ours)(x))

    return Step(f"{made.text}; reads {text}", call, made.trust, inputs)


def _result(function: Function, x: np.ndarray) -> np.ndarray | None:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(function(x))
    except (ValueError, TypeError, IndexError):
        return None
