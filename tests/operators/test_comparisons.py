"""Every operation of the table, whole and under forced shardings."""

import warnings
from collections import Counter
from functools import partial
from itertools import islice
from random import Random
from typing import NamedTuple
from zlib import crc32

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import UFUNCS
from tests.comparisons import COMPARISONS, Comparison, agrees, same_bits
from tests.compiling import by_turns, however_few
from tests.covering import beyond, covering, every_other, share_of
from tests.pieces import pieces_of

pytestmark = pytest.mark.usefixtures("sync")
FEW, MANY = 2, 16  # ways to cut a value
BLOCKS = 6  # of the largest input in tiny blocks
TWO = 2  # ways in which one of few that are alike is cut
WAYS = "inputs", "outputs", "tiny blocks", "pieces"  # in which an operation is cut
LONG = (  # in tiny blocks, as those of loops, planned anew each round: cut by their inputs instead
    "ndimage.binary_fill_holes", "ndimage.binary_propagation", "program bincount many",
    "ndimage.gaussian_gradient_magnitude", "ndimage.gaussian_laplace", "pad reflect odd (9, 4)",
    "nn.conv_transpose by groups", "nn.conv padded by edge", "nn.conv of volumes",
    "random.dirichlet",
)  # fmt: skip
COMPILED = share_of(COMPARISONS, 160, lambda c: c.name)  # as each takes seconds to compile
EACH = every_other(COMPARISONS, lambda c: c.public, "program")  # of each public name's uses
RUN = [c for c in EACH if isinstance(c, Comparison)]


def alike(comparison):
    """What tells operations that are cut alike: the function; of one array's cells, the arity."""
    ufunc = UFUNCS.get(comparison.name)
    return f"cells of {ufunc.nin}" if ufunc else comparison.public


