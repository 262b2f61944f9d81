"""Comparisons of what is done cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from dask_tapestry.cells import UFUNCS
from dask_tapestry_kernels.formulas.function_table import FUNCTIONS
from tests.comparisons.table import (
    DTYPES,
    IEEE,
    NUMBERS,
    Comparison,
    alike,
    each,
    mild,
    mixed,
    positive,
    untied,
    values,
)

CANCELS = {"logaddexp", "logaddexp2"}  # near zero, NumPy's own are off by more than ulps

OWN_OF_COMPLEX = IEEE & (
    {name for name, facts in FUNCTIONS.items() if "c" in facts.own} | {"multiply", "square"}
)  # as bits of NumPy's vary


def serves(function: str, *dtypes: str) -> bool:
    """Whether NumPy's ufunc has a loop for these dtypes."""
    ufunc = UFUNCS[function]
    try:
        ufunc.resolve_dtypes((*map(np.dtype, dtypes), *[None] * ufunc.nout))
    except TypeError:
        return False
    return True


PAIRS = ("i1 f4", "? i8", "u8 i8", "f2 f8", "f4 c8", "M8[s] m8[s]", "m8[s] i8", "i8 u1")
UNKNOWN = {("power", "? i8"), ("power", "u8 i8")}


def ufunc_comparisons() -> Iterator[Comparison]:
    for name, ufunc in UFUNCS.items():
        ulp = 0 if name in IEEE else None if name in CANCELS else 2
        call = partial(_call, name)
        kinds = [d for d in DTYPES if serves(name, *[d] * ufunc.nin)]
        make = {"power": positive, "fmax": untied, "fmin": untied}.get(name, values)
        if name in OWN_OF_COMPLEX:
            numbers = each(ufunc.nin, ["c8", "c16"])
            yield Comparison(f"{name} complex", call, getattr(np, name), numbers, 2)
            kinds = [d for d in kinds if d[0] != "c"]
        yield Comparison(name, call, getattr(np, name), each(ufunc.nin, kinds, make=make), ulp)
        if ufunc.nin == 2:
            pairs = [p for p in PAIRS if serves(name, *p.split()) and (name, p) not in UNKNOWN]
            yield Comparison(f"{name} mixed", call, getattr(np, name), mixed(2, pairs), ulp)


def _call(name: str, dt: Any, *xs: Any) -> Any:
    return getattr(dt, name)(*xs)


TERNARY = ("? f4 f8", "i8 f4 c8", "f8 i1 u1", "? M8[s] M8[s]")
ELEMENTWISE = (
    alike("where", lambda np, c, x, y: np.where(c, x, y), mixed(3, TERNARY)),
    alike("clip", lambda np, *xs: np.clip(*xs), each(3, [*NUMBERS[:8], "M8[s]"])),
    alike("polyval", lambda np, x: np.polyval([1, -2, 3], x), each(1, ["i4", "f4", "f8"])),
    alike("clip above", lambda np, x: np.clip(x, None, 2), each(1, NUMBERS[:8])),
    alike("around", lambda np, x: np.around(x), each(1, ["?", *NUMBERS])),
    alike("round", lambda np, x: np.round(x, -1), each(1, NUMBERS[:8])),
    Comparison(
        "around digits",
        lambda dt, x: dt.around(x, 2),
        lambda x: np.around(x, 2),
        each(1, NUMBERS, make=mild),
        2,
    ),
    alike("real", lambda np, x: np.real(x), each(1, NUMBERS)),
    alike("imag", lambda np, x: np.imag(x), each(1, NUMBERS)),
    Comparison(
        "nn.relu",
        lambda dt, x: dt.nn.relu(x),
        lambda x: np.maximum(x, x.dtype.type(0)),
        each(1, NUMBERS),
    ),
    *[
        Comparison(
            f"astype {target}",
            lambda dt, x, target=target: dt.astype(x, target),
            lambda x, target=target: x.astype(target),
            each(1, sources, make=mild),
        )
        for target, sources in (
            ("i1", DTYPES[:9]),
            ("f2", DTYPES[:9]),
            ("f8", DTYPES[:9]),
            ("c8", NUMBERS),
            ("?", NUMBERS),
            ("m8[ms]", ["m8[s]", "i8"]),
        )
    ],
)


COMPARISONS = (*ufunc_comparisons(), *ELEMENTWISE)
