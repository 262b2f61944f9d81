"""Selectors and generators: operators whose cells are inputs' cells, or come of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from dask_tapestry.cells import Span
from dask_tapestry.teg.operator import Formats, Operator, Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat


class Selector(Operator):
    """An operator whose output cells are cells of its inputs.

    Source: Tapestry whitepaper, "Selector Nodes".
    """

    transparent = True
    copies = False
    any_cells = True
    is_selector = True
    repeats = True
    category = "selector"

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return formats[0] if formats and None not in formats else None

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        known = [span for span in spans if span is not None]
        return reduce(Span.joined, known) if known and len(known) == len(spans) else None


class GeneratorOperator(Operator):
    """An operator without inputs whose cells are a function of their coordinates."""

    transparent = True
    copies = False
    repeats = True
    category = "generator"

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return ()
