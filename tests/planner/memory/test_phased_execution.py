import dask_tapestry as dt
from dask_tapestry.planner.memory.phased_execution import largest_round
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.plan_evaluator import steps_of
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR
from tests.planner.spaces import space_of

X = dt.placeholder((1000, 1000), "f8", (10, 1000))
ROWS, HALVES, THIRDS = Cuts.regular(1000, 50), Cuts.regular(1000, 500), Cuts.regular(1000, 334)
COLUMNS, WHOLE = Cuts.regular(1000, 100), Cuts.regular(1000, 1000)


def share(y, held, cuts):
    """The largest part of X, held in blocks, that blocks of its reader `y` take together."""
    choices = Choices(held=frozenset([X.node]), grids={X.node: held, y.node: cuts})
    space = space_of(y, resources=FOUR)
    step, reader = steps_of(space.state(choices), space.pricing.machine).values()
    return largest_round(reader, step)


def test_columns_are_made_of_rows_in_rounds():
    y = X + 1
    assert share(y, (ROWS, HALVES), (WHOLE, COLUMNS)) == 0.5
    assert share(y, (ROWS, WHOLE), (WHOLE, COLUMNS)) == 1.0
    assert share(y, (ROWS, COLUMNS), (WHOLE, COLUMNS)) == 0.1


def test_a_block_that_reads_of_two_rounds_joins_them():
    y = X + 1
    assert share(y, (ROWS, THIRDS), (WHOLE, COLUMNS)) == 1.0


def test_rounds_are_of_what_is_read():
    assert share(X.T + 1, (HALVES, ROWS), (COLUMNS, WHOLE)) == 0.1
    assert share(X.T + 1, (ROWS, HALVES), (COLUMNS, WHOLE)) == 0.5
    assert share(X[::-1] + 1, (HALVES, ROWS), (COLUMNS, WHOLE)) == 0.5


def test_several_boxes_are_in_no_rounds():
    assert share(X + X.T, (ROWS, HALVES), (WHOLE, COLUMNS)) == 1.0
    halves = HALVES, HALVES  # blocks on the diagonal read one box
    assert share(X + X.T, halves, halves) == 1.0


def test_a_reader_whose_first_cell_reads_nothing_of_it_takes_all_together():
    y = dt.stack([dt.zeros((1000, 1000)), X])
    assert share(y, (ROWS, WHOLE), (Cuts.regular(2, 2), ROWS, WHOLE)) == 1.0
