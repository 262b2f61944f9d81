"""Choices that differ in one."""

from dataclasses import replace

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources.joined_source import joined_source
from dask_tapestry.planner.search import moves
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.teg import TensorType, apply
from dask_tapestry.zspace import Cuts
from tests.planner.enumerated import in_slices
from tests.planner.graphs import FAST_STORES, FOUR, stored
from tests.planner.spaces import WIDE, gram, network, space_of


def test_what_is_read_again_and_again_may_be_held():
    x, w = (stored((50_000, 50_000), "f8", (2000, 2000)) for _ in range(2))
    state = space_of(x @ w + 1).state(Choices())
    (step,) = state.placed.values()
    assert {x.node, w.node} <= set(moves.recomputed_members(step))
    both, in_chunks, *single = moves.hold(state, step)
    assert both.held == in_chunks.held == {x.node, w.node}
    assert {c.step for grid in in_chunks.grids.values() for c in grid} == {2000}
    assert [len(choices.held) for choices in single] == [1, 1]


def test_what_every_block_reads_whole_is_read_by_one_task():
    table, tokens = stored((50_000, 512), "f4", (5_000, 512)), stored((10**8,), "i8", (10**6,))
    space = space_of(dt.take(table, tokens, axis=0), resources=replace(WIDE, rates=FAST_STORES))
    state = space.state(Choices())
    (step,) = state.placed.values()
    *_, handed = moves.hold(state, step)
    assert handed.held == {table.node}
    assert [cuts.count for cuts in handed.grids[table.node]] == [1, 1]
    assert space.state(handed).placed[table.node].cost.read == table.node.type.nbytes


@pytest.mark.exhaustive  # `planner/test_named_plans.py` plans attention
def test_attention_reads_its_keys_once():
    q, k, v = (dt.placeholder((1_000_000, 128), "f4") for _ in range(3))
    scores = q @ k.T / 128**0.5
    scores = dt.exp(scores - scores.max(axis=-1, keepdims=True))
    y = (scores / scores.sum(axis=-1, keepdims=True)) @ v
    plan = dt.plan(y, resources=dt.Resources(64, 4, "16 GiB", bandwidth="1 GB/s"))
    plan.verify()
    once = sum(x.type.nbytes for x in (q.node, k.node, v.node))
    assert plan.cost["bytes_read"] <= 1.1 * once
    assert plan.cost["bytes_moved"] <= 2 * 64 * k.node.type.nbytes


def test_what_is_read_again_may_be_held_in_another_shape():
    x = dt.placeholder((2**24,), "f8", (2**18,))
    matrix = dt.transpose(x).reshape(2**12, 2**12)
    state = space_of(dt.sort(matrix.T[::-1], axis=1)).state(Choices())
    (step,) = state.placed.values()
    assert moves.arrangements(step, [x.node]) == [matrix.node]
    assert {matrix.node} in [choices.held for choices in moves.hold(state, step)]
    assert moves.arrangements(step, []) == []


def test_what_is_computed_may_be_held_in_another_shape_where_no_block_fits():
    x = dt.placeholder((2**24,), "f8", (2**18,))
    matrix = dt.concatenate([x * 2, (x * 2)[::-1]]).reshape(2**12, 2**13)
    columns = dt.fft.fft(matrix, axis=0)
    state = space_of(columns, resources=dt.Resources(2, 1, "200 MB")).state(Choices())
    (step,) = state.placed.values()
    assert {matrix.node} in [choices.held for choices in moves.hold(state, step)]
    roomy = space_of(columns, resources=dt.Resources(2, 1, "20 GB")).state(Choices())
    (step,) = roomy.placed.values()
    assert {matrix.node} not in [choices.held for choices in moves.hold(roomy, step)]


def test_layers_may_be_computed_where_they_are_read_all_at_once():
    space = space_of(network(3))
    state = space.state(Choices())
    every, *others = moves.fuse_sets(state)
    assert len(space.state(every).placed) == 1
    assert all(len(space.state(choices).placed) <= len(state.placed) for choices in others)


