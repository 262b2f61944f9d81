"""The GPU's kernel has the steps of the CPU's; its own folds are tried in `simulated`."""

import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cpu.reduction.cells_at_extreme import OF_HOST
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda import SEVERAL
from dask_tapestry_kernels.cuda.blocks import cells_at_extreme
from dask_tapestry_kernels.field_blocks import FieldBlocks
from tests.kernels.cuda.simulated.fold_cases import arguments, check_fields, drawn


@pytest.mark.parametrize("target", [None, 0])
def test_fields_are_blocks_of_their_own(monkeypatch, target):
    monkeypatch.setattr(cells_at_extreme, "OF_DEVICE", OF_HOST)
    score, band = drawn("f8", (40, 3)), drawn("i4", (40, 3))
    fold = arguments(score.dtype, score.shape, "argmax", (0,), target=target)
    given = {"score": ((0,), fold), "carried": (((1,), None),), "count": 1}
    made = CUDA["cellsatextreme"](None, score, band, **given)
    expected = CPU["cellsatextreme"](None, score, band, **given)
    assert isinstance(made, FieldBlocks)
    assert made.shape == expected.shape
    check_fields(made, expected, "fields")


def test_what_it_yields_is_of_several_arrays():
    assert "cellsatextreme" in SEVERAL
