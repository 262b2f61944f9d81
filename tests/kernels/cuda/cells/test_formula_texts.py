import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.cuda.cells.formula_texts import formula_program
from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS, FUNCTIONS
from dask_tapestry_kernels.formulas import scalar_codegen
from tests.covering import beyond, one_of_each
from tests.kernels.cpu.cells.expressions import DTYPES, chosen, functions
from tests.kernels.cuda.assembled import assembled

F8 = np.dtype("f8")
FEW = {"elementary": 56, "plain": 48}  # registers a thread: 1,024 threads and more are resident


def one(name, dtype, arity, result=None):
    builder = CellBuilder((dtype,) * arity)
    return builder.finish(builder.call(name, tuple(range(arity)), result or dtype))


def product_and_sum(dtype):
    builder = CellBuilder((dtype, dtype))
    product = builder.call("multiply", (0, 1), dtype)
    return builder.finish(builder.call("add", (product, 0), dtype))


def test_a_formula_is_one_loop_over_cells():
    builder = CellBuilder((F8, np.dtype("f2")))
    half = builder.cast(1, F8)
    scaled = builder.call("multiply", (0, builder.constant(np.float64(2.5))), F8)
    text = formula_program(
        builder.finish(builder.call("less", (scaled, half), np.dtype(bool))), 0, False
    )
    body = text.source.partition("def kernel")[2]
    assert text.threads == 0
    assert (
        body
        == """(n, x0, x1, v2, out):
    i = cuda.grid(1)
    step = cuda.gridsize(1)
    while i < n:
        v0 = x0[i]
        v1 = half_to_float(x1[i])
        v3 = np.float64(v1)
        v4 = v0 * v2
        v5 = v4 < v3
        out[i] = np.uint8(v5)
        i += step
"""
    )


def test_operands_of_any_strides_are_addressed():
    text = formula_program(product_and_sum(F8), 2, True)
    assert (
        "int64, uint64, int64, int64, int64, int64, int64, int64, CPointer(float64)" in text.source
    )
    assert "v1 = x1[np.int64(c0) * s1_0 + np.int64(c1) * s1_1]" in text.source


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "efdFD")
def test_products_and_sums_are_not_contracted(kind, check_assembly):
    check_assembly(formula_program(product_and_sum(np.dtype(kind)), 0, False), 40)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("rank", [1, 2, 3, 4])
@pytest.mark.parametrize("wide", [False, True])
def test_strided_formulas_compile(rank, wide, check_assembly):
    check_assembly(formula_program(product_and_sum(F8), rank, wide), 64)


SLOW = [pytest.param(k, marks=pytest.mark.exhaustive) for k in DTYPES if k not in "?d"]


@pytest.mark.few(1)  # functions compile below too
@pytest.mark.parametrize("kind", [*"?d", *SLOW])
def test_every_function_and_cast_compiles_without_fusing_or_spills(kind):
    """For one architecture: all that this one does not have in common is tested above."""
    dtype = np.dtype(kind)
    for result, names in functions(dtype).items():
        plain = [n for n in names if not scalar_codegen.is_elementary(n[0], dtype)]
        if plain:
            program = formula_program(chosen(dtype, result, plain), 0, False)
            made = assembled(program.source, 90)
            exact = {"divmod.0", "divmod.1", "floor_divide", "fmod", "remainder"}  # libdevice's
            if not exact & {name for name, _ in plain}:
                assert "fma." not in made.ptx
            assert made.resources.spill_stores == 0
            assert made.resources.registers <= 80, (kind, str(result), made.resources)


FUSED = [
    (np.dtype(kind), name, function.arity)
    for kinds, table in (("fd", FUNCTIONS), ("D", COMPLEX_FUNCTIONS))
    for kind in kinds
    for name, function in table.items()
]
FUSED = [case for case in FUSED if case[0].kind == "f"], [c for c in FUSED if c[0].kind == "c"]
FUSED = one_of_each(FUSED[0], lambda case: case[1]) + [beyond(*case) for case in FUSED[1]]


@pytest.mark.few(9)  # each is compiled in the tests of its family too
@pytest.mark.parametrize(("dtype", "name", "arity"), FUSED)
def test_elementary_functions_compile_without_spills(dtype, name, arity):
    result = np.dtype(dtype.char.lower()) if name == "absolute" else dtype
    program = formula_program(one(name, dtype, arity, result), 0, False)
    made = assembled(program.source, 90)
    assert made.resources.spill_stores == 0
    assert made.resources.registers <= FEW["elementary"], made.resources


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", ["exp", "log", "sin", "power", "erf"])
def test_elementary_functions_compile_for_every_architecture(name, check_assembly):
    program = formula_program(one(name, F8, FUNCTIONS[name].arity), 0, False)
    check_assembly(program, FEW["elementary"], fused=True)


def test_what_has_no_compiled_meaning_has_no_program():
    dates = np.dtype("M8[s]")
    assert formula_program(one("spacing", F8, 1), 0, False) is None
    assert formula_program(one("maximum", dates, 2), 0, False) is None
