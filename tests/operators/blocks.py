"""What tests of operators share: an operator run block by block, and on a region."""

import tracemalloc
from itertools import product

import numpy as np

from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.devices import kernels_of


def block(node, inputs, box, out=None):
    """The cells `box` of a node, by its kernel, of exactly what it demands."""
    operator = node.operator
    reads = operator.pieces(node.input_types, box)
    pieces = [inputs[number][(*need.slices(), ...)] for number, need in reads]
    hulls = operator.demand(node.input_types, box)
    for number, need in reads:
        assert node.input_types[number].box.contains(need)
        assert need.is_empty or hulls[number].contains(need)
    told = operator.arguments(node.input_types, box, tuple(need for _, need in reads))
    return kernels_of("cpu")[operator.kernel](out, *pieces, **told)


def taken_bytes(node, inputs, box):
    """Bytes that the kernel takes at most for the cells `box`, beside what it reads and returns."""
    block(node, inputs, box)  # once before: what is remembered is made then
    tracemalloc.start()
    made = block(node, inputs, box)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - made.nbytes


def by_blocks(node, inputs, step):
    """A node's value, computed in blocks of `step` cells along each dimension."""
    result = np.empty(node.type.shape, node.type.dtype)
    cuts = [Cuts.regular(n, step) for n in node.type.shape]
    for place in product(*[range(c.count) for c in cuts]):
        spans = [c.block(i) for c, i in zip(cuts, place, strict=True)]
        box = ZRange([a for a, _ in spans], [b for _, b in spans])
        made = block(node, inputs, box)
        assert made.shape == box.shape
        assert made.dtype == node.type.dtype
        result[(*box.slices(), ...)] = made
    return result


def picked(x, region):
    """The cells of a region."""
    sides = (slice(p.start, max(p.stop, p.start), p.step) for p in region)
    return x[(*sides, ...)]


def on_region(node, inputs, region):
    """A node restricted to a region, by NumPy, and what of it the region is."""
    restricted = node.operator.restrict(node.input_types, region)
    parts = [picked(x, part) for x, part in zip(inputs, restricted.inputs, strict=True)]
    return restricted.operator.reference(*parts), restricted.yields
