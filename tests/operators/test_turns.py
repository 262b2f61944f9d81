"""Operators computed in turns, as they declare: in any pieces, the value is that of the whole."""

from random import Random

import numpy as np
import pytest

from dask_tapestry.teg import apply
from tests.comparisons import COMPARISONS
from tests.covering import beyond

from .blocks import block
from .sharding_validator import _equal, boxes, legal, operations, spread

SAMPLES = 1, beyond(2)  # of each comparison


def pieces(node, box, random, dims):
    """Pieces of a box of a node's output, cut along `dims` where its granularity allows."""
    edges = []
    together = node.operator.granularity(node.input_types) or (1,) * box.ndim
    for dim, (lo, hi, n) in enumerate(zip(box.lo, box.hi, together, strict=True)):
        inside = [at for at in range(lo + 1, hi) if n and not at % n and dim in dims]
        cuts = sorted(random.sample(inside, min(len(inside), random.randint(0, 3))))
        edges.append([b - a for a, b in zip([lo, *cuts], [*cuts, hi], strict=True)])
    return [piece.translate(box.lo) for piece in boxes(tuple(map(tuple, edges)))]


def in_turns(node, inputs, split, box, random):
    """The cells `box` of a node, by one of its splits; None where the box has to be cut before."""
    first = apply(split.first, *node.inputs)
    if split.sums is not None:
        inner, out = split.sums(box), np.empty(box.shape, node.type.dtype)
        out[...] = split.first.adds_to
        for piece in pieces(first, inner, random, {0}) if inner else ():
            assert block(first, inputs, piece, out) is out
        return out if inner else None
    (inner,) = split.then.demand((first.type,), box)
    results = np.zeros(first.type.shape, first.type.dtype)
    for piece in pieces(first, inner, random, range(inner.ndim)):
        results[(*piece.slices(), ...)] = block(first, inputs, piece)
    then = apply(split.then, first)
    assert (then.type.shape, then.type.dtype) == (node.type.shape, node.type.dtype)
    return block(then, (results,), box)


@pytest.mark.few(2)  # as many in each
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("samples", SAMPLES)
def test_what_is_split_has_one_value_in_any_pieces(part, samples):
    random, tried = Random(part), 0
    for comparison in COMPARISONS[part::4]:
        equal = _equal(comparison)
        for sample in spread(list(comparison.inputs()), samples):
            for node, inputs, value in operations(comparison, sample):
                turns = node.operator.turns(node.input_types)
                for size in spread(turns.sizes, 2) if turns else ():
                    for lengths in spread(legal(node), 2):
                        for box in boxes(lengths):
                            made = in_turns(node, inputs, turns.split(size), box, random)
                            if made is not None:
                                expected = value[(*box.slices(), ...)]
                                assert equal(made, expected), (node, size, box)
                                tried += 1
    assert tried > 100
