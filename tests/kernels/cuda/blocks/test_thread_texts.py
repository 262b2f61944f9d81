import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cuda.blocks.thread_texts import (
    FoldStep,
    MapStep,
    ScanStep,
    thread_program,
)
from dask_tapestry_kernels.cuda.reduction.monoid_texts import monoid_text
from dask_tapestry_kernels.cuda.scan.scan_texts import ScanText
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps, formula_steps

F8 = np.dtype("f8")


def fold(name, kind, dims=2, reduced=1):
    dtype = np.dtype(kind)
    result, state = MONOIDS[name].dtypes(dtype, None)
    formula = FormulaSteps((dtype,), (), ())
    return FoldStep(formula, 1, dims, result, monoid_text(name, dtype, state), reduced)


def total(name="add", dtype=F8):
    return ScanStep(ScanText(name, dtype, dtype, dtype), 2, 128)


def formula():
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 1), F8)
    return MapStep(formula_steps(builder.finish(builder.call("add", (product, 0), F8))), 2, 2, F8)


@pytest.mark.few(3)  # one text holds any fold
@pytest.mark.parametrize(
    ("name", "kind"), [("sum", "d"), ("var", "d"), ("nanvar", "f"), ("argmin", "d"), ("sum", "D")]
)
def test_folds_compile_without_contraction(name, kind, check_assembly):
    check_assembly(thread_program((fold(name, kind),), 2), 64)


def test_scans_and_formulas_compile_without_contraction(check_assembly):
    check_assembly(thread_program((total(),), 2), 48)
    check_assembly(thread_program((formula(),), 2), 40)


def test_steps_together_compile_without_spills(check_assembly):
    steps = (formula(), total(), fold("var", "d"), fold("argmax", "d", 2, 2), formula())
    check_assembly(thread_program(steps, 2), 96)


def test_a_step_without_meaning_has_no_program():
    dates = FormulaSteps((np.dtype("M8[s]"),), (), ())
    assert thread_program((MapStep(dates, 1, 1, np.dtype("M8[s]")),), 1) is None
    halves = fold("sum", "d")._replace(dtype=np.dtype("u8"))
    assert thread_program((halves,), 1) is None
