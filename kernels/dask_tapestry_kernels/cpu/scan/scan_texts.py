"""The texts of compiled scans: cells are read once and written once, in the canonical order.

A leaf is scanned by itself, so `GROUP` leaves that follow one another are scanned side by side and
no addition waits for the one before it (.6 ns a cell of float64 in the caches, against 1.2 for one
after the other). Where many cells lie beside one another across the axis, strips of `STRIP` columns
walk along it together, `ROWS` rows at a time, between which totals stay in registers. In times of a
copy of 4243 x 4243 float64: strips of 512 columns, a row at a time 1.8 and four 1.1; strips of 4096
columns 1.4 and .8.

The compiler may compute a sum before it knows whether it is asked for, and errors of floating point
tell of that too. So what comes before a line is the identity until something does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.memory_layout import storage

GROUP: Final = 8  # an addition takes three to four cycles, and two begin in each
APART: Final = 8  # cells between leaves side by side: a power of two apart they share cache lines
STRIP: Final = 4_096  # columns: two rows of float64 are 64 KiB, and rows are read in long pieces
ROWS: Final = 4
MOST_LEAF: Final = 1_024  # cells of a leaf, of which a group stays in the second cache
COMBINE: Final = {
    "add": "({a} + {b})",
    "multiply": "({a} * {b})",
    "maximum": "({a} if {a} >= {b} else {b})",
    "minimum": "({a} if {a} <= {b} else {b})",
    "bitwise_and": "({a} & {b})",
    "bitwise_or": "({a} | {b})",
    "bitwise_xor": "({a} ^ {b})",
}
FLOAT_COMBINE: Final = {
    "maximum": "({a} if {a} > {b} or {a} != {a} else {b})",
    "minimum": "({a} if {a} < {b} or {a} != {a} else {b})",
    "fmax": "({a} if {a} >= {b} or {b} != {b} else {b})",
    "fmin": "({a} if {a} <= {b} or {b} != {b} else {b})",
    "later": "({a} if {b} != {b} and {a} == {a} else {b})",
}
BOOL_COMBINE: Final = {"add": "({a} | {b})", "multiply": "({a} & {b})"}

HEAD: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer
from dask_tapestry_kernels.elementary.number_intrinsics import float_to_half, half_to_float


"""

SCAN_LINES: Final = """\
def scan_lines(
    cells, values, carry, scratch, n, skip, leaf, begun, apart,
    lines, line_cells, line_values,
):
    whole = {group} * leaf
    for line in range(lines):
        x = carray(pointer(cells + line * line_cells), (n,), np.{cell})
        y = carray(pointer(values + line * line_values), (n - skip,), np.{value})
        c = carray(pointer(carry), (lines,), np.{state})
        known, before = begun, c[line]
        place = 0
        while place < n:
            if leaf <= {most_leaf} and place >= skip and place + whole <= n:
                base = cells + line * line_cells + place * {cell_size}
{views}
{local_views}
{first_cells}
                for j in range(1, leaf):
{next_cells}
                for g in range({group}):
                    at = line * line_values + (place - skip + g * leaf) * {value_size}
                    z = carray(pointer(values + at), (leaf,), np.{value})
                    at = g * (leaf + {apart}) * {state_size}
                    s = carray(pointer(scratch + at), (leaf,), np.{state})
                    total = s[leaf - 1]
                    if known and not apart:
                        for j in range(leaf):
                            z[j] = {after}
                        before = {follow}
                    else:
                        for j in range(leaf):
                            total = s[j]
                            z[j] = {one}
                        if not apart:
                            known, before = 1, s[leaf - 1]
                place += whole
            else:
                stop = min(place + leaf, n)
                cell = x[place]
                total = {read}
                for j in range(place, stop):
                    if j > place:
                        cell = x[j]
                        total = {step}
                    if j >= skip:
                        if known and not apart:
                            y[j - skip] = {one_after}
                        else:
                            y[j - skip] = {one}
                if not apart:
                    before = {follow} if known else total
                    known = 1
                place = stop
"""

