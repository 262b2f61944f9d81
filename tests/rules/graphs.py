"""What tests of rules share: a rule applied to a graph, as text and as values."""

import numpy as np

from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.teg import Graph
from dask_tapestry.teg.outputs import windows_of


def after(x, *rules):
    """Text of the graph of an array once `rules` have been applied."""
    return str(rewrite(x.teg, rules))


def meaning(graph):
    """Values of a graph's roots, node by node, by each operator's own NumPy meaning."""
    values = {}
    for node in graph:
        value = value_of(node, [values[i] for i in node.inputs])
        values[node] = value if windows_of(node.type) else np.asarray(value)
        assert values[node].shape == node.type.shape
    return [values[root] for root in graph.roots]


def value_of(node, inputs):
    """NumPy's meaning, or for a formula or a part of a reduction the kernel's."""
    from dask_tapestry_kernels.devices import kernels_of

    operator = node.operator
    if operator.kernel in ("map", "reduce"):
        boxes = tuple(t.box for t in node.input_types)
        told = operator.arguments(node.input_types, node.type.box, boxes)
        return kernels_of("cpu")[operator.kernel](None, *inputs, **told)
    return operator.reference(*inputs)


def graph_of(*arrays):
    return Graph([x.node for x in arrays])
