"""What tests of gather and scatter share: dimension numbers and the loops they mean.

The loops are written from StableHLO's specification, cell by cell, and share no code with what they
test.
"""

import numpy as np
from hypothesis import strategies as st


def gathered(operand, indices, numbers, sizes):
    """``gather``, one cell of the result after the other."""
    shape = cells_shape(indices, numbers, sizes, operand.ndim)
    result = np.empty(shape, operand.dtype)
    for place in np.ndindex(shape):
        start, rest = start_and_rest(place, indices, numbers, operand.ndim)
        for dim in numbers.index_map:
            start[dim] = min(max(start[dim], 0), operand.shape[dim] - sizes[dim])
        result[place] = operand[tuple(a + b for a, b in zip(start, rest, strict=True))]
    return result


def cells_shape(indices, numbers, sizes, rank):
    """Shape of a result, or of updates, of windows of `sizes` along the operand's dimensions."""
    batch = [n for dim, n in enumerate(indices.shape) if dim != numbers.vector_dim]
    skipped = (*numbers.collapsed_dims, *numbers.batching_dims)
    window = [sizes[dim] for dim in range(rank) if dim not in skipped]
    shape = []
    for axis in range(len(batch) + len(window)):
        shape.append((window if axis in numbers.window_dims else batch).pop(0))
    return tuple(shape)


def start_and_rest(place, indices, numbers, rank):
    """Full start index of a cell, and the sum of its full batching and window indices."""
    batch = [place[axis] for axis in range(len(place)) if axis not in numbers.window_dims]
    at = list(batch)
    if numbers.vector_dim < indices.ndim:
        at.insert(numbers.vector_dim, slice(None))
        vector = indices[tuple(at)]
    else:
        vector = [indices[tuple(at)]]
    start, rest = [0] * rank, [0] * rank
    for number, dim in enumerate(numbers.index_map):
        start[dim] = int(vector[number])
    for dim, other in zip(numbers.batching_dims, numbers.indices_batching_dims, strict=True):
        rest[dim] += batch[other - (0 if other < numbers.vector_dim else 1)]
    skipped = (*numbers.collapsed_dims, *numbers.batching_dims)
    inside = [dim for dim in range(rank) if dim not in skipped]
    for axis, dim in zip(numbers.window_dims, inside, strict=True):
        rest[dim] += place[axis]
    return start, rest


def scattered(inputs, indices, updates, numbers, fold):
    """``scatter``, one update after the other; `fold` takes cells and updates and returns cells."""
    results = [x.copy() for x in inputs]
    shape = results[0].shape
    for place in np.ndindex(updates[0].shape):
        start, rest = start_and_rest(place, indices, numbers, len(shape))
        at = tuple(a + b for a, b in zip(start, rest, strict=True))
        if all(0 <= c < n for c, n in zip(at, shape, strict=True)):
            cells = fold(*[r[at] for r in results], *[u[place] for u in updates])
            for r, cell in zip(results, cells, strict=True):
                r[at] = cell
    return results


@st.composite
def problems(draw, most_cells=300):
    """Fields of dimension numbers, shapes of operand and indices, and sizes of windows."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    while True:
        found = problem(generator)
        if np.prod(found[4], dtype=float) <= most_cells:
            return found


def problem(generator, zeros=0.1):
    """One of `problems` by a NumPy generator: (numbers, operand's shape, indices', sizes, cells').

    Sides are 0 with the probability `zeros`.
    """
    rank = int(generator.integers(0, 5))
    operand = [
        0 if generator.random() < zeros else int(generator.integers(1, 5)) for _ in range(rank)
    ]
    roles = generator.choice(["window", "collapsed", "batching"], rank, p=[0.5, 0.3, 0.2])
    batching = [d for d in range(rank) if roles[d] == "batching"]
    collapsed = [d for d in range(rank) if roles[d] == "collapsed" and operand[d]]
    inside = [d for d in range(rank) if d not in batching and d not in collapsed]
    mapped = [d for d in range(rank) if d not in batching and generator.random() < 0.6]
    generator.shuffle(mapped)
    extra = int(generator.integers(0, 3))
    vectors = [operand[d] for d in batching] + [int(generator.integers(0, 4)) for _ in range(extra)]
    order = generator.permutation(len(vectors))
    batch = [vectors[i] for i in order]
    where = [int(np.flatnonzero(order == i)[0]) for i in range(len(batching))]
    scalar = len(mapped) == 1 and generator.random() < 0.5
    vector = len(batch) if scalar else int(generator.integers(0, len(batch) + 1))
    indices = list(batch)
    if not scalar:
        indices.insert(vector, len(mapped))
        where = [w + (w >= vector) for w in where]
    sizes = [
        int(generator.integers(0, n + 1))
        if generator.random() < zeros
        else int(generator.integers(min(1, n), n + 1))
        for n in operand
    ]
    for d in collapsed:
        sizes[d] = 1
    for d in batching:
        sizes[d] = min(1, operand[d])
    cells = len(batch) + len(inside)
    windows = tuple(sorted(generator.choice(cells, len(inside), replace=False).tolist()))
    fields = {
        "window_dims": windows,
        "collapsed_dims": tuple(collapsed),
        "batching_dims": tuple(batching),
        "indices_batching_dims": tuple(where),
        "index_map": tuple(mapped),
        "vector_dim": vector,
    }
    left, right = [sizes[d] for d in inside], list(batch)
    shape = tuple((left if a in windows else right).pop(0) for a in range(cells))
    return fields, tuple(operand), tuple(indices), tuple(sizes), shape
