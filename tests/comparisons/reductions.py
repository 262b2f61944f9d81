"""Comparisons of reductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import (
    DTYPES,
    NUMBERS,
    Arrays,
    Comparison,
    alike,
    each,
    mild,
    untied,
    values,
)

REDUCED = ((7,), (3, 4), (2, 3, 5), (1, 1))
SUMMABLE = ["?", "i1", "u8", "i8", "f2", "f4", "f8", "c16"]
SMALL = ["i1", "f2", "f4", "f8"]
INTEGERS = ["?", "i1", "u1", "i8", "u8"]
FOLDS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all"]


def reduction(
    name: str, dtypes: Sequence[str], ulp: int | None, make: Any, **options: Any
) -> Comparison:
    """A reduction, with options that ours and NumPy's both take."""
    text = " ".join([name, *[f"{k}={v}" for k, v in options.items()]])
    ranks = [s for s in REDUCED if options.get("axis") != (0, -1) or len(s) > 1]
    shapes = ranks if "axis" in options else [(), *ranks]
    return Comparison(
        text,
        lambda dt, x: getattr(dt, name)(x, **options),
        lambda x: getattr(np, name)(x, **options),
        each(1, dtypes, shapes, make),
        ulp,
    )


def exact_or_none(name: str) -> int | None:
    """0 for a reduction that chooses a cell or a truth and rounds nothing."""
    return 0 if name in ("min", "max", "any", "all") else None


def reduction_comparisons() -> Iterator[Comparison]:
    exact = {"min": DTYPES, "max": DTYPES, "any": DTYPES[:11], "all": DTYPES[:11]}
    exact |= {"argmin": [*DTYPES, "U3"], "argmax": [*DTYPES, "U3"], "amin": ["i4", "f8"]}
    exact |= {"amax": ["i4", "f8"], "count_nonzero": DTYPES, "ptp": ["i1", "u8", "f4", "m8[s]"]}
    rounded = {"sum": [*SUMMABLE, "m8[s]"], "prod": SUMMABLE, "mean": [*SUMMABLE, "m8[s]"]}
    rounded |= {"var": SUMMABLE, "std": SUMMABLE}
    for name, dtypes in (exact | rounded).items():
        ulp, make = (0, values) if name in exact else (None, mild)
        for options in ({}, {"axis": 0}, {"axis": -1, "keepdims": True}):
            yield reduction(name, dtypes, ulp, make, **options)
        if not name.startswith("arg"):
            yield reduction(name, dtypes, ulp, make, axis=(0, -1))
            yield reduction(name, dtypes[1:2], ulp, make, axis=())
    for name in ("sum", "prod", "mean", "var", "std"):
        yield reduction(name, ["i8", "f2", "f4"], None, mild, dtype="f8")
    for name in ("var", "std"):
        yield reduction(name, ["f4", "f8", "c16"], None, mild, ddof=1)
        yield reduction(name, ["f8"], None, mild, ddof=0.5, axis=0)
        yield reduction(name, ["f8"], None, mild, correction=1)
        yield reduction(name, ["f4", "f8"], None, mild, dtype="c16", axis=0)
        yield reduction(name, ["c16"], None, mild, dtype="f8")
    for name in ("sum", "prod", "any", "all"):
        nothing = each(1, ["?", "i1", "f2", "f8", "c16"], [(0,), (0, 3), (3, 0), (0, 0)])
        folded = partial(lambda name, np, x: getattr(np, name)(x, axis=0), name)
        yield alike(f"{name} of nothing", folded, nothing)
    for name in ("sum", "prod", "min", "max"):
        yield reduction(name, ["i8", "f8"], exact_or_none(name), mild, initial=3, axis=0)


