"""What is computed once while a plan is searched."""

from dataclasses import replace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.step import USUAL
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search import pricing as module
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.zspace import Cuts
from tests.covering import beyond
from tests.planner.graphs import FAST_STORES, FOUR, stored


def pricing(resources=FOUR):
    return Pricing(Machine.of(resources), Limits.of(resources))


def test_equal_programs_are_priced_once():
    known = pricing()
    x, y = (stored((n, 1000)).rechunk((1000, -1)) for n in (10_000, 10_000))
    w = dt.ones((1000, 1000)).rechunk(-1)
    cuts = (Cuts.regular(10_000, 1000), Cuts.regular(1000, 1000))
    whole = (Cuts.regular(1000, 1000),) * 2
    one = ((x + 1) @ w).node
    two = ((y * 1 + 1) @ w).node
    first = known.best(known.group(one, {one, x.node, w.node}), (cuts, whole))
    spent = known.evaluated
    assert spent > 1
    again = known.best(known.group(one, {one, x.node, w.node}), (cuts, whole))
    assert (again.grid, known.evaluated) == (first.grid, spent)
    assert two is not one


def test_a_group_is_that_of_what_is_held():
    """Known for other held values, it is one again only where these change nothing in it."""
    known = pricing()
    x = stored().node
    rows = (stored() + 1).sum(axis=1)
    summand, added = rows.node, (rows * 2 + 1).node
    for held in ({added}, {added, summand}, {added, x}, {added}, {added, summand, x}, {added, x}):
        group, fresh = known.group(added, held), pricing().group(added, held)
        assert (group.inputs, group.members) == (fresh.inputs, fresh.members)
    apart = (stored() + 7).node
    assert known.group(added, {added, apart}) is known.group(added, {added})
    assert known.group(added, {added, summand}) is not known.group(added, {added})


def test_a_group_is_built_once():
    known = pricing()
    node = (stored() + 1).node
    assert known.group(node, {node}) is known.group(node, {node})


def test_a_layout_of_the_user_is_kept():
    known = pricing()
    node = stored().rechunk((7000, -1)).node
    group = known.group(node, {node})
    assert known.best(group, ()).grid == node.operator.layout
    assert not known.allows(group, (Cuts.regular(100_000, 10), Cuts.regular(1000, 1000)), ())


def test_pieces_of_a_sink_are_not_divided(tmp_path):
    known = pricing()
    node = dt.to_zarr(stored(), tmp_path / "x", chunks=(1500, 1000), compute=False).node
    group = known.group(node, {node})
    whole = Cuts.regular(1000, 1000)
    assert known.allows(group, (Cuts.regular(100_000, 3000), whole), ())
    assert not known.allows(group, (Cuts.regular(100_000, 2000), whole), ())


def test_no_chunk_is_read_by_many_blocks_as_smaller_ones_are_wished():
    with dt.config(block_bytes="64 kiB"):
        plan = dt.plan(stored((4000, 1000)) + 1, resources=FOUR)
    (step,) = plan.core.steps.values()
    assert step.cost.blocks <= 4
    assert step.cost.read == 4000 * 1000 * 8


def test_programs_that_read_other_data_alike_are_priced_once():
    known = pricing()
    one, two = (stored().std(axis=0).node for _ in range(2))
    groups = [known.group(node, {node}) for node in (one, two)]
    assert groups[0].program is groups[1].program
    assert groups[0].own != groups[1].own
    first = known.best(groups[0], ())
    spent = known.evaluated
    assert known.best(groups[1], ()).grid == first.grid
    assert known.evaluated == spent


def test_each_step_reads_its_own_data(tmp_path):
    cells = [np.full((40, 30), number) for number in range(4)]
    for number, one in enumerate(cells):
        dt.to_zarr(one, tmp_path / f"{number}.zarr")
    arrays = [dt.from_zarr(tmp_path / f"{number}.zarr") for number in range(4)]
    found = dt.compute(*[x.sum(axis=0) for x in arrays])
    for one, sums in zip(cells, found, strict=True):
        np.testing.assert_array_equal(sums, one.sum(axis=0))


