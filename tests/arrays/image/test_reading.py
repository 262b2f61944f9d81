import os

import dask.array.image
import numpy as np
import pytest
from PIL import Image

import dask_tapestry as dt


def read(file):
    return np.asarray(Image.open(file))


@pytest.fixture
def pattern(tmp_path):
    random = np.random.default_rng(0)
    for n in range(4):
        cells = random.integers(0, 256, (5, 6, 3), dtype="u1")
        Image.fromarray(cells).save(tmp_path / f"frame-{n}.png")
    return str(tmp_path / "frame-*.png")


@pytest.mark.parametrize("preprocess", [None, lambda image: image[..., 0] / 255])
def test_it_is_dasks(pattern, preprocess):
    ours = dt.image.imread(pattern, imread=read, preprocess=preprocess)
    theirs = dask.array.image.imread(pattern, imread=read, preprocess=preprocess)
    assert (ours.shape, ours.dtype, ours.chunks) == (theirs.shape, theirs.dtype, theirs.chunks)
    np.testing.assert_array_equal(ours.compute(), theirs.compute())


def test_files_are_read_when_they_are_needed(pattern):
    seen = []

    def noted(file):
        seen.append(os.path.basename(file))
        return read(file)

    x = dt.image.imread(pattern, imread=noted)
    assert seen == ["frame-0.png"]
    x[2].compute(scheduler="sync")
    assert seen == ["frame-0.png", "frame-2.png"]


def test_a_file_that_has_changed_is_another_value(pattern, tmp_path):
    before = dt.image.imread(pattern, imread=read)
    file = tmp_path / "frame-0.png"
    Image.fromarray(np.zeros((5, 6, 3), "u1")).save(file)
    os.utime(file, ns=(0, 0))
    assert dt.image.imread(pattern, imread=read).node.form != before.node.form


def test_images_of_another_shape_are_named(pattern, tmp_path):
    Image.fromarray(np.zeros((2, 2, 3), "u1")).save(tmp_path / "frame-3.png")
    with pytest.raises(dt.ComputeError, match="shape"):
        dt.image.imread(pattern, imread=read).compute()


def test_what_is_not_there_is_named(tmp_path):
    with pytest.raises(dt.StoreNotFoundError, match="No files found under name"):
        dt.image.imread(str(tmp_path / "*.png"))
    with pytest.raises(dt.ArgumentTypeError, match="pattern of names, not 5"):
        dt.image.imread(5)
