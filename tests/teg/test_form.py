import numpy as np

import dask_tapestry as dt
from dask_tapestry.teg import Form, apply


def test_a_form_makes_a_node_of_another_and_a_size():
    x = dt.asarray(np.ones((2, 3))).node
    again = Form("again", (4, 2), lambda node, size: apply(node.operator, *node.inputs))
    assert again.make(x, 2) is x
    assert again.name == "again"


def test_forms_of_operators_depend_on_types_alone():
    x = dt.placeholder((1000, 30), "f8")
    (form,) = x.sum().node.operator.forms((x.node.type,))
    assert isinstance(form, Form)
    for size in form.sizes:
        assert form.make(x.sum().node, size) is form.make(x.sum().node, size)
