"""An operator that says no more than every operator has to."""

from dataclasses import dataclass

from dask_tapestry.teg import Operator


@dataclass(frozen=True)
class Doubled(Operator):
    """Twice its input."""

    name = "doubled"
    kernel = "doubled"

    def infer(self, *inputs):
        return inputs[0]

    def demand(self, inputs, box):
        return (box,)
