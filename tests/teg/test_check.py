from dataclasses import dataclass, replace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ConstraintError
from dask_tapestry.io.sources.numpy_source import from_numpy
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.teg import (
    BlockOperator,
    Graph,
    IndexDim,
    Node,
    Signature,
    Sink,
    TensorType,
    apply,
    check,
    sequence_point,
)
from dask_tapestry.teg.annotations import NONE
from dask_tapestry.teg.check import CHECKS
from dask_tapestry.teg.node import SequencePoint
from dask_tapestry.zspace import IndexProjection

F8 = np.dtype("f8")


@dataclass(frozen=True)
class Probe(BlockOperator):
    """An operator that believes whatever signature it is told."""

    name = "probe"
    kernel = "identity"
    read: IndexProjection
    write: IndexProjection
    extents: tuple[int, ...] = (4,)
    reads: int = 1

    def infer(self, *inputs):
        return inputs[0]

    def signature(self, *inputs):
        index = tuple(IndexDim(f"i{d}", n) for d, n in enumerate(self.extents))
        return Signature(index, (self.read,) * self.reads, (self.write,))


@dataclass(frozen=True)
class Drain(Sink):
    name = "drain"
    chunks = (1,)

    def prepare(self, type_, run): ...

    def meets(self, other):
        return True

    def write(self, box, block): ...

    def finish(self): ...


SAME = IndexProjection.identity(1)


def vector():
    return from_numpy(np.zeros(4))


def forged(operator, inputs=(), after=(), type_=None, digest=None):
    """Return a node that `apply` would not have made."""
    node = Node.__new__(Node)
    node.operator, node.inputs, node.after = operator, tuple(inputs), tuple(after)
    node.input_types = tuple(x.type for x in inputs)
    node.is_sequence_point = isinstance(operator, SequencePoint)
    node.type = type_ or TensorType((4,), F8)
    node._digest = digest or f"forged {id(node)}"
    node.line = "user.py:7"
    node.annotations = NONE
    return node


def probe(read=SAME, write=SAME, **options):
    return apply(Probe(read, write, **options), vector())


def wrong_type():
    return forged(Concat(0), [vector()], type_=TensorType((5,), F8))


def misfitting_inputs():
    return forged(Concat(1), [vector()])


def copy_of_a_node():
    x = vector()
    return forged(x.operator, type_=x.type, digest=x.digest)


def source_that_reads():
    return forged(vector().operator, [vector()])


def reader_of_a_sink():
    return apply(Concat(0), apply(Drain(), vector()), vector())


def sequence_point_that_reads():
    return forged(sequence_point().operator, [vector()], type_=sequence_point().type)


def reader_of_a_sequence_point():
    return forged(Concat(0), [sequence_point(), vector()])


def follower_of_a_tensor():
    return apply(Drain(), vector(), after=[vector()])


def writes_that_meet(*between):
    first = apply(Drain(), vector())
    return sequence_point(first, apply(Drain(), vector(), after=[p(first) for p in between]))


def pace(step, width, offset=0):
    return IndexProjection([[step]], [offset], [width])


BROKEN = [
    ("nodes_are_interned", copy_of_a_node),
    ("types_follow_from_inputs", wrong_type),
    ("types_follow_from_inputs", misfitting_inputs),
    ("sources_have_no_inputs", source_that_reads),
    ("sinks_are_read_by_sequence_points_only", reader_of_a_sink),
    ("sequence_points_carry_no_data", sequence_point_that_reads),
    ("sequence_points_carry_no_data", reader_of_a_sequence_point),
    ("only_sequence_points_are_waited_for", follower_of_a_tensor),
    ("writes_that_meet_are_ordered", writes_that_meet),
    ("signatures_fit_their_tensors", lambda: probe(reads=2)),
    ("signatures_fit_their_tensors", lambda: probe(read=IndexProjection.identity(2))),
    ("signatures_fit_their_tensors", lambda: probe(extents=(4, 1))),
    ("signatures_tile_outputs_once", lambda: probe(write=pace(2, 2))),
    ("signatures_tile_outputs_once", lambda: probe(write=pace(1, 2))),
    ("signatures_tile_outputs_once", lambda: probe(write=pace(2, 1), extents=(2,))),
    ("signatures_tile_outputs_once", lambda: probe(write=pace(1, 1, offset=1))),
    ("signatures_tile_outputs_once", lambda: probe(write=pace(0, 1))),
    ("projections_stay_inside_inputs", lambda: probe(read=pace(1, 2))),
    ("projections_stay_inside_inputs", lambda: probe(read=pace(1, 2, offset=-1))),
    ("projections_cover_inputs", lambda: probe(read=pace(0, 1))),
]


def breaks(node):
    return {one.__name__ for one in CHECKS if list(one(Graph([node])))}


@pytest.mark.parametrize(("name", "make"), BROKEN)
def test_a_broken_graph_is_refused_by_name(name, make):
    node = make()
    assert name in breaks(node)
    with pytest.raises(ConstraintError, match=name):
        check.check(Graph([node]))


def test_each_check_is_broken_by_one_graph():
    assert {name for name, _ in BROKEN} == {one.__name__ for one in CHECKS}


def test_writes_that_meet_may_follow_each_other():
    assert not breaks(writes_that_meet(sequence_point))
    assert not breaks(writes_that_meet(lambda first: sequence_point(sequence_point(first))))


def test_index_dimensions_that_share_an_axis_do_not_tile_it():
    both = IndexProjection([[1, 1]], [0], [1])
    first = IndexProjection([[1, 0]], [0], [1])
    assert "signatures_tile_outputs_once" in breaks(probe(first, both, extents=(4, 1)))


def test_a_legal_probe_breaks_nothing():
    assert breaks(probe()) == set()


def test_all_violations_are_listed_in_order_with_the_line():
    low = source_that_reads()
    high = forged(Concat(0), [low, low], type_=TensorType((7,), F8))
    with pytest.raises(ConstraintError) as raised:
        check.check(Graph([high]))
    first, *lines = str(raised.value).splitlines()
    assert first == f"{len(lines)} violations"
    places = [line.partition(" ")[0] for line in lines]
    assert places == sorted(places)
    assert {"%1", "%2"} == set(places)
    assert all(line.endswith("(user.py:7)") for line in lines)
    assert any("it says float64[7], its inputs make float64[8]" in line for line in lines)


def test_graphs_of_users_are_legal():
    x = dt.asarray(np.ones((4, 6), "f4"), dims=("row", None))
    y = dt.concatenate([x[:, ::-2].T, dt.zeros((0, 4), "f4")]).reshape(2, -1) @ x[0, :6]
    check.check((y.mean(axis=0, keepdims=True) + dt.arange(1)).teg)


def test_operators_may_be_empty():
    check.check((dt.ones((3, 0)) @ dt.ones((0, 2))).teg)
    check.check(dt.ones((0, 2)).sum(axis=0).teg)


def test_a_graph_may_be_deep():
    x = dt.arange(3)
    for _ in range(3000):
        x = x + 1
    check.check(x.teg)


def test_the_probe_is_a_value():
    assert probe() is not probe()  # two vectors
    x = vector()
    assert apply(Probe(SAME, SAME), x) is apply(replace(Probe(SAME, SAME)), x)