def test_results_are_held_whatever_one_chooses():
    assert moves.optional(space_of(stored() + 1).state(Choices())) == []


def test_a_producer_is_cut_as_it_is_read_and_a_reader_as_its_input():
    x = stored((40_000, 40_000), "f8", (1000, 40_000))
    cut = (x + 1).rechunk((500, 40_000))
    y = cut * 2
    z = y.sum(axis=1)
    space = space_of(z)
    other = tuple(Cuts.regular(40_000, n) for n in (10_000, 2000))
    state = space.state(Choices(held=frozenset([y.node]), grids={y.node: other}))
    (pushed,) = moves.push(state, state.placed[y.node])
    assert pushed.grids[y.node] == cut.node.operator.layout
    assert list(moves.pull(state, state.placed[y.node])) == []  # the user cut what it reads
    (pulled,) = moves.pull(state, state.placed[z.node])
    rows, columns = pulled.grids[y.node]
    assert (rows.count, columns.count) == (state.placed[z.node].grid[0].count, 1)


def test_steps_that_are_cut_alike_are_cut_in_half_together():
    state = space_of(network(3)).state(Choices())
    steps = list(state.placed.values())
    rows, columns = steps[0].grid
    assert all(step.grid == (rows, columns) for step in steps)
    (finer, *_) = moves.halved(state, steps)
    assert finer.grids.keys() == state.placed.keys()
    assert {grid[0].count for grid in finer.grids.values()} == {2 * rows.count}


