"""TiledReductions: several reductions of the same cells, over different axes, in one pass.

Its index points are tiles (`common_tile`), and each tile writes a window of every output: the nodes
of one reduction within the tile. Nodes of a reduction are a tensor that the rest of its canonical
tree folds, as it folds those of a reduction alone; so no bit depends on what shares the pass.

A window is as large for the tiles at the edges as for the others. What it has beyond the array is
nothing that anybody reads.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.common_tile import (
    FoldedAxes,
    NodesOfTile,
    common_tile,
    highest_level,
    lengthened_tile,
    nodes_of_tile,
    tiles_along,
)
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.views.output import Output
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Signature,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Types, by_signature, clipped
from dask_tapestry.teg.outputs import OutputWindow, output_layout, outputs_dtype
from dask_tapestry.teg.turns import CELL_BY_CELL
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.tiled_fold import TiledFold

Fold = Reduce | JointReductions


@dataclass(frozen=True)
class TiledReductions(BlockOperator):
    """The nodes in each tile of reductions whose inputs have one shape.

    Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".

    Attributes
    ----------
    tile
        The tiles.
    folds
        The reductions from cells, each to the level whose nodes it yields.
    names
        Those of their outputs.
    """

    name = "tiledreductions"
    kernel = "tiledreductions"
    clips = True
    fills = False
    any_cells = True
    tile: Lattice
    folds: tuple[Fold, ...]
    names: tuple[str, ...]

    @property
    def called(self) -> str:
        return "-".join(dict.fromkeys(fold.called for fold in self.folds))

    def keeping(self, names: Collection[str]) -> TiledReductions:
        kept = [number for number, name in enumerate(self.names) if name in names]
        return replace(
            self,
            folds=tuple([self.folds[number] for number in kept]),
            names=tuple([self.names[number] for number in kept]),
        )

    def infer(self, *inputs: TensorType) -> TensorType:
        x = inputs[0]
        windows = [
            OutputWindow(name, fold.infer(*inputs).dtype, self._window(fold, x.shape))
            for name, fold in zip(self.names, self.folds, strict=True)
        ]
        return TensorType(tiles_along(x.shape, self.tile), outputs_dtype(tuple(windows)), x.dims)

    def _window(self, fold: Fold, shape: tuple[int, ...]) -> IndexProjection:
        widths = [nodes.width for nodes in self.nodes_along(fold, shape)]
        return IndexProjection(_diagonal(widths), (0,) * len(widths), widths)

    def nodes_along(self, fold: Fold, shape: tuple[int, ...]) -> tuple[NodesOfTile, ...]:
        """How its nodes lie in tiles, along each axis."""
        assert fold.target is not None
        return nodes_of_tile(FoldedAxes(fold.axes, fold.tree), fold.target, shape, self.tile)

    def signature(self, *inputs: TensorType) -> Signature:
        tiles = tiles_along(inputs[0].shape, self.tile)
        index = tuple([IndexDim(f"t{axis}", n) for axis, n in enumerate(tiles)])
        reads = IndexProjection(_diagonal(self.tile.sides), self.tile.offset, self.tile.sides)
        return Signature(index, (reads,) * len(inputs), (IndexProjection.identity(len(tiles)),))

    regularity = by_signature

    demanding = clipped

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def turns(self, inputs: Types) -> Turns | None:
        return CELL_BY_CELL

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        windows = zip(self.infer(*inputs).dtype.windows, self.folds, strict=True)  # type: ignore[attr-defined]
        return {
            "points": box.shape,
            "folds": tuple(
                [
                    TiledFold(
                        fold.kernel,
                        _of_whole_boxes(fold.arguments(inputs, box, boxes)),
                        output_layout(window),
                        self._made(fold, inputs, box),
                    )
                    for window, fold in windows
                ]
            ),
        }

    def _made(self, fold: Fold, inputs: Types, box: ZRange) -> tuple[slice, ...]:
        """Which cells of its output the nodes of a fold are, of those that tiles write."""
        nodes, counts = self.nodes_along(fold, inputs[0].shape), fold.infer(*inputs).shape
        places = []
        for (width, lead), n, lo, hi in zip(nodes, counts, box.lo, box.hi, strict=True):
            first = lo * width
            places.append(slice(max(lead, first) - first, min(lead + n, hi * width) - first))
        return tuple(places)

    def flops(self, inputs: Types, box: ZRange) -> int:
        (read, *_) = self.demand(inputs, box)
        return sum(one.flops_of(read) for fold in self.folds for one in _each(fold))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What the fold takes that takes most: they fold one after the other."""
        (read, *_) = self.demand(inputs, box)
        return max(sum(one.scratch_of(read) for one in _each(fold)) for fold in self.folds)

    def text(self) -> str:
        return "; ".join(fold.text() for fold in self.folds)


@lru_cache(maxsize=4096)
def _demand(operator: TiledReductions, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    return operator.demanding(inputs)(box)


def _of_whole_boxes(told: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a fold is told where its tiles are read whole, not from the first selected cell on."""
    if "parts" not in told:
        return {**told, "spans": None}
    return {**told, "parts": tuple([_of_whole_boxes(part) for part in told["parts"]])}


def _each(fold: Fold) -> tuple[Reduce, ...]:
    return fold.parts if isinstance(fold, JointReductions) else (fold,)


def _diagonal(steps: Sequence[int]) -> list[tuple[int, ...]]:
    return [tuple([n * (axis == at) for at in range(len(steps))]) for axis, n in enumerate(steps)]


def tiled_reductions(
    folds: Sequence[Fold], inputs: Types, cell_bytes: int
) -> TiledReductions | None:
    """One pass for whole reductions of inputs of one shape; None where no nodes end together.

    Nodes take few bytes beside `cell_bytes`, those that are read for a cell.
    """
    trees, shape = [FoldedAxes(fold.axes, fold.tree) for fold in folds], inputs[0].shape
    tile = common_tile(shape, trees)
    if tile is None:
        return None
    node_bytes = [fold.part(None, 0).infer(*inputs).dtype.itemsize for fold in folds]
    tile = lengthened_tile(shape, tile, trees, cell_bytes, node_bytes)
    levels = [highest_level(tree, shape, tile) for tree in trees]
    first = [fold.part(None, level) for fold, level in zip(folds, levels, strict=True)]
    return TiledReductions(tile, tuple(first), tuple([f"f{n}" for n in range(len(folds))]))


def reduced_further(together: Tensor, name: str, whole: Fold, line: str | None) -> Tensor:
    """The value of a whole reduction, of whose nodes a pass over tiles makes the output `name`."""
    operator = together.operator
    assert isinstance(operator, TiledReductions)
    written = apply(Output(name), together, line=line)
    fold, (x, *_) = operator.folds[operator.names.index(name)], together.input_types
    shape = fold.infer(*together.input_types).shape
    if written.type.shape != shape:
        leads = [nodes.lead for nodes in operator.nodes_along(fold, x.shape)]
        axes = tuple([ViewAxis(axis, lead, 1) for axis, lead in enumerate(leads)])
        written = apply(View(shape, axes), written, line=line)
    return apply(whole.part(fold.target, None), written, line=line)
