"""Random dimension numbers, dtypes and shardings, against the loops of the specification.

The tests run a fixed share of them; all, which takes minutes:

    python -m tests.arrays.stablehlo.oracle 0 10000
"""

import sys

import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from tests.operators.dimension_numbers import gathered, problem, scattered

MOST_CELLS = 2000  # of a problem: a loop of Python visits each
BLOCKS = (8, 100, 10**6)  # bytes
FOLDS = {
    "update": lambda d, u: (u,),
    "add": lambda d, u: (d + u,),
    "mul": lambda d, u: (d * u,),
    "min": lambda d, u: (np.minimum(d, u),),
    "max": lambda d, u: (np.maximum(d, u),),
}


def drawn(seed):
    """A generator, and a problem that is small enough for a loop."""
    generator = np.random.default_rng(seed)
    while True:
        found = problem(generator)
        if np.prod(found[4], dtype=float) <= MOST_CELLS:
            return generator, found


def cells(generator, shape, dtype):
    """Cells of any dtype; sums and products of floats round."""
    numbers = np.asarray(generator.normal(size=shape) * 5)
    return (numbers + 1j * numbers if dtype[0] == "c" else numbers).astype(dtype)


def starts(generator, shape):
    """Indices, some of them out of bounds."""
    return np.asarray(generator.integers(-3, 7, shape)).astype(generator.choice(["i1", "i4", "i8"]))


def same(made, expected):
    """Whether values have the same bits."""
    alike = made.dtype == expected.dtype and made.shape == expected.shape
    return alike and made.tobytes() == expected.tobytes()


def gathers(seed):
    """Whether a random gather, in blocks of a random size, has the bits of the loop."""
    generator, (fields, operand, vectors, sizes, _) = drawn(seed)
    x = cells(generator, operand, str(generator.choice(["i1", "f2", "f4", "c16", "?"])))
    indices = starts(generator, vectors)
    with dt.config(block_bytes=int(generator.choice(BLOCKS))):
        made = dt.stablehlo.gather(
            dt.asarray(x),
            dt.asarray(indices),
            offset_dims=fields["window_dims"],
            collapsed_slice_dims=fields["collapsed_dims"],
            operand_batching_dims=fields["batching_dims"],
            start_indices_batching_dims=fields["indices_batching_dims"],
            start_index_map=fields["index_map"],
            index_vector_dim=fields["vector_dim"],
            slice_sizes=sizes,
        ).compute()
    return same(made, gathered(x, indices, DimensionNumbers(**fields), sizes))


def scatters(seed):
    """Whether a random scatter, in blocks of a random size, has the bits of the loop."""
    generator, (fields, operand, vectors, _, shape) = drawn(seed)
    dtype = str(generator.choice(["i2", "f4", "f8", "?"]))
    count, indices = int(generator.integers(1, 3)), starts(generator, vectors)
    xs = tuple(cells(generator, operand, dtype) for _ in range(count))
    us = tuple(cells(generator, shape, dtype) for _ in range(count))
    name = str(generator.choice(list(FOLDS)))
    together = count == 2 and generator.random() < 0.5
    fold = (lambda a, b, u, v: (a + v, b * u)) if together else FOLDS[name]
    with dt.config(block_bytes=int(generator.choice(BLOCKS))), np.errstate(all="ignore"):
        made = dt.stablehlo.scatter(
            tuple(map(dt.asarray, xs)),
            dt.asarray(indices),
            tuple(map(dt.asarray, us)),
            fold if together else name,
            update_window_dims=fields["window_dims"],
            inserted_window_dims=fields["collapsed_dims"],
            input_batching_dims=fields["batching_dims"],
            scatter_indices_batching_dims=fields["indices_batching_dims"],
            scatter_dims_to_operand_dims=fields["index_map"],
            index_vector_dim=fields["vector_dim"],
        )
        made = dt.compute(*made)
        dims = DimensionNumbers(**fields)
        if together:
            expected = scattered(xs, indices, us, dims, fold)
        else:
            expected = [
                scattered([x], indices, [u], dims, fold)[0] for x, u in zip(xs, us, strict=True)
            ]
    return all(map(same, made, expected))


def main(first, end):
    """Run those of some seeds; print the ones that do not agree."""
    for name, agrees in (("gather", gathers), ("scatter", scatters)):
        wrong = [seed for seed in range(first, end) if not agrees(seed)]
        count = end - first
        print(f"{name}: {count - len(wrong)} of {count} agree; not those of seeds {wrong}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
