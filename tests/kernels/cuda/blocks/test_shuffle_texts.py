import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.shuffle_texts import (
    counted_program,
    ends_program,
    owners_program,
    returned_program,
)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "bHlL")
def test_owners_and_places_of_any_integers_compile(kind, check_assembly):
    check_assembly(owners_program(np.dtype(kind)), 40)
    check_assembly(counted_program(np.dtype(kind)), 40)


def test_where_owners_begin_compiles(check_assembly):
    check_assembly(ends_program(), 24)


@pytest.mark.parametrize("word", ["u1", "u8", "c16"])
def test_rows_that_go_back_to_their_places_compile(word, check_assembly):
    check_assembly(returned_program(np.dtype(word)), 40)
