"""The operations of random programs, each with how often it is drawn."""

from __future__ import annotations

from tests.fuzz.cellwise import binary, cast, clip, unary, where
from tests.fuzz.dtypes import chosen_by_scalars, pair, single, with_scalar
from tests.fuzz.effects import effect
from tests.fuzz.folds import (
    differences,
    fold,
    folds_together,
    methods,
    nonzero,
    product,
    quantile,
    scan,
    search,
    sort,
    tables,
    unique,
)
from tests.fuzz.further import arrangements, formulas, statistics
from tests.fuzz.generators import generator
from tests.fuzz.own_operators import own
from tests.fuzz.selectors import (
    assign,
    assign_cells,
    assign_mask,
    broadcast,
    diagonal,
    expand,
    flip,
    index,
    join,
    mask,
    moved,
    pad,
    permute,
    repeat,
    reshape,
    roll,
    squeeze,
    take,
    tile,
    triangle,
)
from tests.fuzz.steps import Draw
from tests.fuzz.surface import public

OPERATIONS: dict[Draw, int] = {
    moved: 3, differences: 1, methods: 1, tables: 2, assign_cells: 1,
    binary: 6, unary: 4, cast: 2, where: 1, clip: 1, index: 6, mask: 1, assign: 2, assign_mask: 1,
    permute: 2, flip: 1, reshape: 3, squeeze: 1, expand: 1, broadcast: 1, join: 2, repeat: 1,
    tile: 1, roll: 1, pad: 2, triangle: 1, diagonal: 1, take: 1, fold: 5, scan: 1, sort: 1,
    folds_together: 2, unique: 1, nonzero: 1, quantile: 1, search: 1, product: 2,
    pair: 2, single: 1, with_scalar: 3, chosen_by_scalars: 1, generator: 3, own: 4, effect: 3,
    statistics: 2, arrangements: 2, formulas: 2,
    public: 60,
}  # fmt: skip
