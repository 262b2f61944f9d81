"""Rule on forward fills that are written with places: a scan of the cells themselves.

``x[maximum.accumulate(where(isnan(x), 0, arange(n)))]`` takes each cell from the last place before
it that has one. Places that are computed are known to no plan, so what they may take would be
exchanged, or read whole; a scan reads each cell once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dask_tapestry.cells.references import Cell
from dask_tapestry.imports import LateModule
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.scans.scan import Scan, scan_later
from dask_tapestry.rules.takes_along import own_places
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")

TAKES: Final = ("take", "takealongaxis")
NULLS: Final = ("isnan", "isnat")
NEGATIONS: Final = ("invert", "logical_not")


def takes_at_scanned_places(graph: Graph) -> bool:
    """Whether cells are taken at places that are running maxima."""
    return any(_scanned_along(node) is not None for node in graph.nodes)


def fill_forward_by_scan(node: Node) -> Node | None:
    """``take(x, scan(maximum, where(isnan(x), 0, places))) -> scan(later, x)``.

    Cells before the first that is not NaN are NaN in both.
    """
    axis = _scanned_along(node)
    if axis is None or node.after or node.format is not None:
        return None
    x, places = node.inputs
    filled = _filled_at(places.inputs[0], axis)
    if filled is not x:
        return None
    with written_as(node):
        made = scan_later(x, axis)
    return made if made.type == node.type else None


def _scanned_along(node: Node) -> int | None:
    """The axis along which a take's places are running maxima; None for other nodes."""
    if node.operator.name not in TAKES or len(node.inputs) != 2:
        return None
    x, places = node.inputs
    scan, operator = places.operator, node.operator
    if not isinstance(scan, Scan) or scan.function != "maximum" or places.type.ndim != x.type.ndim:
        return None
    if isinstance(operator, take.Take):
        return 0 if x.type.ndim == 1 and x.type.shape == places.type.shape else None
    assert isinstance(operator, take.TakeAlongAxis)
    return scan.axis if operator.axis == scan.axis else None


def _filled_at(node: Node, axis: int) -> Node | None:
    """The array of which cells have their own place, and those that are NaN have 0."""
    chosen = _single_call(node, "where")
    if chosen is None:
        return None
    mask, first, second = chosen
    is_null = isinstance(second, Node)
    own, zero = (second, first) if is_null else (first, second)
    if not (isinstance(own, Node) and isinstance(mask, Node)) or isinstance(zero, Node) or zero:
        return None
    places = own_places(own)
    negated = next((m for name in NEGATIONS if (m := _single_call(mask, name))), None)
    if places != (axis, 0) or (negated is None) != is_null:
        return None
    tested = mask if negated is None else negated[0]
    assert isinstance(tested, Node)
    found = next((x for name in NULLS if (x := _single_call(tested, name))), None)
    return found[0] if found is not None and isinstance(found[0], Node) else None


def _single_call(node: Node, function: str) -> list[Node | Cell] | None:
    """The operands of a formula that is one call, nodes or constants; None if it is another."""
    if not isinstance(node.operator, Elementwise):
        return None
    formula = node.operator.expression
    *others, last = formula.steps
    if last.function != function or any(step.function != "constant" for step in others):
        return None
    count = len(formula.parameters)
    return [
        node.inputs[k] if k < count else formula.constant(formula.steps[k - count])
        for k in last.operands
    ]
