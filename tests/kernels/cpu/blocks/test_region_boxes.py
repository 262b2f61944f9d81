import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import region_boxes_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.region_tiles import Tiled


def found(labels, most, rows):
    """The boxes of labels in tiles of some rows."""
    count = -(-len(labels) // rows)
    tiled = Tiled((count * rows, *labels.shape[1:]), (count,), rows)
    told = {"first": (0,), "points": (count,), "begins": (0,) * labels.ndim}
    buckets = KERNELS["regionboxes"](None, labels, tiled=tiled, most=most, **told)
    table = KERNELS["boxtable"](None, buckets, most=most, rank=labels.ndim)
    return [
        tuple(slice(a, b + 1) for a, b in zip(*ends, strict=True)) if ends[0, 0] >= 0 else None
        for ends in table
    ]


@pytest.mark.parametrize("mode", ["off", "wait"])
@given(st.data())
def test_boxes_are_scipys(mode, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dtype = data.draw(st.sampled_from(["i1", "u2", "i4", "i8", "u8"]))
    labels = random.integers(-4 * (dtype[0] == "i"), 9, shape).astype(dtype)
    most = data.draw(st.integers(1, 12))
    with compile_service.mode(mode), pytest.MonkeyPatch.context() as patch:
        patch.setattr(region_boxes_compiled, "SMALL", 0)
        made = found(labels, most, data.draw(st.integers(1, 9)))
    assert made == ndimage.find_objects(labels.astype("i8"), most)


@pytest.mark.parametrize("mode", ["off", "wait"])
def test_labels_that_lie_far_apart(mode, monkeypatch):
    monkeypatch.setattr(region_boxes_compiled, "SMALL", 0)
    labels = np.array([[0, 7, 7], [90_000, 0, -5]])
    with compile_service.mode(mode):
        made = found(labels, 10**5, 2)
    assert made[6] == (slice(0, 1), slice(1, 3))
    assert made[89_999] == (slice(1, 2), slice(0, 1))
    assert sum(box is not None for box in made) == 2
