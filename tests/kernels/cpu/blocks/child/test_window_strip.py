from dask_tapestry_kernels.cpu.blocks import window_sum_compiled
from dask_tapestry_kernels.cpu.blocks.child import window_strip


def test_a_strip_is_as_long_as_its_callers_take_it_to_be():
    assert window_strip.WIDTH * window_strip.VECTORS == window_sum_compiled.STRIP
