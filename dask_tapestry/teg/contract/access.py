"""Access of an operator: what it yields, and which cells of its inputs that is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from dask_tapestry.teg.contract.abstract_class import AbstractClass
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.teg.types import TensorType, Types
from dask_tapestry.zspace import ZAffineMap, ZRange

Demanding = Callable[[ZRange], tuple[ZRange, ...]]  # the boxes of inputs that a box is made of


class AccessContract(AbstractClass):
    """The type of an operator's output, and the boxes of its inputs that a box of it needs.

    Every operator says its type, which is asked for when a node is built, and its demand, by which
    planner and workers know what a block reads. `pieces` and `demanding` are for those whose demand
    is slow or wide, `regularity` for those that treat blocks alike: a plan then looks at a few of
    them. Fusion and rules ask what kind of operator it is.

    Class attributes
    ----------------
    is_formula
        Its output is a formula of its inputs' cells at the same place, the only one of `formulas`.
    is_window
        Each cell of its output is computed from a window of cells.
    is_selector
        Each cell of its output is a cell of an input.
    meets_all_inputs
        A selector each block of which has cells of all inputs, or is made by cells of them.
    is_view
        Its blocks are NumPy views of its only input's, as its `cell_map` says.
    reads_parts
        It may leave cells of its inputs unread, which for others a selector trims.
    """

    is_formula: ClassVar[bool] = False
    is_window: ClassVar[bool] = False
    is_selector: ClassVar[bool] = False
    meets_all_inputs: ClassVar[bool] = False
    is_view: ClassVar[bool] = False
    reads_parts: ClassVar[bool] = False

    @abstractmethod
    def infer(self, *inputs: TensorType) -> TensorType:
        """Type of the value; raises `ShapeError` or `DTypeError` where inputs do not fit.

        The value is the output, or of several outputs the index points that write them: then the
        dtype is an `OutputsDType`, with the window of each output that a point writes.
        """

    def require_names(self, inputs: Types) -> None:
        """Raise `ShapeError` where names of dimensions do not fit, as a user writes them.

        Rules may put values under other names in the place of inputs: `infer` takes any.
        """
        return  # by default any do

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

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        """For each input, whether blocks of the output together read each of its cells once."""
        return (False,) * len(inputs)

    def cell_map(self, inputs: Types) -> ZAffineMap | None:
        """Coordinates of the input's cell that each cell of a view shows; None for no view."""
        return None
