"""Integer points, vectors, boxes and affine maps: where things are, exactly.

Nothing here knows arrays, graphs or Dask; integers have any size. Source: Tapestry whitepaper,
"ZSpace: Discrete Coordinate Space Objects" and "Index Projection Functions".
"""

from dask_tapestry.zspace.affine import ZAffineMap as ZAffineMap
from dask_tapestry.zspace.cuts import Cuts as Cuts
from dask_tapestry.zspace.dimension_names import DimensionNames as DimensionNames
from dask_tapestry.zspace.grid import block_box as block_box
from dask_tapestry.zspace.grid import block_range as block_range
from dask_tapestry.zspace.grid import fitting_sides as fitting_sides
from dask_tapestry.zspace.grid import largest_box as largest_box
from dask_tapestry.zspace.point import ZPoint as ZPoint
from dask_tapestry.zspace.point import ZVector as ZVector
from dask_tapestry.zspace.projection import IndexProjection as IndexProjection
from dask_tapestry.zspace.range import ZRange as ZRange
