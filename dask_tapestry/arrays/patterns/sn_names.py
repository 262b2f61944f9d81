"""The patterns by SambaFlow's names."""

from __future__ import annotations

from dask_tapestry.arrays.patterns.cell_values import imm, iteridx, select
from dask_tapestry.arrays.patterns.zipmapreduce import reduce, zipmapreduce

__all__ = ["sn_imm", "sn_iteridx", "sn_reduce", "sn_select", "sn_zipmapreduce"]

sn_imm, sn_iteridx, sn_select = imm, iteridx, select
sn_reduce, sn_zipmapreduce = reduce, zipmapreduce
