import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.symbol import symbol


def test_a_symbol_has_a_type_and_no_value():
    one, other = (symbol("a cell", "do not ask", np.dtype("f4")) for _ in range(2))
    assert one is not other
    assert (one.type.shape, one.type.dtype) == ((), np.float32)
    assert "symbol(a cell)" in str(dt.Array(one).teg)
    with pytest.raises(dt.TraceError, match="a cell has no value yet: do not ask"):
        dt.Array(one).compute()
