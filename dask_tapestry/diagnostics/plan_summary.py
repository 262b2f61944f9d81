"""The summary of a plan: numbers and text alone, from which it is explained, compared and drawn.

A plan file carries it, so that all three work without the arrays: see `plan_summary_json`. Nothing
here is
an operator, a function or data of the user's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dask_tapestry.diagnostics.step_words import Words


class NodeSummary(NamedTuple):
    """An operator as data.

    Attributes
    ----------
    name, parameters, type
        As the graph prints them; constants by their shape, dtype and digest.
    line, words
        Where the user wrote it ("" if that is not known), and the functions that were called.
    inputs, after
        Numbers of earlier nodes: of the graph's, or of the step's inputs and operators.
    """

    name: str
    parameters: str
    type: str
    line: str = ""
    words: tuple[str, ...] = ()
    inputs: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class SignatureSummary(NamedTuple):
    """An operator's index space.

    Attributes
    ----------
    operator
        Its number in its step.
    dims
        Name, extent and kind of each dimension.
    tensors
        Of each output and input: what it is, and the cells of each axis that an index point
        selects, as a formula of the dimensions' names.
    marginal
        Of each tensor, the cells along each axis that one more step along each dimension adds.
    """

    operator: int
    dims: tuple[tuple[str, int, str], ...]
    tensors: tuple[tuple[str, tuple[str, ...]], ...]
    marginal: tuple[tuple[tuple[int, ...], ...], ...]


class BlockSummary(NamedTuple):
    """What one block writes and reads: names of values, with slices of them."""

    block: tuple[int, ...]
    writes: str
    reads: tuple[tuple[str, str], ...]


class StepSummary(NamedTuple):
    """A step; seconds and bytes are estimates.

    Attributes
    ----------
    digest
        Of the value that it computes.
    words
        What it is called.
    chain, label, type
        Its operators by their own names, the last one of them, and the type of its value.
    dims, grid
        The cuts of each dimension: (extent, blocks, step, first length, edges), and as text.
    blocks, slices, edges, tasks
        How many there are; edges are -1 if they are not counted.
    parts
        Parts of blocks that workers send each other in bulk: then slices are tasks that do so.
    decided, place, again, second
        What the grid was chosen for; which workers compute it, and which device of theirs; what
        else is to be said, as why it reads what others read too; what came second: text, "" where
        nothing is said.
    kinds
        Seconds of kernels, network, stores, tasks and links to devices.
    read, moved, written, work
        Bytes, the last of a block.
    inputs
        Numbers of steps from 1 on, and what comes from outside as text.
    begin, end
        When it runs, as it is simulated; 0 where it was not.
    inside, signatures, examples
        Its operators, the index spaces of those that have one, and some of its blocks.
    """

    digest: str
    words: Words
    chain: str
    label: str
    type: str
    dims: tuple[tuple[int, int, int, int, tuple[int, ...]], ...]
    grid: str
    blocks: int
    slices: int
    edges: int
    tasks: int
    parts: int
    decided: str
    place: str
    alone: bool
    counted: bool
    again: tuple[str, ...]
    second: str
    seconds: float
    kinds: tuple[float, float, float, float, float]
    read: float
    moved: float
    written: float
    work: float
    inputs: tuple[int | str, ...]
    begin: float = 0.0
    end: float = 0.0
    inside: tuple[NodeSummary, ...] = ()
    signatures: tuple[SignatureSummary, ...] = ()
    examples: tuple[BlockSummary, ...] = ()


class PlanSummary(NamedTuple):
    """A plan.

    Attributes
    ----------
    resources, rates
        The machines, and how fast they are taken to be, as text.
    cost
        As `Plan.cost`.
    steps
        Producers first.
    results
        Bytes, blocks and seconds of bringing the results to the client.
    memory, memory_bytes
        Bytes of a worker over time, and what a plan may fill of it.
    points, chosen
        Costs of the plans of the frontier, and of this one.
    nodes, roots
        The rewritten graph, and the numbers of its results.
    """

    resources: str
    rates: str
    cost: Mapping[str, float]
    steps: tuple[StepSummary, ...]
    results: tuple[int, int, float]
    memory: tuple[tuple[float, float], ...] = ()
    memory_bytes: float = 0.0
    points: Sequence[Mapping[str, float]] = ()
    chosen: Mapping[str, float] = {}
    nodes: tuple[NodeSummary, ...] = ()
    roots: tuple[int, ...] = ()
