"""Names of blocks: the beginning of their keys, before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from dask.core import flatten

from dask_tapestry.arrays.tuning import DIGEST_BYTES
from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE
from dask_tapestry.teg import Node
from dask_tapestry.teg.nominal import nominal_cuts
from dask_tapestry.teg.token import token
from dask_tapestry.zspace import Cuts
from dask_tapestry_kernels.block_format import BlockFormat


def name_of_blocks(node: Node, annotations: Mapping[str, str]) -> str:
    """The first part of the keys of a node's blocks.

    {Parameters}
        node: The node.
        annotations: What the user said of the array: its ``"name"``, or the function that was
            ``"called"``.
    {Returns} str: The name that was given; the name that blocks of another collection have already;
        else what was called and a digest of the expression and the chunks, so that it is the same
        every time.
    """
    if "name" in annotations:
        return annotations["name"]
    cuts, operator = nominal_cuts(node), node.operator
    if isinstance(operator, BlockSource) and operator.layout == cuts:
        return operator.key_name
    text = f"{node.digest} {token(cuts)}"
    maker = node
    while not maker.operator.called:
        maker = maker.inputs[0]
    called = annotations.get("called") or maker.operator.called
    return f"{called}-{blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()}"


def joined(blocks: Any, cuts: tuple[Cuts, ...], block_format: BlockFormat | None) -> Any:
    """Whole array from nested lists of blocks, in the format that the array has."""
    return finish_array(cuts, REMOTE, True, block_format, *flatten([blocks]))
