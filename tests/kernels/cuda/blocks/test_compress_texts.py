from dask_tapestry_kernels.cuda.blocks.compress_texts import count_program
from tests.kernels.cuda.assembled import check_assembly


def test_counts_compile_with_few_registers():
    check_assembly(count_program(), 48, shared=16)
