import pytest

from dask_tapestry_kernels.parameters.joint_runs import JointRuns
from dask_tapestry_kernels.parameters.run_sizes import run_sizes


@pytest.mark.parametrize("is_turned", [False, True])
def test_each_vector_has_runs_of_its_own(is_turned):
    runs = JointRuns(4, 9, 5, is_turned)
    own, other = runs.sides()
    sizes = run_sizes(runs.length, runs.groups)
    assert (sizes[own], sizes[other]) == ([4, 4, 1], [4, 1])
    assert (own.start == 0) is not is_turned
    assert (runs.cells, runs.run_count) == (14, 5)
