"""The records of `leaf_tables` as compiled code sees them, and the plan of a leaf.

Each is a numba type, and a function from the address of a record to the record.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import record_at
from dask_tapestry_kernels.cpu.reduction import leaf_tables as tables
from dask_tapestry_kernels.elementary.compiled_functions import room

Record = Any  # compiled code alone has them

PLAN_FIELDS: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "place",  # address of the number of the (first) leaf along each reduced axis
            "box",  # address of the leaf's extents
            "start",  # address of where the strip begins along the kept axes
            "parts",  # address of a table: where the strip's states are written
            "addresses",  # address of a table: where the operands' cells lie
            "call",  # address of a record `CALL`
            "n",  # cells of the leaf in each column
            "index",  # number of the strip's first state
            "pitch",  # states from one leaf to the next
            "run",  # leaves
            "run_axis",  # reduced axis along which these follow each other
            "way",  # `COLUMNS` or `SINGLE` where cells are folded in place, else 0
            "along",  # whether a formula reads its operands where they lie, row by row of columns
            "side_by_side",  # whether packed leaves lie side by side, else columns do
            "axis",  # a strip is `step` of this axis and all of the axes after it
            "step",
            "whole",  # columns of these later axes
            "columns",  # columns of the strip
            "free",  # address of the scratch memory that is left
            "held",  # which leaves the operands that are the same in all of them are packed for; 0
        )
    ]
)  # a leaf or a run of leaves, and how it is folded: a record on the stack of compiled code

BLOCK, block_at = record_at(tables.BLOCK)
CALL, call_at = record_at(tables.CALL)
FORMULA_COLUMNS, formula_columns_at = record_at(tables.FORMULA_COLUMNS)
SOURCE, source_at = record_at(tables.SOURCE)
JOINT, joint_at = record_at(tables.JOINT)
FORMULA, formula_at = record_at(tables.FORMULA)
OPERAND, operand_at = record_at(tables.OPERAND)
FILE, file_at = record_at(tables.FILE)
TURNS, turns_at = record_at(tables.TURNS)
PLAN, plan_at = record_at(PLAN_FIELDS)
block_room, call_room = room(tables.BLOCK.itemsize), room(tables.CALL.itemsize)
plan_room = room(PLAN_FIELDS.itemsize)
