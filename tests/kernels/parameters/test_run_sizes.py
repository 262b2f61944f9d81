from dask_tapestry_kernels.parameters.run_sizes import run_sizes


def test_runs_are_of_one_length_but_the_last_of_each_group():
    assert run_sizes(4, (8,)) == [4, 4]
    assert run_sizes(4, (9, 3)) == [4, 4, 1, 3]
    assert run_sizes(4, (0,)) == []
