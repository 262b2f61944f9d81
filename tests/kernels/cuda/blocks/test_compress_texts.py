from dask_tapestry_kernels.cuda.blocks.compress_texts import count_program


def test_counts_compile_with_few_registers(check_assembly):
    check_assembly(count_program(), 48, shared=16)
