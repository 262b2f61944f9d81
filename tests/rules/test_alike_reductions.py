import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rules.alike_reductions import stack_of
from dask_tapestry.teg import apply
from tests.comparisons import same_bits
from tests.examples import examples
from tests.rules.alike_cells import CELLS, names, require_numpys, stored

pytestmark = pytest.mark.usefixtures("small_lattices")
REST = (ViewAxis(1, 0, 1), ViewAxis(2, 0, 1))
REGION = np.arange(24).reshape(4, 6)
WRITTEN = {
    "thresholds": lambda numpy, x: numpy.stack([(x > t / 10).mean(0) for t in range(20)]),
    "factors": lambda numpy, x: numpy.stack([(x * (n + 0.5)).max(0) for n in range(20)]),
    "days": lambda numpy, x: numpy.stack([x[n].mean() for n in range(20)]),
    "scaled days": lambda numpy, x: numpy.stack(
        [(x[n] - x[n].mean()) / x[n].std() for n in range(20)]
    ),
}


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored") / "x")


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_many_alike_reductions_are_one(x, written):
    assert len(names(written(dt, x))) <= 14
    require_numpys(written, x)


def test_each_has_the_bits_of_it_alone(x):
    folds = [(x * (n / 7 + 0.1)).sum() for n in range(20)]
    assert names(*folds).count("reduce") == 1
    for one, value in zip(folds, dt.compute(*folds), strict=True):
        assert same_bits(np.asarray(one.compute()), np.asarray(value))


def test_a_fold_of_each_of_many_files(tmp_path):
    parts = [CELLS[6 * n : 6 * n + 6] for n in range(20)]
    files = [stored(tmp_path / str(n), part, 6) for n, part in enumerate(parts)]
    y = dt.stack([file.max(0) for file in files])
    assert names(y).count("reduce") == 1
    np.testing.assert_array_equal(y.compute(), np.stack([part.max(0) for part in parts]))


def test_arrays_in_memory_and_few_reductions_stay_apart(x):
    masks = [dt.asarray(np.asarray(n == REGION)) for n in range(20)]
    assert "reduce" not in names(*[(x * mask).sum() for mask in masks[:8]])
    assert stack_of([mask.node for mask in masks]) is None
    assert names(*[(x > t).sum() for t in range(16)]).count("jointreductions") == 1


def test_windows_are_no_alike_views(x):
    views = [View((20, 4, 6), (ViewAxis(0, n, 1), *REST)) for n in range(20)]
    assert stack_of([apply(view, x.node) for view in views]) is None


def test_few_stored_arrays_that_many_reductions_read_are_not_read_for_each():
    stored = [dt.placeholder((4000, 4000), "f8") for _ in range(4)]
    means = [(stored[n % 4] * n + stored[(n + 1) % 4]).mean(n % 2) for n in range(200)]
    plan = dt.plan(*means, resources=dt.Resources(64, 4, "16 GiB"))
    assert plan.cost["bytes_read"] < 2 * sum(x.nbytes for x in stored)


SHARED = {
    "flipped": lambda y, n: y[::-1] * y,
    "numbered": lambda y, n: y + y[:, ::-1] * (n / 9),
    "turned": lambda y, n: y[::-1, ::-1] - y / (n + 1),
}


@given(st.lists(st.sampled_from(sorted(SHARED)), min_size=1, max_size=4), st.integers(20, 24))
@examples(8)
def test_formulas_whose_steps_read_one_value_twice(steps, count):
    """As of loops: a value is met once, however many paths of later formulas lead to it."""

    def written(numpy, x, depth):
        folds = []
        for number in range(count):
            y = x + (number + 1) / 3
            for step in (steps * depth)[:depth]:
                y = SHARED[step](y, number) / 8
            folds.append(y.mean())
        return numpy.stack(folds)

    x = REGION / 24.0
    np.testing.assert_allclose(written(dt, dt.asarray(x), 3).compute(), written(np, x, 3), 1e-12)
    assert names(written(dt, dt.asarray(x), 20)).count("reduce") == 1


def test_folds_of_each_step_of_a_loop(x):
    y, folds = x[0] * 0, []
    for day in range(60):
        y = y + (x[day] - y) * (day / 70)
        folds.append((y * y).max())
    assert "maximum" not in names(*folds)
