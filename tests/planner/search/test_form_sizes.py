"""Which sizes of forms are good guesses."""

import dask_tapestry as dt
from dask_tapestry.planner.search.form_sizes import added_nodes, coarsest, whole_chunks
from tests.planner.graphs import stored


def nodes_form(node):
    return next(f for f in node.operator.forms(node.input_types) if f.name == "nodes")


def test_the_coarsest_size_is_the_first_that_yields_enough_cells():
    node = stored((100_000, 100)).sum(axis=0).node
    form = nodes_form(node)
    cells = [added_nodes(form.make(node, n), {*node.inputs})[0].type.size for n in form.sizes]
    for wanted in (1, 150, 700):
        place = coarsest(node, form, wanted)
        assert cells[place] >= wanted
        assert all(n < wanted for n in cells[:place])


def test_sizes_of_whole_chunks_are_near_and_no_sizes_yet():
    node = (stored((10_000, 100), chunks=(600, 100)) + 1).sum(axis=0).node
    assert whole_chunks(node, 1000, (1, 1024, 4096)) == {600, 1000, 1200}
    assert not whole_chunks(dt.asarray([[1.0, 2.0]]).sum(axis=0).node, 1, (1, 2))


def test_added_nodes_are_those_that_are_not_known_in_order():
    x = stored((1000, 100))
    y = dt.sqrt(x).sum(axis=0)
    assert added_nodes(y.node, {x.node}) == [y.node.inputs[0], y.node]
