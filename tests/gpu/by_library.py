"""Works for which libraries have no common name: each takes a namespace, as the others do."""

import numpy as np


class NoneOfThatKindError(Exception):
    """A library has nothing for a work."""


def library(xp):
    """Name of the library whose namespace it is, or stands for."""
    return getattr(xp, "library", None) or xp.__name__


def scatter_add(xp, table, updates, at):
    """Rows added to a table, at the rows that numbers tell, several of them to some."""
    match library(xp):
        case "numpy" | "cupy":
            made = table.copy()
            xp.add.at(made, at, updates)
            return made
        case "dask_tapestry":
            return xp.patterns.scatter(table, updates[:, None], at[:, None], (0,), "kAdd")
        case "jax.numpy":
            return table.at[at].add(updates)
        case "torch":
            return xp.index_add(table, 0, at, updates)
        case name:
            raise NoneOfThatKindError(f"{name} adds nothing at places")


def convolved(xp, images, weights):
    """Images times windows of 3 by 3, as networks do it, as large as they were."""
    match library(xp):
        case "numpy":
            padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
            return np.einsum("nchwij,kcij->nkhw", windows, weights, optimize=True)
        case "dask_tapestry":
            return xp.nn.conv(images, weights, padding="same")
        case "jax.numpy":
            import jax

            return jax.lax.conv_general_dilated(images, weights, (1, 1), "SAME")
        case "torch":
            return xp.nn.functional.conv2d(images, weights, padding="same")
        case name:
            raise NoneOfThatKindError(f"{name} has no convolution of networks")
