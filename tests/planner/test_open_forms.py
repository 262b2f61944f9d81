"""Open forms: graphs that differ in constants and places have one, others have others."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.graph_form import form_of_graph
from dask_tapestry.planner.open_forms import OpenForm
from dask_tapestry.teg.node import topological

CELLS = np.random.default_rng(0).random((40, 30))


def opened(x):
    return OpenForm.of(form_of_graph([x.node], topological([x.node])))


def outline(x):
    return opened(x).outline


def test_constants_and_places_are_no_part_of_an_outline():
    def program(by, plus, first):
        return dt.asarray(CELLS)[first : first + 9] * by + plus

    one = outline(program(2.5, 1.0, 3))
    assert one == outline(program(3.5, -0.0, 20))
    assert one != outline(program(3.5, 3.5, 3))  # these are one constant
    assert one != outline(program(3.5, np.float32(1), 3)[1:])


def test_how_a_part_lies_is_part_of_an_outline():
    def program(cells):
        return dt.asarray(cells)[2:9] + 1

    def flipped(cells):
        return dt.asarray(cells)[:7, :7].T + 1

    assert outline(program(CELLS)) == outline(program(CELLS + 1))
    assert outline(flipped(CELLS[:7, :7].copy())) != outline(flipped(CELLS[:7, :7].copy("F")))


def test_a_graph_tells_where_its_inputs_are():
    x = dt.asarray(CELLS)
    first, other = ((x[n : n + 9] * by + x.sum()) / 3 for n, by in [(3, 2.5), (8, 0.125)])
    form, places = opened(first).opened()
    found = opened(other).ends([places[end] for end in form.ends])
    assert [node.type for node in found] == [node.type for node in form.ends]
    assert {0.125, 3.0} == {float(node.operator.data) for node in found if not node.type.shape}
    (part,) = (node.operator.data for node in found if node.type.shape == (9, 30))
    assert np.shares_memory(part, CELLS[8:17])


def test_what_has_neither_constants_nor_parts_has_none():
    assert opened(dt.asarray(CELLS) + dt.asarray(CELLS)) is None
    assert opened(dt.asarray(CELLS)) is None
