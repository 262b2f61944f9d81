"""A simulated device: its blocks are NumPy's, so that kernels for a missing GPU can be compiled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry_kernels.block_format import BlockFormat, with_all_cells


@dataclass(frozen=True)
class SimulatedDevice(BlockFormat):
    """The format of a device's arrays, in the memory of the host."""

    @classmethod
    def like(cls, known: BlockFormat | None) -> BlockFormat | None:
        """What stands in for a device; another format, and None, as they are."""
        if known is None or not known.on_device:
            return known
        return cls(known.module, known.name, known.fill, known.number)

    def current(self) -> AbstractContextManager[Any]:
        """Nothing to do: the host's memory is there."""
        return nullcontext()

    def holding(self, cells: Any) -> Any:
        """The cells as they are."""
        return np.asarray(cells)

    def of_block(self, block: Any) -> Any:
        """A block as it is."""
        return with_all_cells(block)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """Zeros."""
        return np.zeros(tuple(shape), dtype)


def without_device(spec: StepSpec) -> StepSpec:
    """A step whose blocks need no device, and call the same kernels of one."""
    if spec.program.device is None and not any(spec.program.devices):
        return spec
    made = tuple(one._replace(device=_made_up(one.device)) for one in spec.program.instructions)
    lie = tuple(map(_made_up, spec.program.devices))
    program = replace(spec.program, instructions=made, devices=lie)
    return replace(spec, program=program, format=_made_up(spec.format), device=None)


def _made_up(known: BlockFormat | None) -> BlockFormat | None:
    return SimulatedDevice.like(known)
