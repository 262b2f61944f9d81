import pickle

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

CALLS = {
    "random": lambda g: g.random((40, 50)),
    "random f4": lambda g: g.random((40, 50), "f4"),
    "normal": lambda g: g.normal(1, 2, (40, 50)),
    "normal f4": lambda g: g.standard_normal((40, 50), "f4"),
    "lognormal": lambda g: g.lognormal(size=(40, 50)),
    "exponential": lambda g: g.exponential(2, (40, 50)),
    "integers": lambda g: g.integers(-5, 1000, (40, 50)),
    "wide integers": lambda g: g.integers(-5, 10**18, (40, 50)),
    "gamma": lambda g: g.gamma(np.arange(50) / 9, 2, (40, 50)),
    "beta": lambda g: g.beta(0.5, np.arange(1, 41)[:, None], (40, 50)),
    "poisson": lambda g: g.poisson(20, (40, 50)),
    "binomial": lambda g: g.binomial(np.arange(50), 0.3, (40, 50)),
    "geometric": lambda g: g.geometric(0.1, (40, 50)),
    "hypergeometric": lambda g: g.hypergeometric(20, 30, np.arange(50), (40, 50)),
    "multinomial": lambda g: g.multinomial(np.arange(40), np.full(50, 0.02)),
    "dirichlet": lambda g: g.dirichlet(np.arange(1, 51) / 9, 40),
    "choice": lambda g: g.choice(5, (40, 50), p=[0.1, 0.2, 0.3, 0.2, 0.2]),
}
OF_ARRAYS = [
    CALLS[name]
    for name in "gamma beta binomial hypergeometric multinomial dirichlet choice".split()
]
each_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@each_call
def test_a_slice_has_the_bits_of_the_whole(call):
    x = call(dt.random.default_rng(1))
    whole = x.compute()
    for key in (np.s_[::3, 5:2:-1], np.s_[7], np.s_[3:33:7, ::11], np.s_[5:6, 49], np.s_[:, :0]):
        assert same_bits(x[key].compute(), whole[key])
    assert same_bits(x.T[::-1].compute(), whole.T[::-1])


@pytest.mark.few(9)  # draws differ in one function, which its own tests try
@each_call
def test_every_sharding_has_the_same_bits(call):
    x = call(dt.random.default_rng(1))
    whole = x.compute()
    made = [x.rechunk(c) for c in ((1, 50), (40, 1), (7, 9), (13, 50), (3, 17))]
    assert all(same_bits(value, whole) for value in dask.compute(*made))
    for block_bytes in (100, 1000, 10_000):
        with dt.config(block_bytes=block_bytes):
            assert same_bits(x.compute(), whole)


@each_call
def test_the_same_seed_and_calls_are_the_same_nodes(call):
    a, b = dt.random.default_rng(1), dt.random.default_rng(1)
    assert call(a).rechunk(40).node.type == call(b).node.type
    if call not in OF_ARRAYS:  # an array in memory is known by itself
        assert call(a).node is call(b).node
    one, two, other = call(a).compute(), call(b).compute(), call(dt.random.default_rng(2)).compute()
    assert same_bits(one, two)
    assert not same_bits(one, other)
    assert not same_bits(one, call(a).compute())


def test_pickling_keeps_values():
    g = dt.random.default_rng(3)
    x = g.normal(size=9)
    assert pickle.loads(pickle.dumps(x)).node is x.node
    again = pickle.loads(pickle.dumps(g))
    assert again.random(4).node is g.random(4).node


def test_seeds_are_numpys():
    for seed in (0, [1, 2], np.array([3, 4]), 2**100):
        sequence = np.random.SeedSequence(seed)
        assert (
            dt.random.default_rng(seed).random(3).node
            is dt.random.default_rng(sequence).random(3).node
        )
    g = dt.random.default_rng(5)
    assert dt.random.default_rng(g) is g
    for wrong in (1.5, "a"):
        with pytest.raises(TypeError):
            dt.random.default_rng(wrong)
    with pytest.raises(ValueError, match="non-negative"):
        dt.random.default_rng(-1)


def test_spawned_generators_have_nothing_in_common():
    g = dt.random.default_rng(5)
    values = [c.random(1000).compute() for c in (g, *g.spawn(2), *g.spawn(1))]
    assert abs(np.corrcoef(values) - np.eye(4)).max() < 5 / 1000**0.5
    expected = np.random.SeedSequence(5).spawn(1)[0]
    assert (
        dt.random.default_rng(5).spawn(1)[0].random(3).node
        is dt.random.default_rng(expected).random(3).node
    )


