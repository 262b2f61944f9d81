import pickle
from threading import Thread

import numpy as np

from dask_tapestry.arrays.random.seeds import Draws


def test_the_key_of_a_seed_is_that_of_numpys_philox():
    for seed in (0, 2**70, [1, 2], np.random.SeedSequence(3)):
        found = np.random.Philox(seed).state["state"]["key"]
        assert Draws(seed).key == tuple(found.tolist())


def test_two_threads_never_get_the_same_numbers():
    draws, found = Draws(0), []
    threads = [
        Thread(target=lambda: found.extend(draws.next().call for _ in range(500))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(2000))


def test_draws_go_on_after_pickling():
    draws = Draws(4)
    draws.next()
    again = pickle.loads(pickle.dumps(draws))
    assert again.next() == draws.next()


def test_without_a_seed_every_one_is_another():
    assert Draws().key != Draws().key


def test_a_class_of_bit_generators_is_a_seed_of_the_systems():
    assert Draws(np.random.PCG64).key != Draws(np.random.PCG64).key
