import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.comparisons import same_bits
from tests.examples import examples
from tests.rules.alike_cells import CELLS, DAY, DAYS, names, require_numpys, stored

pytestmark = pytest.mark.usefixtures("small_lattices")
FOLDS = ("mean", "std", "sum", "max", "argmin", "nanmean", "any")


@pytest.fixture(scope="module")
def x(tmp_path_factory):
    return stored(tmp_path_factory.mktemp("stored") / "x")


def groups(count):
    return [DAY % count == number for number in range(count)]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", FOLDS)
def test_many_selections_are_one_operator_with_the_bits_of_each(x, name):
    def written(numpy, x):
        return numpy.stack([getattr(numpy, name)(x[own], axis=0) for own in groups(20)])

    assert names(written(dt, x)).count("selectedfolds") == 1
    require_numpys(written, x)


def test_several_folds_of_the_same_selections_share_a_pass(x):
    def written(numpy, x):
        return numpy.stack([x[own].max(0) - x[own].mean(0) for own in groups(20)])

    found = names(written(dt, x))
    assert found.count("selectedfolds") == 1
    require_numpys(written, x)


def test_few_selections_are_joint_reductions(x):
    assert "selectedfolds" not in names(*[x[own].mean(0) for own in groups(12)])


@given(
    st.integers(17, 24),
    st.integers(0, 2**32 - 1),
    st.sampled_from(FOLDS),
    st.sampled_from([(0,), (0, 1), (0, 1, 2)]),
)
@examples(12)
def test_any_masks_have_the_bits_of_each_alone(x, count, seed, name, axes):
    masks = np.random.default_rng(seed).random((count, DAYS)) < 0.3
    axes = axes[0] if name == "argmin" else axes
    folds = [getattr(dt, name)(x[mask], axis=axes) for mask in masks]
    every = dt.compute(*folds)
    for one, value in zip(folds[:3], every, strict=False):
        assert same_bits(np.asarray(one.compute()), np.asarray(value))


def test_blocks_of_any_cut_have_the_same_bits(x):
    y = dt.stack([x[own].std(0) for own in groups(20)])
    whole = y.compute()
    for memory in ("2 MiB", "1 GiB"):
        p = y.plan(resources=dt.Resources(workers=3, threads=1, memory=memory))
        assert same_bits(p.compute(), whole)
    assert same_bits(y.rechunk((5, 2, 3)).compute(), whole)
    assert whole.shape == (20, *CELLS.shape[1:])
