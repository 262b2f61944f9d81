import dask_tapestry as dt
from dask_tapestry.planner.search.whole_chunks import sizes_near, whole_chunks
from tests.planner.graphs import stored


def product(chunk):
    x = stored((500_000, 64), "f4", (chunk, 64))
    return (x.T @ dt.ones((500_000, 1), dtype="f4")).node


def test_sizes_of_whole_chunks_are_near():
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
