"""Operators take the forms that they have taken in other sizes."""

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.exchanged_values import EXCHANGED
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.exchanges import in_other_sizes_exchanged
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.other_sizes import resized
from tests.planner.graphs import FAST_STORES
from tests.planner.spaces import COSTS, space_of


def test_a_form_takes_another_size_once_what_it_reads_is_computed_in_its_step():
    x, y = (dt.placeholder((10_000_000, 1024), "f4", (10_000, 1024)) for _ in range(2))
    product = x.T @ (x @ dt.placeholder((1024, 1024), "f4") - y)
    machine = dt.Resources(64, 4, "16 GiB", bandwidth="1 GB/s", rates=FAST_STORES)
    space = space_of(product, resources=machine)
    node = product.node

    def in_parts(size):
        return improve(space, space.state(Choices({node: (FormChoice("parts", size),)})), COSTS)

    state = in_parts(2500)
    better = resized(space, state, COSTS)
    assert better.choices.forms[node] != state.choices.forms[node]
    assert better.seconds < 0.9 * state.seconds
    assert space.fits(better)
    assert resized(space, state, 0) is state


def test_what_a_form_makes_goes_through_a_store_in_another_size_too():
    x = dt.placeholder((3_200_000_000,), "f8", (1_600_000,))
    space = space_of(dt.sort(x), resources=dt.Resources(8, 4, "4 GiB"))
    node = dt.sort(x).node
    first = space.state(space.in_forms(Choices(), {node: (FormChoice("exchange", 2048),)}))
    stored = improve(space, first, COSTS, of_exchange=1.0)
    assert EXCHANGED in {form.name for form in stored.choices.forms[node]}
    others = [choices.forms[node] for choices in in_other_sizes_exchanged(space, stored)]
    assert [forms[0].size for forms in others] == [1024, 4096]
    assert all(EXCHANGED in {form.name for form in forms[1:]} for forms in others)