def test_a_dimension_is_cut_once_more_or_less():
    space = space_of(stored() + 1, resources=FOUR)
    state = space.state(Choices())
    (priced,) = state.placed.values()
    counts = {
        tuple(c.count for c in next(iter(choices.grids.values())))
        for choices in moves.recut(state, priced)
    }
    rows, columns = (c.count for c in priced.grid)
    assert {(-(-rows // 2), columns), (rows, 2 * columns)} <= counts
    assert any(rows < n <= 2 * rows and m == columns for n, m in counts)  # cuts end with chunks


def test_a_step_takes_its_own_best_grid_again():
    space = space_of(stored() + 1, resources=FOUR)
    state = space.state(Choices())
    (node,) = state.placed
    (priced,) = state.placed.values()
    other = space.state(next(moves.recut(state, priced)))
    (back,) = moves.freed(other, node)
    assert space.state(back).placed[node].grid == priced.grid
    assert list(moves.freed(state, node)) == []


def test_other_forms_are_tried_in_near_sizes():
    y = gram()
    space = space_of(y)
    whole = space.state(Choices())
    (form,) = y.node.operator.forms(y.node.input_types)
    (first,) = moves.reform(space, whole, y.node)
    assert first.forms[y.node] == (FormChoice("parts", form.sizes[len(form.sizes) // 2]),)
    found = list(moves.reform(space, space.state(first), y.node))
    sizes = {c.forms[y.node][0].size for c in found if c.forms}
    order = sorted(form.sizes)
    middle = order.index(first.forms[y.node][0].size)
    assert {order[middle - 1], order[middle + 1]} <= sizes
    assert {} in [c.forms for c in found]  # and none


def test_a_fold_that_takes_no_form_any_more_may_be_computed_where_it_is_read():
    x = stored((10_000, 400, 400), "f4", (1000, 100, 100))
    mean = x.mean(axis=0)
    space = space_of(dt.sort(x - mean, axis=0))
    size = mean.node.operator.forms(mean.node.input_types)[0].sizes[0]
    formed = space.state(Choices(forms={mean.node: (FormChoice("nodes", size),)}))
    plain = [c for c in moves.reform(space, formed, mean.node) if not c.forms]
    assert [mean.node in space.state(choices).placed for choices in plain] == [True, False]


def test_a_form_is_resized_to_the_next_sizes():
    y = gram()
    space = space_of(y)
    whole = space.state(Choices())
    assert list(moves.resize(space, whole, [y.node])) == []
    (first,) = moves.reform(space, whole, y.node)
    found = [c.forms[y.node] for c in moves.resize(space, space.state(first), [y.node])]
    (form,) = y.node.operator.forms(y.node.input_types)
    order = sorted(form.sizes)
    middle = order.index(first.forms[y.node][0].size)
    sizes = {order[middle - 1], order[middle + 1]}
    assert set(found) >= {(FormChoice("parts", size),) for size in sizes}
    others = {choice.size for (choice,) in set(found)} - sizes
    assert others
    assert all(size % 1000 == 0 for size in others)  # whole chunks of rows, or of columns


def test_folds_that_are_alike_are_resized_together():
    x = stored((5000, 1024, 1024), "u2", (1, 1024, 1024))
    early, late = x[:500].mean(0), x[4000:4500].mean(0)
    space = space_of(early - late)
    (form,) = early.node.operator.forms(early.node.input_types)
    first = FormChoice("nodes", form.sizes[1])
    both = [node for node in space.graph.nodes if node.type == early.node.type][:2]
    state = space.state(Choices(forms=dict.fromkeys(both, (first,))))
    found = [c.forms for c in moves.resize(space, state, both)]
    assert {(FormChoice("nodes", size),) for size in (form.sizes[0], form.sizes[2])} <= {
        forms[both[0]] for forms in found
    }
    assert all(forms[both[0]] == forms[both[1]] for forms in found)


def test_no_form_is_made_that_its_operator_does_not_have():
    y = stored((4_000_000, 100)).sum(axis=0)
    space = space_of(y)
    state = space.state(Choices())
    for _ in range(4):
        for choices in moves.reform(space, state, y.node):
            state = space.state(choices)  # raises PlanError for a form that is none
    assert state.choices.forms


def test_a_step_may_be_computed_elsewhere_where_workers_differ():
    groups = dt.Resources(groups=[(4, 8, "256 GiB", "big"), (60, 2, "4 GiB", "small")])
    x = stored() + 1
    space = space_of(x, resources=groups)
    state = space.state(Choices(grids={x.node: space.state(Choices()).placed[x.node].grid}))
    found = list(moves.move_to_group(state, state.placed[x.node]))
    assert [choices.places for choices in found] == [{x.node: "big"}, {x.node: "small"}]
    assert not found[0].grids
    alike = space_of(x).state(Choices())
    assert list(moves.move_to_group(alike, alike.placed[x.node])) == []


def test_small_stored_chunks_are_held_several_at_a_time():
    rows, columns = moves.stored_grid(stored((14_000, 14_000), "f8", (100, 14_000)).node)
    assert (rows.step, columns.count) == (200, 1)
    large = moves.stored_grid(stored((14_000, 14_000), "f8", (5000, 5000)).node)
    assert [c.step for c in large] == [5000, 5000]
    assert moves.stored_grid((stored() + 1).node) is None


def test_files_of_unequal_lengths_are_held_whole():
    files = [stored((n, 1000), "f8", (n, 1000)).node.operator for n in (31, 28, 31, 30, 9, 31)]
    joined = joined_source(files, 0, False, TensorType((160, 1000), files[0].type.dtype))
    for most, lengths in ((1, [31, 28, 31, 30, 9, 31]), (62 * 8000, [59, 61, 40]), (10**7, [160])):
        rows, columns = moves.stored_grid(apply(joined), most)
        assert list(rows.lengths()) == lengths
        assert columns.count == 1


def test_a_value_and_its_transpose_are_exchanged_between_workers(tmp_path):
    """Each chunk is read once: what the transpose needs comes from the worker that has it."""
    x = dt.placeholder((14_000, 14_000), "f8", (2000, 2000))
    small = dt.Resources(workers=2, threads=1, memory="1 GB")
    plan = dt.plan(dt.to_zarr(x + x.T, tmp_path / "sum", compute=False), resources=small)
    assert plan.cost["bytes_read"] == x.nbytes
    assert plan.cost["peak_worker_bytes"] < 0.5 * small.memory_bytes


def table():
    return dt.placeholder((20_000_000, 1000), "f4", (100_000, 1000))


def labels():
    return dt.placeholder((20_000_000,), "i8", (100_000,))


def centred(x):
    return x - x.max(axis=1, keepdims=True)


def picked(x):
    return dt.take_along_axis(x, labels()[:, None], axis=1)[:, 0]


OF_ROWS = {  # one value a row, of passes over the row, then one value of all
    "picked": lambda x: picked(centred(x)).mean(),
    "cross entropy": lambda x: (dt.log(dt.exp(centred(x)).sum(axis=1)) - picked(centred(x))).mean(),
    "chosen": lambda x: (x.argmax(axis=1) == labels()).mean(),
    "spread": lambda x: (x.max(axis=1) - x.min(axis=1)).max(),
    "ends": lambda x: (centred(x)[:, 0] * centred(x)[:, -1]).sum(),
}


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", OF_ROWS)
def test_what_is_folded_is_held_where_all_of_it_cannot_be_computed_in_one_block(name):
    """Blocks of a mean's nodes hold many stored chunks, of which rows are computed in one."""
    x = table()
    machine = dt.Resources(workers=64, threads=4, memory="16 GiB", bandwidth="1 GB/s")
    plan = dt.plan(OF_ROWS[name](x), resources=machine)
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes


def test_a_set_may_be_fused_with_what_its_readers_fold_held():
    values = picked(centred(table()))
    state = space_of(values.mean()).state(Choices())
    both = [c for c in moves.fuse_sets(state) if c.held]
    assert {value.type.shape for choices in both for value in choices.held} == {values.shape}
    assert all(choices.fused for choices in both)


SERIES = ((14610, 721, 1440), "f4", (24, 721, 1440))
OF_FEW = {  # few cells of all chunks, folded: a fold's nodes of these few would be a handful
    "columns": lambda x: x.reshape(len(x), -1)[:, ::500].sum(axis=0),
    "a piece of a row": lambda x: x.reshape(len(x), -1)[:, :500].std(axis=0),
    "a place": lambda x: x[:, 300, 500].max(),
    "covariances": lambda x: dt.cov(x.reshape(len(x), -1)[:, ::500].T),
    "a few days": lambda x: (x - dt.median(x[::500], axis=0)).mean(axis=(1, 2)),
}


@pytest.mark.few(2)  # one question each
@pytest.mark.parametrize("name", OF_FEW)
def test_few_cells_are_taken_of_all_chunks_by_many_tasks(name):
    x = dt.placeholder(*SERIES)
    machine = dt.Resources(workers=64, threads=4, memory="16 GiB", bandwidth="1 GB/s")
    plan = dt.plan(OF_FEW[name](x), resources=machine)
    plan.verify()
    assert plan.cost["bytes_read"] < 1.05 * x.nbytes
    assert plan.cost["bytes_moved"] < 0.1 * x.nbytes
    assert plan.cost["seconds"] < 2 * dt.plan(x.mean(), resources=machine).cost["seconds"]


def test_only_what_takes_few_cells_is_held_before_it_is_folded():
    x = stored((20_000, 2000), "f8", (100, 2000))
    few, most, turned = x[:, ::100], x[:, 1:], x.T
    for chosen in (few, most, turned):
        state = space_of((chosen * 2).sum(axis=0)).state(Choices())
        splits = [c for priced in state.placed.values() for c in moves.split(state, priced)]
        held = {node for choices in splits for node in choices.held}
        assert (chosen.node in held) == (chosen is few)


RARE = {
    "sum": lambda few: few[1:].sum(),
    "formula": lambda few: (few[1:] * few[:-1] + 1).mean(),
    "several": lambda few: dt.stack([few[1:].max(), few[1:].min(), few[1:].std()]),
}


@pytest.mark.few(3)  # each fold
@pytest.mark.parametrize("name", RARE)
@pytest.mark.parametrize("every", [1000, 40_000])
def test_what_a_mask_takes_of_much_is_folded_in_little_memory(name, every, tmp_path):
    """A fold's node of a thousand cells that a mask takes here and there reads all of an array."""
    cells = np.arange(4_000_000.0).reshape(2000, 2000)
    zarr.create_array(tmp_path / "x", data=cells, chunks=(250, 250))
    x = dt.from_zarr(tmp_path / "x")
    plan = dt.plan(RARE[name](x[x % every == 7]), resources=dt.Resources(2, 1, memory="20 MB"))
    assert plan.cost["peak_worker_bytes"] < x.nbytes / 2


@pytest.fixture
def sliced():
    """Nothing is exchanged in bulk."""
    with in_slices():
        yield


def exchanged(rows, workers=50):
    """A field of rows that are read as columns, in so many blocks of rows."""
    x = stored((14_610, 721, 1440), "f4", (12, 721, 1440))
    machines = dt.Resources(workers, 4, "16 GiB", bandwidth="1 GB/s")
    space = space_of(dt.fft.rfft(x, axis=0), resources=machines)
    whole = [Cuts.regular(n, n) for n in x.shape[1:]]
    grids = {x.node: (Cuts.regular(14_610, -(-14_610 // rows)), *whole)}
    return x, space, space.state(Choices(held=frozenset([x.node]), grids=grids))


def test_producers_are_cut_in_fewer_pieces_where_their_parts_take_longest(sliced):
    x, space, state = exchanged(610)
    *_, step = state.placed.values()
    assert step.cost.bound == "overhead"
    fourth, half = [c.grids[x.node][0].count for c in moves.merge_producers(state, step)]
    assert 610 / 4 <= fourth < 610 / 2 <= half < 610
    better = [space.state(choices) for choices in moves.merge_producers(state, step)]
    assert all(other.rank.seconds < state.rank.seconds for other in better)


def test_producers_stay_as_they_are_where_something_else_takes_longest():
    _, _, state = exchanged(8, workers=4)
    steps = [step for step in state.placed.values() if step.cost.bound != "overhead"]
    assert steps
    assert not [choices for step in steps for choices in moves.merge_producers(state, step)]


def test_what_is_held_as_it_is_stored_has_a_block_a_chunk():
    x = stored((3536, 3536), "f8", (707, 707))
    state = space_of(dt.median(x.rechunk((200, -1)), axis=1)).state(
        Choices(held=frozenset([x.node]))
    )
    (choices,) = moves.in_chunks(state, [state.placed[x.node]])
    assert [cuts.step for cuts in choices.grids[x.node]] == [707, 707]
    others = [priced for node, priced in state.placed.items() if node is not x.node]
    assert not list(moves.in_chunks(state, others))


def test_a_form_that_a_users_rule_does_not_know_in_another_one_is_not_offered():
    @dt.rule(on="reduce", kind="choice")
    def largest_of_sorted(node):
        (x,) = node.inputs
        is_sorted = x.operator.name == "sort"
        return dt.Array(x.inputs[0]).max(axis=node.operator.axes) if is_sorted else None

    ordered = dt.sort(stored((50_000, 50_000), "f8", (2000, 2000)), axis=1)
    y = ordered.max(axis=1)
    with dt.config(rules=[largest_of_sorted]):
        space = space_of(y)
        taken = space.state(Choices(forms={y.node: (FormChoice("largest_of_sorted", 1),)}))
        assert not list(moves.reform(space, taken, ordered.node))
        assert list(moves.reform(space, space.state(Choices()), ordered.node))
