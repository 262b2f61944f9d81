import dask_tapestry as dt
from dask_tapestry.diagnostics.block_summaries import told_blocks
from dask_tapestry.diagnostics.tuning import BLOCK_SLICES_SHOWN

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def blocks(*arrays):
    (*_, step) = dt.plan(*arrays, resources=FOUR).core.steps.values()
    return told_blocks(step)


def test_a_block_names_the_slices_that_it_reads_and_writes():
    x = dt.placeholder((100, 6), "f8", stored_chunks=(10, 6))
    first, second, last = blocks((x[1:] - x[:-1]).rechunk((25, 6)))
    assert (first.block, first.writes) == ((0, 0), "[0:25, 0:6]")
    assert {name for name, _ in first.reads} == {"placeholder"}
    assert (second.block, last.block, last.writes) == ((1, 0), (3, 0), "[75:99, 0:6]")


def test_what_has_no_cells_and_what_is_one_cell():
    assert [b.writes for b in blocks(dt.ones(5).sum())] == ["[]"]
    assert all(isinstance(b.writes, str) for b in blocks(dt.ones((0, 3)) + 1))


def test_many_slices_are_not_all_shown():
    x = dt.placeholder((1000,), "f8", stored_chunks=(10,)).rechunk(10)
    assert all(
        len(b.reads) <= BLOCK_SLICES_SHOWN for b in blocks(dt.concat([x + i for i in range(40)]))
    )
