import numpy as np
import pytest

from dask_tapestry_kernels.cuda.scan.scan_texts import (
    AFTER,
    APART,
    SHARED,
    TOTALS,
    ScanText,
    after_program,
    scan_program,
)


def text_of(function, *kinds):
    return ScanText(function, *[np.dtype(kind) for kind in kinds])


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("way", [TOTALS, APART, AFTER])
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("kind", "dD")
def test_scans_compile_without_contraction_and_with_few_registers(
    way, columns, kind, check_assembly
):
    program = scan_program(text_of("add", kind, kind, kind), way, 1, columns, 256)
    check_assembly(program, 64, shared=0 if columns else SHARED)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("function", "kinds"),
    [("multiply", "ddd"), ("maximum", "eee"), ("later", "eee"), ("add", "bll"), ("add", "???")],
)
def test_scans_of_other_cells_compile(function, kinds, check_assembly):
    check_assembly(scan_program(text_of(function, *kinds), AFTER, 2, False, 256), 64, shared=SHARED)


@pytest.mark.parametrize("columns", [False, True])
def test_totals_are_added_by_a_thread_a_cell(columns, check_assembly):
    check_assembly(after_program(text_of("add", "d", "d", "f"), 1, columns), 48)


def test_a_block_has_the_warps_whose_tiles_fit():
    wide, narrow = (
        scan_program(text_of("add", kind, kind, kind), APART, 1, False, 256) for kind in "Df"
    )
    assert (wide.threads, narrow.threads) == (64, 224)


def test_functions_of_our_own_are_not_numpys():
    assert text_of("add", "f", "d", "d").is_known
    assert not text_of("logaddexp", "d", "d", "d").is_known
    assert text_of("maximum", "D", "D", "D").is_known
    assert text_of("later", "D", "D", "D").is_known
    assert not text_of("add", "m8[s]", "m8[s]", "m8[s]").is_known
