import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.views import VIEW_RULES, selector_before_elementwise
from dask_tapestry.teg.check import check
from tests.comparisons import same_bits
from tests.examples import examples

from .graphs import graph_of, meaning

SELECTORS = tuple(rule for rule in VIEW_RULES if rule is not selector_before_elementwise)


def pushed(*arrays, trace=None):
    """Lines of the graph once views are views and slices are pushed."""
    graph = push_slices(rewrite(graph_of(*arrays), SELECTORS), trace)
    check(graph)
    return str(rewrite(graph, SELECTORS)).splitlines()


def memory(*shape):
    return dt.asarray(np.ones(shape))


def test_through_a_formula_to_the_source():
    assert pushed((memory(100, 4) + 1)[5:20:5])[1:] == [
        "%1 = view(%0, [5+5*o0, 0+1*o1]) : float64[3, 4]",
        "%2 = elementwise(%1) : float64[3, 4]  # add(%1, 1.0)",
        "return %2",
    ]


def test_what_two_readers_need_is_computed_once():
    y = memory(100) * 2
    lines = pushed(y[11:20] - y[10:19])
    assert lines[1] == "%1 = view(%0, [10+1*o0]) : float64[10]"
    assert lines[2] == "%2 = elementwise(%1) : float64[10]  # multiply(%1, 2.0)"
    assert sum("elementwise" in line for line in lines) == 2


def test_through_a_product_by_rows_and_columns():
    lines = pushed((memory(10, 4) @ memory(4, 20))[2:4, ::10])
    assert "view(%0, [2+1*o0, 0+1*o1]) : float64[2, 4]" in lines[1]
    assert "[0+1*o0, 0+10*o1]) : float64[4, 2]" in lines[3]
    assert "matmul(%1, %3) : float64[2, 2]" in lines[4]


def test_through_a_reduction_along_kept_axes():
    lines = pushed(memory(10, 40).sum(axis=1)[3:5])
    assert lines[1] == "%1 = view(%0, [3+1*o0, 0+1*o1]) : float64[2, 40]"
    assert lines[2] == "%2 = reduce(%1, sum, axes=(1,)) : float64[2]"


def test_reduced_axes_are_not_trimmed():
    """The canonical tree is over the extents the user wrote."""
    lines = pushed(memory(40)[10:].sum())
    assert lines[2] == "%2 = reduce(%1, sum, axes=(0,)) : float64[]"
    assert "float64[30]" in lines[1]


def test_through_a_concat_to_the_parts_that_are_read():
    joined = dt.concatenate([memory(10) + 1, memory(10) + 2, memory(10) + 3])
    lines = pushed(joined[8:14])
    assert sum("elementwise" in line for line in lines) == 2
    assert all("[2]" in line or "[4]" in line for line in lines if "elementwise" in line)


def test_to_generators():
    assert pushed(dt.arange(100)[10:40:10], dt.full((5, 6), 1)[1:3]) == [
        "%0 = arange(0, 100, 1, places 10:+10x3) : int64[3]",
        "%1 = full((2, 6), 1) : int64[2, 6]",
        "return %0, %1",
    ]


def test_a_fixed_layout_is_restricted_with_the_value():
    lines = pushed(memory(100).rechunk(30)[25:95])
    assert lines[2] == "%2 = rechunk(%1, 5 + 3x30) : float64[70]"
    layout = (memory(100).rechunk(30)[25:95]).chunks
    assert layout == ((5, 30, 30, 5),)


def test_through_a_reshape_where_the_cells_are_consecutive():
    lines = pushed((memory(4, 3, 5) + 1).reshape(12, 5)[3:6])
    assert any("elementwise" in line and "float64[1, 3, 5]" in line for line in lines)


def test_what_a_root_is_read_for_besides_stays_whole():
    y = memory(10) + 1
    lines = pushed(y, y[:2])
    assert lines[1] == "%1 = elementwise(%0) : float64[10]  # add(%0, 1.0)"
    assert lines[-1] == "return %1, %2"


def test_a_graph_without_slices_is_the_same_graph():
    graph = rewrite((memory(3, 4) + 1).sum(axis=0).teg, VIEW_RULES)
    assert push_slices(graph) is graph


def test_the_trace_says_what_is_computed():
    trace = Trace()
    pushed((memory(100) + 1)[5:20:5], trace=trace)
    assert str(trace).splitlines()[0] == (
        "push_slices: elementwise(memory, add($0, 1.0)) -> "
        "elementwise(view, add($0, 1.0)) on Region[5:16:5]"
    )


KEYS = st.tuples(
    *[
        st.builds(
            slice, *[st.none() | st.integers(-9, 9)] * 2, st.sampled_from([None, 1, 2, -1, -3])
        )
    ]
    * 2
)


@examples(150)
@given(st.lists(KEYS, min_size=1, max_size=3), st.data())
def test_the_value_stays(keys, data):
    x = np.arange(63.0).reshape(7, 9)
    y = dt.asarray(x) * 2
    makers = (
        lambda: dt.concatenate([y, y + 1]),
        lambda: y.T.reshape(9, 7) + y.sum(axis=0, keepdims=True).T,
        lambda: (y @ y.T).reshape(7, 7),
        lambda: dt.broadcast_to(y.mean(axis=0), (7, 9)) - y[::-1],
        lambda: y.reshape(3, 21)[:, ::-1].rechunk((2, 5)),
    )
    base = data.draw(st.sampled_from(makers))()
    graph = rewrite(graph_of(*[base[key] for key in keys], base[keys[0]] * 3), VIEW_RULES)
    small = push_slices(graph)
    check(small)
    again = rewrite(small, VIEW_RULES)
    for before, after, last in zip(meaning(graph), meaning(small), meaning(again), strict=True):
        assert same_bits(before, after)
        assert same_bits(before, last)


def test_every_operator_that_is_pushed_through_keeps_its_type():
    x = dt.asarray(np.ones((6, 4)), dims=("row", "column"))
    (root,) = push_slices(rewrite((x.T + 1)[:2].teg, VIEW_RULES)).roots
    assert root.type == (x.T + 1)[:2].node.type
