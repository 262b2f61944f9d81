import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules import grouped_lines as module
from dask_tapestry.rules.grouped_lines import lines_of
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples
from tests.rules.alike_cells import CELLS, DAY, DAYS, names, require_numpys, stored

pytestmark = pytest.mark.usefixtures("small_lattices")
FOLDS = ("mean", "std", "sum", "max", "argmin", "nanmean", "any", "median")
GROUPS = {
    "runs": [slice(10 * n, 10 * n + 10) for n in range(24)],
    "windows": [slice(n, n + 30) for n in range(12)],
    "uneven": [slice(n * n // 3, n * n // 3 + n + 1) for n in range(20)],
    "strides": [slice(n, None, 15) for n in range(15)],
    "backwards": [slice(60 + n, n, -3) for n in range(12)],
    "few days": [[n, n + 1, n + 130] for n in range(11)],
}


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored") / "x")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_many_groups_are_one_operator_with_the_bits_of_each(x, name, groups):
    def written(numpy, x):
        return numpy.stack([getattr(numpy, name)(x[own], axis=0) for own in groups])

    found = names(written(dt, x))
    assert found.count("groupedlines") == 1
    assert found.count("reduce") == 0 or name == "median"  # of two middle cells
    require_numpys(written, x)


def test_quantiles_of_groups(x):
    def written(numpy, x):
        days = [n == DAY % 40 for n in range(40)]
        return numpy.stack([numpy.quantile(x[own], 0.9, axis=0) for own in days])

    assert names(written(dt, x)).count("groupedlines") == 1
    require_numpys(written, x)


def test_lines_are_those_of_the_value_that_is_not_lines_of_another(x):
    (taken,) = simplified(Graph([x[20:80][::2].node]), Trace()).roots
    lines = lines_of(taken, 0)
    assert lines.whole == x.node
    assert lines.places.tolist() == list(range(20, 80, 2))
    assert lines_of(x.node, 0) is None
    assert lines_of(x[:, 1:].node, 0) is None


def test_places_of_too_many_lines_are_not_looked_at(monkeypatch):
    x = dt.placeholder((10**12, 3), "f8", (10**8, 3))
    monkeypatch.setattr(module.np, "arange", None)
    assert lines_of(x[1:].node, 0) is None
    assert lines_of(x.node, 0) is None


def test_large_groups_side_by_side_stay_apart():
    x = dt.placeholder((4000, 721, 1440), "f4", (24, 721, 1440))
    assert "groupedlines" not in names(*[x[n : n + 400].mean(0) for n in range(0, 4000, 400)])


@given(
    st.lists(
        st.tuples(st.integers(0, DAYS - 2), st.integers(1, 40), st.integers(1, 5)),
        min_size=9,
        max_size=14,
        unique=True,
    ),
    st.sampled_from(FOLDS),
)
@examples(12)
def test_any_slices_have_the_bits_of_each_alone(x, slices, name):
    folds = [getattr(dt, name)(x[a : a + n : step], axis=0) for a, n, step in slices]
    for one, value in zip(folds[:3], dt.compute(*folds), strict=False):
        assert same_bits(np.asarray(one.compute()), np.asarray(value))


def test_blocks_of_any_cut_have_the_same_bits(x):
    y = dt.stack([x[own].std(0) for own in GROUPS["windows"]])
    whole = y.compute()
    assert same_bits(y.rechunk((5, 2, 3)).compute(), whole)
    for memory in ("2 MiB", "1 GiB"):
        p = y.plan(resources=dt.Resources(workers=3, threads=1, memory=memory))
        assert same_bits(p.compute(), whole)
    assert whole.shape == (12, *CELLS.shape[1:])


LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "apart": lambda cells: np.repeat(cells, 2, 0)[::2],
    "backwards": lambda cells: cells[::-1, ::-1],
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "c16", "?", "M8[s]"])
def test_cells_of_any_kind_that_lie_in_any_way(dtype, layout, shardings):
    cells = np.random.default_rng(2).integers(0, 90, (60, 3, 5)).astype(dtype)
    if cells.dtype.kind in "fc":
        cells[7, 1], cells[30:33, 0, 2], cells[50, 2, 4] = np.nan, np.inf, -np.inf
    cells, name = layout(cells), "max" if cells.dtype.kind == "M" else "sum"
    groups = [*GROUPS["windows"][:8], slice(59, None, -7), [3], [-1, 0, 40, 40]]
    if name == "sum":
        groups += [slice(9, 9), np.zeros(60, bool)]  # none have no greatest cell

    def written(numpy, x):
        return numpy.stack([getattr(x[own], name)(0) for own in groups])

    y = written(dt, dt.asarray(cells))
    whole = y.compute()
    with np.errstate(invalid="ignore"):
        wanted = written(np, cells)
    assert whole.dtype == wanted.dtype
    np.testing.assert_array_equal(whole, wanted)
    with shardings.tiny(200):
        assert same_bits(written(dt, dt.asarray(cells)).compute(), whole)


def test_groups_of_runs_far_apart_are_read_alone():
    x = dt.placeholder((14_610, 72, 144), "f4", (24, 72, 144))
    month = np.arange(14_610) // 30 % 366  # of most one run, of some two
    means = dt.stack([x[month == number].mean(0) for number in range(366)])
    plan = dt.plan(means, resources=dt.Resources(50, 4, "200 MiB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 1.2 * x.nbytes


def test_lines_of_all_groups_are_told_once_and_ascending():
    groups = [np.array(lines) for lines in ([7, 1, 7], [3, 1], [])]
    groups[-1] = groups[-1].astype(int)
    assert module._used(groups, 9).tolist() == [1, 3, 7]
