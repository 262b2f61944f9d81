import subprocess
import sys

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.cells.compiled_formulas import run_row
from dask_tapestry_kernels.cpu.jit.child.compiler import compile_source
from dask_tapestry_kernels.cpu.jit.compile_service import Native
from dask_tapestry_kernels.jit.object_cache import Compiled

SOURCE = rows.call_source("expm1", 1, np.dtype("f8"), np.dtype("f8"))
PROGRAM = """
import sys
from dask_tapestry_kernels.cpu.jit.child import compiler
compiler.set_options()
compiled = [compiler.compile_alone(sys.argv[1]) for _ in range(2)][1]
sys.stdout.buffer.write(compiled.symbol.encode() + b"\\n" + compiled.code)
"""


@pytest.fixture(scope="module")
def linked_first():
    done = subprocess.run([sys.executable, "-c", PROGRAM, SOURCE], capture_output=True, check=True)
    symbol, _, code = done.stdout.partition(b"\n")
    return Compiled(symbol.decode(), code)


def test_what_is_linked_first_has_the_bits_of_numbas_way(linked_first):
    x = np.linspace(-40, 40, 10_001)
    ours, numbas = np.empty_like(x), np.empty_like(x)
    assert run_row(Native(linked_first, rows.ARITY), ours, [x])
    assert run_row(Native(compile_source(SOURCE), rows.ARITY), numbas, [x])
    assert ours.tobytes() == numbas.tobytes()
    assert np.isfinite(ours).all()


def test_nothing_but_the_kernel_is_wrapped_for_a_caller(linked_first):
    assert linked_first.code.count(b"cfunc.") == 1
    assert b"cpython" not in linked_first.code
    assert b"cpython" in compile_source(SOURCE).code