@pytest.mark.parametrize(
    "job",
    [
        lambda x: x.mean(axis=0),
        lambda x: dt.exp(x[1:] - x[:-1]).max(axis=1),
        lambda x: x - x.mean(axis=1, keepdims=True),
        lambda x: x.T @ x,
        lambda x: dt.cumsum(x, axis=0),
        lambda x: dt.sort(x, axis=1),
    ],
)
def test_what_guides_a_search_is_no_more_than_the_cost(job):
    known, node = pricing(), job(stored()).node
    group = known.group(node, {node})
    held = (None,) * len(group.inputs)
    for pieces in range(1, 4000, 131):
        grid = tuple(Cuts.regular(n, -(-n // min(n, pieces))) for n in node.type.shape)
        least, cost = (
            price(group.program, grid, held, USUAL) for price in (known._guiding_cost, known.cost)
        )
        assert least.seconds <= cost.seconds * (1 + 1e-9)
        assert least.work <= cost.work


def test_what_limits_do_not_change_is_priced_once_for_all_of_them():
    wide = pricing()
    node = stored((100_000, 1000)).mean(axis=0).node
    found = wide.best(wide.group(node, {node}), ())
    narrow = Limits.of(FOUR, 0.25)
    fresh, told = Pricing(wide.machine, narrow), Pricing(wide.machine, narrow, wide)
    alone, same = (one.best(one.group(node, {node}), ()) for one in (fresh, told))
    assert (same.grid, same.cost, same.limits) == (alone.grid, alone.cost, alone.limits)
    assert same.limits != found.limits
    assert told.evaluated < fresh.evaluated / 2


def test_the_best_grid_where_blocks_may_take_more_is_best_where_it_is_allowed():
    x, w = stored((10_000, 1000)), dt.ones((1000, 1000)).rechunk(-1)
    one = (x @ w).node
    held = (Cuts.regular(10_000, 1000), Cuts.regular(1000, 1000)), (Cuts.regular(1000, 1000),) * 2
    wide = pricing()
    found = wide.best(wide.group(one, {one, x.node, w.node}), held)
    for share, is_allowed in ((1.0, True), (0.5 * found.cost.work / wide.limits.task, False)):
        limits = wide.limits.scaled(share, wide.machine.usable)
        limits = replace(limits, few=limits.task)
        narrow = Pricing(wide.machine, limits, wide)
        again = narrow.best(narrow.group(one, {one, x.node, w.node}), held)
        assert (again.grid == found.grid) == is_allowed
        assert (narrow.evaluated == 0) == is_allowed


def test_what_a_grid_takes_at_least_is_found_once():
    known = pricing()
    program = known.group((node := (stored() + 1).node), {node}).program
    cuts = (Cuts.regular(100_000, 50_000), Cuts.regular(1000, 1000))
    least = known._least_cost(program, cuts, (), USUAL)
    spent = known.evaluated
    assert known._least_cost(program, cuts, (), USUAL) is least
    assert known.evaluated == spent


def test_fields_of_one_type_are_one_program():
    both = stored((1000,), "f8,f8,i4", (1000,))
    first, second, other = (both[name].node for name in ("f0", "f1", "f2"))
    known = pricing()
    programs = [known.group(node, {node}).program for node in (first, second, other)]
    assert programs[0] is programs[1]
    assert programs[1] is not programs[2]


def test_a_long_program_counts_for_more():
    """What steps take at least counts, too, by the operators that are followed."""

    def spent(count):
        known, x = pricing(replace(FOUR, rates=FAST_STORES)), stored((100_000, 1000))
        joined = dt.concatenate([x[n : n + 50_000] for n in range(count)])
        known.best(known.group(joined.node, {joined.node}), (), lambda _: True)
        return known.evaluated

    assert spent(40) > 2 * spent(4)


def test_where_nothing_is_exchanged_in_bulk_what_is_priced_in_slices_is_known():
    here = pricing(dt.Resources(workers=1, threads=2, memory="8 GiB", local=True))
    assert here.in_slices is here
    many = pricing()
    assert many.in_slices is not many


def test_no_unit_of_cuts_is_looked_for_of_what_takes_hardly_longer_than_a_task(monkeypatch):
    def refuse(*_):
        raise AssertionError("units were looked for")

    monkeypatch.setattr(module, "units", refuse)
    known, row = pricing(), stored((1000, 1000)).rechunk(-1)
    group = known.group(row[3].node, {row.node})
    assert [cuts.count for cuts in known.best(group, (None,)).grid] == [1]


@pytest.mark.parametrize("memory", [beyond("300 MB"), "400 MB"])
def test_small_workers_compute_in_small_pieces_beside_the_chunks_that_they_read(memory):
    """In pieces of 32 MiB blocks were so narrow that each chunk was read twenty times."""
    genes = dt.placeholder((1_400_000, 300), "i1", stored_chunks=(66_667, 170))
    cells = dt.where(genes < 0, 1, genes).astype("f4")
    scaled = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    plan = dt.plan(scaled.T @ scaled, resources=dt.Resources(2, 2, memory))
    assert plan.cost["bytes_read"] <= 2.1 * genes.nbytes
    told = {step.program.piece_bytes for step in plan.core.steps.values()}
    assert told == {Machine.of(dt.Resources(2, 2, memory)).piece_bytes}
    plan.verify()


def test_groups_of_all_places_are_computed_in_the_same_pieces():
    few = dt.Resources(groups=[(2, 2, "300 MB", "small"), (1, 2, "64 GiB", "large")])
    pricing = Pricing(Machine.of(few), Limits.of(few, 0.5))
    node = dt.sqrt(stored()).node
    told = {p.group(node, {node}).own.piece_bytes for p in (pricing, pricing.at("large"))}
    assert len(told) == 1