def cut_in(way):
    """Operations as parameters: those that are cut in a way by `make test`, and the others.

    Operations that are alike take turns, so that each way is that of some of them, and each is cut
    in some: one of few in two. Whole programs, which are not alike, are cut in all.
    """
    turns = Counter()
    sizes = Counter(map(alike, RUN))
    for c in RUN:
        turn = turns[alike(c)]
        turns[alike(c)] += 1
        together = min(TWO, -(-len(WAYS) // sizes[alike(c)]))  # ways of each
        together = len(WAYS) if c.public == "program" else together
        first = together * turn + together * turn // len(WAYS)  # in another order in each round
        first += crc32(alike(c).encode())  # and each function begins with a way of its own
        ways = {WAYS[(first + n) % len(WAYS)] for n in range(together)}
        if c.name in LONG:
            ways = ways - {"tiny blocks"} or {"inputs"}
        yield c if way in ways else beyond(c)
    yield from (c for c in EACH if not isinstance(c, Comparison))


def each_cut_in(way):
    return pytest.mark.parametrize(
        "comparison", [*cut_in(way)], indirect=True, ids=lambda c: c.name
    )


class Sample(NamedTuple):
    """Inputs, our results, and their values when the plan is free."""

    inputs: tuple[np.ndarray, ...]
    made: list[dt.Array]
    values: list[np.ndarray]

    @property
    def cells(self):
        return sum(x.size for x in self.inputs)


@pytest.fixture(scope="module", params=EACH, ids=lambda c: c.name)
def comparison(request):
    """Each operation; the tests of one run after another, so that they share its samples."""
    return request.param


@pytest.fixture(scope="module", params=[False, beyond(True)], ids=["share", "every"])
def every(request):
    """Whether every sample is tried, and in many ways."""
    return request.param


@pytest.fixture(scope="module")
def samples(comparison, every):
    inputs = list(comparison.inputs())
    inputs = inputs if every else few(inputs)
    made = [ours(comparison, x) for x in inputs]
    values = iter(dask.compute(*[r for rs in made for r in rs], scheduler="sync"))
    return [
        Sample(x, rs, list(islice(values, len(rs)))) for x, rs in zip(inputs, made, strict=True)
    ]


@pytest.fixture(scope="module")
def equal(comparison):
    """Whether two values of the operation are the same, however it is cut."""
    return same_bits if comparison.one_value else partial(agrees, comparison)


def meaning(comparison, inputs):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return comparison.numpy(*inputs)


def flat(result):
    return list(result) if isinstance(result, tuple) else [result]


def ours(comparison, inputs):
    return flat(comparison.ours(dt, *[dt.asarray(x) for x in inputs]))


def first(comparison):
    """Where the share begins that is tried of an operation: not everywhere at the same place."""
    return crc32(comparison.name.encode())


def test_it_means_what_numpy_says(comparison, samples):
    assert samples
    for inputs, made, values in samples:
        expected = flat(meaning(comparison, inputs))
        for x, value, e in zip(made, values, expected, strict=True):
            assert (x.dtype, x.shape) == (np.asarray(e).dtype, np.shape(e))
            assert agrees(comparison, value, e), (inputs, value, e)


@each_cut_in("inputs")
def test_every_cut_of_the_inputs_gives_the_same_value(comparison, samples, equal, shardings, every):
    most = MANY if every else FEW
    for inputs, _, whole in one_of(samples, first(comparison), every):
        ways = [shardings.cuts(x.shape, most, first(comparison)) for x in inputs]
        made = []
        for number in range(max(map(len, ways), default=0)):
            cut = [
                dt.asarray(x).rechunk(way[number * (1 + 2 * n) % len(way)])
                for n, (x, way) in enumerate(zip(inputs, ways, strict=True))
            ]
            made += flat(comparison.ours(dt, *cut))
        for number, value in enumerate(dask.compute(*made)):
            assert equal(value, whole[number % len(whole)]), (inputs, made[number].plan())


@each_cut_in("outputs")
def test_every_cut_of_the_output_gives_the_same_value(comparison, samples, equal, shardings, every):
    most = MANY if every else FEW
    for inputs, results, whole in one_of(samples, first(comparison) + 1, every):
        for result, expected in zip(results, whole, strict=True):
            ways = shardings.cuts(result.shape, most, first(comparison))
            made = [result.rechunk(cuts) for cuts in ways]
            for x, value in zip(made, dask.compute(*made), strict=True):
                assert equal(value, expected), (inputs, x.plan())


@each_cut_in("tiny blocks")
def test_tiny_blocks_give_the_same_value(comparison, samples, equal, shardings, every):
    """Of one sample of any shape, beginning elsewhere in each operation, and one of most cells.

    Blocks are single cells, or as few as make some `BLOCKS` of the largest input.
    """
    number = first(comparison)
    tried = samples if every else [samples[number % len(samples)], *one_of(samples, number, every)]
    largest = max((x.nbytes for sample in tried for x in sample.inputs), default=0)
    with shardings.tiny(8 if every else max(8, largest // BLOCKS)):
        results = [r for sample in tried for r in ours(comparison, sample.inputs)]
        expected = [value for sample in tried for value in sample.values]
        for x, value, e in zip(results, dask.compute(*results), expected, strict=True):
            assert equal(value, e), x.plan()


@pytest.mark.parametrize("comparison", COMPILED, indirect=True, ids=lambda c: c.name)
def test_kernels_that_come_and_go_give_the_same_value(comparison, samples, equal):
    """Of the samples with the most cells: the interpreter, or compiled kernels, in any block."""
    for inputs, _, values in widest(samples):
        with by_turns(Random(first(comparison)), 0.8), however_few():
            found = dask.compute(*ours(comparison, inputs))
        for value, e in zip(found, values, strict=True):
            assert equal(value, e), inputs


@each_cut_in("pieces")
def test_pieces_of_blocks_give_the_same_value(comparison, samples, equal, every):
    """Of the samples with the most cells: what can be computed in turns is."""
    with pieces_of(64):
        for inputs, _, values in one_of(samples, first(comparison) // 2, every):
            results = ours(comparison, inputs)
            for x, value, e in zip(results, dask.compute(*results), values, strict=True):
                assert equal(value, e), (inputs, x.plan())


# What has tests of its own: writes, which give no array, files, texts of numbers, calendars, and
# what computes now how many coefficients or cells there are
APART = """
    base_repr binary_repr busday_count busday_offset copyto datetime_as_string datetime_data
    diag_indices diag_indices_from fill_diagonal format_float_positional format_float_scientific
    frombuffer fromfile fromiter fromstring genfromtxt get_printoptions geterr is_busday
    isscalar iterable load loadtxt mask_indices mintypecode place poly polyadd polyder polydiv
    polyfit polyint polymul polysub printoptions put putmask roots savetxt savez
    savez_compressed set_printoptions seterr sort_complex trim_zeros typename
"""


def test_every_public_operation_is_in_the_table():
    names = {c.public for c in COMPARISONS}
    named = {getattr(dt, name) for name in names if hasattr(dt, name)}
    tried = named | {dt.empty, dt.compute, dt.persist, dt.plan, dt.config, dt.sequence_point}
    tried |= {dt.resolve_shapes, dt.einsum_path, dt.result_type}  # they return no array
    tried |= {dt.check_operator, dt.size}
    moves = {dt.from_array, dt.from_dask_array, dt.from_zarr, dt.to_zarr, dt.to_dask_array}
    moves |= {
        dt.store,
        dt.from_delayed,
        dt.from_npy,
        dt.from_npy_stack,
        dt.to_npy_stack,
        dt.to_hdf5,
        dt.to_icechunk,
        dt.subview,
        dt.save,
    }
    layout = {dt.placeholder, dt.rechunk, dt.rename}
    layout |= {
        dt.apply,
        dt.rule,
        dt.mutator,
        dt.verify,
        dt.calibrate,
        dt.load_plan,
        dt.check_cluster,
        dt.datasets,
        dt.progress,
    }
    tried |= {dt.can_cast, dt.finfo, dt.iinfo, dt.isdtype, dt.issubdtype, dt.promote_types}
    tried |= {dt.iscomplexobj, dt.isrealobj}
    moves |= {dt.from_dlpack}
    moves |= {dt.register_chunk_type, dt.frompyfunc}
    tried |= {dt.ndim, dt.shape, dt.ix_}
    layout |= {dt.reshape_blockwise, dt.unify_chunks}
    tried |= {getattr(dt, name) for name in APART.split()}
    functions = {n for n in dt.__all__ if callable(getattr(dt, n)) and n[0].islower()}
    functions -= {n for n in functions if isinstance(getattr(dt, n), type)}  # dtypes
    missing = {n for n in functions if getattr(dt, n) not in tried | moves | layout}
    assert not missing
    assert {f"nn.{name}" for name in dt.nn.__all__} <= names
    assert {f"random.{name}" for name in dt.random.__all__ if name.islower()} <= names


def widest(samples):
    """Two samples with the most ways to cut, of different dtypes."""
    best = {}
    for sample in samples:
        kinds = tuple(x.dtype for x in sample.inputs)
        if kinds not in best or sample.cells > best[kinds].cells:
            best[kinds] = sample
    chosen = list(best.values())
    return [chosen[len(chosen) // 3], chosen[-1]][: len(chosen)]


def few(inputs):
    """Of each dtype the inputs with the most cells, and some of each shape that is not theirs."""
    cases = [(tuple(x.dtype for x in xs), tuple(x.shape for x in xs)) for xs in inputs]
    best = {}
    for number, (xs, (kinds, _)) in enumerate(zip(inputs, cases, strict=True)):
        cells = sum(x.size for x in xs)
        if kinds not in best or cells > best[kinds][0]:
            best[kinds] = cells, number
    kept = {number for _, number in best.values()}
    there = {cases[number][1] for number in kept}
    left = [number for number, (_, shapes) in enumerate(cases) if shapes not in there]
    shapes = [cases[number][1:] for number in left]
    kept |= {left[n] for n in covering(shapes, 1, [str(cases[number]) for number in left])}
    times = Counter(cases)  # more than once: the cells are what differs
    kept |= {number for number, case in enumerate(cases) if times[case] > 1}
    return [inputs[number] for number in sorted(kept)]


def one_of(samples, number, every):
    """One of the two, of either by the number, or both: tests of an operation try both together."""
    both = widest(samples)
    return both if every else both[number % len(both) :][:1]
