"""Jobs take no memory when they are written, and bounds are arithmetic on shapes."""

import pytest

import dask_tapestry as dt
from benchmarks.planner.corpus.job import GIB, Cluster, Job, Jobs, halo, nbytes, stored
from benchmarks.planner.corpus.table import CORPUS
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.teg import Graph

LARGEST = 32_000_000  # bytes of an array that a user writes into a job
FEW = Cluster(4, 2, 8)


@pytest.mark.parametrize("name", CORPUS)
def test_a_job_is_written_without_arrays_of_its_size(name, monkeypatch):
    """Neither does the number of its blocks matter: no lengths of chunks are written out."""
    with monkeypatch.context() as patched:
        patched.setattr(dt.Array, "chunks", property(_written_out))
        roots = CORPUS[name].roots()
    known = [n for n in Graph([x.node for x in roots]).nodes if isinstance(n.operator, NumpySource)]
    assert sum(node.type.nbytes for node in known) <= LARGEST
    assert min(CORPUS[name].bound.peak, CORPUS[name].bound.tasks) > 0


def _written_out(_):
    raise AssertionError("chunks are written out")


def test_an_expert_works_in_a_quarter_of_a_worker_and_a_few_blocks_a_slot():
    bound = FEW.bound(100 * GIB, held=4 * GIB)
    assert bound == (100 * GIB, 0, 3 * GIB, 400, None)
    assert bound.each == (bound,)
    assert FEW.bound(GIB).tasks == 4 * FEW.slots
    assert FEW.bound(GIB, passes=2).tasks == 8 * FEW.slots
    assert FEW.bound(GIB, block=GIB).peak == 4 * GIB


def test_an_expert_holds_what_is_read_twice_or_reads_it_twice():
    twice, held = FEW.bound(4 * GIB, again=2 * GIB).each
    assert (twice.read, twice.peak) == (4 * GIB, FEW.gib * GIB / 4)
    assert (held.read, held.peak) == (2 * GIB, twice.peak + 2 * GIB / FEW.workers)
    assert twice.tasks == held.tasks


def test_a_tile_reads_cells_around_it():
    assert halo((1000, 1000), 100, 10) == pytest.approx(1.44)
    assert halo((1000, 50), 100, 10) == pytest.approx(1.2)
    assert nbytes(3, 4, itemsize=2) == 24


def test_around_a_tile_whole_chunks_are_read_or_edges_are_handed_on():
    again, handed = FEW.stencil((1000, 1000), (100, 100), 10, itemsize=1).each
    assert again.read == pytest.approx(1_000_000 * 1.2**2)  # 10 + 2 chunks of each, 2 x 2 tiles
    assert again.moved == 0
    assert handed.read == 1_000_000
    assert 0 < handed.moved < handed.read
    assert handed.tasks == (2 + 8) * again.tasks
    behind, _ = FEW.stencil((1000, 1000), (100, 100), 10, itemsize=1, sides=1).each
    assert behind.read == pytest.approx(1_000_000 * 1.1**2)


def test_jobs_are_kept_by_name():
    jobs = Jobs()

    @jobs.job("one", FEW, FEW.bound(1))
    def write():
        return [1, 2]

    assert jobs == {"one": Job("one", FEW, FEW.bound(1), write)}
    assert jobs["one"].roots() == (1, 2)


def test_a_write_has_a_name():
    job = CORPUS["zonal mean"]
    (root,) = job.roots()
    assert stored(root, name="here").node is not stored(root, name="there").node
