import numpy as np

from dask_tapestry.cells import CellBuilder
from dask_tapestry_kernels.formulas.formula_steps import (
    FormulaStep,
    formula_steps,
    is_careful,
    needs_care,
    step_text,
)

F8, I8 = np.dtype("f8"), np.dtype("i8")


def test_float_constants_are_operands_and_integers_stay():
    builder = CellBuilder((F8, I8))
    half = builder.constant(np.float64(0.5))
    two = builder.constant(np.int64(2))
    whole = builder.cast(builder.call("multiply", (1, two), I8), F8)
    product = builder.call("multiply", (0, half), F8)
    steps = formula_steps(builder.finish(builder.call("add", (product, whole), F8)))
    assert steps.parameters == (F8, I8, F8)
    assert steps.constants == (0.5,)
    assert steps.steps == (
        FormulaStep("constant", (), I8, np.int64(2)),
        FormulaStep("multiply", (1, 3), I8),
        FormulaStep("cast", (4,), F8),
        FormulaStep("multiply", (0, 2), F8),
        FormulaStep("add", (6, 5), F8),
    )


def test_a_step_is_text_over_numbered_values():
    sine = FormulaStep("sin", (0,), F8)
    assert step_text(sine, [F8]) == "ufunc_loops.float64_sin(v0)"
    assert is_careful(sine, [F8])
    assert needs_care(sine, [F8]) == "ufunc_loops.float64_sin_needs_care(v0)"
    assert "careful" in step_text(sine, [F8], careful=True)
    assert step_text(FormulaStep("constant", (), I8, np.int64(7)), []) == "np.int64(7)"
    assert not is_careful(FormulaStep("constant", (), I8, np.int64(7)), [])
