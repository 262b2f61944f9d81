"""Which sizes of forms are good guesses."""

import dask_tapestry as dt
from dask_tapestry.planner.search.form_sizes import added_nodes, coarsest, sizes_near, whole_chunks
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


def product(chunk):
    x = stored((500_000, 64), "f4", (chunk, 64))
    return (x.T @ dt.ones((500_000, 1), dtype="f4")).node


def test_sizes_of_whole_chunks_of_rows_or_columns_are_near():
    node, sizes = product(3000), (1000, 100_000)
    assert whole_chunks(node, 10_000, sizes) == {9000, 12_000, 9984, 10_048}  # and 64 columns
    assert whole_chunks(node, 1000, sizes) == {3000, 1024}
    assert whole_chunks(node, 1000, (1000, 2000)) == {1024}


def test_next_sizes_and_whole_chunks_are_tried():
    node = product(30_000)
    (form,) = node.operator.forms(node.input_types)
    sizes = sorted(form.sizes)
    near = sizes_near(node, form, sizes[2])
    assert {sizes[1], sizes[3], 30_000} <= set(near)
    assert sizes[2] not in near
    assert sizes[1] not in sizes_near(node, form, sizes[0] - 1)
    assert sizes_near(node, form, 30_000)[0] < 30_000 < sizes_near(node, form, 30_000)[-1]
