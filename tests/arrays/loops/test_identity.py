import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.loops.identity import checksum, identity_of
from dask_tapestry.arrays.loops.iterate import traced_step
from dask_tapestry.arrays.loops.traced_functions import StateField


def identity(step, *state):
    arrays = [dt.asarray(x) for x in state]
    return identity_of(traced_step(step, [StateField.of(x) for x in arrays]), arrays)


def test_the_same_code_and_cells_are_the_same_loop():
    x, y = np.arange(5.0), np.ones(5)
    one = identity(lambda u: u * 2 + dt.asarray(y), x)
    assert one == identity(lambda v: v * 2 + dt.asarray(y.copy()), x.copy())
    assert one == identity(lambda v: v * 2 + dt.asarray(y), dt.asarray(x).persist())


def test_an_error_can_name_what_differs():
    x, y = np.arange(5.0), np.ones(5)
    one = identity(lambda u: u * 2 + dt.asarray(y), x)
    step = identity(lambda u: u * 3 + dt.asarray(y), x)
    data = identity(lambda u: u * 2 + dt.asarray(2 * y), x)
    state = identity(lambda u: u * 2 + dt.asarray(y), -x)
    differences = [one.differs(other.as_dict()) for other in (step, data, state)]
    assert differences == ["what a step computes", "the data that steps read", "the first state"]
    assert one.differs(None) == "what a step computes"


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]"])
def test_a_checksum_changes_with_a_cell_and_its_place_and_not_with_cuts(dtype):
    cells = np.arange(60).reshape(6, 10).astype(dtype)
    sums = {int(checksum(dt.asarray(x)).compute()) for x in (cells, cells[::-1], cells[:, ::-1])}
    assert len(sums) == 3
    with dt.config(block_bytes=64):
        assert int(checksum(dt.asarray(cells)).compute()) in sums


def test_zeros_of_either_sign_are_other_cells():
    assert int(checksum(dt.zeros(2)).compute()) != int(checksum(-dt.zeros(2)).compute())


def test_cells_that_are_no_numbers_are_refused():
    with pytest.raises(dt.DTypeError, match="keeps numbers"):
        checksum(dt.asarray(["a", "b"]))
