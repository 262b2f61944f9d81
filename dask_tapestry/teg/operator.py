"""The contract of an operator: everything that planner, rules and lowering learn of it.

An operator is a frozen dataclass of its parameters, without inputs. It says what type it yields,
which boxes of its inputs a box of its output is made of, which kernel computes a block, and, where
it can, how to compute no more than a region. Planner and lowering read these declarations and name
no operator.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from typing import Any, ClassVar, Final

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.teg.chunking import Chunks, Known, common_chunks, declared_chunks, followed
from dask_tapestry.teg.form import Form
from dask_tapestry.teg.region import Region
from dask_tapestry.teg.regularity import Regularity, of_signature, uniform_regularity
from dask_tapestry.teg.signature import Kind, Signature
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.teg.types import TensorType
from dask_tapestry.zspace import Cuts, ZAffineMap, ZRange
from dask_tapestry_kernels.block_format import BlockFormat

Types = tuple[TensorType, ...]
Demanding = Callable[[ZRange], tuple[ZRange, ...]]  # the boxes of inputs that a box is made of
NO_ARGUMENTS: Final[Mapping[str, Any]] = {}
Formats = tuple[BlockFormat | None, ...]  # of the inputs; None for NumPy's arrays
NO_COSTS: Final[Mapping[str, float]] = {}


class Restriction(NamedTuple):
    """An operator that, on regions of the inputs, yields the region `yields` of the output."""

    operator: Operator
    inputs: tuple[Region, ...]
    yields: Region


class Operator(ABC):
    """An operator of the graph language; subclasses are frozen dataclasses.

    Class attributes
    ----------------
    name
        The operator's name in graphs, plans and task keys: letters only.
    kernel
        Name of the kernel, a key of ``dask_tapestry_kernels.cpu.KERNELS``.
    transparent
        Each cell of the output costs little and reads few cells, so computing it twice is
        cheaper than keeping it: selectors, generators, cell expressions, sources.
    holds
        Its value is always held between steps: of sinks, and in layouts that the user fixed.
    copies
        Its blocks take memory of their own: they are not views of its inputs.
    fills
        Its kernel writes its block into memory that it is given: a result's buffer, or used memory.
    in_place
        Its kernel may write its block over the one that it reads, if both are of the same cells.
    hands_over
        Its kernel may return memory that nobody else has, given some: a whole result is that block.
    multithreaded
        Its kernel starts threads of its own, as BLAS does.
    any_cells
        Its kernel takes cells that lie outside of their arrays too: Python objects, `StringDType`.
    any_format
        Its kernel takes blocks in the arrays of other libraries too.
    calls
        Its kernel hands blocks to a function, in whatever arrays it takes them.
    is_formula
        Its output is a formula of its inputs' cells at the same place, the only one of `formulas`.
    is_window
        Each cell of its output is computed from a window of cells.
    is_selector
        Each cell of its output is a cell of an input.
    is_view
        Its blocks are NumPy views of its only input's, as its `cell_map` says.
    category
        The kind of node, for printing and pictures alone.
    workers
        Names of the workers that alone compute it; none for any.
    format
        What its blocks are held in, whatever it reads; None for NumPy's arrays.
    sets_format
        Whether its output need not lie on the device where an input does.
    runs_along
        Axis along which blocks are computed in order, each going on from the last; None for any.
    """

    name: ClassVar[str]
    kernel: ClassVar[str]
    transparent: ClassVar[bool] = False
    holds: ClassVar[bool] = False
    copies: ClassVar[bool] = True
    fills: ClassVar[bool] = False
    in_place: ClassVar[bool] = False
    hands_over: ClassVar[bool] = False
    multithreaded: bool = False
    any_cells: ClassVar[bool] = False
    any_format: bool = False
    calls: ClassVar[bool] = False
    is_formula: ClassVar[bool] = False
    is_window: ClassVar[bool] = False
    is_selector: ClassVar[bool] = False
    is_view: ClassVar[bool] = False
    category: ClassVar[str] = "operator"
    workers: tuple[str, ...] = ()
    format: BlockFormat | None = None
    sets_format: ClassVar[bool] = False
    runs_along: int | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls)
        if ("demand" in own or "pieces" in own) and "regularity" not in own:
            cls.regularity = Operator.regularity  # type: ignore[method-assign]
        if "demand" in own and "demanding" not in own:
            cls.demanding = Operator.demanding  # type: ignore[method-assign]

    @abstractmethod
    def infer(self, *inputs: TensorType) -> TensorType:
        """Type of the value; raises `ShapeError` or `DTypeError` where inputs do not fit.

        The value is the output, or of several outputs the index points that write them: then the
        dtype is an `OutputsDType`, with the window of each output that a point writes.
        """

    @abstractmethod
    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        """Box of each input that the cells `box` of the output are made of.

        Those of a part of the cells lie in those of all: a block that is computed piece by piece
        holds what all of it needs.
        """

    def demanding(self, inputs: Types) -> Demanding:
        """`demand` for inputs of these types: a planner asks it of boxes by the thousand.

        A class that can finds here what is true of all boxes. One that declares demands anew
        declares this anew, or has this one.
        """
        return partial(self.demand, inputs)

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        """The boxes that it reads for `box`: (number of the input, box of that input).

        By default one of each input, its demand; an operator may read several boxes of one input
        where their hull would hold many more cells.

        Source: Tapestry whitepaper, "Selector Nodes".
        """
        return tuple(enumerate(self.demand(inputs, box)))

    def regularity(self, inputs: Types) -> Regularity | None:
        """Along each axis of the output, how demands move along with the box that is asked for.

        None where nothing is known: then a plan looks at each block. A class that declares demands
        anew declares this anew, or nothing is known of it.
        """
        return None

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        """The formulas of the inputs' cells through which it reads; () for none.

        Formulas before it can be written into them, so that their values need no memory.
        """
        return ()

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> Operator:
        """The same operator, reading through other `formulas` of other inputs."""
        raise NotImplementedError(f"{self.name} does not read through formulas")

    def arguments(
        self,
        inputs: Types,
        box: ZRange,
        boxes: tuple[ZRange, ...],
    ) -> Mapping[str, Any]:
        """Keyword arguments of the kernel, whose blocks hold the cells `boxes` of the `pieces`."""
        return NO_ARGUMENTS

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """How to compute `region`, or little more, of the output; None to compute all of it."""
        return None

    def keeping(self, names: Collection[str]) -> Operator:
        """The same operator with those of its several outputs that are in `names`, in its order.

        One whose value is a tensor has none to leave out.
        """
        raise NotImplementedError(f"{self.name} has one output")

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        """For each input, whether blocks of the output together read each of its cells once."""
        return (False,) * len(inputs)

    def cell_map(self, inputs: Types) -> ZAffineMap | None:
        """Coordinates of the input's cell that each cell of a view shows; None for no view."""
        return None

    def transposed_inputs(self, inputs: Types) -> tuple[int, ...] | None:
        """How to compute the output with its last two dimensions exchanged.

        Numbers of inputs: the operator itself computes it from these, each with its last two
        dimensions exchanged. None where it does not.
        """
        return None

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Other ways to compute it, each cut along something that its own blocks have whole."""
        return ()

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        """Cells along each axis of the output that are computed together; 0 for all of an axis.

        Blocks end at multiples of it, or at the end of the axis. () where any cut will do.
        """
        return ()

    def turns(self, inputs: Types) -> Turns | None:
        """How its block may be computed piece by piece, so that a piece alone is in memory.

        None where the kernel must see the block that it is asked for.
        """
        return CELL_BY_CELL if self.transparent else None

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Operations that computing the cells `box` of the output takes."""
        return 0

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """Bytes that the block of the cells `box` of the output, of `type_`, takes itself."""
        return box.size * type_.dtype.itemsize if self.copies else 0

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Bytes that its kernel takes for the cells `box`, besides what it reads and returns."""
        return 0

    def own_costs(self, inputs: Types, box: ZRange) -> Mapping[str, float]:
        """Amounts of the resources that a user has named, for the cells `box` of the output."""
        return NO_COSTS

    def stored_bytes(self, box: ZRange) -> int:
        """Bytes read from storage for `box`, as whole stored chunks; 0 for what is no source."""
        return 0

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        """What blocks of its output are held in, for inputs that are held in `formats`."""
        return self.format

    @property
    def label(self) -> str:
        """What explanations, errors and keys of tasks call it: its name, or a user function's."""
        return self.name

    @property
    def called(self) -> str:
        """First word of the name of an array that it makes; empty if that stays its input's."""
        return self.label

    @property
    def layout(self) -> tuple[Cuts, ...] | None:
        """Cuts in which the output must be held; None where the plan chooses."""
        return None

    @property
    def tells_chunks(self) -> bool:
        """Whether its nominal chunks are its own, whatever its inputs have."""
        return self.layout is not None

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Nominal chunks along the output's axes: its own, or what `follow` makes of `chunks`."""
        return self.follow(inputs, chunks) if self.layout is None else declared_chunks(self.layout)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """How `chunks` of inputs pass to the output, None where nothing tells; as demands do."""
        shape, shapes = self.infer(*inputs).shape, [x.shape for x in inputs]
        if self.is_formula and all(own == shape for own in shapes):
            return tuple([common_chunks(axis) for axis in zip(*chunks, strict=True)])
        return followed(lambda box: self.demand(inputs, box), shape, shapes, chunks)

    @property
    def stored_cuts(self) -> tuple[Cuts | None, ...] | None:
        """The grid that a source's data is stored in, on which sums depend; None where in none."""
        return None

    @property
    def local_only(self) -> str | None:
        """Why only this process can read or write, or None where any can."""
        return None

    def text(self) -> str:
        """Parameters as the graph prints them."""
        return ""

    def way_out(self) -> str:
        """What to do where its smallest block is too large for a worker; nothing by default."""
        return ""

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The operator's meaning on whole NumPy arrays."""
        raise NotImplementedError(f"{self.name} has no NumPy meaning")


