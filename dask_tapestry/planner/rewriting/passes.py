"""Passes: which rules rewrite a graph before it is planned, in which order and how often.

================  ==========================================  ==================================
pass              rules                                       how often
================  ==========================================  ==================================
annotations       `merge_annotated`                           once, if any are annotated
as written        the user's semantic ones                    to a fixed point
*a rule's name*   one of the user's that says `times`         so many times over the graph
loops             `fuse_stencil_loops`                        once
simplify          the user's, `FAST_RULES`, `written_rules`   to a fixed point
takes along axes  `OF_TAKES`                                  to a fixed point, if there are any
forward fills     `fill_forward_by_scan`                      once, if places are running maxima
products          the user's, `OF_PRODUCTS`                   to a fixed point, if there are any
slices            `push_slices`                               once
after slices      the user's, `SIMPLIFY`                      to a fixed point, if slices moved
cells at extremes `take_while_folding`                        until none is taken after its fold
turned folds      `fold_before_turning`                       to a fixed point, if axes are turned
vector products   `fold_products_of_vectors`                  once, if there are products
joint reductions  `join_reductions`                           until each reads its cells once
joint group folds `join_group_folds`                          once, if there are any
joint bin counts  `join_bin_counts`                           once, if there are any
overlapping parts `share_overlapping_parts`                   once, if there are any
repeated parts    `part_before_repeats`                       once
turned formulas   `share_turned_formulas`                     once, if there are products
outputs           `keep_outputs_read`                         until each output is read
================  ==========================================  ==================================

Rules that are choices are in no pass: a plan decides on them by cost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from dask_tapestry.imports import LateModule
from dask_tapestry.rewrite.annotation_propagation import merge_annotated
from dask_tapestry.rewrite.driver import apply_once, rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.user_rules import OwnRule, rules_in_force
from dask_tapestry.rules.alike_pieces import ALIKE_PIECE_RULES, has_many_pieces
from dask_tapestry.rules.alike_reductions import stack_alike_reductions
from dask_tapestry.rules.broadcasts import BROADCAST_RULES
from dask_tapestry.rules.cells_at_extremes import take_while_folding
from dask_tapestry.rules.chunks_apart import read_in_steps, take_where_apart
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.effects import followed_points, keep_effects
from dask_tapestry.rules.ends_of_lanes import take_ends_of_lanes
from dask_tapestry.rules.fast_math import FAST_RULES
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.forward_fills import fill_forward_by_scan, takes_at_scanned_places
from dask_tapestry.rules.grouped_lines import fold_lines_together
from dask_tapestry.rules.insert_chains import join_inserts
from dask_tapestry.rules.inserted_parts import read_before_inserts
from dask_tapestry.rules.joined_sources import source_of_all
from dask_tapestry.rules.joint_bin_counts import join_bin_counts
from dask_tapestry.rules.joint_group_folds import join_group_folds
from dask_tapestry.rules.joint_order_statistics import join_order_statistics
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.rules.linear import LINEAR_RULES
from dask_tapestry.rules.matrix_chains import CHAIN_RULES
from dask_tapestry.rules.merged_dims import MERGED_DIM_RULES, has_merged_dims
from dask_tapestry.rules.outputs import OUTPUT_RULES, keep_outputs_read
from dask_tapestry.rules.overlapping_parts import share_overlapping_parts
from dask_tapestry.rules.products import PRODUCT_RULES, has_products
from dask_tapestry.rules.products_in_tiles import multiply_before_merge
from dask_tapestry.rules.products_of_vectors import fold_products_of_vectors
from dask_tapestry.rules.repeated_parts import part_before_repeats
from dask_tapestry.rules.result_devices import on_their_devices
from dask_tapestry.rules.selected_folds import fold_selections_together
from dask_tapestry.rules.selections import SELECTION_RULES, fold_where_selected
from dask_tapestry.rules.slice_pushdown import push_slices
from dask_tapestry.rules.spaced_sources import space_what_is_read
from dask_tapestry.rules.stencil_loops import fuse_stencil_loops
from dask_tapestry.rules.symmetric_products import share_turned_formulas
from dask_tapestry.rules.tables_in_any_order import search_unsorted
from dask_tapestry.rules.takes_along import take_along_own_places, takes_of_several_axes
from dask_tapestry.rules.turned_folds import fold_before_turning, has_turned
from dask_tapestry.rules.views import VIEW_RULES
from dask_tapestry.settings import setting
from dask_tapestry.teg import Graph
from dask_tapestry.teg.node import written_as

if TYPE_CHECKING:
    from dask_tapestry.rules import batching_dims
else:
    batching_dims = LateModule("dask_tapestry.rules.batching_dims")

GATHERS: Final = (
    "dask_tapestry.operators.indexing.gather",
    "dask_tapestry.operators.indexing.scatter",
)
SIMPLIFY = Rules(
    (
        *VIEW_RULES,
        *CONSTANT_RULES,
        *FORMULA_RULES,
        *BROADCAST_RULES,
        *OUTPUT_RULES,
        source_of_all,
    )
)
OF_MERGED_DIMS = Rules((multiply_before_merge, *MERGED_DIM_RULES, *SIMPLIFY))
OF_TAKES = Rules((take_along_own_places, *SIMPLIFY))
OF_TURNED = Rules((fold_before_turning, *SIMPLIFY))
FILLS = Rules((fill_forward_by_scan,))
OF_PRODUCTS = Rules((*PRODUCT_RULES, *CHAIN_RULES, *SIMPLIFY))  # once readers are known


class Pass(NamedTuple):
    """A named part of rewriting: rules, or a function of the whole graph.

    Attributes
    ----------
    times
        How often the rules go over the graph, at most once at each node; None for until none
        applies.
    applies
        Whether a graph has anything that the rules rewrite.
    """

    name: str
    rules: Rules | Callable[[Graph, Trace], Graph]
    times: int | None = None
    applies: Callable[[Graph], bool] = bool

    def run(self, graph: Graph, trace: Trace) -> Graph:
        """The graph, rewritten."""
        if not isinstance(self.rules, Rules):
            return self.rules(graph, trace)
        if not self.rules or not self.applies(graph):
            return graph
        if self.times is None:
            return rewrite(graph, self.rules, trace, self.name)
        for _ in range(self.times):
            graph = apply_once(graph, self.rules, trace, self.name)
        return graph


def written_rules(gathers: bool) -> Rules:
    """The rules of expressions as they are written, those of gathers and scatters if there are any.

    Rules import the operators that they name, these two some thirty modules, and many programs have
    none: a graph with one has imported its module.
    """
    late = batching_dims.BATCHING_RULES if gathers else ()
    return Rules((*SIMPLIFY, *LINEAR_RULES, *late, *SELECTION_RULES))


def passes(own: tuple[OwnRule, ...], fast: bool) -> tuple[Pass, ...]:
    """All passes in order.

    Parameters
    ----------
    own
        The user's rules.
    fast
        Whether rules that change floating-point bits are among them.
    """
    return _passes(own, fast, any(name in sys.modules for name in GATHERS))


@lru_cache(maxsize=16)
def _passes(own: tuple[OwnRule, ...], fast: bool, gathers: bool) -> tuple[Pass, ...]:
    """... where graphs may have gathers or scatters, or none has."""
    again = [rule for rule in own if rule.kind != "choice" and rule.times is None]
    mine = [rule for rule in again if rule.kind == "optimisation"]
    written = written_rules(gathers)
    simplify = Rules((*mine, *SIMPLIFY))

    def slices(graph: Graph, trace: Trace) -> Graph:
        pushed = push_slices(graph, trace)
        return graph if pushed is graph else rewrite(pushed, simplify, trace, "after slices")

    joins = Rules((*ALIKE_PIECE_RULES, *simplify, fold_where_selected))
    return (
        Pass("annotations", merge_annotated),
        Pass("as written", Rules(rule for rule in again if rule.kind == "semantic")),
        *[Pass(rule.__name__, Rules((rule,)), rule.times) for rule in own if rule.times],
        Pass("loops", fuse_stencil_loops),
        Pass("simplify", Rules((*mine, *(FAST_RULES if fast else ()), *written))),
        Pass("takes along axes", OF_TAKES, applies=takes_of_several_axes),
        Pass("forward fills", FILLS, 1, takes_at_scanned_places),
        Pass("merged dimensions", Rules((*mine, *OF_MERGED_DIMS)), applies=has_merged_dims),
        Pass("products", Rules((*mine, *OF_PRODUCTS)), applies=has_products),
        Pass("inserted parts", read_before_inserts),
        Pass("insert chains", join_inserts),
        Pass("slices", slices),
        Pass("ends of lanes", take_ends_of_lanes),
        Pass("tables in any order", search_unsorted),
        Pass("cells at extremes", take_while_folding),
        Pass("joint ranks", join_order_statistics),
        Pass("grouped lines", fold_lines_together),
        Pass("selected folds", fold_selections_together),
        Pass("alike reductions", stack_alike_reductions),
        Pass("alike pieces", joins, applies=has_many_pieces),
        Pass("spaced sources", space_what_is_read),
        Pass("turned folds", OF_TURNED, applies=has_turned),
        Pass("vector products", fold_products_of_vectors, applies=has_products),
        Pass("joint reductions", join_reductions),
        Pass("joint group folds", join_group_folds),
        Pass("joint bin counts", join_bin_counts),
        Pass("overlapping parts", share_overlapping_parts),
        Pass("chunks apart", Rules((read_in_steps, take_where_apart))),
        Pass("repeated parts", Rules((part_before_repeats,)), 1),
        Pass("turned formulas", share_turned_formulas, applies=has_products),
        Pass("outputs", keep_outputs_read),
    )


def rewritten(graph: Graph, trace: Trace, own: Sequence[OwnRule] | None = None) -> Graph:
    """The graph that computes the same values for less, by the rules in force.

    Parameters
    ----------
    own
        The user's rules; by default those of the settings.
    """
    mine = rules_in_force() if own is None else tuple(own)
    with written_as(None):
        for each in passes(mine, setting("algebra") == "fast"):
            graph = each.run(graph, trace)
    return graph


def simplified(written: Graph, trace: Trace) -> Graph:
    """The graph that a plan is made for: rewritten, its results where and when they are wanted.

    They follow effects, and lie on devices, as the written ones do.
    """
    points = followed_points(written)
    graph = Graph([*written.roots, *points]) if points else written
    graph = keep_effects(written, points, rewritten(graph, trace), trace)
    return on_their_devices(written, graph)
