import dask_tapestry as dt
from dask_tapestry.teg import Form


def test_a_form_makes_the_node_to_compute_instead():
    node = dt.cumsum(dt.asarray(dt.ones(1000).compute()), 0).node
    forms = node.operator.forms(node.input_types)
    assert all(isinstance(form, Form) for form in forms)
    for form in forms:
        made = form.make(node, form.sizes[0])
        assert made is not node
        assert made is form.make(node, form.sizes[0])
        assert (made.type, made.line) == (node.type, node.line)
