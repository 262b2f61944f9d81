import dask_tapestry as dt
from dask_tapestry.operators.views.rename import rename


def test_names_change_and_cells_stay():
    x = dt.asarray([[1, 2]])
    named = dt.rename(x, "row", None)
    assert named.dims == ("row", None)
    assert named.compute().tolist() == [[1, 2]]
    assert dt.rename(named, None, None).dims is None


def test_to_rules_it_is_the_view_that_changes_nothing():
    x = dt.ones((2, 3)).node
    view = rename(x, ("a", "b")).operator.view(x.type)
    assert view.is_identity((2, 3))
