"""Monoids as statements: what a state is made of, and how two states combine.

A state is a few *fields*, each a variable. `combine` has statements that fold the fields of one
state into those of another that comes before it, with the meanings that the cells of formulas have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]

PLAIN: Final = {
    "sum": "add", "add": "add", "mean": "add", "prod": "multiply", "min": "minimum",
    "max": "maximum", "fmin": "fmin", "fmax": "fmax", "any": "logical_or", "all": "logical_and",
    "xor": "logical_xor", "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
}  # fmt: skip
SPREADS: Final = ("var", "std")
PLACES: Final = {"argmin": "less", "argmax": "greater"}
KINDS: Final = "biuf"  # of cells and fields


class MonoidText(NamedTuple):
    """A monoid over cells of a dtype.

    Attributes
    ----------
    fields
        Dtypes of the fields by name; the first is what a cell becomes.
    function
        What combines the first fields of leaves, a function of formulas.
    """

    monoid: str
    fields: dict[str, DType]
    function: str

    @property
    def names(self) -> list[str]:
        """Names of the fields."""
        return list(self.fields)


def monoid_text(monoid: str, cell: DType, state: DType) -> MonoidText | None:
    """The text of a monoid; None where a GPU has none for these dtypes."""
    if monoid in PLAIN:
        text = MonoidText(monoid, {"value": state}, PLAIN[monoid])
    elif monoid in SPREADS:
        text = MonoidText(monoid, {"mean": state["mean"], "m2": state["m2"]}, "add")
    elif monoid in PLACES:
        text = MonoidText(monoid, {"value": state["value"], "place": state["place"]}, "")
    else:
        return None
    dtypes = [cell, *text.fields.values()]
    if not all(scalar_codegen.is_known(d) and d.kind in KINDS for d in dtypes):
        return None
    first = next(iter(text.fields.values()))
    if cell_value("x", cell, first) is None:
        return None
    if text.function and scalar_codegen.step(text.function, "ab", [first, first], first) is None:
        return None
    return text


def cell_value(value: str, cell: DType, field: DType) -> str | None:
    """Text of a cell's value in the dtype of a field."""
    return value if cell == field else scalar_codegen.step("cast", [value], [cell], field)


def combine_first(made: MonoidText, into: str, other: str) -> str:
    """Statement that folds the first field of a later state into that of an earlier one."""
    dtype = made.fields[made.names[0]]
    text = scalar_codegen.step(made.function, [into, other], [dtype, dtype], dtype)
    return f"{into} = {text}"


def combine(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """Statements that fold a later state into an earlier one, by the names of their fields.

    Of spreads the numbers of cells that they stand for are ``cells_a`` and ``cells_b``, float64.
    """
    if text.monoid in SPREADS:
        return _combine_spreads(text, into, other)
    if text.monoid in PLACES:
        return _combine_places(text, into, other)
    return [combine_first(text, into[0], other[0])]


def _combine_spreads(made: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """Chan's update, in the order of operations that the CPU's has."""
    (mean, m2), (mean_b, m2_b) = into, other
    held = scalar_codegen.held_type_text(made.fields["m2"])
    return [
        f"share = {held}(cells_b / (cells_a + cells_b))",
        f"off = {mean_b} - {mean}",
        f"{mean} = {mean} + off * share",
        f"{m2} = ({m2} + {m2_b}) + (off * off) * ({held}(cells_a) * share)",
    ]


def _combine_places(made: MonoidText, into: Sequence[str], other: Sequence[str]) -> list[str]:
    """The better value, at a tie the lower place; a NaN beats every number."""
    (value, place), (value_b, place_b) = into, other
    dtype = made.fields["value"]
    better = scalar_codegen.step(PLACES[made.monoid], [value_b, value], [dtype, dtype], dtype)
    if dtype.kind == "f":
        nans = [f"{name} != {name}" for name in (value, value_b)]
        wins = f"(nan_b and not nan_a) if (nan_a or nan_b) else ({better})"
        tie = f"(nan_a and nan_b) or {value} == {value_b}"
        lines = [f"nan_a = {nans[0]}", f"nan_b = {nans[1]}"]
    else:
        wins, tie, lines = str(better), f"{value} == {value_b}", []
    return [
        *lines,
        f"wins = {wins}",
        f"tie = {tie}",
        f"if wins or (tie and {place_b} < {place}):",
        f"    {value} = {value_b}",
        f"    {place} = {place_b}",
    ]
