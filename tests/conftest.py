"""What all tests share: checked graphs and plans, forced shardings, hypothesis without a clock."""

import gc
import resource
from functools import cache
from itertools import product
from pathlib import Path
from weakref import WeakSet

import dask.config
import hypothesis
import pytest

import dask_tapestry as dt
from dask_tapestry.planner import build, verify
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.rewriting import passes
from dask_tapestry.teg.check import OF_GRAPHS, OF_NODES, check
from dask_tapestry_kernels.jit import compile_service
from tests.covering import leave_what_is_beyond, mark_what_is_beyond
from tests.cupy_stand_in import device_kernels as device_kernels
from tests.examples import NIGHTLY, SHARE, USUAL
from tests.small_lattices import small_lattices as small_lattices

hypothesis.settings.register_profile(  # the same examples each time
    "usual",
    deadline=None,
    derandomize=True,
    max_examples=int(SHARE * USUAL),
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(  # other examples each time, and many
    "nightly",
    hypothesis.settings.get_profile("usual"),
    derandomize=False,
    max_examples=int(NIGHTLY * USUAL),
)
hypothesis.settings.load_profile("usual")  # unless --hypothesis-profile names another


ROOT = Path(__file__).parent.parent
MEMORY_ACTS = "target", "spill", "pause"
LONGEST = (  # the longest first, so that at the end no process waits for another's
    "operators/test_comparisons.py", "kernels/test_guards", "formulas/test_scalar",
    "search/test_exchanges", "cuda/test_simulated", "tests/one_value/", "lower/test_cluster",
    "jit/test_compile_service", "io/test_s3", "lower/test_adaptive", "planner/test_named_plans",
    "lower/test_fetch", "lower/test_pieces", "operators/test_comparisons_on", "docs/simulations.md",
    "io/test_killed_writes", "lower/test_temporary", "benchmarks/cluster/", "tests/fuzz/",
    "planner/test_more_memory", "lower/test_bulk", "tests/interrupts/", "docs/tutorial.md",
    "io/test_several_processes", "tests/test_co", "operators/test_sharding_validator",
    "tests/planner/test_", "planner/search/", "tests/lower/", "tests/kernels/",
    "tests/benchmarks/", "tests/planner/", "tests/command/",
)  # fmt: skip


@pytest.hookimpl(trylast=True)  # after the parameters of fixtures
def pytest_generate_tests(metafunc):
    """Make no tests of cases that are not run: of 60,000 tests half, in each process."""
    mark_what_is_beyond(metafunc)
    if "not exhaustive" in metafunc.config.option.markexpr:
        leave_what_is_beyond(metafunc._calls)


def pytest_collection_modifyitems(items):
    """Begin with the longest files: `--dist loadfile` hands them out in this order."""
    items.sort(key=lambda item: _turn(item.path))


@pytest.fixture(scope="module", autouse=True)
def _what_a_module_leaves_stays():
    """Collections of later modules look at their own objects: else each took 2 s in the end."""
    yield
    gc.collect()
    gc.freeze()


@cache
def _turn(path):
    file = str(path.relative_to(ROOT))
    return next((turn for turn, name in enumerate(LONGEST) if name in file), len(LONGEST))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Say how a test process was lost: without a stack above, signal 9 means too little memory."""
    if error:
        code = node.gateway._io.popen.wait(10)  # negative: the signal that ended it
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        reporter = node.config.pluginmanager.get_plugin("terminalreporter")
        reporter.write_line(f"{node.gateway.id} ended with {code}; the largest had {peak} MiB")


@pytest.fixture(scope="session", autouse=True)
def _compilers_stay():
    """Compiling processes are not let go between tests: each has to import numba."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compile_service, "IDLE", 1000.0)
        yield


@pytest.fixture(scope="session", autouse=True)
def _graphs_and_plans_are_checked():
    """Check what each pass returns and every plan that is made, wherever a test makes it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("rewrite", "push_slices"):
            patch.setattr(passes, name, _checked(getattr(passes, name)))
        patch.setattr(build, "PlannedGraph", _verified(build.PlannedGraph))
        yield


_correct = WeakSet()  # a pass often returns the graph that it was given, or most of its nodes
_correct_nodes = WeakSet()


def _check(graph):
    """Check a graph; of nodes, which never change, those that no graph had that was checked."""
    if graph not in _correct:
        new = [node for node in graph if node not in _correct_nodes]
        check(new, OF_NODES)
        check(graph, OF_GRAPHS)
        _correct.add(graph)
        _correct_nodes.update(new)


def _checked(make):
    def checked(*args):
        graph = make(*args)
        _check(graph)
        return graph

    return checked


def _verified(make):
    """Verify the steps alone: a plan may need too much memory until a test asks."""

    def verified(*args, **named):
        plan = make(*args, **named)
        _check(plan.graph)
        broken = [v for step in plan.steps.values() for c in verify.CHECKS for v in c(step)]
        assert not broken, broken
        return plan

    return verified


@pytest.fixture(scope="module", autouse=True)
def _no_client_is_left_to_the_next_module():
    """A client that one module leaves open would take the computes of the next.

    Dask's scheduler is no longer set either, as it may be after clients that were not closed in the
    order in which they were opened, or whose scheduler was gone first.
    """
    yield
    left = live_client()
    if left is not None:
        left.close()
        pytest.fail(f"this module left {left} open")
    dask.config.set(scheduler=None)


@pytest.fixture(scope="module")
def threads_never_pause():
    """Workers in threads of this process take all of its memory for theirs: they may not pause."""
    with dask.config.set({f"distributed.worker.memory.{act}": False for act in MEMORY_ACTS}):
        yield


class Shardings:
    """Ways to force how values are cut."""

    SMALL = ((8, 1, 1), (40, 2, 2), (1000, 3, 1), (20_000, 4, 4))

    @staticmethod
    def compositions(extent):
        """Every way to write `extent` as a sum of block lengths, in order."""
        if not extent:
            return [(0,)]
        return [
            (first, *rest)
            for first in range(1, extent + 1)
            for rest in (Shardings.compositions(extent - first) if first < extent else [()])
        ]

    @staticmethod
    def lengths(extent):
        """Block lengths of one dimension: all compositions, or all steps if these are too many."""
        if extent <= 5:
            return Shardings.compositions(extent)
        regular = [(*(step,) * (extent // step), extent % step) for step in range(1, extent + 1)]
        return [*regular, (1, extent - 1), (extent - 2, 1, 1), (1, extent - 3, 2)]

    @staticmethod
    def cuts(shape, most=16, first=0):
        """Ways to cut `shape` in blocks: all of them, or `most` of them evenly spread."""
        every = list(product(*[Shardings.lengths(n) for n in shape]))
        step = -(-len(every) // most)
        return every[first % step :: step]

    @staticmethod
    def tiny(block_bytes=8, workers=1, threads=1):
        """Context in which blocks hold about `block_bytes`."""
        machines = dt.Resources(workers=workers, threads=threads, memory="1 GiB")
        return dt.config(block_bytes=block_bytes, max_tasks=10**7, resources=machines)


@pytest.fixture(scope="session")
def shardings():
    return Shardings


@pytest.fixture
def sync():
    """Run Dask without threads: small graphs take a third of the time."""
    with dask.config.set(scheduler="sync"):
        yield
