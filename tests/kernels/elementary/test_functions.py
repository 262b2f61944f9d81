"""What holds for all elementary functions: names, types, bits that depend on arguments alone."""

import hashlib
import os
import platform
import re
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cpu.cells import interpreter
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS, Elementary

from . import complex_oracle
from .oracle import loop, spread, values

ERRORS = ("erf", "erfc")  # not among NumPy's ufuncs
CELLS = np.concatenate([spread(-1e300, 1e300), spread(-2.0, 2.0), [0.0, -0.0, np.inf, np.nan]])


def arguments(elementary: Elementary, dtype: type) -> list[np.ndarray]:
    """Return as many cells as the function takes, NaN, infinity and zeros among them."""
    with np.errstate(over="ignore"):
        cells = CELLS.astype(dtype)
    turned = np.random.default_rng(3).permutation(cells)
    return [cells, turned][: elementary.arity]


def digest() -> str:
    """Return a hash of the results of all functions, NaN with one pattern of bits."""
    bits = hashlib.sha256()
    for name, elementary in FUNCTIONS.items():
        for dtype in (np.float64, np.float32):
            out = values(name, *arguments(elementary, dtype))
            out[np.isnan(out)] = np.nan
            bits.update(out.tobytes())
    for name, elementary in COMPLEX_FUNCTIONS.items():
        for dtype in (np.complex128, np.complex64):
            out = complex_oracle.values(name, *numbers(elementary.arity, dtype))
            out = np.stack([out.real, out.imag])
            out[np.isnan(out)] = np.nan
            bits.update(out.tobytes())
    return bits.hexdigest()


def numbers(arity: int, dtype: type) -> list[np.ndarray]:
    """Return as many complex cells as a function takes."""
    cells = complex_oracle.numbers(-20, 20, 100).astype(dtype)
    cells = np.concatenate([cells, [0, -0.0, 1j, -1, np.inf, complex(1, np.nan)]]).astype(dtype)
    return [cells, np.random.default_rng(3).permutation(cells)][:arity]


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - set(ERRORS)))
def test_they_are_named_for_ufuncs_of_as_many_arguments(name):
    assert FUNCTIONS[name].arity == getattr(np, name).nin


@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
def test_those_of_complex_numbers_are_named_for_ufuncs_too(name):
    ufunc = getattr(np, name)
    assert ufunc.nin == COMPLEX_FUNCTIONS[name].arity
    assert any("D" in types for types in ufunc.types)


def layouts(cells: np.ndarray) -> dict[str, np.ndarray]:
    """The same cells, of a plane, in several layouts."""
    wide = np.zeros((cells.shape[0], 3 * cells.shape[1]), cells.dtype)
    wide[:, ::3] = cells
    odd = np.zeros(cells.nbytes + 1, np.uint8)[1:].view(cells.dtype).reshape(cells.shape)
    odd[...] = cells
    return {
        "contiguous": cells,
        "strided": wide[:, ::3],
        "reversed": cells[::-1, ::-1].copy()[::-1, ::-1],
        "columns": np.asfortranarray(cells),
        "misaligned": odd,
    }


@pytest.mark.covering
@pytest.mark.parametrize("mode", ["off", "wait"])
@pytest.mark.parametrize("kind", "FD")
@pytest.mark.parametrize(
    "name", ["multiply", "square", "divide", "absolute", "exp", "sqrt", "power"]
)
def test_bits_of_complex_functions_do_not_depend_on_where_cells_lie(name, kind, mode):
    dtype, arity = np.dtype(kind), getattr(np, name).nin
    planes = [np.resize(x, (90, 110)) for x in numbers(arity, dtype.type)]
    builder = CellBuilder((dtype,) * arity)
    result = np.dtype(dtype.char.lower()) if name == "absolute" else dtype
    expression = builder.finish(builder.call(name, range(arity), result))
    ways = [layouts(plane) for plane in planes]
    with compile_service.mode(mode):
        whole = interpreter.evaluate(None, *planes, expression=expression)
        for way in ways[0]:
            operands = [each[way] for each in ways]
            got = interpreter.evaluate(None, *operands, expression=expression)
            assert got.tobytes() == whole.tobytes(), way
            into = layouts(np.zeros_like(whole))[way]
            interpreter.evaluate(into, *operands, expression=expression)
            assert into.tobytes() == whole.tobytes(), way
        for i in range(0, 110, 7):
            alone = [np.array(plane[0, i]) for plane in planes]
            cell = interpreter.evaluate(None, *alone, expression=expression)
            assert cell.tobytes() == whole[0, i].tobytes()


@pytest.mark.few(4)  # one text holds any function
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "power", "arctan2", "erfc"])
def test_one_cell_has_the_bits_of_many(name, dtype):
    elementary = FUNCTIONS[name]
    function = getattr(elementary, np.dtype(dtype).name)
    care = getattr(elementary, f"care_{np.dtype(dtype).name}")
    function = function if care is None else care.careful
    alone = njit(function.py_func, error_model="numpy")
    columns = arguments(elementary, dtype)
    got = np.array([alone(*cells) for cells in zip(*columns, strict=True)])
    assert np.array_equal(got.astype(dtype), values(name, *columns), equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_length_of_an_array_does_not_matter(dtype):
    for name in ("exp", "sin", "log"):
        x = arguments(FUNCTIONS[name], dtype)[0]
        out = values(name, x)
        for length in (1, 3, 7, 15, 33):
            part = values(name, x[5 : 5 + length].copy())
            assert np.array_equal(part, out[5 : 5 + length], equal_nan=True)


@pytest.mark.parametrize("name", ["exp", "log", "sin", "tanh", "power", "erfc"])
def test_loops_over_cells_are_vectorised(name):
    elementary = FUNCTIONS[name]
    values(name, *arguments(elementary, np.float64))
    functions = [elementary.float64]
    functions += [elementary.care_float64.careful] if elementary.care_float64 else []
    for function in functions:
        (code,) = loop(function, elementary.arity).inspect_llvm().values()
        assert re.search(r"fmul <\d+ x double>|@llvm\.fma\.v\d+f64", code)
        assert "@fma" not in code.replace("@llvm.fma", "")


@pytest.mark.few(4)  # one text holds any function
@pytest.mark.parametrize("name", ["absolute", "divide", "sqrt", "exp", "log", "tanh", "arcsin"])
def test_loops_over_complex_cells_are_vectorised(name):
    elementary = COMPLEX_FUNCTIONS[name]
    complex_oracle.values(name, *numbers(elementary.arity, np.complex128))
    over = complex_oracle.loop(elementary.complex128, elementary.arity)
    (code,) = over.inspect_llvm().values()
    assert re.search(r"fmul <\d+ x double>", code)


def test_no_kernel_needs_them_on_import():
    code = "import sys, dask_tapestry, dask_tapestry_kernels.cpu; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.exhaustive
@pytest.mark.skipif(platform.machine() != "x86_64", reason="names processors of one kind")
def test_a_processor_of_narrower_vectors_gives_the_same_bits():
    code = "from tests.kernels.elementary.test_functions import digest; print(digest())"
    narrow = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma,-avx512f"}
    environment = {**os.environ, **narrow, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest()
