import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.steps.formula_part import formula_part


def smooth(x):
    return x[:-2] + x[2:] * 2 - x[1:-1]


def tiled_names(y):
    step = list(build_plan([y.node]).__dict__["steps"].values())[-1]
    first = len(step.program.inputs)
    part = formula_part(step.program)
    chosen = sorted(part.values) if part else []
    return [step.program.instructions[v - first].operator.name for v in chosen]


def test_what_is_computed_in_tiles():
    x = dt.asarray(np.ones((50, 40)))
    assert tiled_names(smooth(smooth(x))) == [*["view"] * 3, "elementwise"] * 2
    assert tiled_names(smooth(x)) == []  # one formula goes through memory once
    assert tiled_names(smooth(smooth(x)).rechunk((7, 8))) == [*["view"] * 3, "elementwise"] * 2
    assert tiled_names(smooth(smooth(x)).sum()) == []


def test_a_value_without_dimensions_is_computed_before():
    x, y = dt.asarray(np.ones((50, 40))), dt.asarray(np.float64(3.0))
    assert tiled_names(abs(x) * dt.sin(y)) == []


def test_objects_share_no_bytes_and_are_not_tiled():
    x = dt.asarray(np.full((50, 40), 2, object))
    assert tiled_names(smooth(smooth(x))) == []
