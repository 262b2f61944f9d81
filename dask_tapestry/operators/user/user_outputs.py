"""UserOutputs: several outputs of one function of blocks, each with a projection of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from dask_tapestry.first import first_of
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.user.user_operator import UserOperator
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.outputs import OutputWindow, output_layout, outputs_dtype, windows_of
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.output_blocks import OutputBlocks


@dataclass(frozen=True)
class UserOutputs(UserOperator):
    """A block is what `function` returns for a block of each input: an array for each output.

    Its value has a cell for each point of the parallel dimensions, which all outputs follow.

    Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".

    Attributes
    ----------
    dtype
        What an index point writes of each output: an `OutputsDType`.
    numbers
        For each output, its place among the results of the function.
    returned
        How many results the function returns.
    """

    name = "useroutputs"
    fills = False
    skips = False
    numbers: tuple[int, ...] = ()
    returned: int = 0

    @property
    def kernel(self) -> str:  # type: ignore[override]  # it depends on the function
        """What calls the function: one that a device may have too, where it is of threads."""
        return "calloutputs" if self._threads is None else "threadoutputs"

    @property
    def windows(self) -> tuple[OutputWindow, ...]:
        """What an index point writes of each output."""
        return windows_of(TensorType((), self.dtype))

    def keeping(self, names: Collection[str]) -> UserOutputs:
        kept = [n for n, window in enumerate(self.windows) if window.name in names]
        return replace(
            self,
            dtype=outputs_dtype(tuple(self.windows[n] for n in kept)),
            numbers=tuple(self.numbers[n] for n in kept),
        )

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"points": box.shape, **self._kernel_arguments}

    @property
    def _kernel_arguments(self) -> dict[str, Any]:
        return {
            "function": self.function,
            "outputs": tuple(map(output_layout, self.windows)),
            "numbers": self.numbers,
            "returned": self.returned,
        }

    def text(self) -> str:
        return f"{self.function.name} -> {', '.join(window.name for window in self.windows)}"

    def reference(self, *inputs: Any) -> Any:
        results = self.function(*inputs)
        arrays = [results[number] for number in self.numbers]
        points = [self.index[dim].extent for dim in self._parallel]
        return OutputBlocks(points, tuple(map(output_layout, self.windows)), arrays)

    @property
    def _parallel(self) -> list[int]:
        """Numbers of the dimensions that the outputs follow."""
        rows = [[d for d, c in enumerate(row) if c] for row in self.writes.matrix]
        return [first_of(dims, "dimension that an output follows") for dims in rows]
