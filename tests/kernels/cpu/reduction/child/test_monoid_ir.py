import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import passes
from dask_tapestry_kernels.cpu.reduction.fold_sources import fold_source
from dask_tapestry_kernels.cpu.reduction.supported_folds import PLACES
from tests.kernels.cpu.reduction.leaf_cells import state_of


@pytest.mark.parametrize("monoid", sorted(set(MONOIDS) - PLACES))
def test_the_passes_write_each_part_of_the_state_once(monoid):
    for dtype in ("?", "i2", "f2", "f8", "c16"):
        state, cell = state_of(monoid, dtype), np.dtype(dtype)
        if state is None or fold_source(monoid, cell, state) is None:
            continue
        made = passes(monoid, cell, state)
        places = [place for one in made for place in one.places]
        written = [part for one in made for part in one.written]
        fields = [state[name] for name in state.names] if state.names else [state]
        assert sorted(places) == list(range(len(fields)))
        assert [written[places.index(i)] for i in range(len(fields))] == fields


def test_narrow_integers_are_added_in_twice_their_bits():
    (fold,) = passes("sum", np.dtype("i1"), np.dtype("i8"))
    assert [str(kind) for kind in (*fold.near, *fold.far)] == ["i16", "i64"]
