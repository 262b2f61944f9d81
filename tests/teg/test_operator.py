from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.numpy_source import from_numpy
from dask_tapestry.operators.products.matmul import MatMul
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import Operator, Progression, Region, TensorType
from dask_tapestry.teg.node import topological
from dask_tapestry.teg.operator import signature_of
from dask_tapestry.zspace import ZRange
from tests.fuzz.programs import drawn_arrays
from tests.planner.overlapping import overlapping

F8 = np.dtype("f8")
X, W = TensorType((4, 3), F8), TensorType((3, 5), F8)


def region(*sides):
    return Region(Progression.of(*side) for side in sides)


def picked(x, part):
    return x[tuple(slice(p.start, p.stop, p.step) for p in part)]


def test_a_restriction_follows_from_the_signature():
    part = region((1, 2, 2), (0, 1, 5))
    restricted = MatMul(F8).restrict((X, W), part)
    assert restricted.yields == part
    assert restricted.inputs == (region((1, 2, 2), (0, 1, 3)), Region.whole((3, 5)))
    x, w = np.arange(12.0).reshape(4, 3), np.arange(15.0).reshape(3, 5)
    whole, small = x @ w, picked(x, restricted.inputs[0]) @ picked(w, restricted.inputs[1])
    assert np.array_equal(small, picked(whole, part))


def test_what_is_not_pointwise_is_not_restricted():
    assert MatMul(F8, part=2).restrict((X, W), region((0, 1, 1), (0, 1, 4), (0, 1, 5))) is None


def test_a_reduction_is_restricted_along_kept_axes():
    node = reduce(from_numpy(np.ones((4, 6))), "sum", 1)
    restricted = node.operator.restrict(node.input_types, region((3, 1, 1)))
    assert restricted.inputs == (region((3, 1, 1), (0, 1, 6)),)
    assert restricted.operator == node.operator


@pytest.mark.parametrize(
    ("node", "once"),
    [
        (lambda: (dt.ones((3, 4)) + 1).node, (True,)),
        (lambda: dt.matmul(dt.ones((3, 4)), dt.ones((4, 2))).node, (False, False)),
        (lambda: dt.sum(dt.ones((3, 4)), axis=0).node, (True,)),
        (
            lambda: dt.broadcast_to(dt.ones(3), (2, 3)).node.operator.view(TensorType((3,), F8)),
            None,
        ),
    ],
)
def test_cutting_the_output_reads_inputs_once_or_again(node, once):
    made = node()
    if once is None:
        assert made.reads_once((TensorType((3,), F8),)) == (False,)
    else:
        assert made.operator.reads_once(made.input_types) == once


def test_a_signature_is_made_once():
    assert signature_of(MatMul(F8), (X, W)) is signature_of(MatMul(F8), (X, W))


def test_generators_and_sources_demand_nothing():
    for x in (dt.ones(3), dt.asarray(np.ones(3)), dt.arange(3)):
        assert x.node.operator.demand((), ZRange((0,), (2,))) == ()


def subclasses(cls):
    for sub in cls.__subclasses__():
        yield sub
        yield from subclasses(sub)


OPERATORS = [
    c
    for c in subclasses(Operator)
    if c.__module__.startswith("dask_tapestry")
    and not c.__abstractmethods__
    and "name" in {name for base in c.__mro__ for name in vars(base)}  # else a base of others
]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda c: c.__name__)
def test_each_operator_has_a_name_of_letters_and_a_category(operator):
    assert operator.name.isalpha()
    assert operator.name.islower()
    assert operator.__dataclass_params__.frozen
    assert operator.category in {
        "index",
        "block",
        "selector",
        "generator",
        "source",
        "sink",
        "sequence",
        "operator",
    }


def test_operators_have_distinct_names():
    names = [c.__name__ for c in OPERATORS]
    assert len(set(names)) == len(names)
    shown = [c.name for c in OPERATORS]
    assert len(set(shown)) == len(shown)


def test_an_operator_has_no_other_form_and_any_cut_will_do_unless_it_says():
    plus = dt.flip(dt.arange(3)).node
    assert plus.operator.granularity(plus.input_types) == ()
    assert plus.operator.forms(plus.input_types) == ()
    assert MatMul(F8).granularity((X, W)) == (1, 1)
    assert dt.sort(dt.ones((3, 4))).node.operator.granularity((TensorType((3, 4), F8),)) == (1, 0)


@pytest.mark.few(3)  # as many operators in each
@pytest.mark.parametrize("seed", range(0, 120, 20))
def test_part_of_a_box_needs_part_of_what_the_whole_needs(seed):
    """What a block holds is enough for its pieces, of every operator that programs come to."""
    for number in range(seed, seed + 20):
        random = Random(number)
        for made in (overlapping(random), drawn_arrays(random, 6)[-1]):
            for node in topological([made.bound]):
                for _ in range(4):
                    needs_part(random, node)


def needs_part(random, node):
    if node.is_sequence_point or 0 in node.type.shape:
        return
    types = tuple(x.type for x in node.inputs)
    whole = drawn_part(random, node.type.box)
    part = drawn_part(random, whole)
    held = node.operator.pieces(types, whole)
    for number, need in node.operator.pieces(types, part):
        holds = [one for at, one in held if at == number and one.contains(need)]
        assert need.is_empty or holds, (node.operator, types, whole, part)


def drawn_part(random, box):
    ends = [sorted(random.sample(range(a, b + 1), 2)) for a, b in zip(box.lo, box.hi, strict=True)]
    return ZRange([a for a, _ in ends], [b for _, b in ends])
