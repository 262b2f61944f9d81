"""StepSpec: a step as its tasks know it, pickled once, unpickled once a process."""

from __future__ import annotations

import pickle
from dataclasses import field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Final

import cloudpickle

from dask_tapestry.imports import LateModule, unpickle
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.lower.cancellation import Cancellation, WorkerCancellation
from dask_tapestry.lower.device_turns import DeviceUse
from dask_tapestry.lower.fp_error_events import ErrorLog, current_log
from dask_tapestry.lower.loaded_specs import LoadedSpecs
from dask_tapestry.lower.tuning import FEW_BLOCKS
from dask_tapestry.lower.version_mark import OfAnotherVersion, marked, unmarked
from dask_tapestry.planner.tuning import DEVICE_BLOCKS
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.symmetric_blocks import is_symmetric
from dask_tapestry.zspace import Cuts, ZRange, block_box
from dask_tapestry_kernels.block_format import BlockFormat

if TYPE_CHECKING:
    from dask_tapestry.planner.access import access as accesses
    from dask_tapestry.planner.cost import chunk_threads
    from dask_tapestry.planner.cost.step import Step
else:
    chunk_threads = LateModule("dask_tapestry.planner.cost.chunk_threads")
    accesses = LateModule("dask_tapestry.planner.access.access")  # no worker asks for it

_loaded: Final[LoadedSpecs[StepSpec]] = LoadedSpecs()


@dataclass(frozen=True)
class StepSpec:
    """What every task of a step knows.

    Attributes
    ----------
    input_cuts
        None for arrays in memory.
    threads
        That libraries below may start for a block; None for their own choice.
    heard
        Whom blocks tell what goes wrong; None where nobody asks.
    format
        What its blocks are held in; None for NumPy's arrays.
    stop
        By what blocks are asked to stop.
    turns
        Name of the blocks of which a worker computes one at a time; "" if others may be beside.
    device
        How blocks use the devices of a worker; None of those of the host.
    cores
        Threads of a worker that may be busy with stored chunks: those that compute no block help.
    """

    name: str
    program: Program
    cuts: tuple[Cuts, ...]
    input_cuts: tuple[tuple[Cuts, ...] | None, ...]
    threads: int | None = 1
    heard: ErrorLog | None = field(default=None, compare=False, repr=False)
    format: BlockFormat | None = None
    stop: Cancellation = field(default_factory=WorkerCancellation, compare=False, repr=False)
    turns: str = ""
    device: DeviceUse | None = None
    cores: int = 1
    payload: list[bytes] = field(default_factory=list, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        step: Step,
        input_cuts: tuple[tuple[Cuts, ...] | None, ...],
        stop: Cancellation,
        run: str = "",
    ) -> StepSpec:
        """Return the specification of a step, whose blocks `stop` stops, in a compute `run`."""
        machine, threads = step.machine, cls.threads
        if step.count <= machine.workers:
            threads = None if machine.local else machine.threads
        known = step.node.format
        turns = run if machine.alone and not machine.device else ""
        parts = step.name, step.program, step.cuts, input_cuts, threads
        use = (
            turns,
            _device_use(step, run),
            chunk_threads.chunk_threads(step.program, step.count, machine),
        )
        return cls(*parts, current_log(), known, stop, *use)

    def of_compute(self, heard: ErrorLog | None, stop: Cancellation) -> StepSpec:
        """The same of another compute, with what is known of its blocks."""
        other = object.__new__(StepSpec)
        other.__dict__.update(self.__dict__, heard=heard, stop=stop)
        return other

    @property
    def grid_shape(self) -> tuple[int, ...]:
        """Number of blocks along each dimension."""
        return tuple(c.count for c in self.cuts)

    @cached_property
    def count(self) -> int:
        """Number of blocks."""
        return prod(self.grid_shape)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the blocks below the diagonal are transposes of those above."""
        return self.format is None and is_symmetric(self.program, self.cuts)

    @cached_property
    def foreign_inputs(self) -> frozenset[int]:
        """Numbers of the inputs that functions of the user alone read, in whatever format."""
        read_by: dict[int, bool] = {}
        for one in self.program.instructions:
            for source in one.inputs:
                read_by[source] = read_by.get(source, True) and one.operator.any_format
        return frozenset(n for n in range(len(self.program.inputs)) if read_by.get(n, False))

    def box(self, index: tuple[int, ...]) -> ZRange:
        """Box of a block."""
        if self.count > FEW_BLOCKS:
            return block_box(self.cuts, index)
        box = self._boxes.get(index)
        if box is None:
            box = self._boxes[index] = block_box(self.cuts, index)
        return box

    @cached_property
    def _boxes(self) -> dict[tuple[int, ...], ZRange]:
        """Those that were asked for, of few blocks."""
        return {}

    @cached_property
    def access(self) -> accesses.Access | None:
        """What blocks read, by classes of them; None where it is as quick to look at each."""
        return accesses.Access.of(self.program, self.cuts) if self.count > FEW_BLOCKS else None

    def input_boxes(self, index: tuple[int, ...]) -> tuple[tuple[ZRange, ...], ...]:
        """Boxes of each external input that a block reads."""
        if self.access is None:
            return self.program.input_boxes(self.box(index))
        return self.access.boxes(index)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.payload:
            own = (self.program, self.cuts, self.input_cuts, self.threads)
            used = self.format, self.turns, self.device, self.cores
            self.payload.append(marked(_dumps((*own, *used))))
        return _load, (self.name, self.payload[0], self.heard)

    def __dask_tokenize__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<StepSpec {self.name}>"


def _device_use(step: Step, run: str) -> DeviceUse | None:
    """How the blocks of a step in a compute use the devices of a worker."""
    machine, program = step.machine, step.program
    if not machine.device or program.device is None:
        return None
    blocks = 1 if machine.alone else DEVICE_BLOCKS
    label = program.instructions[-1].operator.label
    return DeviceUse(run, program.device.number, machine.devices, blocks, machine.usable, label)


def _dumps(parts: Any) -> bytes:
    """Pickle `parts`; what a user's script or notebook defines travels by value."""
    try:
        payload = pickle.dumps(parts, pickle.HIGHEST_PROTOCOL)
    except (AttributeError, TypeError, pickle.PicklingError):
        return bytes(cloudpickle.dumps(parts))
    return bytes(cloudpickle.dumps(parts)) if b"__main__" in payload else payload


def _load(name: str, payload: bytes, heard: ErrorLog | None) -> StepSpec:
    key = f"{name} {hash(payload)}"  # a sink of the same name writes in another compute
    if heard is not None:
        key = f"{key} {heard.run}"
    loaded = _loaded.get(key)
    if loaded is not None:
        return loaded
    own = unmarked(payload)
    if own is None:
        return OfAnotherVersion(payload)  # type: ignore[return-value]  # fails when it is used
    program, cuts, input_cuts, threads, known, *used = unpickle(own)
    turns, device, cores = used
    parts = name, program, cuts, input_cuts, threads
    use = {"turns": turns, "device": device, "cores": cores}
    spec = StepSpec(*parts, heard, known, **use, payload=[payload])
    return _loaded.keep(key, spec, len(payload))
