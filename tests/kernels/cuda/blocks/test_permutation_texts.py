from dask_tapestry_kernels.cuda.blocks.permutation_texts import permutation_program
from tests.kernels.cuda.assembled import check_assembly


def test_permutations_compile():
    check_assembly(permutation_program(), 64)
