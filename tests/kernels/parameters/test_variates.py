from dask_tapestry_kernels.cpu.variates.variates import MODULES
from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS


def test_each_distribution_has_a_function_of_the_cpu():
    assert set(MODULES) == {*DRAWS, *ROW_DRAWS}
    assert not set(DRAWS) & set(ROW_DRAWS)
