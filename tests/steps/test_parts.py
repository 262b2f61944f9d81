import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.parts import (
    finest_program,
    little_inputs,
    parts_of,
    with_last,
    written_values,
)
from tests.planner.graphs import stored


def told(x):
    """For each part, the operators in it, the last one being its goal."""
    parts = parts_of(group_of(x.node, set()).program)
    return [[i.operator.name for i in parts[goal].program.instructions] for goal in sorted(parts)]


def test_what_is_computed_cell_by_cell_for_one_value_is_in_its_part():
    views = ["placeholder", "elementwise", "permute", "slice", "elementwise"]
    assert told(dt.sqrt(stored()).T[5:] + 1) == [views]
    assert told((stored() + 1).sum()) == [["placeholder", "reduce"]]


def test_what_several_parts_read_is_a_part_of_its_own():
    x = stored()
    assert told(x - x.mean(0)) == [["placeholder"], ["reduce"], ["broadcast", "elementwise"]]


def test_what_must_be_seen_as_a_whole_is_in_no_part():
    seen = dt.map_blocks(lambda b: b, stored() + 1) * 2
    assert told(seen) == [["placeholder", "elementwise"], ["elementwise"]]


def test_lanes_are_made_a_few_at_a_time_unless_their_cells_are_found_by_rank():
    lanes = dt.sort(stored() + 1, axis=0) * 2
    assert told(lanes) == [["placeholder", "elementwise", "sort", "elementwise"]]
    long = dt.placeholder((10**7, 3), "f8", (10**6, 3)) + 1
    assert told(dt.sort(long, axis=0) * 2) == [["placeholder", "elementwise"], ["elementwise"]]


def test_a_fold_begins_a_part_unless_it_is_folded_for_its_reader():
    program = group_of((stored().sum(1) * 2).node, set()).program
    first = len(program.inputs)
    (fold,) = (n for n, i in enumerate(program.instructions, first) if i.operator.name == "reduce")
    assert {fold} < set(parts_of(program))
    (goal,) = parts_of(program, folded=frozenset({fold}))
    assert goal == len(program.types) - 1
    apart = group_of((stored().sum(1) - stored().sum(1).sum()).node, set()).program
    folds = frozenset(parts_of(apart)) - {len(apart.types) - 1}
    assert set(parts_of(apart, folded=folds)) > {len(apart.types) - 1}


def test_a_formula_of_scalars_is_a_part():
    both = dt.placeholder((), [("sum", "f8"), ("most", "f8")])
    formula = both["sum"] - both["most"]
    assert told(formula) == [["placeholder", "field", "field", "elementwise"]]


def test_a_small_value_that_all_pieces_read_is_held():
    row = stored((1000,), "f8", (100,))
    assert told(stored() - row) == [["placeholder"], ["placeholder", "broadcast", "elementwise"]]
    assert told((stored() * row).sum(1))[0] == ["placeholder"]
    assert told(stored() - stored()) == [["placeholder", "placeholder", "elementwise"]]


def test_a_part_tells_what_it_reads_and_what_is_computed_for_it_alone():
    x = stored()
    parts = parts_of(group_of((x - x.mean(0)).node, set()).program)
    assert [(part.inputs, part.inside) for part in parts.values()][-1] == ((), frozenset())
    last = parts[max(parts)]
    assert last.inputs == (0, 1)
    assert last.inside == {2}


def test_the_finest_partial_results_take_the_place_of_a_fold():
    program = group_of(stored().sum().node, set()).program
    fine = finest_program(program)
    assert fine.type.size > 10
    assert fine.instructions[:-1] == program.instructions[:-1]
    assert finest_program(fine) is fine
    again = with_last(fine, program.instructions[-1].operator)
    assert again == program


def test_little_inputs_can_be_apart():
    x = stored((700, 1100), "f8", (70, 110))
    program = group_of(x[::7, ::11].sum(0).node, set()).program
    last = len(program.types) - 1
    part = parts_of(program)[last]
    little = little_inputs(program, last, part)
    assert [program.types[value].shape for value in little] == [(100, 100)]
    assert set(parts_of(program, little)) == {last, *little}
    whole = group_of(x[1:].sum(0).node, set()).program
    assert not little_inputs(whole, len(whole.types) - 1, parts_of(whole)[len(whole.types) - 1])


def test_what_a_sink_writes_is_known_where_the_program_makes_it():
    x = stored((60, 90), "f8", (20, 30))
    program = group_of(dt.to_zarr(x + 1, "nowhere", compute=False).node, set()).program
    (made,) = written_values(program)
    assert program.instruction(made).operator.name == "elementwise"
    assert not written_values(group_of((x + 1).node, set()).program)


def test_small_matrices_of_a_stack_are_computed_some_at_a_time():
    x = dt.placeholder((100_000, 6, 6), "f8", (10_000, 6, 6))
    gain = dt.linalg.inv(x @ x.swapaxes(1, 2)) @ x[:, :, :1]
    assert told((x @ gain + x[:, :, 1:2]).mean(0))[-1].count("matmul") == 3
    large = dt.placeholder((1000, 200, 200), "f8", (10, 200, 200))
    assert told((large @ large @ large).mean(0))[-1].count("matmul") == 0


def test_what_the_first_cells_do_not_read_is_not_read_by_all():
    """The last column of what is rolled, which is small: so the store stays a part of the fold."""
    x = stored((4000, 3000))
    rolled = sum(dt.roll(x, shift, axis) for shift in (1, -1) for axis in (0, 1)) - 4 * x
    (part,) = told(abs(rolled).mean(axis=0))
    assert "placeholder" in part
