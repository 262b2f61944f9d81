import numpy as np

import dask_tapestry as dt


def test_shapes_are_arguments():
    state = dt.random.RandomState(3)
    assert state.rand().shape == ()
    assert state.rand(2, 0).shape == (2, 0)
    assert state.randn(2, 3, chunks=1).chunks == ((1, 1), (1, 1, 1))


def test_both_ends_come_out():
    found = dt.random.RandomState(3).random_integers(2, 4, 300).compute()
    assert set(found) == {2, 3, 4}
    large = dt.random.RandomState(3).tomaxint(1000).compute()
    assert large.min() >= 0
    assert large.max() > 2**62
    assert large.dtype == np.int64


def test_a_state_can_be_gone_back_to():
    state = dt.random.RandomState(3)
    state.random(2)
    kept = state.get_state()
    x = state.random(5).compute()
    for _ in range(2):
        state.set_state(kept)
        np.testing.assert_array_equal(state.random(5).compute(), x)


def test_every_name_of_numpys_module_is_there():
    ours = set(dt.random.__all__)
    theirs = {n for n in dir(np.random) if callable(getattr(np.random, n)) and n[0].islower()}
    engines = {"get_bit_generator", "set_bit_generator", "test"}
    assert theirs - engines <= ours
    methods = {n for n in dir(np.random.Generator) if n[0] != "_"}
    assert methods <= set(dir(dt.random.Generator))
    methods = {n for n in dir(np.random.RandomState) if n[0] != "_"}
    assert methods <= set(dir(dt.random.RandomState))
