"""Monoids as statements: what a state is text of, and how two states combine.

A state is a few *fields*, each a variable. `combine` has statements that fold the fields of one
state into those of another that comes before it, with the meanings that the cells of formulas have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
BOOL: Final = np.dtype(bool)

PLAIN: Final = {
    "sum": "add", "add": "add", "mean": "add", "prod": "multiply", "min": "minimum",
    "max": "maximum", "fmin": "fmin", "fmax": "fmax", "any": "logical_or", "all": "logical_and",
    "xor": "logical_xor", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor", "gcd": "gcd", "lcm": "lcm",
}  # fmt: skip
SPREADS: Final = ("var", "std")  # of all cells
NUMBER_SPREADS: Final = ("nanvar", "nanstd")
PLACES: Final = {
    "argmin": "less", "argmax": "greater", "nanargmin": "less", "nanargmax": "greater",
}  # fmt: skip
WORST: Final = {"nanargmin": np.inf, "nanargmax": -np.inf}  # what a NaN counts as
OF_NUMBERS: Final = ("nanmean", *NUMBER_SPREADS, *WORST)  # monoids that leave NaN out
SEVERAL: Final = (*SPREADS, *NUMBER_SPREADS, *PLACES, "nanmean", "ptp")
KINDS: Final = "biufc"  # of cells and fields


class MonoidText(NamedTuple):
    """A monoid over cells of a dtype.

    Attributes
    ----------
    cell
        Dtype of the cells.
    parts
        Names and dtypes of the fields; the first is what a cell becomes.
    """

    monoid: str
    cell: DType
    parts: tuple[tuple[str, DType], ...]

    @property
    def fields(self) -> dict[str, DType]:
        """Dtypes of the fields by name."""
        return dict(self.parts)

    @property
    def names(self) -> list[str]:
        """Names of the fields."""
        return [name for name, _ in self.parts]

    @property
    def in_lanes(self) -> list[str]:
        """Names of the fields that the cells of a leaf are folded to in one pass."""
        return [name for name in self.names if name != "m2"]

    @property
    def function(self) -> str:
        """What combines the first fields of leaves, a function of formulas; "" of several."""
        return PLAIN.get(self.monoid, "add" if "m2" in self.fields else "")


def monoid_text(monoid: str, cell: DType, state: DType) -> MonoidText | None:
    """The text of a monoid; None where a GPU has none for these dtypes."""
    if monoid in PLAIN:
        text = MonoidText(monoid, cell, (("value", state),))
    elif monoid in SEVERAL:
        text = MonoidText(monoid, cell, tuple([(name, state[name]) for name in state.names or ()]))
    else:
        return None
    dtypes = [cell, *text.fields.values()]
    if not all(scalar_codegen.is_known(d) and d.kind in KINDS for d in dtypes):
        return None
    first = text.parts[0][1]
    if cell_value("x", cell, first) is None:
        return None
    functions = {text.function, PLACES.get(monoid, ""), *(["minimum"] * (monoid == "ptp"))} - {""}
    texts = [scalar_codegen.step(name, "ab", [first, first], first) for name in functions]
    return None if None in texts else text


def cell_value(value: str, cell: DType, field: DType) -> str | None:
    """Text of a cell's value in the dtype of a field."""
    return value if cell == field else scalar_codegen.step("cast", [value], [cell], field)


def new_fields(text: MonoidText, raw: str) -> list[str]:
    """Statements for the fields ``new_...`` of a cell; its place is `new_place` already."""
    first, dtype = text.parts[0]
    held = scalar_codegen.held_type_text(dtype)
    lines = [f"cell = {cell_value(raw, text.cell, dtype)}"]
    if text.monoid in OF_NUMBERS:
        lines.insert(0, f"missing = {scalar_codegen.step('isnan', [raw], [text.cell], BOOL)}")
        instead = f"{held}({WORST[text.monoid]})" if text.monoid in WORST else _nothing(dtype)
        instead = instead.replace("(inf)", "(np.inf)").replace("(-inf)", "(-np.inf)")
        lines.append(f"cell = {instead} if missing else cell")
    lines.append(f"new_{first} = cell")
    return lines + [f"new_{n} = {value}" for n, value in _OTHERS.items() if n in text.fields]


_OTHERS: Final = {
    "greatest": "cell",
    "count": "np.int64(0) if missing else np.int64(1)",
    "number": "not missing",
}  # what a cell gives the fields beside the first


def _nothing(dtype: DType) -> str:
    """Text of the number that changes no cell when it is added."""
    real = np.dtype(dtype.char.lower()).type(-0.0) if dtype.kind == "c" else dtype.type(-0.0)
    part = scalar_codegen.constant(real)
    held = scalar_codegen.held_type_text(dtype)
    return f"{held}(complex({part}, {part}))" if dtype.kind == "c" else part


