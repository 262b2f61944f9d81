"""Every library that is installed runs the programs, and what it says is compared."""

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.peers import BENCHED, PEERS, difference

PRESENT = [p for p in PEERS if p.name in ("dask_tapestry", "NumPy", "dask.array")]


def by_name(name):
    return next(peer for peer in PEERS if peer.name == name)


@pytest.mark.parametrize("peer", PRESENT, ids=lambda p: p.name)
@pytest.mark.parametrize("name", BENCHED)
def test_a_peer_computes_what_numpy_does(peer, name):
    comparison = BENCHED[name]
    if peer.refusal(comparison):
        pytest.skip(peer.refusal(comparison))
    inputs = list(comparison.inputs())[-1]
    light = comparison._replace(bench=comparison.bench._replace(arguments={}))
    call = peer.program(light, [peer.give(x) for x in inputs])
    assert difference(call(), comparison.numpy(*inputs)) is None
    peer.settle()


@pytest.mark.parametrize("name", [n for n, c in BENCHED.items() if c.bench.numexpr])
def test_the_formula_of_numexpr_is_the_program(name):
    pytest.importorskip("numexpr")
    comparison = BENCHED[name]
    inputs = list(comparison.inputs())[-1]
    call = by_name("numexpr").program(comparison, inputs)
    assert difference(call(), comparison.numpy(*inputs)) is None


@pytest.mark.parametrize("name", BENCHED)
def test_the_large_inputs_are_the_samples_but_larger(name):
    comparison = BENCHED[name]
    kinds = [[(x.dtype, x.ndim) for x in inputs] for inputs in comparison.inputs()]
    large = comparison.bench.large(0.001)
    assert [(x.dtype, x.ndim) for x in large] in kinds
    assert max(x.size for x in large) > 1000
    again = comparison.bench.large(0.001)
    assert all(np.array_equal(x, y) for x, y in zip(large, again, strict=True))


def test_a_peer_says_why_it_does_not_run_a_program():
    assert by_name("JAX").refusal(BENCHED["boolean_mask"])
    assert by_name("numexpr").refusal(BENCHED["heat"])
    assert by_name("Cubed").refusal(BENCHED["heat"])
    assert by_name("dask.array").refusal(BENCHED["sort"])
    assert by_name("NumPy").refusal(BENCHED["sort"]) is None


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (np.ones(3), np.ones(4)),
        ((np.ones(3), 1.0), np.ones(3)),
        (np.ones(3), np.array([1, 1, 1 + 1e-7])),
        (np.array([1.0, np.nan]), np.ones(2)),
        (2.0, np.float64(3)),
        (np.array([1, 2]), np.array([1, 3])),
    ],
)
def test_other_results_are_found(made, wanted):
    assert difference(made, wanted)


def test_rounding_and_other_dtypes_are_the_same_result():
    assert difference(np.array([1.0, 5.0]), np.array([1, 5])) is None
    assert difference(np.array([1e-12, 1.0]), np.array([0.0, 1.0])) is None
    assert difference((1.0, np.zeros(0)), (np.float64(1), np.zeros(0))) is None


def test_rows_and_peers_are_chosen_by_name():
    assert list(peers.chosen("row_sum, heat")) == ["heat", "row_sum", "row_sum float32"]
    assert peers.chosen(None) is BENCHED
    assert [p.name for p in peers.named("jax,Dask")] == ["JAX", "dask.array"]
    with pytest.raises(SystemExit, match="no peer matlab"):
        peers.named("matlab")
    with pytest.raises(SystemExit, match="no row"):
        peers.chosen("nothing")
