import xml.etree.ElementTree as ET

import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.teg import Graph
from dask_tapestry.teg.picture import COLOURS

SVG = "{http://www.w3.org/2000/svg}"


def written():
    """A graph with a node of each kind."""
    store = zarr.storage.MemoryStore()
    first = dt.to_zarr(dt.ones((2, 3)) @ dt.asarray([1.0, 2, 3]), store, compute=False)
    return dt.sequence_point(first).teg


def test_every_kind_of_node_has_a_colour():
    for node in written().nodes:
        assert node.operator.category in COLOURS


def test_the_picture_is_svg_with_all_nodes():
    graph = written()
    root = ET.fromstring(graph.to_svg())
    titles = [t.text.split()[0] for t in root.iter(f"{SVG}title")]
    assert titles == [n.operator.name for n in graph.nodes]
    assert len(list(root.iter(f"{SVG}path"))) == sum(
        len(n.inputs) + len(n.after) for n in graph.nodes
    )


def test_nothing_lies_upon_anything_else():
    root = ET.fromstring(written().to_svg())
    places = [(r.get("x"), r.get("y")) for r in root.iter(f"{SVG}rect")]
    assert len(places) == len(set(places))


def test_a_large_graph_is_cut_and_says_so():
    x = dt.ones(3)
    for _ in range(300):
        x = x + 1
    assert "… and 101 more nodes" in Graph([x.node]).to_svg()


def test_names_are_escaped():
    graph = dt.ones((2, 3)).rename("<a>", "b & c").teg
    assert len(list(ET.fromstring(graph.to_svg()).iter(f"{SVG}title"))) == len(graph)


def test_an_empty_graph():
    ET.fromstring(Graph([]).to_svg())
    assert Graph([]).to_dot().startswith("digraph")


def test_the_text_for_graphviz_has_all_nodes_and_edges():
    graph = written()
    lines = graph.to_dot().splitlines()
    assert sum("shape=ellipse" in line for line in lines) == len(graph)
    assert sum("style=dashed" in line for line in lines) == 1
    assert lines[-1] == "}"


@pytest.mark.parametrize("draw", [Graph.to_dot, Graph.to_svg])
def test_equal_graphs_have_equal_pictures(draw):
    assert draw((dt.ones(3) + 1).teg) == draw((dt.ones(3) + 1).teg)
