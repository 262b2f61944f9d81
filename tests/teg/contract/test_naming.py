from .operators import Doubled


def test_an_operator_is_called_by_its_name():
    operator = Doubled()
    assert (operator.name, operator.label, operator.called) == ("doubled",) * 3
    assert (operator.text(), operator.way_out()) == ("", "")
    assert operator.category == "operator"


def test_a_function_has_a_name_of_its_own():
    class Called(Doubled):
        label = "mine"

    assert Called().called == "mine"
    assert Called().name == "doubled"
