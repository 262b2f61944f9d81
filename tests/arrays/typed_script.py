"""A user's script: mypy reads it with the library, as `pyproject.toml` says; nothing runs it."""

import numpy as np

import dask_tapestry as dt

x = dt.from_array(np.ones((100, 50)), chunks=(10, 50), lock=True)
centred = (x - x.mean(axis=0)) / x.std(axis=0)
total: dt.Array = dt.add(centred, 1, where=centred > 0, out=dt.zeros((100, 50)))
pairs: dt.Array = dt.multiply.outer(x[0], x[1])
whole, rest = dt.divmod(dt.arange(10), 3)
chunks: tuple[tuple[int, ...], ...] = x.rechunk("auto", balance=True).chunks
blocks: dt.Array = x.map_blocks(lambda block: block + 1, dtype=np.float64)
smooth = x.map_overlap(lambda block: block, depth=1, boundary="reflect")
picture: str = x.to_svg(size=100)
places: dt.Array = x.shuffle([[3, 1], [2]], axis=0)
filled = dt.push(dt.where(x > 1, x, np.nan), 2, 0)
values, computed = dt.compute(total.sum(), smooth.max(axis=1))
shape: tuple[int, ...] = dt.shape(places)
