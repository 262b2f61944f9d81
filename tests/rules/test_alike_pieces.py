import numpy as np
import pytest

import dask_tapestry as dt
from tests.rules.alike_cells import CELLS, DAY, names, require_numpys, stored

pytestmark = pytest.mark.usefixtures("small_lattices")
DAYS_OF = {
    "months": [n == DAY % 20 for n in range(20)],
    "days": [n == DAY % 40 for n in range(40)],
    "years": [slice(20 * n, 20 * n + 20) for n in range(12)],
}
WRITTEN = {
    "anomalies": lambda x: x - x.mean(0),
    "scaled": lambda x: (x - x.mean(0)) / x.std(0),
    "kept dimensions": lambda x: x - x.mean(0, keepdims=True),
    "scalars": lambda x: x - x.mean(),
    "some axes": lambda x: x - x.max((0, 2))[:, None],
    "numbers": lambda x: x * 2 + 1,
}


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored") / "x")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("formula", WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("groups", DAYS_OF.values(), ids=DAYS_OF)
def test_formulas_of_groups_are_one_formula(x, formula, groups):
    def written(numpy, x):
        return numpy.concatenate([formula(x[own]) for own in groups])

    assert len(names(written(dt, x))) <= 14
    require_numpys(written, x)


def test_numbers_that_differ_lie_along_the_axis(x):
    def written(numpy, x):
        return numpy.concatenate(
            [x[own] * (0.3 * n + 0.15) for n, own in enumerate(DAYS_OF["months"])]
        )

    assert len(names(written(dt, x))) <= 8
    require_numpys(written, x)


def test_pieces_that_are_read_elsewhere_stay(x):
    pieces = [x[own] * 2 for own in DAYS_OF["months"]]
    found = names(dt.concatenate(pieces), *pieces)
    assert found.count("concat") == 1


def test_a_formula_of_each_of_many_files(tmp_path):
    parts = [CELLS[6 * n : 6 * n + 6] for n in range(40)]
    files = [stored(tmp_path / str(n), part, 6) for n, part in enumerate(parts)]
    y = dt.concatenate([file * 1.8 + 32 for file in files])
    assert names(y).count("elementwise") == 2  # a product, and a sum
    np.testing.assert_array_equal(y.compute(), np.concatenate([p * 1.8 + 32 for p in parts]))
    assert names(dt.concatenate([f * 2 for f in files[:20]])).count("elementwise") == 20