SCAN_COLUMNS: Final = """\
def scan_columns(
    cells, values, carry, scratch, n, skip, leaf, begun, apart,
    lines, line_cells, line_values, columns, row_cells, row_values,
):
    for line in range(lines):
        for lo in range(0, columns, {strip}):
            width = min({strip}, columns - lo)
            c = carray(pointer(carry + (line * columns + lo) * {state_size}), (width,), np.{state})
            b = carray(pointer(scratch), (width,), np.{state})
            t = carray(pointer(scratch + {strip} * {state_size}), (width,), np.{state})
            known = begun
            if begun:
                for k in range(width):
                    b[k] = c[k]
            place = 0
            while place < n:
                at = cells + line * line_cells + place * row_cells + lo * {cell_size}
                to = values + line * line_values + (place - skip) * row_values + lo * {value_size}
                several = known and not apart and place >= max(skip, 1)
                if several and place % leaf + {rows} <= leaf and place + {rows} <= n:
{row_views}
{value_views}
                    if place % leaf == 0:
                        for k in range(width):
                            before, total, cell = b[k], t[k], x0[k]
                            before = {follow}
                            b[k] = before
                            total = {read}
                            y0[k] = {one_after}
{scan_rows}
                            t[k] = total
                    else:
                        for k in range(width):
                            before, total, cell = b[k], t[k], x0[k]
                            total = {step}
                            y0[k] = {one_after}
{scan_rows}
                            t[k] = total
                    place += {rows}
                    continue
                x = carray(pointer(at), (width,), np.{cell})
                if place % leaf == 0:
                    if place and not apart:
                        if known:
                            for k in range(width):
                                before, total = b[k], t[k]
                                b[k] = {follow}
                        else:
                            for k in range(width):
                                b[k] = t[k]
                        known = 1
                    for k in range(width):
                        cell = x[k]
                        t[k] = {read}
                else:
                    for k in range(width):
                        cell, total = x[k], t[k]
                        t[k] = {step}
                if place >= skip:
                    y = carray(pointer(to), (width,), np.{value})
                    if known and not apart:
                        for k in range(width):
                            before, total = b[k], t[k]
                            y[k] = {one_after}
                    else:
                        for k in range(width):
                            total = t[k]
                            y[k] = {one}
                place += 1
"""

TOTAL_LINES: Final = """\
def total_lines(cells, totals, n, leaf, lines, line_cells, line_totals):
    whole = {group} * leaf
    for line in range(lines):
        x = carray(pointer(cells + line * line_cells), (n,), np.{cell})
        r = carray(pointer(totals + line * line_totals), ((n + leaf - 1) // leaf,), np.{state})
        place, leaves = 0, 0
        while place < n:
            if place + whole <= n:
                base = cells + line * line_cells + place * {cell_size}
{views}
{first_totals}
                for j in range(1, leaf):
{next_totals}
{keep_totals}
                place += whole
                leaves += {group}
            else:
                cell = x[place]
                total = {read}
                for j in range(place + 1, min(place + leaf, n)):
                    cell = x[j]
                    total = {step}
                r[leaves] = total
                leaves += 1
                place += leaf
"""

TOTAL_COLUMNS: Final = """\
def total_columns(
    cells, totals, n, leaf, lines, line_cells, line_totals, columns, row_cells, row_totals
):
    for line in range(lines):
        for lo in range(0, columns, {strip}):
            width = min({strip}, columns - lo)
            place = 0
            while place < n:
                at = cells + line * line_cells + place * row_cells + lo * {cell_size}
                to = totals + line * line_totals + place // leaf * row_totals + lo * {state_size}
                t = carray(pointer(to), (width,), np.{state})
                if place % leaf + {rows} <= leaf and place + {rows} <= n:
{row_views}
                    if place % leaf == 0:
                        for k in range(width):
                            cell = x0[k]
                            total = {read}
{total_rows}
                            t[k] = total
                    else:
                        for k in range(width):
                            cell, total = x0[k], t[k]
                            total = {step}
{total_rows}
                            t[k] = total
                    place += {rows}
                    continue
                x = carray(pointer(at), (width,), np.{cell})
                if place % leaf == 0:
                    for k in range(width):
                        cell = x[k]
                        t[k] = {read}
                else:
                    for k in range(width):
                        cell, total = x[k], t[k]
                        t[k] = {step}
                place += 1
"""
BODIES: Final = {
    "scan_lines": (SCAN_LINES, 12),
    "scan_columns": (SCAN_COLUMNS, 15),
    "total_lines": (TOTAL_LINES, 7),
    "total_columns": (TOTAL_COLUMNS, 10),
}


@lru_cache(maxsize=256)
def source(
    body: str, function: str, cell: np.dtype[Any], state: np.dtype[Any], value: np.dtype[Any]
) -> str | None:
    """The text of a module with one of `BODIES`, or None where NumPy's loops have to do.

    Parameters
    ----------
    cell, state, value
        Dtypes of the cells, of what they are combined in, and of the result.
    """
    combine = _combine(function, state)
    if combine is None or cell.kind not in "biufc" or max(cell.itemsize, state.itemsize) > 16:
        return None
    if "g" in (cell.char + state.char).lower() or state == np.float16:
        return None
    text, count = BODIES[body]
    names = _names(combine, cell, state, value)
    signature = f"void({', '.join(['int64'] * count)})"
    made = f'kernel = njit("{signature}", nogil=True, error_model="numpy")({body})\n'
    return HEAD + text.format(**names) + "\n\n" + made


