import dask_tapestry as dt
from dask_tapestry.rules.joint_windows import WindowAxis, in_joint_windows


def test_values_are_taken_from_their_windows():
    x = dt.placeholder((60, 5), "f8")
    rows = WindowAxis(0, 25, 2)
    group = dt.sort(x, axis=1).node, (x * x).sum(axis=1).node
    done = in_joint_windows(group, ((rows, WindowAxis(None, 5)), (rows,)), (3,))
    assert list(done) == list(group)
    assert [now.type for now in done.values()] == [node.type for node in group]
    (together,) = {now.inputs[0].inputs[0] for now in done.values()}
    assert together.inputs == group
