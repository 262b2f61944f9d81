import numpy as np
import pytest

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators.matrices import panels
from dask_tapestry_kernels.cpu.blocks.matrices import one_result, several_results
from dask_tapestry_kernels.cpu.blocks.panels import place_of
from dask_tapestry_kernels.devices import kernels_of
from tests.operators.large import cells, computed


def factor(panel, *awaited):
    """Its cells doubled, and their sums along rows."""
    return 2 * panel, panel.sum(axis=1)


def strip(packed, sums, numbers, block):
    """The panel in its place; from the columns behind it sums are taken away."""
    start, own, behind = place_of(packed, numbers, block)
    made = np.array(block)
    made[start:, own] = packed[:, numbers[own] - start]
    made[start:, behind] -= sums[:, None]
    return made


HOW = panels.Factorization("doubledpanel", {"p": np.dtype("f8")}, "sumsaway", 1.0)


@pytest.fixture(autouse=True)
def kernels_of_the_test(monkeypatch):
    monkeypatch.setitem(kernels_of("cpu")._found, "doubledpanel", several_results(factor))
    monkeypatch.setitem(kernels_of("cpu")._found, "sumsaway", one_result(strip))


def expected(a, width, *right):
    both = np.concatenate([a, *right], axis=1)
    sums = []
    for run in panels.panels_of(min(a.shape), width):
        panel = both[run.start :, run]
        sums.append(panel.sum(axis=1))
        both[run.start :, run.stop :] -= sums[-1][:, None]
        panel *= 2
    return both, sums


def panels_made(a, width, right=None):
    x, beside = (None if one is None else asarray(one).node for one in (a, right))
    return panels.factored(x, panels.panels_of(min(a.shape), width), HOW, beside)


@pytest.mark.parametrize("cut", [3, 4, 9])
@pytest.mark.parametrize("shape", [(7, 7), (9, 5), (5, 9)])
def test_panels_take_their_place_and_are_applied_to_what_is_behind_them(shape, cut):
    a = cells(shape, "f8")
    made, right, factors = panels_made(a, 3)
    assert right is None
    both, sums = expected(a, 3)
    found = Array(made).rechunk((-1, cut)).compute(scheduler="sync")
    np.testing.assert_allclose(found, both)
    for (_, found), wanted in zip(factors, sums, strict=True):
        np.testing.assert_allclose(Array(found).compute(), wanted)


def test_columns_on_the_right_have_no_panels():
    a, b = cells((5, 5), "f8"), cells((5, 2), "f8", 1)
    made, right, _ = panels_made(a, 2, b)
    both, _ = expected(a, 2, b)
    np.testing.assert_allclose(Array(made).compute(), both[:, :5])
    np.testing.assert_allclose(Array(right).compute(), both[:, 5:])


def test_a_panel_waits_for_a_row_of_all_strips():
    x, right = (asarray(cells((9, n), "f8")).node for n in (9, 2))
    _, _, factors = panels.factored(x, panels.panels_of(9, 3), HOW, right)
    records = [packed.inputs[0] for packed, _ in factors]
    assert [len(record.inputs) for record in records] == [1, 3, 3]
    for record in records[1:]:
        assert [row.type.shape for row in record.inputs[1:]] == [(1, 9), (1, 2)]


def test_adjoint_and_unit_matrix():
    a = cells((3, 4), "c8")
    np.testing.assert_array_equal(computed(panels.adjoint, a), a.conj().T)
    unit = Array(panels.unit_matrix(3, 4, np.dtype("f4"))).compute()
    np.testing.assert_array_equal(unit, np.eye(3, 4, dtype="f4"))
    assert unit.dtype == np.float32
