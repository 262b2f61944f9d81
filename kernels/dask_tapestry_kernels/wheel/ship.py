"""Compile the kernels that a wheel brings.

    NUMBA_CPU_NAME=x86-64-v3 python -m dask_tapestry_kernels.wheel.ship FOLDER

`build` runs this, with the settings of numba that name the processors.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells import compiled_formulas, compiled_tiles, rows
from dask_tapestry_kernels.cpu.jit import object_cache, shipped
from dask_tapestry_kernels.cpu.jit.child.compiler import compile_alone, set_options
from dask_tapestry_kernels.cpu.reduction import fold_texts
from dask_tapestry_kernels.cpu.variates import variates
from dask_tapestry_kernels.elementary.functions import FUNCTIONS

FLOATS: Final = (np.dtype("f8"), np.dtype("f4"))
FOLDS: Final = ("sum", "mean", "min", "max")
SPREADS: Final = ("var", "std")  # whose states have two fields
ARITHMETIC: Final = ("add", "subtract", "multiply", "divide")  # of two arrays
LOOPS: Final = (
    compiled_formulas.WALK,
    compiled_tiles.LOOP,
    fold_texts.LEAVES,
    fold_texts.FORMULAS,
)


def sources() -> Iterator[str]:
    """The texts of common formulas and folds, of the loops over both, and of variates."""
    yield from LOOPS
    for dtype in FLOATS:
        yield from _of_cells(dtype)
    yield from map(variates.cell_source, variates.DRAWS)
    yield from map(variates.row_source, variates.ROW_DRAWS)


def _of_cells(dtype: np.dtype[Any]) -> Iterator[str]:
    """The texts of formulas and folds of cells of a dtype."""
    arities = {name: function.arity for name, function in FUNCTIONS.items()}
    found = [
        rows.call_source(name, arity, dtype, dtype)
        for name, arity in (arities | dict.fromkeys(ARITHMETIC, 2)).items()
    ]
    found += [fold_texts.fold_source(monoid, dtype, dtype) for monoid in FOLDS]
    spread = np.dtype([("mean", dtype), ("m2", dtype)])
    found += [fold_texts.fold_source(monoid, dtype, spread) for monoid in SPREADS]
    for text in found:
        assert text is not None
        yield text


def ship(folder: Path) -> int:
    """Compile all sources into a folder; return how many.

    Raises
    ------
    RuntimeError
        If numba compiles for another processor.
    """
    if os.environ.get("NUMBA_CPU_NAME") != shipped.LEVEL:
        raise RuntimeError(f"set NUMBA_CPU_NAME={shipped.LEVEL}, as wheels go to other machines")
    folder.mkdir(parents=True, exist_ok=True)
    set_options()
    texts = dict.fromkeys(sources())
    for text in texts:
        object_cache.write_to(folder, shipped.key_of(text), compile_alone(text))
    return len(texts)


if __name__ == "__main__":
    print(ship(Path(sys.argv[1])), "kernels compiled")
