import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.teg import apply, sequence_point
from dask_tapestry.teg.node import is_interned, topological

ONE = np.float64(1)
EXPRESSION = "dt.exp(dt.arange(12.0).reshape(3, 4)[::-1, 1:].T @ dt.ones(3)).sum(axis=0)"


def test_digests_of_a_deep_graph_are_written_when_they_are_asked_for():
    x = first = dt.arange(7.5).node
    for number in range(2 * sys.getrecursionlimit()):
        x = apply(Concat(0), x, full((1,), np.float64(number)))
    assert x._digest is None
    text = x.digest
    assert first._digest is not None
    again = pickle.loads(pickle.dumps(x))
    assert again is x
    assert again.digest == text
    assert len({node.digest for node in topological([x])}) == len(topological([x]))


def test_the_same_application_is_the_same_node():
    x = dt.arange(4)
    assert (x + 1).node is (dt.arange(4) + 1).node
    assert full((2,), ONE) is full((2,), ONE)


@pytest.mark.parametrize(
    "other",
    [
        lambda: full((3,), ONE),
        lambda: full((2,), np.float64(2)),
        lambda: full((2,), np.float32(1)),
        lambda: full((2,), ONE, ("x",)),
        lambda: full((2,), -ONE),
    ],
)
def test_other_parameters_are_another_node(other):
    assert other() is not full((2,), ONE)


def test_the_order_of_inputs_matters():
    x, y = full((2,), ONE), full((3,), ONE)
    assert apply(Concat(0), x, y) is not apply(Concat(0), y, x)


def test_zeros_of_two_signs_are_two_values():
    assert full((2,), np.float64(0.0)) is not full((2,), np.float64(-0.0))


def test_arrays_in_memory_are_never_taken_for_each_other():
    cells = np.ones(3)
    assert dt.asarray(cells).node is not dt.asarray(cells).node


def test_the_line_is_beside_the_identity():
    value = np.float64(213.0)  # of no other test's, whose line it would have while that is held
    here, there = full((5,), value), full((5,), value)
    assert here is there
    assert "test_node.py" in here.line


def test_lines_can_be_left_out():
    with dt.config(line_numbers=False):
        assert full((2,), np.float64(123.0)).line is None


def test_nodes_go_when_nobody_holds_them():
    node = full((2,), np.float64(321.0))
    digest = node.digest
    del node
    gc.collect()
    again = full((2,), np.float64(321.0))
    assert again.digest == digest
    assert is_interned(again)


def test_nodes_of_many_threads_are_one():
    made = []

    def make():
        for n in range(200):
            made.append((n, full((2,), np.float64(n))))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(node) for _, node in made}) == 200


def test_digests_are_the_same_in_another_process():
    code = f"import dask_tapestry as dt; print(({EXPRESSION}).node.digest)"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == eval(EXPRESSION, {"dt": dt}).node.digest


def test_a_pickled_node_is_the_same_node():
    node = eval(EXPRESSION, {"dt": dt}).node
    assert pickle.loads(pickle.dumps(node)) is node


def test_sequence_points_in_one_place_are_one():
    x, y = full((2,), ONE), full((3,), ONE)
    assert sequence_point(x, y) is sequence_point(x, y)
    assert sequence_point(x) is not sequence_point(x, y)
    assert pickle.loads(pickle.dumps(sequence_point(x))) is sequence_point(x)
    assert sequence_point(x).is_sequence_point
    assert not x.is_sequence_point


def test_what_is_waited_for_comes_first():
    first, second = full((2,), ONE), full((3,), ONE)
    point = sequence_point(first)
    later = apply(Concat(0), second, second, after=[point])
    order = topological([later])
    places = [order.index(n) for n in (first, point, later)]
    assert places == sorted(places)
    assert order.index(second) < order.index(later)


def test_another_order_is_another_node():
    x = full((2,), ONE)
    point = sequence_point(full((9,), ONE))
    assert apply(Concat(0), x, x, after=[point]) is not apply(Concat(0), x, x)


def test_shared_values_are_visited_once():
    x = dt.arange(3)
    for _ in range(200):
        x = x + x
    assert len(topological([x.node])) == 201


def test_a_warning_stands_where_the_user_wrote(tmp_path):
    x = dt.ones((1000, 1000), chunks=-1)
    for write in (dt.to_zarr, dt.Array.to_zarr):
        with dt.config(memory_limit="32 MiB"), pytest.warns(UserWarning, match="memory") as caught:
            write(x, tmp_path / "x", compute=False)
        assert caught[0].filename == __file__


def test_what_is_known_is_left_out_of_the_order_with_what_it_alone_needs():
    x = dt.asarray(np.ones(3)).node
    first = dt.exp(dt.Array(x)).node
    second = dt.Array(first) + dt.Array(x)
    order = topological([second.node])
    assert order.index(x) < order.index(first) < order.index(second.node)
    assert topological([second.node], known={first}) == [n for n in order if n is not first]
    only = dt.sin(dt.Array(first)).node
    assert topological([only], known={first}) == [only]
    assert topological([only], known={only}) == []
