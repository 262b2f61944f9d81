"""Signatures of generalized ufuncs: the core dimensions, and the axes where they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from dask_tapestry.errors import ArgumentTypeError, SignatureError

Core = tuple[str, ...]


AxesOf = tuple[int, ...]


LIST = r"\((?:\w+(?:,\w+)*,?)?\)"


class GufuncSignature(NamedTuple):
    """Names of the core dimensions of each input and output."""

    inputs: tuple[Core, ...]
    outputs: tuple[Core, ...]

    @property
    def several(self) -> bool:
        """Whether there are several outputs, which come as a tuple."""
        return len(self.outputs) > 1

    def with_whole(self, ranks: Sequence[int]) -> GufuncSignature:
        """The signature with further inputs, whose dimensions are all core dimensions."""
        names = [
            tuple(f"whole {number} {dim}" for dim in range(rank))
            for number, rank in enumerate(ranks)
        ]
        return GufuncSignature((*self.inputs, *names), self.outputs)


def parse(signature: str) -> GufuncSignature:
    """Read a signature such as ``"(i,j),(j)->(i)"``.

    {Raises} SignatureError: If it is not a valid signature.

    Examples
    --------
    >>> parse("(i,j),(j)->(i)").inputs
    (('i', 'j'), ('j',))
    """
    if not isinstance(signature, str):
        raise ArgumentTypeError(f"the signature is a string, not {type(signature).__name__}")
    text = re.sub(r"\s+", "", signature)
    if not re.fullmatch(rf"(?:{LIST}(?:,{LIST})*,?)?->{LIST}(?:,{LIST})*", text):
        raise SignatureError(f"not a valid gufunc signature: {signature}")
    before, after = text.split("->")
    ins, outs = (
        tuple(tuple(re.findall(r"\w+", one)) for one in re.findall(LIST, side))
        for side in (before, after)
    )
    return GufuncSignature(ins, outs)


def core_axes(
    read: GufuncSignature,
    axes: Sequence[int | tuple[int, ...]] | None,
    axis: int | None,
    keepdims: bool,
) -> tuple[list[AxesOf], list[AxesOf]]:
    """Return the axes of the core dimensions in each input and in each output.

    {Parameters} axes, axis, keepdims: As for `apply_gufunc`.
    {Raises} SignatureError: If the arguments do not fit the signature.
    """
    if axes is not None and axis is not None:
        raise SignatureError("give one of axis and axes")
    if keepdims and (any(read.outputs) or len(set(read.inputs)) > 1):
        raise SignatureError("keepdims takes outputs without core dimensions and like inputs")
    all_axes = _one_axis(read, axis) if axes is None else _axes_told(read, axes)
    cores, count = [*read.inputs, *read.outputs], len(read.inputs)
    if len(all_axes) != len(cores):
        raise SignatureError(f"axes has {len(all_axes)} entries for {len(cores)} arrays")
    ins, outs = all_axes[:count], all_axes[count:]
    if keepdims:
        outs, cores = [ins[0]] * len(outs), cores[:count]
    for number, (at, core) in enumerate(zip(all_axes, cores, strict=False)):
        if len(at) != len(core):
            raise SignatureError(f"axes of array {number}: {at} for core dimensions {core}")
    return ins, outs


def _one_axis(read: GufuncSignature, axis: int | None) -> list[AxesOf]:
    """The axes of all arrays that have core dimensions: `axis`, by default the last ones."""
    cores = [*read.inputs, *read.outputs]
    if axis is None:
        return [tuple(range(-len(core), 0)) for core in cores]
    if not isinstance(axis, int):
        raise SignatureError(f"axis is an integer, not {axis!r}")
    if len({core for core in read.inputs if core}) > 1 or any(len(c) > 1 for c in read.inputs):
        raise SignatureError("axis takes one core dimension, the same of all arrays")
    return [(axis,) if core else () for core in cores]


def _axes_told(read: GufuncSignature, axes: Any) -> list[AxesOf]:
    """The axes of each array; outputs without core dimensions need not be told."""
    if not isinstance(axes, list):
        raise SignatureError("axes must be a list with one entry for each array")
    found = [(a,) if isinstance(a, int) else tuple(a) for a in axes]
    untold = len(found) == len(read.inputs) and not any(read.outputs)
    return [*found, *[()] * len(read.outputs)] if untold else found
