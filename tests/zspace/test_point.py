import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.zspace import ZPoint, ZVector

from .strategies import HUGE, NDIM, vectors

TRIPLES = NDIM.flatmap(lambda n: st.tuples(*[vectors(n, HUGE)] * 3))


@given(TRIPLES)
def test_vectors_are_a_group(triple):
    a, b, c = map(ZVector, triple)
    zero = ZVector.zero(len(a))
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + zero == a
    assert a - b == a + -b
    assert a + -a == zero


@given(TRIPLES, HUGE, HUGE)
def test_vectors_scale(triple, x, y):
    a, b, _ = map(ZVector, triple)
    assert x * a == a * x
    assert (a + b) * x == a * x + b * x
    assert a * (x + y) == a * x + a * y
    assert -a == a * -1


@given(TRIPLES)
def test_points_and_vectors(triple):
    p, q, v = ZPoint(triple[0]), ZPoint(triple[1]), ZVector(triple[2])
    assert q + (p - q) == p
    assert (p + v) - v == p
    assert (p + v) - p == v
    assert p == ZPoint.origin(len(p)) + ZVector(p)
    assert (type(p - q), type(p - v), type(p + v), type(-v)) == (ZVector, ZPoint, ZPoint, ZVector)


@given(TRIPLES)
def test_comparisons_are_componentwise(triple):
    p, q, _ = map(ZPoint, triple)
    assert p.le(q) == all(a <= b for a, b in zip(p, q, strict=True))
    assert p.lt(q) == all(a < b for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("kind", [ZPoint, ZVector])
def test_they_are_tuples_of_int(kind):
    made = kind(np.array([1, 2**62]))
    assert made == (1, 2**62)
    assert hash(made) == hash((1, 2**62))
    assert [type(c) for c in made] == [int, int]
    assert made.ndim == 2
    assert repr(made) == f"{kind.__name__}((1, {2**62}))"
    assert type(copy.deepcopy(pickle.loads(pickle.dumps(made)))) is kind
    with pytest.raises(AttributeError):
        made.x = 1


@pytest.mark.parametrize("kind", [ZPoint, ZVector])
@pytest.mark.parametrize("bad", [[True], [1.0], ["1"], 3])
def test_only_integers(kind, bad):
    with pytest.raises(TypeError, match=kind.__name__):
        kind(bad)


P, V, PLAIN = ZPoint((1, 2)), ZVector((1, 2)), (1, 2)


@pytest.mark.parametrize(
    "operation",
    [
        lambda: P + P,
        lambda: P + PLAIN,
        lambda: PLAIN + P,
        lambda: PLAIN + V,
        lambda: V + PLAIN,
        lambda: V + P,
        lambda: V - P,
        lambda: P - PLAIN,
        lambda: P * 2,
        lambda: 2 * P,
        lambda: V * 2.0,
        lambda: V * True,
    ],
)
def test_what_has_no_meaning_is_refused(operation):
    with pytest.raises(TypeError):
        operation()


@pytest.mark.parametrize(
    "operation",
    [
        lambda: V + ZVector((1,)),
        lambda: V - ZVector((1,)),
        lambda: P + ZVector((1,)),
        lambda: P - ZPoint(()),
        lambda: P.le((1, 2, 3)),
        lambda: P.lt((1,)),
    ],
)
def test_dimensions_must_agree(operation):
    with pytest.raises(ValueError, match="where 2 are expected"):
        operation()
