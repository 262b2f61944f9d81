"""Turns of blocks on the devices of a worker: which device computes one, and when.

While a device computes one block, the cells of another come from a store or over the link. More
would take memory of the device that a plan has not counted. Of several devices of a worker a block
takes the one where most of what it reads lies, and else the one that was given the fewest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Condition
from typing import Any, NamedTuple

from dask_tapestry.basic_errors import TapestryError
from dask_tapestry.compute_errors import compute_error
from dask_tapestry.lower.tuning import WAITER_LOOK_SECONDS
from dask_tapestry_kernels.block_format import is_on_device
from dask_tapestry_kernels.device_work import at_work
from dask_tapestry_kernels.stopping import StoppedError, stop_if_asked


class DeviceUse(NamedTuple):
    """How blocks of a step use the devices of a worker.

    Attributes
    ----------
    run
        Name of the blocks that take turns.
    number
        The device that computes all of them; None where any of the worker's may.
    devices
        How many a worker has.
    blocks
        That one device has at a time.
    bytes
        Of a device's memory that they may take, with all that is held there.
    label
        What computes them, for errors.
    """

    run: str
    number: int | None
    devices: int
    blocks: int
    bytes: int
    label: str

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """The devices among which a block has its choice."""
        if self.number is not None or self.devices < 2:
            return (self.number,)
        return tuple(range(self.devices))


_changed = Condition()
_running: dict[tuple[str, int | None], int] = {}  # by run and device, how many blocks there are
_given: Counter[int | None] = Counter()  # blocks that each device was given


def on_a_device(use: DeviceUse | None, blocks: Iterable[Any] = ()) -> AbstractContextManager[None]:
    """Inside a ``with`` block, what this thread computes is on one of the devices of this process.

    Parameters
    ----------
    use
        None for the host.
    blocks
        What is read.

    Raises
    ------
    DeviceError
        If there is none, or what it computed at last has failed.
    StoppedError
        If the block that waits for its turn is not wanted any more.
    """
    return nullcontext() if use is None else _on_a_device(use, blocks)


@contextmanager
def _on_a_device(use: DeviceUse, blocks: Iterable[Any]) -> Iterator[None]:
    """What `on_a_device` is of a use."""
    with _turn(use, _nearest(use, blocks)) as number:
        try:
            with at_work(number, use.bytes):
                yield
        except (TapestryError, StoppedError):
            raise
        except Exception as error:
            raise compute_error(error, f"while a device computed {use.label}") from error


@contextmanager
def _turn(use: DeviceUse, near: int | None = None) -> Iterator[int | None]:
    """The number of a device that has fewer blocks than it may, and then one more."""
    with _changed:
        while _blocks(use, number := _best(use, near)) >= use.blocks:
            _changed.wait(WAITER_LOOK_SECONDS)
            stop_if_asked()
        _running[use.run, number] = _blocks(use, number) + 1
        _given[number] += 1
    try:
        yield number
    finally:
        with _changed:
            left = _running.pop((use.run, number)) - 1
            if left:
                _running[use.run, number] = left
            _changed.notify_all()


def _blocks(use: DeviceUse, number: int | None) -> int:
    return _running.get((use.run, number), 0)


def _best(use: DeviceUse, near: int | None) -> int | None:
    """The device to take, or to wait for where all have as many blocks as they may."""

    def order(number: int | None) -> tuple[bool, bool, int, int]:
        blocks = _blocks(use, number)
        return blocks >= use.blocks, number != near, blocks, _given[number]

    return min(use.numbers, key=order)


def _nearest(use: DeviceUse, blocks: Iterable[Any]) -> int | None:
    """The device on which most bytes of blocks lie, where there is a choice."""
    lie = Counter[int]()
    if len(use.numbers) > 1:
        for block in filter(is_on_device, blocks):
            lie[block.device.id] += block.nbytes
    return max(lie, key=lambda number: lie[number]) if lie else None
