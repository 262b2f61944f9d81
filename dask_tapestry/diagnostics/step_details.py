"""Details of a step on a page: figures, operators, index spaces and blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from dask.utils import format_bytes

from dask_tapestry.diagnostics.explain import blocks_text
from dask_tapestry.diagnostics.grid_picture import grid_svg
from dask_tapestry.diagnostics.html_text import html_text, named, table
from dask_tapestry.diagnostics.plan_summary import (
    BlockSummary,
    NodeSummary,
    SignatureSummary,
    StepSummary,
)
from dask_tapestry.diagnostics.step_text import KINDS, counted, duration
from dask_tapestry.diagnostics.step_words import lines_text
from dask_tapestry.diagnostics.tuning import OPERATORS_LISTED, SIGNATURES_SHOWN, SLICES_SHOWN

MOVES: Final = ("read", "moved", "written")


class Measured(NamedTuple):
    """What a step took: seconds, bytes of its results, and the largest memory of a worker."""

    seconds: float
    bytes: float
    peak: float


def step_details(step: StepSummary, measured: Measured | None = None, *, whole: bool = True) -> str:
    """The inside of a step, as HTML; without pictures and tables where it is not `whole`."""
    facts = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in _facts(step, measured))
    picture = grid_svg(step.dims) if whole else ""
    parts = [f'<div class="facts">{picture}<dl>{facts}</dl></div>']
    if whole:
        parts += _operators(step)
        parts += [_signature(one, step) for one in step.signatures[:SIGNATURES_SHOWN]]
        left_out = len(step.signatures) - SIGNATURES_SHOWN
        parts += [f"<p>… and {counted(left_out, 'signature')} more</p>"] if left_out > 0 else []
        parts += _blocks(step.examples)
    return "".join(parts)


def reads_html(inputs: Sequence[int | str]) -> str:
    """What a step reads; other steps are links."""
    shown = [
        f'<a href="#step-{x}">step {x}</a>' if isinstance(x, int) else named(x)
        for x in inputs[:SLICES_SHOWN]
    ]
    more = len(inputs) - len(shown)
    return ", ".join([*shown, *([f"{more:,} more"] if more else [])])


def _facts(step: StepSummary, measured: Measured | None) -> Iterator[tuple[str, str]]:
    yield "result", named(step.type)
    yield "grid", f"{named(step.grid)}, {html_text(blocks_text(step))}"
    yield "decided by", html_text(step.decided)
    if step.second:
        yield "next best", named(step.second)
    kinds = zip(KINDS.values(), step.kinds, strict=True)
    shares = ", ".join(f"{kind} {duration(s)}" for kind, s in kinds if s > 0.01 * step.seconds)
    yield "predicted", f"{duration(step.seconds)}{f': {shares}' if shares else ''}"
    amounts = zip(MOVES, (step.read, step.moved, step.written), strict=True)
    moved = ", ".join(f"{format_bytes(round(n))} {what}" for what, n in amounts if n >= 1)
    if moved:
        yield "bytes", moved
    alone = ", one at a time on a worker" if step.alone else ""
    yield "a block holds", f"{format_bytes(round(step.work))}{alone}"
    if measured is not None:
        yield (
            "measured",
            f"{duration(measured.seconds)}, result {format_bytes(round(measured.bytes))}, "
            f"worker peak {format_bytes(round(measured.peak))}",
        )
    if step.inputs:
        yield "reads", reads_html(step.inputs)
    for why in step.again:
        yield "again", named(why)


def _operators(step: StepSummary) -> Iterator[str]:
    """The operators that are fused in the step, each with what it takes."""
    if not step.inside:
        return
    head = ("", "operator", "parameters", "result", "takes", "your code")
    count = len(step.inputs)
    rows = [
        _operator(n, one, count) for n, one in enumerate(step.inside[:OPERATORS_LISTED], start=1)
    ]
    yield f"<h3>Operators inside, in the order in which a block is computed</h3>{table(head, rows)}"
    left_out = len(step.inside) - len(rows)
    if left_out:
        yield f"<p>… and {counted(left_out, 'operator')} more</p>"


def _operator(number: int, node: NodeSummary, inputs: int) -> tuple[str, ...]:
    takes = [
        f"input {x + 1}" if x < inputs else f"{x - inputs + 1}" for x in node.inputs[:SLICES_SHOWN]
    ]
    takes += ["…"] if len(node.inputs) > SLICES_SHOWN else []
    words = " · ".join(
        filter(None, (", ".join(node.words[:SLICES_SHOWN]), lines_text([node.line])))
    )
    parameters = "" if node.parameters == node.name else node.parameters
    return (
        str(number),
        named(node.name),
        named(parameters, "code"),
        named(node.type),
        ", ".join(takes),
        named(words),
    )


def _signature(summary: SignatureSummary, step: StepSummary) -> str:
    """Index dimensions down; to the right the cells that one more step along each adds."""
    known = summary.operator < len(step.inside)
    name = step.inside[summary.operator].name if known else "operator"
    head = ["dimension", "extent", "kind"]
    cells = [f"[{', '.join(axes)}]" for _, axes in summary.tensors]
    head += [
        f"{html_text(title)} {named(text, 'code')}"
        for (title, _), text in zip(summary.tensors, cells, strict=True)
    ]
    rows = [
        (
            named(dim, "code"),
            f"{extent:,}",
            html_text(kind),
            *(_added(found[at]) if at < len(found) else "" for found in summary.marginal),
        )
        for at, (dim, extent, kind) in enumerate(summary.dims)
    ]
    return (
        f"<h3>Signature of {summary.operator + 1} {named(name)}: the cells of each axis that an "
        "index point selects, and those that one more step along a dimension adds</h3>"
        f"{table(head, rows)}"
    )


def _added(cells: Sequence[int]) -> str:
    return "[" + ", ".join(f"+{n:,}" if n else "0" for n in cells) + "]"


def _blocks(blocks: Sequence[BlockSummary]) -> Iterator[str]:
    if not blocks:
        return
    rows = [
        (
            f"({', '.join(map(str, block.block))})",
            named(block.writes, "code"),
            "<br>".join(
                f"{named(name)} {named(part, 'code')}" for name, part in block.reads[:SLICES_SHOWN]
            ),
        )
        for block in blocks
    ]
    yield f"<h3>Some blocks</h3>{table(('block', 'writes', 'reads'), rows)}"
