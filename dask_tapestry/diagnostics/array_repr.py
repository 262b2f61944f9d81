"""How an array shows itself: shape, dtype, names and planned chunks; nothing is computed."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import prod

from dask.utils import format_bytes

from dask_tapestry.errors import TapestryError
from dask_tapestry.plan.plan import Plan
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts


def _planned(node: Node, plan: Callable[[], Plan]) -> tuple[Cuts, ...] | None:
    try:
        made = plan()
        return made.cuts_of(made.root_of(node))
    except TapestryError:
        return None  # a plan that cannot be made is an error when it is asked for, not here


def array_text(node: Node, plan: Callable[[], Plan]) -> str:
    """One line: type, planned blocks."""
    cuts = _planned(node, plan)
    sides = ", ".join(str(c.longest) for c in cuts) + "," * (len(cuts) == 1) if cuts else ""
    if cuts is None:
        blocks = "no plan fits these resources"
    else:
        count = prod(c.count for c in cuts)
        blocks = f"{count} block{'s' * (count != 1)}" + (f" of ({sides})" if cuts else "")
    return f"dt.Array<{node.operator.name}, {node.type}, {blocks}>"


def array_html(node: Node, plan: Callable[[], Plan]) -> str:
    """Return a table for notebooks."""
    cuts = _planned(node, plan)
    type_ = node.type
    rows = [
        ("shape", str(type_.shape)),
        ("dtype", type_.dtype.name),
        ("bytes", format_bytes(type_.nbytes)),
    ]
    if type_.dims:
        rows.append(("dimensions", ", ".join(d or "–" for d in type_.dims)))
    if cuts is not None:
        longest = tuple(c.longest for c in cuts)
        size = prod(longest) * type_.dtype.itemsize
        rows.append(("planned blocks", f"{prod(c.count for c in cuts)} of {longest}"))
        rows.append(("bytes of a block", format_bytes(size)))
    else:
        rows.append(("planned blocks", "no plan fits these resources"))
    rows.append(("last operator", node.operator.name))
    return _table(rows)


def bound_text(bound: Node) -> str:
    """One line for a value whose shape depends on data that nobody has counted yet."""
    return f"dt.Array<{bound.operator.name}, at most {bound.type}, not counted yet>"


def bound_html(bound: Node) -> str:
    """Return a table for a value that is not counted yet."""
    rows = [
        ("shape", f"at most {bound.type.shape}: it depends on data, not counted yet"),
        ("dtype", bound.type.dtype.name),
        ("last operator", bound.operator.name),
    ]
    return _table(rows)


def _table(rows: list[tuple[str, str]]) -> str:
    body = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
    return f'<table class="dask-tapestry-array"><tbody>{body}</tbody></table>'
