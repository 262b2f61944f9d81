import numpy as np
import pytest

from benchmarks.cluster.faults import SCALE, lost, same
from benchmarks.cluster.works import WORKS, create, stores


def test_bits_are_compared_unless_a_product_made_them():
    one, other = [np.array([0.0, 1.0])], [np.array([-0.0, 1.0])]
    assert same(one, one, exactly=True)
    assert not same(one, other, exactly=True)
    assert same(one, other, exactly=False)


@pytest.mark.cluster
def test_a_death_loses_nothing(tmp_path):
    work = "sum with transpose"
    for store in WORKS[work].reads:
        create(tmp_path, store, stores(SCALE)[store])
    wrong, late = lost(work, tmp_path, times=2, nanny=True)
    assert not wrong
    assert late <= 2
