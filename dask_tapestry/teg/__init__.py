"""The Tapestry Expression Graph: typed nodes, operators' contract, signatures, graphs."""

from dask_tapestry.teg.form import Form as Form
from dask_tapestry.teg.graph import Graph as Graph
from dask_tapestry.teg.node import Node as Node
from dask_tapestry.teg.node import Tensor as Tensor
from dask_tapestry.teg.node import apply as apply
from dask_tapestry.teg.node import sequence_point as sequence_point
from dask_tapestry.teg.operator import BlockOperator as BlockOperator
from dask_tapestry.teg.operator import Operator as Operator
from dask_tapestry.teg.region import Progression as Progression
from dask_tapestry.teg.region import Region as Region
from dask_tapestry.teg.regularity import Regular as Regular
from dask_tapestry.teg.regularity import Regularity as Regularity
from dask_tapestry.teg.selector import GeneratorOperator as GeneratorOperator
from dask_tapestry.teg.selector import Selector as Selector
from dask_tapestry.teg.signature import IndexDim as IndexDim
from dask_tapestry.teg.signature import Kind as Kind
from dask_tapestry.teg.signature import Signature as Signature
from dask_tapestry.teg.sink import Sink as Sink
from dask_tapestry.teg.source import Block as Block
from dask_tapestry.teg.source import Source as Source
from dask_tapestry.teg.turns import CELL_BY_CELL as CELL_BY_CELL
from dask_tapestry.teg.turns import Carry as Carry
from dask_tapestry.teg.turns import Merging as Merging
from dask_tapestry.teg.turns import Split as Split
from dask_tapestry.teg.turns import Turns as Turns
from dask_tapestry.teg.types import TensorType as TensorType
