"""Cells: typed expressions, their functions, and the canonical reduction tree."""

from dask_tapestry.cells.expression import CellBuilder as CellBuilder
from dask_tapestry.cells.expression import CellExpression as CellExpression
from dask_tapestry.cells.expression import CellStep as CellStep
from dask_tapestry.cells.expression import identity as identity
from dask_tapestry.cells.lattice import Lattice as Lattice
from dask_tapestry.cells.lattice import Spaced as Spaced
from dask_tapestry.cells.lattice import lattice_of as lattice_of
from dask_tapestry.cells.reduction_tree import LEAF_CELLS as LEAF_CELLS
from dask_tapestry.cells.reduction_tree import Tree as Tree
from dask_tapestry.cells.selected import Selected as Selected
from dask_tapestry.cells.selected import selected_by as selected_by
from dask_tapestry.cells.ufuncs import UFUNCS as UFUNCS
from dask_tapestry.cells.ufuncs import Signature as Signature
from dask_tapestry.cells.ufuncs import loop_dtypes as loop_dtypes
from dask_tapestry.cells.value_span import Span as Span
from dask_tapestry.cells.value_span import span_of_expression as span_of_expression
