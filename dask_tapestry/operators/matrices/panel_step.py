"""PanelStep: what is done to panels of a large matrix, and to strips and tiles of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.joins.concat import met_part
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_operator import MatrixFactors, MatrixFunction, Result
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import Cuts, ZRange

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class PanelStep(MatrixFunction):
    """A kernel of blocks that have some dimensions whole and are cut along others.

    Attributes
    ----------
    kernel
        Name of the kernel.
    reads, work, cut
        As of `MatrixOperator`.
    taken
        Copies of a block of the output, that it takes besides what it reads and returns.
    writes
        Letters of the output's dimensions.
    dtype
        Of the output.
    given
        What the kernel takes beside blocks.
    """

    name = "panelstep"
    fills = True
    hands_over = False  # a block that a panel does not change is returned as it is
    kernel: str  # type: ignore[misc]  # one class for the many steps of panels
    reads: tuple[str, ...]
    writes: str
    dtype: np.dtype[Any]
    work: tuple[str, float]
    cut: str = ""
    taken: float = 1.5
    given: Options = ()

    @property
    def label(self) -> str:
        return self.kernel

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("made", self.writes, self.dtype),)

    def options(self) -> Mapping[str, Any]:
        return dict(self.given)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return ceil(self.taken * box.size * self.dtype.itemsize)

    def text(self) -> str:
        return ", ".join([self.kernel, *filter(None, [super().text()])])

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class PanelTiles(PanelStep):
    """A step that is held in tiles of its own, and reads parts of its inputs where they lie.

    Attributes
    ----------
    cuts
        Of the output.
    sides
        Length of each dimension, by letter.
    firsts
        Of each input the first cell that is read.
    """

    name = "paneltiles"
    holds = True
    reads_parts = True
    cuts: tuple[Cuts, ...] = ()
    sides: tuple[tuple[str, int], ...] = ()
    firsts: tuple[tuple[int, ...], ...] = ()

    @property
    def layout(self) -> tuple[Cuts, ...]:
        return self.cuts

    def lengths(self, inputs: Types) -> dict[str, int]:
        return dict(self.sides)

    def signature(self, *inputs: TensorType) -> Signature:
        whole = super().signature(*inputs)
        pairs = zip(whole.inputs, self.firsts, strict=True)
        reads = tuple([read.translate(first) for read, first in pairs])
        return Signature(whole.index, reads, whole.outputs)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        lengths, parts = dict(self.sides), []
        for x, letters, first in zip(inputs, self.reads, self.firsts, strict=True):
            runs = [slice(a, a + lengths[d]) for d, a in zip(letters, first, strict=True)]
            parts.append(x[tuple(runs)])
        return kernel_reference(self, *parts)


@dataclass(frozen=True)
class PanelFactors(MatrixFactors):
    """A kernel that makes several results of a panel, which is whole.

    Attributes
    ----------
    kernel, reads, work, taken
        As of `PanelStep`; copies are those of the first result.
    kept
        Names of the results that are outputs.
    made
        The results.
    """

    name = "panelfactors"
    kernel: str  # type: ignore[misc]  # as of `PanelStep`
    reads: tuple[str, ...]
    kept: tuple[str, ...]
    made: tuple[Result, ...]
    work: tuple[str, float]
    taken: float

    @property
    def label(self) -> str:
        return self.kernel

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return self.made

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        lengths, first = self.lengths(inputs), self.made[0]
        cells = prod([lengths[d] for d in first.letters])
        return ceil(self.taken * cells * first.dtype.itemsize)

    def text(self) -> str:
        return f"{self.kernel} {super().text()}"

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        blocks: Any = kernel_reference(self, *inputs)
        return [blocks[result.name] for result in self.made]


@dataclass(frozen=True)
class HeldCopy(MatrixFunction):
    """A copy that is held, however cheap it were to copy again."""

    name = "heldcopy"
    kernel = "copied"
    fills = True
    holds = True
    hands_over = False
    taken = 0.0
    in_double = False
    reads: tuple[str, ...]
    work: tuple[str, float]
    cut: str

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("copy", self.cut, inputs[0].dtype),)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.array(inputs[0])


def panel_step(
    kernel: str,
    inputs: Sequence[tuple[Tensor, str]],
    output: tuple[str, np.dtype[Any]],
    work: tuple[str, float],
    cut: str = "",
    taken: float = 1.5,
    **options: Any,
) -> Tensor:
    """The value of a kernel of panels.

    Parameters
    ----------
    inputs
        Each with a letter for each of its dimensions.
    output
        Letters of its dimensions, and its dtype.
    work
        Letters and a factor: the product of their lengths and the factor is the number of
        operations.
    cut
        Letters of dimensions along which it may be cut.
    taken
        Copies of a block of the output: by default one of what LAPACK changes and half of one for
        products.
    """
    letters, dtype = output
    reads, given = tuple([named for _, named in inputs]), tuple(options.items())
    operator = PanelStep(kernel, reads, letters, dtype, work, cut, taken, given)
    return apply(operator, *[x for x, _ in inputs])


class Part(NamedTuple):
    """What a step reads of a matrix: letters of its dimensions, and where it begins."""

    matrix: Tensor
    letters: str
    first: tuple[int, ...] = (0, 0)

    def narrowed(self, sides: Mapping[str, int]) -> Part:
        """The same cells, of those of joined matrices that have some; `sides` are lengths."""
        lengths = [sides[d] for d in self.letters]
        if 0 in lengths:
            return self
        matrix, first = met_part(self.matrix, self.first, lengths)
        return Part(matrix, self.letters, first)


def panel_tiles(
    kernel: str,
    parts: Sequence[Part],
    output: tuple[str, np.dtype[Any]],
    work: tuple[str, float],
    sides: Mapping[str, int],
    tiles: Mapping[str, int],
    taken: float = 0.0,
    **options: Any,
) -> Tensor:
    """The value of a kernel of panels in tiles.

    Parameters
    ----------
    output, work
        As of `panel_step`.
    sides
        Length of each dimension, by letter.
    tiles
        Length of a tile along dimensions that it has not whole.
    taken
        Copies of a tile, that it takes besides what it reads and returns.
    """
    letters, dtype = output
    cuts = tuple([Cuts.regular(sides[d], max(1, tiles.get(d, sides[d]))) for d in letters])
    cut = "".join([d for d, one in zip(letters, cuts, strict=True) if one.count > 1])
    parts = [part.narrowed(sides) for part in parts]
    reads, firsts = tuple([p.letters for p in parts]), tuple([p.first for p in parts])
    lengths, given = tuple(sides.items()), tuple(options.items())
    operator = PanelTiles(
        kernel, reads, letters, dtype, work, cut, taken, given, cuts, lengths, firsts
    )
    return apply(operator, *[p.matrix for p in parts])


def panel_factors(
    kernel: str,
    inputs: Sequence[tuple[Tensor, str]],
    made: Mapping[str, np.dtype[Any]],
    work: tuple[str, float],
    taken: float,
) -> tuple[Tensor, ...]:
    """The results of a kernel of a panel, each with the letters of its dimensions and its dtype."""
    results = tuple([Result(f"{n}", *one) for n, one in enumerate(made.items())])
    names, reads = tuple([one.name for one in results]), tuple([named for _, named in inputs])
    operator = PanelFactors(kernel, reads, names, results, work, taken)
    return outputs(apply(operator, *[x for x, _ in inputs]))


def spread(x: Tensor) -> Tensor:
    """A copy of a matrix or a vector, held in blocks of its own: many may keep what one has made.

    A part of it alone would keep all of it in the memory of that worker.
    """
    dims = "mn"[: x.type.ndim]
    return apply(HeldCopy((dims,), (dims, 1.0), dims), x)
