from dask_tapestry.operators.contraction import Contraction
from dask_tapestry.operators.scan import Scan
from dask_tapestry.operators.tree_reduction import TreeReduction
from dask_tapestry.operators.sort import Sort, ArgSort
from dask_tapestry.operators.columnsort import most_columns
from dask_tapestry.operators.order_statistics import OrderStatistics
from dask_tapestry.rules.split_k import split_k
from dask_tapestry.rules.split_reduction import split_reduction
from dask_tapestry.rules.split_scan import split_scan, split_scan_reading_twice
from dask_tapestry.rules.split_sort import split_sort
from dask_tapestry.teg import Form
from dask_tapestry.teg.operator import signature_of
def forms(node):
    op=node.operator
    if isinstance(op, TreeReduction) and op.is_whole:
        d=op.tree.depth
        out=[]
        if d>0:
            out.append(Form("nodes", tuple(range(d-1,-1,-1)), lambda n,l: split_reduction(n,(l,))))
        if d>6:
            out.append(Form("nodes in two", tuple(range(d-7,-1,-1)), lambda n,l: split_reduction(n,(l,l+6))))
        return tuple(out)
    if isinstance(op, Contraction) and (dim:=op.folded(node.input_types)) is not None:
        k=signature_of(op,node.input_types).index[dim].extent
        sizes=[]; c=2
        while -(-k//c)>1 and c<=4096: sizes.append(-(-k//c)); c*=2
        return (Form("parts", tuple(sizes), split_k),) if sizes else ()
    if isinstance(op, Scan) and node.type.shape[op.axis]>op.leaf:
        return (Form("leaves",(1,),lambda n,s: split_scan(n)),Form("totals",(1,),lambda n,s: split_scan_reading_twice(n)))
    if isinstance(op,(Sort,ArgSort,OrderStatistics)) and node.input_types[0].size:
        m=most_columns(node.input_types[0].shape[op.axis])
        sizes=[]; c=2
        while c<=min(m,4096): sizes.append(c); c*=2
        return (Form("columns",tuple(sizes),split_sort),) if sizes else ()
    return ()
