import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda.reduction.leaf_texts import leaf_program
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps, formula_steps
from tests.kernels.cuda.assembled import assembled

F8 = np.dtype("f8")
FOLDS = [("sum", "d"), ("var", "d"), ("argmin", "f"), ("nanvar", "d"), ("ptp", "l"), ("sum", "D")]
FOLDS += [("var", "D"), ("nanargmin", "f"), ("min", "D"), ("argmin", "D")]


def leaves(name, dtype, reduced=1, kept=1, columns=False, formula=None):
    dtype = np.dtype(dtype)
    _, state = MONOIDS[name].dtypes(dtype, None)
    text = monoid_text(name, dtype, state)
    formula = formula or FormulaSteps((dtype,), (), ())
    count = len(formula.parameters) - len(formula.constants)
    return leaf_program(name, text, formula, count, reduced, kept, 256, columns)


def test_lanes_are_folded_by_halves_of_those_that_there_are():
    source = leaves("sum", F8).source
    assert "if lane < 16 and lane + 16 < lanes:" in source
    assert "b_value = shared_value[thread + 16]" in source
    assert "if lane < 1 and lane + 1 < lanes:" in source
    assert "b_value = shared_value[thread + 32]" in leaves("sum", F8, columns=True).source


@pytest.mark.few(4)  # one text holds any monoid
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize(("name", "dtype"), FOLDS)
def test_leaves_compile_without_contraction_and_with_few_registers(
    name, dtype, columns, check_assembly
):
    program = leaves(name, dtype, columns=columns)
    state = MONOIDS[name].dtypes(np.dtype(dtype), None)[1]
    shared = (state.itemsize + 7) // 8 * 8 * program.threads
    # 1,024 threads of columns have 64 registers each at most
    check_assembly(program, 64 if columns else 88, shared=shared)
    assert (".maxntid" in assembled(program.source, 90).ptx) == columns


@pytest.mark.parametrize("reduced", [2, 3])
def test_leaves_over_several_axes_compile(reduced, check_assembly):
    check_assembly(leaves("sum", "d", reduced, 2), 96, shared=2048)


def test_formulas_are_folded_without_contraction(check_assembly):
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 1), F8)
    program = leaves("sum", F8, formula=formula_steps(builder.finish(product)))
    check_assembly(program, 64, shared=2048)


def test_formulas_without_a_compiled_meaning_have_no_program():
    builder = CellBuilder((F8,))
    formula = formula_steps(builder.finish(builder.call("spacing", (0,), F8)))
    assert leaves("sum", F8, formula=formula) is None
