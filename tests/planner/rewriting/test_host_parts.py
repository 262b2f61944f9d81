import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.host_parts import HOST, host_form, host_parts
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.search.rule_selection import AppliedChoice
from dask_tapestry_kernels.block_format import on_cuda

X = dt.placeholder((8, 6), "f8").to_device("cuda")


def moved(x, part):
    return with_forms(x.teg, {node: [AppliedChoice(HOST, 1)] for node in part})


def names(nodes):
    return sorted(node.operator.name for node in nodes)


def test_nothing_of_the_host_moves():
    assert not list(host_parts((dt.placeholder((8, 6), "f8") + 1).teg))
    assert host_form((dt.ones(3) + 1).node) is None


def test_all_is_one_part_where_the_device_has_all_kernels():
    (part,) = host_parts((np.sin(X) + 1).sum(axis=0).teg)
    assert names(part) == ["elementwise", "elementwise", "reduce"]


def test_what_lacks_a_kernel_moves_alone_or_with_its_neighbours(device_kernels):
    device_kernels.names = {"map"}
    x = dt.sort(np.sin(X)) * 2
    parts = [names(part) for part in host_parts(x.teg)]
    assert parts == [
        ["elementwise", "elementwise", "sort"], ["sort"], ["elementwise", "sort"],
        ["elementwise", "sort"],
    ]  # fmt: skip


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "make",
    [
        lambda x: dt.fft.fft(np.sin(x)) * 2,
        lambda x: dt.linalg.qr(x + 1)[1] * 2,
        lambda x: dt.concatenate([x, dt.sort(x + 1)]).T,
        lambda x: x - x.mean(axis=0),
    ],
)
def test_results_of_any_part_lie_on_the_device(make, device_kernels):
    device_kernels.names = {"map", "reduce", "view", "identity"}
    cells = np.random.default_rng(0).normal(size=(8, 6))
    wanted = make(dt.asarray(cells)).compute()
    x = make(dt.asarray(cells).to_device("cuda"))
    parts = list(host_parts(x.teg))
    assert parts
    for part in parts:
        graph = moved(x, part)
        assert [root.format for root in graph.roots] == [on_cuda()]
        found = dt.Array(graph.roots[0]).compute()
        assert type(found).__module__ == "cupy"
        assert found.get().tobytes() == np.asarray(wanted).tobytes()
