"""Open forms: what graphs have in common that differ in constants and in parts of arrays, too.

A loop that computes ``x[x > t]`` or ``x[i : i + 100].mean()`` has other constants and places each
time. One plan serves all (`rules/open_constants.py`, `rules/open_views.py`): it is made for a graph
that has inputs instead, and for the others it is told where in them its inputs are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from dask_tapestry.cells import CellExpression
from dask_tapestry.io.sources.numpy_source import order_of
from dask_tapestry.planner.graph_form import GraphForm, form_of_graph
from dask_tapestry.rules.open_constants import (
    constants_of,
    open_formulas,
    source_of_constant,
    with_open_constants,
)
from dask_tapestry.rules.open_views import Cells, parts_of_arrays, source_of_part
from dask_tapestry.teg import Node
from dask_tapestry.teg.node import topological

Place = tuple[int, int | None]  # numbers of a node and of its constant; WHOLE: the node itself
WHOLE: Final = None


class OpenForm:
    """The form of a graph whose constants are inputs, and whose parts of arrays are arrays.

    Attributes
    ----------
    form
        That of the graph as it is.
    """

    def __init__(
        self, form: GraphForm, parts: Mapping[Node, Cells], formulas: Mapping[Node, CellExpression]
    ) -> None:
        self.form, self._parts, self._formulas = form, parts, formulas

    @classmethod
    def of(cls, form: GraphForm) -> OpenForm | None:
        """The open form of a graph; None where it has no such constants and parts."""
        given, parts = form.given, parts_of_arrays(form.order, form.given)
        for root in form.roots:
            if root in parts and order_of(parts[root]) == "F":  # the result lies as it does else
                del parts[root]
        nodes = [given.get(node, node) for node in form.order] if given else form.order
        formulas = open_formulas(nodes)
        return cls(form, parts, formulas) if parts or formulas else None

    @cached_property
    def outline(self) -> tuple[Any, ...]:
        """What graphs of other constants and places have in common, and which constants are one."""
        rows = list(self.form.key)
        numbers: dict[Any, int] = {}
        same: list[int] = []
        for at, node in enumerate(self.form.order):
            if node in self._parts:
                rows[at] = (node.type, order_of(self._parts[node]), *rows[at][1:])
            elif node in self._formulas:
                rows[at] = (self._formulas[node], *rows[at][1:])
                told = constants_of(node)
                same += [numbers.setdefault((c.dtype, c.value), len(numbers)) for c in told]
        return (*rows, tuple(same))

    def opened(self) -> tuple[GraphForm | None, dict[Node, Place]]:
        """The graph with inputs instead, and where they are in this one."""
        given, places = dict(self.form.given), dict[Node, Place]()
        for at, node in enumerate(self.form.order):
            if node in self._parts:
                given[node] = source_of_part(node, self._parts[node])
            places[given.get(node, node)] = (at, WHOLE)
            if node in self._formulas:
                for number, step in enumerate(constants_of(node)):
                    places.setdefault(source_of_constant(step, node), (at, number))
        roots = with_open_constants(self.form.roots, self.form.order, given, self._formulas)
        return form_of_graph(roots, topological(roots)), places

    def ends(self, places: Sequence[Place]) -> list[Node]:
        """What lies at places of this graph: its sources, sinks, parts and constants."""
        return [self._end(*place) for place in places]

    def _end(self, at: int, number: int | None) -> Node:
        node = self.form.order[at]
        if number is not WHOLE:
            return source_of_constant(constants_of(node)[number], node)
        if node in self._parts:
            return source_of_part(node, self._parts[node])
        return self.form.given.get(node, node)
