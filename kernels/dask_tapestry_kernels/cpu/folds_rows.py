"""Folds of one column of cells: the 32 lanes stay in registers, 4 of them for float64."""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.cpu.folded import Folded
from dask_tapestry_kernels.cpu.lanes import LANES, Passes, inlined


def row_folder(folded: Folded) -> Any:
    """``row(address, n, round_stride, told, parts, index)``: one pass over one leaf.

    `told` is the address of the contexts, of which the leaf's is number `index`, where its parts of
    the state are written too.
    """
    tell, write = Passes(folded, LANES).context(True), Passes(folded, 1).write()
    reduced = row_reducer(folded)

    @inlined
    def row(address: int, n: int, round_stride: int, told: int, parts: int, index: int) -> None:
        write(reduced(address, n, round_stride, tell(told, index)), n, parts, index, 1)

    return row


def row_reducer(folded: Folded) -> Any:
    """``reduced(address, n, round_stride, context)``: the fields of one leaf, as one lane."""
    passes = Passes(folded, LANES)
    read, read_some, settle = passes.read(), passes.read_some(), passes.settle()
    step, step_some, halve = passes.step(), passes.step_some(), passes.halve()

    @inlined
    def reduced(address: int, n: int, round_stride: int, context: Any) -> Any:
        rounds = n // LANES
        rest = n - rounds * LANES
        if rounds:
            lanes = read(address, context, 0)
            i = 1
            while i < rounds:
                lanes = step(lanes, read(address + i * round_stride, context, i * LANES))
                i += 1
            if rest:
                last = read_some(address + rounds * round_stride, rest, context, rounds * LANES)
                lanes = step_some(lanes, last, rest)
        else:
            lanes = read_some(address, rest, context, 0)
        return halve(settle(lanes), min(n, LANES))

    return reduced