def _combine(function: str, state: np.dtype[Any]) -> str | None:
    if state.kind == "b":
        return BOOL_COMBINE.get(function)
    if state.kind == "f" and function in FLOAT_COMBINE:
        return FLOAT_COMBINE[function]
    if state.kind == "c":
        return COMBINE[function] if function in ("add", "multiply") else None
    if state.kind == "f":
        return COMBINE[function] if function in ("add", "multiply") else None
    return COMBINE.get(function) if state.kind in "iu" else None


def _names(
    combine: str, cell: np.dtype[Any], state: np.dtype[Any], value: np.dtype[Any]
) -> dict[str, Any]:
    """The values of the names in the texts."""
    kind = storage(state)
    read_text = "half_to_float(cell)" if cell == np.float16 else "cell"
    if state.kind == "b":
        read_text = "np.uint8(cell != 0)" if cell.kind != "b" else "cell"
    read_text = f"np.{kind}({read_text})"

    def joined(a: str, b: str) -> str:
        return f"np.{kind}({combine.format(a=a, b=b)})"

    write_text = "float_to_half({})" if value == np.float16 else f"np.{storage(value)}({{}})"
    return {
        "group": GROUP,
        "strip": STRIP,
        "most_leaf": MOST_LEAF,
        "cell": storage(cell),
        "state": kind,
        "value": storage(value),
        "cell_size": cell.itemsize,
        "state_size": state.itemsize,
        "value_size": value.itemsize,
        "apart": APART,
        "read": read_text,
        "step": joined("total", read_text),
        "follow": joined("before", "total"),
        "one": write_text.format("total"),
        "one_after": write_text.format(joined("before", "total")),
        "after": write_text.format(joined("before", "s[j]")),
        **_row_names(joined("total", read_text), write_text.format(joined("before", "total"))),
        "row_views": _row_views("x", "at", "cells", cell),
        "value_views": _row_views("y", "to", "values", value),
        "rows": ROWS,
        **_group_names(read_text, lambda total: joined(total, read_text), cell, state),
    }


def _row_views(name: str, first: str, of: str, dtype: np.dtype[Any]) -> str:
    """Text of views of `ROWS` rows that follow one another."""
    return "\n".join(
        f"{' ' * 20}{name}{r} = "
        f"carray(pointer({first} + {r} * row_{of}), (width,), np.{storage(dtype)})"
        for r in range(ROWS)
    )


def _row_names(step: str, after: str) -> dict[str, str]:
    """The values of the names for rows after the first of `ROWS`: totals, and what is written."""
    far = " " * 28
    totals = [f"{far}cell = x{r}[k]\n{far}total = {step}" for r in range(1, ROWS)]
    written = [f"{total}\n{far}y{r}[k] = {after}" for r, total in enumerate(totals, start=1)]
    return {"total_rows": "\n".join(totals), "scan_rows": "\n".join(written)}


def _group_names(
    read: str, step: Callable[[str], str], cell: np.dtype[Any], state: np.dtype[Any]
) -> dict[str, str]:
    """The values of the names for `GROUP` leaves side by side, a line of text for each leaf.

    `read` is a cell as text, `step` the text of a total combined with it.
    """
    numbers = range(GROUP)
    row, far = " " * 16, " " * 20
    begin = [f"cell = x{g}[0]\n{row}t{g} = {read}" for g in numbers]
    onward = [f"cell = x{g}[j]\n{far}t{g} = {step(f't{g}')}" for g in numbers]
    views = [
        f"{row}{a}{g} = carray(pointer({at} + {g} * ({length}) * {size}), (leaf,), np.{name})"
        for a, at, length, size, name in (
            ("x", "base", "leaf", cell.itemsize, storage(cell)),
            ("r", "scratch", f"leaf + {APART}", state.itemsize, storage(state)),
        )
        for g in numbers
    ]
    return {
        "views": "\n".join(views[:GROUP]),
        "local_views": "\n".join(views[GROUP:]),
        "first_cells": "\n".join(f"{row}{b}\n{row}r{g}[0] = t{g}" for g, b in enumerate(begin)),
        "next_cells": "\n".join(f"{far}{b}\n{far}r{g}[j] = t{g}" for g, b in enumerate(onward)),
        "first_totals": "\n".join(row + b for b in begin),
        "next_totals": "\n".join(far + b for b in onward),
        "keep_totals": "\n".join(f"{row}r[leaves + {g}] = t{g}" for g in numbers),
    }
