"""The contract of an operator: everything that planner, rules and lowering learn of it.

An operator is a frozen dataclass of its parameters, without inputs. It says what type it yields,
which boxes of its inputs a box of its output is made of, which kernel computes a block, and, where
it can, how to compute no more than a region. Planner and lowering read these declarations and name
no operator. They come in groups, each a class of `contract/`; what rules ask for is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from dask_tapestry.cells import CellExpression
from dask_tapestry.teg.contract.access import Demanding as Demanding
from dask_tapestry.teg.contract.kernel_call import Formats as Formats
from dask_tapestry.teg.contract.kernel_call import KernelContract
from dask_tapestry.teg.contract.layout import LayoutContract
from dask_tapestry.teg.contract.streaming import StreamingContract
from dask_tapestry.teg.contract.value import ValueContract
from dask_tapestry.teg.form import Form
from dask_tapestry.teg.region import Region
from dask_tapestry.teg.regularity import Regularity, of_signature, uniform_regularity
from dask_tapestry.teg.signature import Kind, Signature
from dask_tapestry.teg.types import TensorType
from dask_tapestry.teg.types import Types as Types
from dask_tapestry.zspace import ZRange


class Restriction(NamedTuple):
    """An operator that, on regions of the inputs, yields the region `yields` of the output."""

    operator: Operator
    inputs: tuple[Region, ...]
    yields: Region


class Operator(KernelContract, StreamingContract, LayoutContract, ValueContract):
    """An operator of the graph language; subclasses are frozen dataclasses.

    What an operator declares comes in groups; the class that a group names says who asks for it.

    =====================  =========================================================================
    group                  what most operators write
    =====================  =========================================================================
    `NamingContract`       `name`; `text`, if it has parameters
    `AccessContract`       `infer`, and `demand`: a `BlockOperator` writes a signature instead
    `KernelContract`       `kernel`, `arguments` and `reference`
    `CostContract`         `flops`; `transparent`, if it costs next to nothing
    `StreamingContract`    `turns`, if blocks may be computed piece by piece
    `LayoutContract`       nothing
    `ValueContract`        `repeats`, if no cell depends on blocks; `value_span`, of few integers
    =====================  =========================================================================

    What rules and the planner ask to compute something else instead is declared here: to read
    through other formulas, to compute a region, some of several outputs, or another form.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """What is known of all boxes is not inherited by a class that declares demands anew."""
        super().__init_subclass__(**options)
        own = vars(cls)
        if ("demand" in own or "pieces" in own) and "regularity" not in own:
            cls.regularity = Operator.regularity  # type: ignore[method-assign]
        if "demand" in own and "demanding" not in own:
            cls.demanding = Operator.demanding  # type: ignore[method-assign]

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        """The formulas of the inputs' cells through which it reads; () for none.

        Formulas before it can be written into them, so that their values need no memory.
        """
        return ()

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> Operator:
        """The operator, reading other inputs through other `formulas`."""
        raise NotImplementedError(f"{self.name} does not read through formulas")

    @property
    def formulas_apart(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of formulas that read their inputs together, each group its own; () for one.

        What several groups read is an input for each of them.
        """
        return ()

    def without_constants(self, inputs: Types) -> Operator:
        """What operators have in common whose formulas differ in the values of constants alone.

        It reads and takes what they do, but is not computed with.
        """
        formulas = self.formulas(inputs)
        plain = tuple([one.without_constants for one in formulas])
        same = all(a is b for a, b in zip(plain, formulas, strict=True))
        return self if same else self.with_formulas(plain)

    def without_places(self, inputs: Types) -> Operator:
        """What operators have in common that are planned alike, as they differ in places alone.

        So do slices of one length. By default what differs in the values of constants alone.
        """
        return self.without_constants(inputs)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """How to compute `region`, or little more, of the output; None to compute all of it."""
        return None

    def keeping(self, names: Collection[str]) -> Operator:
        """The operator with only the outputs in `names`, in its own order.

        One whose value is a tensor has none to leave out.
        """
        raise NotImplementedError(f"{self.name} has one output")

    def alone(self, output: str) -> Operator | None:
        """What computes one of its several outputs for less, where nobody reads the others.

        It takes the same inputs, and its value is that output; None where there is none.
        """
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
        return tuple([signature.cells_per_step(0, axis) for axis in axes])

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
        index_region = list(Region.whole(tuple(dim.extent for dim in signature.index)))
        for axis, progression in enumerate(region):
            dim = signature.owner(0, axis)
            if dim is not None:
                index_region[dim] = progression
            elif not progression.is_whole(1):
                return None
        regions = []
        projections = (*signature.outputs, *signature.inputs)
        for projection, type_ in zip(projections, (self.infer(*inputs), *inputs), strict=True):
            pushed = Region.project(projection, index_region, type_.shape)
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