class BlockOperator(Operator):
    """An operator with a signature, from which its demands and its restriction follow.

    Class attributes
    ----------------
    clips
        Its first windows may begin before an input, and are as much shorter.

    Source: Tapestry whitepaper, "Block Operator Nodes".
    """

    category = "block"
    fills = True
    clips: ClassVar[bool] = False

    @abstractmethod
    def signature(self, *inputs: TensorType) -> Signature:
        """Index space and projections for inputs of these types."""

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return signature_of(self, inputs).demand(box)

    def demanding(self, inputs: Types) -> Demanding:
        return signature_of(self, inputs).demand

    def regularity(self, inputs: Types) -> Regularity | None:
        return by_signature(self, inputs)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        """The cells that one step of the index space writes; all where it has the axis whole."""
        signature = signature_of(self, inputs)
        axes = range(signature.outputs[0].out_ndim)
        return tuple([signature.together(0, axis) for axis in axes])

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        """Cells are read once if every parallel dimension moves the input's box."""
        signature = signature_of(self, inputs)
        parallel = [d for d, dim in enumerate(signature.index) if dim.kind is Kind.PARALLEL]
        return tuple(
            all(any(row[dim] for row in projection.matrix) for dim in parallel)
            for projection in signature.inputs
        )

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Push a region of the output through the projections of a pointwise output.

        A parallel index dimension is restricted where it moves every tensor it touches by one
        cell a step; the same operator, on smaller inputs, then yields exactly the region.
        """
        signature = signature_of(self, inputs)
        kept = list(Region.whole(tuple(dim.extent for dim in signature.index)))
        for axis, progression in enumerate(region):
            dim = signature.owner(0, axis)
            if dim is not None:
                kept[dim] = progression
            elif not progression.is_whole(1):
                return None
        regions = []
        projections = (*signature.outputs, *signature.inputs)
        for projection, type_ in zip(projections, (self.infer(*inputs), *inputs), strict=True):
            pushed = Region.project(projection, kept, type_.shape)
            if pushed is None:
                return None
            regions.append(pushed)
        return Restriction(self, tuple(regions[1:]), region) if regions[0] == region else None


def uniform(self: Operator, inputs: Types) -> Regularity | None:
    """The `regularity` of operators that treat all cells alike."""
    return uniform_regularity(self.infer(*inputs).ndim)


def clipped(self: BlockOperator, inputs: Types) -> Demanding:
    """The `demanding` of what reads as its signature tells, clipped to its inputs.

    Inputs that are read alike are clipped once: of two dozen that are folded together all are.
    """
    signature = signature_of(self, inputs)
    demand, alike = signature.demand, dict[object, int]()
    keys = [(own, x.shape) for own, x in zip(signature.inputs, inputs, strict=True)]
    numbers = [alike.setdefault(key, len(alike)) for key in keys]
    first = [(at, inputs[at]) for at in map(numbers.index, alike.values())]

    def clip(box: ZRange) -> tuple[ZRange, ...]:
        boxes = demand(box)
        known = [x.clip(boxes[at]) for at, x in first]
        return tuple([known[number] for number in numbers])

    return clip


def by_signature(self: BlockOperator, inputs: Types) -> Regularity | None:
    """The `regularity` of what reads as its signature tells, clipped to its inputs."""
    return of_signature(signature_of(self, inputs), [x.shape for x in inputs])


@lru_cache(maxsize=4096)
def signature_of(operator: BlockOperator, inputs: Types) -> Signature:
    """Signature of `operator` for inputs of these types, remembered: each block asks for it."""
    return operator.signature(*inputs)
