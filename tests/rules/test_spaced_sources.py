"""Files of unequal lengths: reductions fold each where it lies, of one value with other readers."""

import tempfile
import warnings

import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.cells import lattice
from dask_tapestry.io.sources.joined_source import JoinedSource
from dask_tapestry.io.sources.zarr_source import ZarrSource
from dask_tapestry.operators.indexing.take import Take
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits
from tests.examples import examples

MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
FOUR = dt.Resources(workers=4, threads=2, memory="1 GiB")


def days(lengths, axis=0, dtype="f8"):
    """Cells of each file."""
    made, random = [], np.random.default_rng(len(lengths))
    for length in lengths:
        shape = [3, 4, 5]
        shape[axis] = length
        made.append((random.normal(size=shape) * 10).astype(dtype))
    return made


def stored(folder, files, axis=0, chunk=None):
    """The files, joined: each a chunk along the axis, or in chunks."""
    opened = []
    for number, cells in enumerate(files):
        sides = [max(1, n) for n in cells.shape]
        sides[axis] = max(1, min(chunk or 10**6, cells.shape[axis]))
        zarr.create_array(f"{folder}/{number}", data=cells, chunks=tuple(sides))
        opened.append(dt.from_zarr(f"{folder}/{number}"))
    return dt.concatenate(opened, axis=axis)


@pytest.fixture
def months(tmp_path, small_lattices):
    files = days(MONTHS)
    return stored(tmp_path, files), np.concatenate(files)


def sources(*arrays):
    """What the rewritten graph reads: lengths along the first axis of joined sources."""
    graph = simplified(Graph([a.node for a in arrays]), Trace())
    joined = [node for node in graph.nodes if isinstance(node.operator, JoinedSource)]
    takes = [node for node in graph.nodes if isinstance(node.operator, Take)]
    return sorted(node.type.shape[0] for node in joined), len(takes)


def test_reductions_read_files_with_gaps_and_others_without(months):
    x, _ = months
    assert sources(x.mean(0)) == ([12 * 31], 0)
    assert sources(x.std(0), (x * 2 + 1).max(0), x.sum()) == ([12 * 31], 0)
    assert sources(x * 2) == ([365], 0)
    assert sources(x.mean((1, 2))) == ([365], 0)


def test_what_both_read_is_one_value(months):
    x, cells = months
    anomaly = x - x.mean(0)
    assert sources(anomaly) == ([365], 1)
    np.testing.assert_allclose(anomaly.compute(), cells - cells.mean(0), atol=1e-9)
    assert same_bits(dt.compute(anomaly, x.mean(0))[1], x.mean(0).compute())


def test_each_file_is_read_once(months):
    x, cells = months
    for made in (x.mean(0), x.std(0), x.sum(), x[20:300].max(0), x - x.mean(0), x * 2):
        plan = dt.plan(made, resources=FOUR)
        assert plan.cost["bytes_read"] <= 1.1 * cells.nbytes


@pytest.mark.parametrize("name", ["mean", "anomaly", "a slice", "other axes"])
def test_blocks_open_each_chunk_about_once(months, name, monkeypatch, shardings):
    """By the parts of files that are read, not as the plan tells."""
    x, cells = months
    read = []
    once = ZarrSource.read_some

    def noted(self, box, *rest):
        read.append(self.stored_bytes(box))
        return once(self, box, *rest)

    monkeypatch.setattr(ZarrSource, "read_some", noted)
    with shardings.tiny(60_000, workers=2, threads=2):
        JOBS[name](dt, x, 0).compute(scheduler="sync")
    passes = 2 if name == "anomaly" else 1
    assert 0 < sum(read) <= passes * 1.1 * cells.nbytes


def test_plans_of_many_months_are_those_of_one_array():
    lengths = MONTHS * 10
    parts = [dt.placeholder((n, 300, 200), "f4", stored_chunks=(n, 300, 200)) for n in lengths]
    one = dt.placeholder((sum(lengths), 300, 200), "f4", stored_chunks=(30, 300, 200))
    for job in (lambda x: x.mean(0), lambda x: x - x.mean(0), lambda x: x[100:900].std(0)):
        plans = [dt.plan(job(x), resources=FOUR) for x in (dt.concatenate(parts), one)]
        plans[0].verify()
        many, few = (plan.cost["seconds"] for plan in plans)
        assert many <= 1.15 * few


def test_files_of_very_unequal_lengths_have_no_gaps(tmp_path, small_lattices):
    files = days((1, 2, 1, 90, 1, 1, 2, 3, 1, 4))
    x = stored(tmp_path, files)
    assert sources(x.mean(0)) == ([106], 0)
    np.testing.assert_allclose(x.mean(0).compute(), np.concatenate(files).mean(0), rtol=1e-9)


