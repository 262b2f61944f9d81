"""Ships kernels: compiles those that a wheel brings.

    NUMBA_CPU_NAME=x86-64-v3 python -m dask_tapestry_kernels.wheel.ship FOLDER

`build` runs this, with the settings of numba that name the processors, and so does ``make venv``
for a checkout, with ``--without-draws``: 85 kernels of 103. Those that are there, and were compiled
with the numba that is here, are not compiled again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import philox
from dask_tapestry_kernels.cpu.cells import compiled_formulas, compiled_tiles, rows
from dask_tapestry_kernels.cpu.jit import shipped
from dask_tapestry_kernels.cpu.jit.child.compiler import compile_alone, set_options
from dask_tapestry_kernels.cpu.reduction import fold_sources
from dask_tapestry_kernels.cpu.variates import variates
from dask_tapestry_kernels.elementary.functions import FUNCTIONS
from dask_tapestry_kernels.formulas.philox_rounds import Fraction
from dask_tapestry_kernels.jit import object_cache
from dask_tapestry_kernels.jit.numba_version import numba_version
from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS

MOST_PROCESSES: Final = 16
FLOATS: Final = (np.dtype("f8"), np.dtype("f4"))
FOLDS: Final = ("sum", "mean", "min", "max")
SPREADS: Final = ("var", "std")  # whose states have two fields
ARITHMETIC: Final = ("add", "subtract", "multiply", "divide")  # of two arrays
RANDOM: Final = (  # bits, and what is made of them in the same loop
    None,
    Fraction(11, 0, FLOATS[0]),  # uniform; the angle of a normal number
    Fraction(11, 1, FLOATS[0]),  # its radius, exponential
    Fraction(12, 0.5, FLOATS[0]),  # between 0 and 1
    Fraction(40, 0, FLOATS[1]),  # uniform
)
LOOPS: Final = (
    compiled_formulas.WALK,
    compiled_tiles.LOOP,
    fold_sources.LEAVES,
    fold_sources.FORMULAS,
)


def sources() -> Iterator[str]:
    """The texts of common formulas and folds, loops over both, random numbers and variates."""
    yield from LOOPS
    yield from map(philox.source, RANDOM)
    for dtype in FLOATS:
        yield from _of_cells(dtype)
    yield from _draws()


def _draws() -> Iterator[str]:
    """The texts of variates."""
    yield from map(variates.cell_source, DRAWS)
    yield from map(variates.row_source, ROW_DRAWS)


def _of_cells(dtype: np.dtype[Any]) -> Iterator[str]:
    """The texts of formulas and folds of cells of a dtype."""
    arities = {name: function.arity for name, function in FUNCTIONS.items()}
    sources = [
        rows.call_source(name, arity, dtype, dtype)
        for name, arity in (arities | dict.fromkeys(ARITHMETIC, 2)).items()
    ]
    sources += [fold_sources.fold_source(monoid, dtype, dtype) for monoid in FOLDS]
    spread = np.dtype([("mean", dtype), ("m2", dtype)])
    sources += [fold_sources.fold_source(monoid, dtype, spread) for monoid in SPREADS]
    for text in sources:
        assert text is not None
        yield text


def ship(folder: Path, draws: bool = True) -> int:
    """Compile into a folder the sources that it lacks, on all processors; return how many.

    Kernels of other sources, and of the same with other modules, are removed. Without `draws` the
    variates are left, which take longer than all others.

    Raises
    ------
    RuntimeError
        If numba compiles for another processor.
    """
    if os.environ.get("NUMBA_CPU_NAME") != shipped.LEVEL:
        raise RuntimeError(f"set NUMBA_CPU_NAME={shipped.LEVEL}, as wheels go to other machines")
    folder.mkdir(parents=True, exist_ok=True)
    texts = {shipped.key_of(text): text for text in sources()}
    there = _valid_kernels(folder) & texts.keys()
    for file in list(folder.iterdir()):
        if file.name not in there:
            file.unlink()
    late = set() if draws else set(_draws())
    missing = [(key, text) for key, text in texts.items() if key not in there and text not in late]
    if missing:
        afresh = get_context("spawn")  # numba is imported where nothing else was
        with ProcessPoolExecutor(_processes(), afresh, set_options) as pool:
            for (key, _), code in zip(missing, pool.map(_compiled, missing), strict=True):
                _keep(folder, key, code)
    shipped.write_target(folder)
    return len(missing)


def _valid_kernels(folder: Path) -> set[str]:
    """Names of the whole kernels in a folder that were compiled with the numba that is here."""
    target = shipped.target_of(folder)
    if target is None or target.numba != numba_version():
        return set()
    names = [file.name for file in folder.iterdir()]
    return {name for name in names if object_cache.read_from(folder, name) is not None}


def _processes() -> int:
    """The number of compiling processes: one a processor; each takes 200 MB."""
    return min(len(os.sched_getaffinity(0)), MOST_PROCESSES)


def _keep(folder: Path, key: str, code: object_cache.Compiled) -> None:
    if not object_cache.write_to(folder, key, code):
        raise OSError(f"{folder} cannot be written")
    (folder / key).chmod(0o644)  # whoever may import the package may load its kernels


def _compiled(source: tuple[str, str]) -> object_cache.Compiled:
    return compile_alone(source[1])


if __name__ == "__main__":
    print(ship(Path(sys.argv[1]), draws="--without-draws" not in sys.argv), "kernels compiled")
