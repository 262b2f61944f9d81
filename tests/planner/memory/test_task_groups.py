import dask_tapestry as dt
from dask_tapestry.planner.memory.task_groups import bundles_of
from tests.planner.graphs import FOUR, stored


def bundles(x, most=64, resources=FOUR):
    steps = dt.plan(x, resources=resources).core.steps
    return steps, bundles_of(steps, most)


def test_every_block_is_in_one_bundle():
    for most in (1, 5, 1000):
        steps, found = bundles(stored().rechunk((300, 130)) + 1, most)
        for node, step in steps.items():
            own = [b for b in found if b.step == node]
            assert sum(b.blocks for b in own) == step.count
            assert len(own) <= most


def test_bundles_wait_for_what_their_blocks_read():
    rows = stored((1000, 1000), "f8", (100, 1000)).rechunk((100, -1))
    _, found = bundles(rows.rechunk((-1, 100)))
    (last,) = {b.step for b in found[-1:]}
    assert all(b.reads == set(range(10)) for b in found if b.step == last)
    _, found = bundles(rows.rechunk((50, -1)))
    reads = [sorted(b.reads) for b in found if b.step == found[-1].step]
    assert reads == [[n // 2] for n in range(20)]


def test_a_write_after_another_waits_for_all_of_it(tmp_path):
    cells = stored((1000, 1000), "f8", (100, 1000))
    write = dt.to_zarr(cells + 1, tmp_path / "x", compute=False)
    _, found = bundles(dt.to_zarr(cells * 2, tmp_path / "y", compute=False, after=[write]))
    last = found[-1].step
    written = {n for n, b in enumerate(found) if b.step != last and b.step.operator.name == "store"}
    assert written
    assert all(b.reads >= written for b in found if b.step == last)