def masked(name: str, **options: Any) -> Comparison:
    """A reduction of some cells: the mask is the second operand, of one cell in each line."""

    def call(np: Any, x: Any, mask: Any) -> Any:
        return getattr(np, name)(x, axis=0, where=mask, **options)

    def inputs() -> Iterator[Arrays]:
        for dtype in ["i8", "f2", "f8", "c16"] if name not in ("min", "max") else ["i8", "f8"]:
            for shape, part in (((7,), (7,)), ((3, 4), (3, 4)), ((3, 4), (3, 1)), ((4, 5), (5,))):
                yield mild(shape, dtype), values(part, "?", dtype)

    return Comparison(f"{name} where", call, partial(call, np), inputs, exact_or_none(name))


def folded_ufuncs() -> Iterator[Comparison]:
    """The method `reduce` of ufuncs, which comes to ours through NumPy's protocol."""
    exact = dict.fromkeys(["bitwise_and", "bitwise_or", "bitwise_xor"], INTEGERS)
    exact |= dict.fromkeys(["gcd"], INTEGERS[1:]) | {"lcm": ["i8"]}
    exact |= dict.fromkeys(["logical_and", "logical_or", "logical_xor"], DTYPES[:11])
    exact |= dict.fromkeys(["minimum", "maximum"], DTYPES)
    exact |= {"fmin": NUMBERS[:7], "fmax": NUMBERS[:7]}
    rounded = dict.fromkeys(["add", "multiply"], SUMMABLE)
    rounded |= dict.fromkeys(["hypot", "logaddexp", "logaddexp2"], SMALL)
    for name, dtypes in (exact | rounded).items():
        make = mild if name in rounded else untied if name[0] == "f" else values
        for options in ({}, {"axis": -1, "keepdims": True}):
            call = partial(lambda name, options, x: getattr(np, name).reduce(x, **options))
            call = partial(call, name, options)
            text = " ".join([name, "reduce", *options])
            yield Comparison(
                text,
                lambda dt, x, call=call: call(x),
                call,
                each(1, dtypes, REDUCED, make),
                0 if name in exact else None,
            )


def average_with(np: Any, x: Any, weights: Any) -> Any:
    return np.average(x, axis=-1, weights=weights, returned=True)


def lines(
    dtypes: Sequence[str], shape: tuple[int, ...], *more: tuple[int, ...]
) -> Callable[..., Any]:
    """Mild cells of a shape, and of further shapes."""

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            yield tuple(mild(s, dtype, number) for number, s in enumerate((shape, *more)))

    return inputs


def central(x: Any, order: int, axis: int | None = None) -> Any:
    """The meaning of `moment`."""
    if order == 1:
        return np.zeros(x.mean(axis=axis).shape)
    off = x - x.mean(axis=axis, keepdims=True)
    return (off**order).mean(axis=axis)


def averages() -> Iterator[Comparison]:
    yield alike(
        "average", lambda np, x: np.average(x, axis=0), lines(["i4", "f8"], (3, 4))
    )._replace(ulp=None)
    for more in ((3, 4), (4,)):
        yield alike(
            "average weights", average_with, lines(["f4", "f8", "c16"], (3, 4), more)
        )._replace(ulp=None)
    for order in (0, 1, 2, 3):
        yield Comparison(
            f"moment {order}",
            lambda dt, x, order=order: dt.moment(x, order, axis=0),
            lambda x, order=order: central(x, order, 0),
            lines(["i4", "f8"], (6, 3)),
            None,
        )
    for name in ("cov", "corrcoef"):
        call = partial(lambda name, np, x: getattr(np, name)(x), name)
        yield alike(name, call, lines(["i8", "f8", "c16"], (3, 9)))._replace(
            ulp=None, one_value=False
        )
        call = partial(lambda name, np, x, y: getattr(np, name)(x, y, rowvar=False), name)
        yield alike(f"{name} of two", call, lines(["f8"], (9, 2), (9, 3)))._replace(
            ulp=None, one_value=False
        )


COMPARISONS = (
    *reduction_comparisons(),
    *[masked(name) for name in FOLDS if name not in ("min", "max")],
    *[masked(name, initial=1) for name in ("min", "max", "sum", "prod")],
    *folded_ufuncs(),
    *averages(),
)
