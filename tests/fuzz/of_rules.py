"""Targets: rule sets, the referee, players, statistics, studies made in Python."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import carromsim as cs
from carromsim import stats
from carromsim.players.policy import policy_of
from carromsim.players.skill import skill_of
from carromsim.rules.ruleset import NAMES
from carromsim.rules.ruleset_groups import KINDS
from carromsim.studies.kinds import KINDS as STUDIES
from carromsim.studies.kinds import kind_of, study_from_declaration
from carromsim_kernels.laws import BOARD_STATE, STROKE_FACTS
from fuzz.hostile import array, bits, numbers, real, spoilt, things, whole, words
from fuzz.judging import Target

_sides = st.sampled_from(["white", "black", 0, 1])
_rules = st.sampled_from(NAMES)
_count = st.one_of(whole, array(3))
_share = st.floats(0.01, 0.99)


def _with(function: Callable[..., Any]) -> Callable[[dict[str, Any], Path], None]:
    """Give what calls a function with arguments by name."""

    def act(given: dict[str, Any], folder: Path) -> None:
        function(**given)

    return act


def _fields(layout: np.dtype[np.void]) -> dict[str, SearchStrategy[Any]]:
    """Give what each field of a record may be, most of it possible."""
    good: dict[str, SearchStrategy[Any]] = {}
    for name in layout.names or ():
        inner = layout[name].shape
        one = st.integers(0, 1)
        good[name] = _sides if name in ("shooter", "breaker") else one if not inner else st.just(np.zeros(inner, int))
    return good


def _some(good: dict[str, SearchStrategy[Any]]) -> SearchStrategy[dict[str, Any]]:
    """Give some of the arguments."""
    bad = st.one_of(things, numbers, array(2))
    return st.one_of(
        st.fixed_dictionaries({}, optional=good),
        st.dictionaries(st.sampled_from(sorted(good)), bad, max_size=3),
        st.dictionaries(words, bad, max_size=1),
    )


def _adjudicate(state: Any, facts: Any, rules: Any) -> None:
    boards = cs.board_state(**state) if isinstance(state, dict) else state
    strokes = cs.stroke_facts(**facts) if isinstance(facts, dict) else facts
    ruled = cs.adjudicate(boards, strokes, rules)
    ruled.to_arrow()
    for row in range(min(len(ruled), 3)):
        ruled.row(row)


def _changed(name: str, changes: dict[str, Any]) -> None:
    rules = cs.RuleSet.load(name).replace(changes)
    assert cs.RuleSet.load(name) == rules or changes


def _study(kind: str, fields: dict[str, Any]) -> None:
    study = kind_of(kind).model_validate(fields)
    assert study_from_declaration(study.declaration()) == study
    if kind in ("break", "shot"):
        study.batch(range(1))


_VALUES: SearchStrategy[Any] = st.one_of(
    numbers,
    things,
    st.dictionaries(
        st.sampled_from(["uniform", "normal", "truncated", "grid"]), st.lists(numbers, max_size=4), max_size=1
    ),
    st.builds(dict, grid=st.fixed_dictionaries({"from": numbers, "to": numbers, "count": numbers})),
    st.fixed_dictionaries({"metric": words}, optional={"half_width": numbers, "against": _share, "level": numbers}),
)


def _studies() -> Target:
    def fields(kind: str) -> SearchStrategy[tuple[str, dict[str, Any]]]:
        names = sorted(kind_of(kind).model_fields)
        given = st.dictionaries(st.one_of(st.sampled_from(names), words), _VALUES, max_size=3)
        return st.tuples(st.just(kind), given)

    return Target(
        "studies",
        st.one_of(*(fields(kind) for kind in STUDIES)),
        lambda given, folder: _study(*given),
    )


_STATS: dict[str, dict[str, SearchStrategy[Any]]] = {
    "wilson": {"successes": _count, "n": st.just(50), "level": _share},
    "mean_of": {"values": array(5), "level": _share},
    "mean_interval": {"histogram": st.lists(whole, min_size=1, max_size=5), "level": _share},
    "newcombe": {},
    "welch": {},
    "paired_means": {},
    "paired_shares": {},
    "variance_reduction": {},
    "holm": {"p": st.lists(_share, max_size=4)},
    "normal_quantile": {},
    "quantile_interval": {},
    "quantile_ranks": {},
    "student": {},
    "rows_for_difference": {},
    "rows_for_half_width": {},
    "rows_until_decided": {},
    "rows_until_half_width": {},
    "tuning": {},
    "asymptotic_mean": {},
    "beta_binomial": {},
    "decided": {},
    "log_e_value": {},
}
_GOOD: dict[str, SearchStrategy[Any]] = {
    "level": _share,
    "p": _share,
    "probability": _share,
    "half_width": st.floats(0.001, 0.2),
    "tuned": st.floats(10, 1000),
    "power": _share,
    "difference": st.floats(0.01, 0.2),
    "against": _share,
    "share": _share,
}


def _stats() -> SearchStrategy[tuple[str, dict[str, Any]]]:
    import inspect

    targets = []
    for name, known in _STATS.items():
        good = {
            argument: known.get(argument, _GOOD.get(argument, st.one_of(whole, _share)))
            for argument in inspect.signature(getattr(stats, name)).parameters
        }
        targets.append(st.tuples(st.just(name), spoilt(good, st.one_of(numbers, array(3), things))))
    return st.one_of(*targets)


def _play(**given: Any) -> None:
    cs.play_boards(**given)


TARGETS = (
    Target("RuleSet.load", st.one_of(words, things), lambda given, folder: cs.RuleSet.load(given)),
    Target(
        "RuleSet.replace",
        st.tuples(
            _rules,
            st.dictionaries(
                st.one_of(st.sampled_from((*KINDS, "name", "equipment")), words), st.one_of(numbers, things), max_size=3
            ),
        ),
        lambda given, folder: _changed(*given),
    ),
    Target("board_state", _some(_fields(BOARD_STATE)), _with(cs.board_state), lambda given: ("board_state",)),
    Target("stroke_facts", _some(_fields(STROKE_FACTS)), _with(cs.stroke_facts), lambda given: ("stroke_facts",)),
    Target(
        "adjudicate",
        spoilt({"state": _some(_fields(BOARD_STATE)), "facts": _some(_fields(STROKE_FACTS)), "rules": _rules}),
        _with(_adjudicate),
    ),
    Target(
        "DeclaredRates",
        _some(dict.fromkeys(vars(cs.DeclaredRates()), _share)).filter(
            lambda g: set(g) <= set(vars(cs.DeclaredRates()))
        ),
        _with(cs.DeclaredRates),
        lambda given: given,
    ),
    Target(
        "Skill",
        spoilt(
            dict.fromkeys(("sd_x", "sd_angle", "sd_speed", "sd_spin"), real(0, 1)) | {"name": words},
            st.one_of(numbers, things),
        ),
        _with(cs.Skill),
        lambda given: given,
    ),
    Target("skill_of", st.one_of(words, things), lambda given, folder: skill_of(given)),
    Target("policy_of", st.one_of(words, things), lambda given, folder: policy_of(given)),
    Target(
        "play_boards",
        spoilt(
            {"ruleset": _rules, "n": st.just(1), "policy": st.just("random"), "skill": st.just("club"), "seed": whole}
            | {"stroke_limit": st.integers(1, 4), "rotation": real(), "gap": st.just(1e-5), "jitter": st.none()}
            | {"keep_strokes": bits, "width": st.just(8), "threads": st.just(1), "unit": st.just("board")}
        ),
        _with(_play),
        memory=True,
    ),
    Target(
        "fit_skill",
        spoilt(
            {
                "successes": whole,
                "trials": st.just(40),
                "distance": st.floats(0.2, 0.5),
                "strokes": st.just(2),
                "level": _share,
                "seed": whole,
                "skill": st.just("club"),
            },
            st.one_of(numbers, things).filter(lambda v: not (isinstance(v, int) and v > 1000)),
        ),
        _with(cs.fit_skill),
    ),
    *(
        Target(name, spoilt(dict.fromkeys(fields, numbers)), _with(getattr(cs, name)))
        for name, fields in {
            "Uniform": ("low", "high"),
            "Normal": ("mean", "sd"),
            "Truncated": ("mean", "sd", "low", "high"),
            "Grid": ("values",),
        }.items()
    ),
    Target("stats", _stats(), lambda given, folder: getattr(stats, given[0])(**given[1]), lambda given: given[1]),
    _studies(),
)
"""By what they take: laws, facts, players, numbers, declarations."""
