from dask_tapestry.cells import Span
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.contract.value import ValueContract

CELLS = (TensorType((2, 3), "i8"),)


def test_what_says_nothing_is_known_by_its_dtype_alone():
    assert ValueContract().value_span(CELLS, [Span(0, 1)]) is None
