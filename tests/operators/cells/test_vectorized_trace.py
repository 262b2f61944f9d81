import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.cells.vectorized_trace import lifted
from dask_tapestry.operators.generators.symbol import symbol

F8 = np.dtype("f8")


def test_a_cells_formula_is_applied_to_all_and_no_wider_than_it_must():
    x, y = (symbol("a cell", "", F8) for _ in range(2))
    row, column = dt.arange(3.0).node, dt.arange(2.0).reshape(2, 1).node
    value = elementwise("add", elementwise("exp", x), y)
    made = lifted(value, {x: row, y: column}, "f")
    (inner,) = [node for node in dt.Array(made).teg if "exp" in str(node.operator.text())]
    assert (made.type.shape, inner.type.shape) == ((2, 3), (3,))


def test_what_uses_no_symbol_is_kept():
    value = dt.asarray(3.0).node
    assert lifted(value, {}, "f") is value


def test_what_is_none_of_cells_is_named_with_its_line():
    x = symbol("a cell", "", F8)
    total = dt.Array(x).sum()
    with pytest.raises(dt.TraceError, match=r"f cannot be traced.*test_vectorized_trace.py"):
        lifted(total.node, {x: dt.ones(3).node}, "f")


def test_symbols_of_others_are_refused():
    x = symbol("a cell", "", F8)
    with pytest.raises(dt.TraceError, match="another function"):
        lifted(elementwise("exp", x), {}, "f")
