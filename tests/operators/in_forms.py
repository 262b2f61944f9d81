"""What tests of forms share: a node in one of the forms that its operator declares."""


def forms_of(node):
    """The forms of a node's operator by name."""
    return {form.name: form for form in node.operator.forms(node.input_types)}


def form_names(node):
    return tuple(forms_of(node))


def formed(node, name, *sizes):
    """The node in a form of one of the sizes, that one in it of the next size, and so on."""
    for size in sizes:
        node = forms_of(node)[name].make(node, size)
    return node
