"""The form of a graph is that of others whose data differ, and of no others."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.graph_form import form_of_graph
from dask_tapestry.teg.node import topological


def form(x, **given):
    return form_of_graph([x.node], topological([x.node]), **given)


def formula(cells, by=2.0):
    return (dt.asarray(cells) * by).sum(axis=0)


def test_graphs_that_differ_in_data_have_one_key():
    cells = np.ones((4, 5))
    key = form(formula(cells)).key
    assert key == form(formula(cells + 1)).key
    others = [formula(cells, 3.0), formula(cells[1:]), formula(cells.astype("f4"))]
    others.append(formula(np.asfortranarray(cells)))
    assert all(form(other).key != key for other in others)


def test_ends_are_sources_and_sinks(tmp_path):
    x = dt.asarray(np.ones(6))
    written = dt.to_zarr(x + 1, tmp_path / "y", compute=False)
    found = form(written)
    assert [node.operator.name for node in found.ends][:1] == ["memory"]
    assert (found.sinks, found.stored, len(found.ends)) == (1, True, 2)


def test_what_is_given_is_a_source():
    x = dt.asarray(np.ones(6)) + 1
    y, kept = x * 2, dt.asarray(np.ones(6))
    order = [x.node, *topological([y.node], [x.node])]
    found = form_of_graph([y.node], order, {x.node: kept.node})
    assert found.ends == [kept.node]
    assert len(found.key) == 3
