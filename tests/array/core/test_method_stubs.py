import ast
import inspect

import dask_tapestry as dt
from dask_tapestry.array.core import method_stubs


def declared_names():
    tree = ast.parse(inspect.getsource(method_stubs))
    (cls,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    (block,) = [node for node in cls.body if isinstance(node, ast.If)]
    return {n.name if isinstance(n, ast.FunctionDef) else n.target.id for n in block.body}


def test_all_that_is_declared_is_there():
    assert {name for name in declared_names() if not hasattr(dt.Array, name)} == set()


def test_nothing_is_declared_twice():
    own = {name for name in vars(dt.Array) if not name.startswith("_")}
    assert method_stubs.Declared.__slots__ == ()
    assert "compute" in own
    assert "compute" not in declared_names()