def combine_lanes(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """Statements that fold fields of one pass over a leaf: of spreads their sums."""
    if text.monoid not in (*SPREADS, *NUMBER_SPREADS):
        return combine(text, into, other)
    names = text.in_lanes
    return [_joined("add", text.fields[n], *p) for n, *p in zip(names, into, other, strict=True)]


def _joined(function: str, dtype: DType, into: str, other: str) -> str:
    """Statement that folds a value into one before it."""
    return f"{into} = {scalar_codegen.step(function, [into, other], [dtype, dtype], dtype)}"


def combine(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """Statements that fold a later state into an earlier one, by the names of their fields.

    Of spreads of all cells the numbers that they stand for are ``cells_a`` and ``cells_b``,
    float64.
    """
    if text.monoid in SPREADS:
        return _combine_spreads(text, into, other)
    if text.monoid in NUMBER_SPREADS:
        return _combine_number_spreads(text, into, other)
    if text.monoid in PLACES:
        return _combine_places(text, into, other)
    functions = {"ptp": ["minimum", "maximum"], "nanmean": ["add", "add"]}
    told = functions.get(text.monoid, [text.function])
    parts = zip(told, text.fields.values(), into, other, strict=True)
    return [_joined(*part) for part in parts]


def square_modulus(off: str, dtype: DType) -> str:
    """Text of the square of the modulus of a number."""
    parts = f"{off}.real * {off}.real + {off}.imag * {off}.imag"
    return parts if dtype.kind == "c" else f"{off} * {off}"


def divided(total: str, by: str, dtype: DType) -> str:
    """Text of a number divided by a real one, as NumPy divides.

    NumPy divides complex numbers by Smith's rule, here with an imaginary part of 0.
    """
    if dtype.kind != "c":
        return str(scalar_codegen.step("divide", [total, by], [dtype, dtype], dtype))
    real = scalar_codegen.held_type_text(np.dtype(dtype.char.lower()))
    held, re, im = scalar_codegen.held_type_text(dtype), f"{total}.real", f"{total}.imag"
    scale = f"({real}(1) / ({by} + {real}(0) * {real}(0)))"
    smith = f"({re} + {im} * {real}(0)) * {scale}, ({im} - {re} * {real}(0)) * {scale}"
    return f"{held}(complex({re} / {by}, {im} / {by}) if {by} == 0 else complex({smith}))"


def _combine_spreads(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """Chan's update, in the order of operations that the CPU's has."""
    (mean, m2), (mean_b, m2_b) = into, other
    real = scalar_codegen.held_type_text(text.fields["m2"])
    dtype = text.fields["mean"]
    step = "off * share"
    if dtype.kind == "c":
        whole = scalar_codegen.held_type_text(dtype)
        step = f"{whole}(complex(off.real * share, off.imag * share))"
    return [
        f"share = {real}(cells_b / (cells_a + cells_b))",
        f"off = {mean_b} - {mean}",
        f"{mean} = {mean} + {step}",
        f"{m2} = ({m2} + {m2_b}) + ({square_modulus('off', dtype)}) * ({real}(cells_a) * share)",
    ]


def _combine_number_spreads(
    text: MonoidText, into: Sequence[str], other: Sequence[str]
) -> list[str]:
    """Chan's update with the numbers of each state; a state without numbers changes nothing."""
    count, count_b = into[2], other[2]
    chan = _combine_spreads(text, into[:2], other[:2])
    taken = [f"{a} = {b}" for a, b in zip(into[:2], other[:2], strict=True)]
    return [
        f"cells_a, cells_b = np.float64({count}), np.float64({count_b})",
        "if cells_a == 0:",
        *[f"    {line}" for line in taken],
        "elif cells_b != 0:",
        *[f"    {line}" for line in chan],
        f"{count} = {count} + {count_b}",
    ]


def _combine_places(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """The better value, at a tie the lower place; a NaN beats every number."""
    (value, place, *_), (value_b, place_b, *_) = into, other
    dtype = text.fields["value"]
    better = scalar_codegen.step(PLACES[text.monoid], [value_b, value], [dtype, dtype], dtype)
    if dtype.kind in "fc":
        nans = [scalar_codegen.step("isnan", [name], [dtype], BOOL) for name in (value, value_b)]
        wins = f"(nan_b and not nan_a) if (nan_a or nan_b) else ({better})"
        tie = f"(nan_a and nan_b) or {value} == {value_b}"
        lines = [f"nan_a = {nans[0]}", f"nan_b = {nans[1]}"]
    else:
        wins, tie, lines = str(better), f"{value} == {value_b}", []
    numbers = [f"{a} = {a} or {b}" for a, b in zip(into[2:], other[2:], strict=True)]
    return [
        *lines,
        f"wins = {wins}",
        f"tie = {tie}",
        f"if wins or (tie and {place_b} < {place}):",
        f"    {value} = {value_b}",
        f"    {place} = {place_b}",
        *numbers,
    ]
