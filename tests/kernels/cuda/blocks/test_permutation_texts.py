from dask_tapestry_kernels.cuda.blocks.permutation_texts import permutation_program


def test_permutations_compile(check_assembly):
    check_assembly(permutation_program(), 64)