def test_the_module_draws_from_a_seed_too():
    dt.random.seed(8)
    first = dt.random.normal(size=3), dt.random.randint(9, size=3)
    state = dt.random.RandomState(8)
    assert first[0].node is state.normal(size=3).node
    assert first[1].node is state.randint(9, size=3).node
    assert set(dir(dt.random)) >= set(dt.random.__all__)


def test_chunks_constrain_the_layout():
    g = dt.random.default_rng(0)
    made = [
        g.random((6, 4), chunks=(3, 2)),
        g.normal(size=(6, 4), chunks=(3, 2)),
        g.integers(9, size=(6, 4), chunks=(3, 2)),
        g.choice(9, (6, 4), chunks=(3, 2)),
    ]
    assert all(x.chunks == ((3, 3), (2, 2)) for x in made)
    assert g.permutation(6, chunks=4).chunks == ((4, 2),)


def test_large_fields_cost_what_is_read_of_them():
    x = dt.random.default_rng(0).normal(size=(10**6, 10**6))
    assert x[10**5 :: 10**5, 7].shape == (9,)
    assert x[10**5 :: 10**5, 7].plan().cost["tasks"] == 1
    x.plan(resources=dt.Resources(1000, 8, "64 GiB")).verify()


def test_a_field_may_have_more_cells_than_64_bits_count():
    far, near = (dt.random.default_rng(0).random(shape) for shape in ((2**40, 2**30), 2**30))
    assert np.array_equal(far[0, -2:].compute(), near[-2:].compute())
    across = far[2**34 - 1 : 2**34 + 1, [0, -1]].compute()
    assert np.array_equal(across[1], far[2**34, [0, -1]].compute())
    assert len(np.unique(across)) == 4
    normal = dt.random.default_rng(0).normal(size=(2**40, 2**30))[5, -2:]
    assert np.isfinite(normal.compute()).all()


def test_generators_of_numpys_are_seeds():
    for make in (
        lambda: np.random.PCG64(5),
        lambda: np.random.MT19937(5),
        lambda: np.random.default_rng(5),
        lambda: np.random.RandomState(5),
    ):
        one, other = (dt.random.default_rng(make()).random(9).compute() for _ in range(2))
        np.testing.assert_array_equal(one, other)
        shared = make()
        first, second = (dt.random.Generator(shared).random(9).compute() for _ in range(2))
        assert not set(first) & set(second)


def test_the_bit_generator_makes_the_numbers():
    rng = dt.random.default_rng(5)
    bits = rng.bit_generator.random_raw(9)
    np.testing.assert_array_equal(rng.random(9).compute(), (bits >> np.uint64(11)) * 2.0**-53)


def test_new_numbers_lie_on_the_device_of_the_settings(device_kernels):
    """And have the bits of the host; what is picked of an array lies where that does."""
    draws = {
        "normal": lambda g: g.normal(size=5),
        "poisson": lambda g: g.poisson(3.0, 5),
        "integers": lambda g: g.integers(9, size=5),
        "choice": lambda g: g.choice(9, 5),
        "permutation": lambda g: g.permutation(9),
        "multinomial": lambda g: g.multinomial(9, [0.5, 0.5], 3),
    }
    x = dt.arange(12.0).reshape(3, 4)
    of_x = {
        "choice": lambda g: g.choice(x, 2),
        "permutation": lambda g: g.permutation(x),
        "permuted": lambda g: g.permuted(x),
        "permuted rows": lambda g: g.permuted(x, axis=1),
    }
    for name, draw in draws.items():
        with dt.config(device="cuda"):
            found = draw(dt.random.default_rng(1))
        assert found.device == "cuda", name
        wanted = draw(dt.random.default_rng(1))
        assert wanted.device == "cpu"
        assert found.compute().get().tobytes() == wanted.compute().tobytes(), name
    for name, draw in of_x.items():
        with dt.config(device="cuda"):
            assert draw(dt.random.default_rng(1)).device == "cpu", name
    on_other = dt.ones(5, device="cuda:1")
    with dt.config(device="cuda"):
        assert dt.random.default_rng(1).normal(on_other).device == "cuda:1"
