"""Reprs of arrays: shape, dtype, names and nominal chunks; nothing is computed."""

from __future__ import annotations

from html import escape
from math import prod

from dask.utils import format_bytes

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.diagnostics.chunk_picture import Chunks, chunk_picture
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.nominal import nominal_cuts


def text_of(node: Node, counted: bool) -> str:
    """One line of a value, or of one of at most this shape, which depends on data."""
    return array_text(node) if counted else bound_text(node)


def html_of(node: Node, counted: bool) -> str:
    """Like `text_of`, a table for notebooks."""
    return array_html(node) if counted else bound_html(node)


def array_text(node: Node) -> str:
    """One line: type, nominal chunks."""
    cuts = nominal_cuts(node)
    sides = ", ".join(str(c.longest) for c in cuts) + "," * (len(cuts) == 1)
    count = prod(c.count for c in cuts)
    blocks = f"{count} block{'s' * (count != 1)}" + (f" of ({sides})" if cuts else "")
    return f"dt.Array<{node.operator.label}, {node.type}, {blocks}>"


def array_html(node: Node) -> str:
    """Return a table for notebooks."""
    type_, longest = node.type, tuple(c.longest for c in nominal_cuts(node))
    count = prod(c.count for c in nominal_cuts(node))
    rows = [
        ("shape", str(type_.shape)),
        ("dtype", dtype_name(type_.dtype)),
        _storage_text(node, type_.nbytes),
    ]
    if type_.dims:
        rows.append(("dimensions", ", ".join(d or "–" for d in type_.dims)))
    rows.append(("blocks", f"{count} of {longest}"))
    if node.format is None:
        rows.append(("bytes of a block", format_bytes(prod(longest) * type_.dtype.itemsize)))
    graph = Graph([node])
    sources = sorted({one.operator.name for one in graph if not one.inputs})
    rows.append(("operators", f"{sum(1 for _ in graph)} from {', '.join(sources)}"))
    rows.append(("last operator", node.operator.label))
    return _with_picture(_table(rows), tuple(tuple(c.lengths()) for c in nominal_cuts(node)))


def _storage_text(node: Node, nbytes: int) -> tuple[str, str]:
    """What the blocks are held in, or, of NumPy's arrays, how much memory all take."""
    if node.format is None:
        return "bytes", format_bytes(nbytes)
    return "arrays", f"{node.format}, filled with {node.format.fill}"


def _with_picture(table: str, chunks: Chunks) -> str:
    """A table with the picture of chunks, where there is one."""
    if not chunks or not prod(map(sum, chunks)):
        return table
    picture = chunk_picture(chunks)
    return f"<table><tr><td>{table}</td><td>{picture}</td></tr></table>"


def bound_text(bound: Node) -> str:
    """One line for a value whose shape depends on data that nobody has counted yet."""
    return f"dt.Array<{bound.operator.label}, at most {bound.type}, not counted yet>"


def bound_html(bound: Node) -> str:
    """Return a table for a value that is not counted yet."""
    rows = [
        ("shape", f"at most {bound.type.shape}: it depends on data, not counted yet"),
        ("dtype", dtype_name(bound.type.dtype)),
        ("last operator", bound.operator.label),
    ]
    return _table(rows)


def masked_html(cells: str, mask: str, fill: object) -> str:
    """Return a table of the tables of cells and mask, and what stands for hidden cells."""
    return _table_of_html([("cells", cells), ("mask", mask), ("fill_value", escape(str(fill)))])


def _table(rows: list[tuple[str, str]]) -> str:
    return _table_of_html([(escape(title), escape(text)) for title, text in rows])


def _table_of_html(rows: list[tuple[str, str]]) -> str:
    body = "".join(f"<tr><th>{title}</th><td>{html}</td></tr>" for title, html in rows)
    return f'<table class="dask-tapestry-array"><tbody>{body}</tbody></table>'
