"""Phrases of functions cell by cell, and of the methods of ufuncs."""

from __future__ import annotations

import numpy as np

import dask_tapestry as dt
from tests.fuzz.dtypes import BINARY, ROUNDED, UNARY
from tests.fuzz.phrases import Phrase


def _trust(name: str) -> str:
    return "rounded" if name in ROUNDED else "jump"


def _one(name: str) -> tuple[Phrase, ...]:
    trust = _trust(name)
    return (
        Phrase(f"xp.{name}(x)", trust),
        Phrase(f"xp.{name}(xp.ravel(x)[::{{1|-1|2}}])", trust),
        Phrase(f"into(xp, '{name}', x, where=x == {{0|1}})", trust),
        Phrase(f"xp.{name}(x, casting={{'same_kind'|'safe'|'unsafe'|'no'}})", trust),
        Phrase(f"xp.{name}(x, dtype={{dtype}})", trust),
    )


def _two(name: str) -> tuple[Phrase, ...]:
    trust = _trust(name)
    return (
        Phrase(f"xp.{name}(x, y)", trust),
        Phrase(f"xp.{name}({{x|y|{{scalar}}}}, xp.ravel(x)[:1])", trust),
        Phrase(f"into(xp, '{name}', x, {{x|y}}, where=x {{==|!=}} {{0|1}})", trust),
        Phrase(f"xp.{name}(x, x, casting={{'same_kind'|'safe'|'unsafe'}})", trust),
        Phrase(f"xp.{name}(x, x, dtype={{dtype}}, casting={{'unsafe'|'same_kind'}})", trust),
        Phrase(f"xp.{name}(x, x, signature=({{dtype}}, None, None), casting='unsafe')", trust),
    )


KNOWN = [name for name in dt.__all__ if name in UNARY or name in BINARY]
FOLDED = "add|multiply|maximum|minimum|logical_and|logical_or|bitwise_xor|bitwise_or|fmax"
PAIRED = "add|subtract|maximum|less|equal|multiply|copysign|bitwise_and"

PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    **{name: _one(name) for name in KNOWN if name in UNARY},
    **{name: _two(name) for name in KNOWN if name in BINARY},
    "ufunc.reduce": (
        Phrase(f"xp.{{{FOLDED}}}.reduce(x, axis={{axes}}, keepdims={{bool}})", "fold"),
        Phrase("xp.{add|maximum|minimum}.reduce(x, {axis}, where=x > {0|1}, initial={0|2})"),
        Phrase("xp.{add|multiply}.reduce(x, {axis}, dtype={dtype})", "fold"),
    ),
    "ufunc.accumulate": (Phrase(f"xp.{{{FOLDED}}}.accumulate(x, {{place}})", "fold"),),
    "ufunc.reduceat": (
        Phrase(f"xp.{{{FOLDED}}}.reduceat(x, {{[0]|[0, 1]|[2, 0, 1]|[0, 0, 3]}}, {{place}})"),
    ),
    "ufunc.outer": (Phrase(f"xp.{{{PAIRED}}}.outer(x, xp.ravel(y)[:5])"),),
    "ufunc.at": (
        Phrase("at(xp, '{add|subtract|maximum|bitwise_xor}', x, {places}, {1|2})"),
        Phrase("at(xp, '{negative|invert|absolute}', x, {places}, None)"),
    ),
    "allclose": ("xp.allclose(x, {x|y}, equal_nan={bool})",),
    "array_equal": ("xp.array_equal(x, {x|y}, equal_nan={bool})",),
    "array_equiv": ("xp.array_equiv(x, {x|y|x[:1]})",),
    "isclose": ("xp.isclose(x, {x|y|1}, rtol={0.1|1e-5}, atol={0|1}, equal_nan={bool})",),
    "angle": (Phrase("xp.angle(x, deg={bool})", "rounded"),),
    "fix": ("xp.fix(x)",),
    "nan_to_num": ("xp.nan_to_num(x, nan={0|2}, posinf={None|9}, neginf={None|-9})",),
    "sinc": (Phrase("xp.sinc(x)", "rounded"),),
    "around": (Phrase("xp.around(x, {0|1|-1|2})"),),
    "round": (Phrase("xp.round(x, {0|1|-1|2})"),),
    "astype": (Phrase("xp.astype(x, np.dtype({dtype}))", "cast"),),
    "clip": ("xp.clip(x, {0|x|y|None}, {1|2|y|None})", "xp.clip(x, min={0|-1}, max={1|None})"),
    "real": (Phrase("xp.real(x)", "same"),),
    "imag": (Phrase("xp.imag(x)", "same"),),
    "where": ("xp.where(x, {x|y|1}, {y|x|0})", "xp.where(x == {0|1}, y, {x|y|2})", "xp.where(x)"),
    "frompyfunc": (
        Phrase("dt.frompyfunc(lambda v: v, 1, 1)(x).astype(x.dtype)", "same", "lanes2", "x"),
    ),
    "polyval": (Phrase("xp.polyval({[1, -2]|[3]|[1, 0, 2]}, x)", "fold"),),
    "i0": (Phrase("xp.i0(x)", "rounded"),),
    "iscomplex": ("xp.iscomplex(x)",),
    "isreal": ("xp.isreal(x)",),
    "isneginf": ("xp.isneginf(x)",),
    "isposinf": ("xp.isposinf(x)",),
    "isnull": (Phrase("dt.isnull(x)", theirs="x != x"),),
    "notnull": (Phrase("dt.notnull(x)", theirs="x == x"),),
    "divmod": ("xp.divmod(x, {y|2|-3})",),
    "modf": ("xp.modf(x)",),
    "frexp": ("xp.frexp(x)",),
    "special.erf": (Phrase("dt.special.erf(x)", "rounded", "samples", "erf(x)"),),
    "special.erfc": (Phrase("dt.special.erfc(x) + 1", "rounded", "samples", "2 - erf(x)"),),
}
assert set(KNOWN) <= {name for name in dir(np) if hasattr(np, name)}