def test_plans_are_not_those_of_files_of_other_lengths(tmp_path, small_lattices):
    for number in range(3):
        lengths = np.roll(MONTHS, number)
        files = days(lengths)
        x = stored(tmp_path / "x", files) if not number else stored(tmp_path / f"{number}", files)
        cells = np.concatenate(files)
        for _ in range(2):
            np.testing.assert_allclose((x - x.mean(0)).compute(), cells - cells.mean(0), atol=1e-9)
    for number, cells in enumerate(files[:4]):  # the first files again, of other lengths
        zarr.create_array(tmp_path / "x" / str(number), data=cells[:9], overwrite=True)
    again = [dt.from_zarr(tmp_path / "x" / str(n)) for n in range(12)]
    wanted = np.concatenate([zarr.open_array(tmp_path / "x" / str(n))[...] for n in range(12)])
    x = dt.concatenate(again)
    np.testing.assert_allclose(x.std(0).compute(), wanted.std(0), rtol=1e-9)


def test_hdf5_files_without_chunks(tmp_path):
    files = days(MONTHS)
    opened = []
    for number, cells in enumerate(files):
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["t"] = cells
        opened.append(dt.from_array(h5py.File(tmp_path / f"{number}.h5", "r")["t"]))
    x, cells = dt.concatenate(opened), np.concatenate(files)
    np.testing.assert_allclose(x.mean(0).compute(), cells.mean(0), rtol=1e-9)
    np.testing.assert_array_equal(x[25:70, ::-1].compute(), cells[25:70, ::-1])


def rolling(m, x, axis):
    windows = m.lib.stride_tricks.sliding_window_view(x, min(3, x.shape[axis]), axis=axis)
    return windows.mean(-1)


def by_group(m, x, axis):
    labels = np.arange(x.shape[axis]) // 3 % 4
    if m is dt:
        return dt.groupby_reduce(x, labels, func="mean", axis=axis)[0]
    groups = [x.compress(labels == group, axis).mean(axis) for group in np.unique(labels)]
    return np.stack(groups, -1)


JOBS = {
    "mean": lambda m, x, a: x.mean(a),
    "std": lambda m, x, a: x.std(axis=a),
    "all": lambda m, x, a: x.sum(),
    "argmax": lambda m, x, a: x.argmax(a),
    "maximum of a formula": lambda m, x, a: (x * 2 + 1).max(axis=a),
    "anomaly": lambda m, x, a: x - x.mean(axis=a, keepdims=True),
    "other axes": lambda m, x, a: x.mean(axis=tuple({0, 1, 2} - {a})),
    "a slice": lambda m, x, a: m.moveaxis(x, a, 0)[2:-3].sum(axis=0),
    "backwards": lambda m, x, a: m.moveaxis(x, a, 0)[::-2].mean(axis=0),
    "differences": lambda m, x, a: m.diff(x, axis=a),
    "running sums": lambda m, x, a: m.cumsum(x, axis=a),
    "means of windows": rolling,
    "greatest of windows": lambda m, x, a: rolling(m, x, a).max(axis=a),
    "groups": by_group,
    "turned": lambda m, x, a: x.T * 2,
}


@st.composite
def ragged(draw):
    """Lengths of files, the axis, their dtype, and how long their chunks are."""
    near = st.integers(5, 8) if draw(st.booleans()) else st.integers(0, 8)
    lengths = draw(st.lists(near, min_size=9, max_size=13).filter(lambda n: sum(n) > 9))
    chunk = draw(st.sampled_from([None, None, 1, 2, 3, 5]))
    return lengths, draw(st.integers(0, 2)), draw(st.sampled_from(["f8", "f4", "i4"])), chunk


@examples(40)
@given(ragged(), st.sampled_from(sorted(JOBS)), st.sampled_from([40, 400, 4000]))
def test_values_are_numpys_and_have_the_same_bits_for_all_shardings(
    small_lattices_of_module, shardings, files, name, block_bytes
):
    lengths, axis, dtype, chunk = files
    parts, job = days(lengths, axis, dtype), JOBS[name]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = stored(folder, parts, axis, chunk)
        value = np.asarray(job(dt, x, axis).compute())
        wanted = job(np, np.concatenate(parts, axis), axis)
        rounding = 1e-4 if dtype == "f4" else 1e-9
        np.testing.assert_allclose(value, wanted, rtol=rounding, atol=rounding * 10)
        with shardings.tiny(block_bytes, workers=2, threads=2):
            assert same_bits(np.asarray(job(dt, x, axis).compute()), value)


@pytest.fixture(scope="module")
def small_lattices_of_module():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "FEW_LATTICE_CELLS", 60)
        patch.setattr(lattice, "MOST_LATTICE_CELLS", 240)
        patch.setattr(lattice, "FOLDED_CELLS", 4)
        yield
