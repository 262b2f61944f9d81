"""Plans are cut more finely until workers can hold them."""

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.smaller_blocks import split_until_fits
from tests.planner.graphs import stored
from tests.planner.spaces import space_of


def test_blocks_become_smaller_until_workers_can_hold_them():
    x = stored((100_000, 100_000), "f8", (2000, 2000))
    y = x @ x
    parts = Choices(forms={y.node: (FormChoice("parts", 50_000),)})
    narrow = dt.Resources(workers=64, threads=4, memory="16 GiB")
    space = space_of(y, resources=narrow)
    state = space.state(parts)
    assert not space.fits(state)
    lighter = split_until_fits(space, state)
    assert space.fits(lighter)
    assert sum(p.cost.blocks for p in lighter.placed.values()) > sum(
        p.cost.blocks for p in state.placed.values()
    )
    roomy = space_of(y).state(parts)
    assert split_until_fits(space_of(y), roomy) is roomy


def test_blocks_are_not_cut_where_values_alone_take_too_much():
    x = stored((50_000, 50_000), "f8", (2000, 2000))
    space = space_of((x - x.mean(axis=0)).sum(axis=1), resources=dt.Resources(4, 1, memory="2 GiB"))
    state = space.state(Choices(held=frozenset({x.node})))
    assert not space.fits(state)
    assert not space.may_fit_in_smaller_blocks(state)
    before = space.pricing.evaluated
    assert split_until_fits(space, state) is state
    assert space.pricing.evaluated == before


def test_blocks_are_not_cut_again_once_that_hardly_spares_memory(monkeypatch):
    x = stored((100_000, 100_000), "f8", (2000, 2000))
    y = x @ x
    rounds = []
    for share in (0.95, 0.5):  # of what lacked before, after each halving
        space = space_of(y)
        state = space.state(Choices(forms={y.node: (FormChoice("parts", 50_000),)}))
        blocks = sum(p.cost.blocks for p in state.placed.values())
        asked, priced = [], space.state

        def lacking(other, share=share, blocks=blocks):
            more = sum(p.cost.blocks for p in other.placed.values()) > blocks
            return int(2**40 * (share if more else 1))

        def noted(choices, asked=asked, priced=priced):
            asked.append(choices)
            return priced(choices)

        monkeypatch.setattr(space, "lacking", lacking)
        monkeypatch.setattr(space, "state", noted)
        assert split_until_fits(space, state) is state
        rounds.append(len(asked))
    assert 0 < rounds[0] < rounds[1]


def test_blocks_are_cut_where_that_takes_least_time():
    """Half a row of chunks takes less memory than the next cut, and decodes each chunk twice."""
    shape, chunks = (10_000, 10_000), (1000, 1000)
    x = dt.stack([dt.placeholder(shape, "f8", stored_chunks=chunks) for _ in range(4)])
    plan = dt.plan(x.mean(axis=0), x.std(axis=0), resources=dt.Resources(2, 2, "1 GiB"))
    plan.verify()
    assert plan.cost["bytes_read"] == x.nbytes


def test_means_that_are_waited_for_are_cut_as_they_are_read():
    """Of one block of all rows' means, all that rows are made of would be held for a reader."""
    x = stored((40_000, 32_000), "f4", (2000, 2000))
    y = abs((x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)).max(axis=1)
    plan = dt.plan(y, resources=dt.Resources(workers=2, threads=2, memory="500 MiB"))
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes
