"""Pictures that look and compress like photographs, made from a seed.

Each picture is soft texture at several scales, a few discs with hard edges, and sensor noise.
Picture `i` of a seed is always the same bytes, whatever the number of pictures or the chunks.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import zarr

SIDE = 256
SCALES = (2, 4, 8, 16, 32)  # cells across the picture, coarse to fine
DISCS = 3


@cache
def _interpolation(scales: int) -> np.ndarray:
    """Linear interpolation between cell centres: (SIDE, cells of all scales, side by side)."""
    position = (np.arange(SIDE) + 0.5) / SIDE
    matrices = []
    for cells in SCALES[:scales]:
        weights = np.maximum(0, 1 - np.abs(position[:, None] * cells - 0.5 - np.arange(cells)))
        matrices.append(weights / weights.sum(axis=1, keepdims=True))
    return np.hstack(matrices).astype("float32")


def _texture(rng: np.random.Generator, scales: int) -> np.ndarray:
    """Smooth noise, (SIDE, SIDE) float32: the finer the scale, the weaker its share."""
    matrix = _interpolation(scales)
    rows, start = [], 0
    for octave, cells in enumerate(SCALES[:scales]):
        grid = rng.standard_normal((cells, cells), dtype="float32")
        rows.append(0.75**octave * grid @ matrix[:, start : start + cells].T)
        start += cells
    return matrix @ np.vstack(rows)


def picture(index: int, seed: int = 0) -> np.ndarray:
    """Picture number `index` of the seed: (256, 256, 3) uint8."""
    rng = np.random.default_rng((seed, index))
    axis = np.arange(SIDE, dtype="float32")
    centre = rng.uniform(0, SIDE, (2, DISCS, 1)).astype("float32")
    radius = rng.uniform(10, 70, (DISCS, 1, 1)).astype("float32")
    rows, columns = (axis - centre) ** 2

    layers = np.empty((3 + DISCS, SIDE, SIDE), "float32")  # light, two tints, discs
    layers[0] = _texture(rng, scales=5)
    layers[1] = _texture(rng, scales=3)
    layers[2] = _texture(rng, scales=3)
    layers[3:] = rows[:, :, None] + columns[:, None, :] < radius**2
    mix = rng.uniform(-60, 60, (3, 3 + DISCS)).astype("float32")  # colour of each layer
    mix[:, :3] = [[40, 10, 0], [40, 0, 0], [40, 0, 10]]
    planes = mix @ layers.reshape(len(layers), -1)
    planes += rng.uniform(70, 170, (3, 1)).astype("float32")

    # The number of ones in a random byte is binomial, with variance 2 about a mean of 4.
    noise = rng.integers(2**64 - 1, size=planes.size // 8, dtype="uint64", endpoint=True)
    planes += np.bitwise_count(noise.view("uint8")).reshape(planes.shape)
    np.clip(planes, 0, 255, out=planes)

    pixels = np.empty((SIDE, SIDE, 3), "uint8")
    for channel, plane in enumerate(planes):
        pixels[..., channel] = plane.reshape(SIDE, SIDE)
    return pixels


def write_pictures(
    path: str, count: int, chunk: int = 64, seed: int = 0, compressors: object = "auto"
) -> zarr.Array:
    """Write `count` pictures to a Zarr store, chunks of `chunk` whole pictures one at a time."""
    shape = (SIDE, SIDE, 3)
    array = zarr.create_array(
        path,
        shape=(count, *shape),
        chunks=(min(chunk, count), *shape),
        dtype="uint8",
        dimension_names=("batch", "height", "width", "channel"),
        compressors=compressors,
        overwrite=True,
    )

    def write(start: int) -> None:
        stop = min(start + chunk, count)
        array[start:stop] = np.stack([picture(i, seed) for i in range(start, stop)])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, range(0, count, chunk)))
    return array
