"""Targets: studies, rule sets, equipment, measurements, positions and cases, as files with something wrong in them."""

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from carromsim.calibration.measurements import Measurements, example
from carromsim.cli.app import BadInput
from carromsim.cli.position import read_position
from carromsim.equipment import PRESETS, Equipment
from carromsim.rules.cases import cases_of, rule_case
from carromsim.rules.ruleset import NAMES, RuleSet
from carromsim.studies.declaring.declare import study_from_toml, study_to_toml, template
from carromsim.studies.kinds import KINDS
from fuzz.judging import Target

_VALUES = (
    *(
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "5e-324",
        "0",
        "-1",
        "1e400",
        "9" * 30,
        "9" * 5000,
        "-0.0",
        "true",
        "0x7f",
    ),
    *(
        '""',
        '"none"',
        '"icf"',
        '"x.toml"',
        '"../x.toml"',
        '"/etc/passwd"',
        '"\\u0000.toml"',
        '"\\n"',
        '"' + "y" * 3000 + '"',
    ),
    *("[]", "{}", "[[]]", "[1, 2, 3]", "[nan, 1]", "{uniform = [0, 1]}", "{grid = [1, 1]}", "{normal = [0, inf]}"),
    *(
        "{grid = {from = 0, to = 1, count = 1000000}}",
        "{grid = {from = 0, to = 1e308, count = 3}}",
        "{a = {b = {c = 1}}}",
    ),
    *("2020-01-01", "07:32:00", "'''\n'''", '["icf", "ukca"]', "[{}, {}]", '{metric = "any", half_width = 1e-300}'),
    *('{metric = "any", against = "any"}', "{surface = 'powder'}", "[" * 200 + "]" * 200, "[[0, 0], [0, 0]]"),
    *(
        "{sd_x = 0, sd_angle = 0, sd_speed = 0, sd_spin = 1e308}",
        "{truncated = [0, 1, 40, 41]}",
        "18446744073709551616",
    ),
)
_KEYS = (
    *("extends", "kind", "equipment", "ruleset", "seed", "strokes", "boards", "until", "conduct", "skill", "policy"),
    *(
        "queen.value",
        "[queen]",
        "[[slide]]",
        "[[variants]]",
        "[sensitivity]",
        "start",
        '"\\u0000"',
        '"é"',
        "a." * 60 + "a",
    ),
)
_value = st.one_of(st.sampled_from(_VALUES), st.floats().map(str), st.integers(-(2**70), 2**70).map(str))
_SETTING = re.compile(r"^(#? ?[A-Za-z_.]+ = )(.*)$", re.MULTILINE)


@st.composite
def spoilt_toml(draw: DrawFn, originals: Callable[[], tuple[str, ...]]) -> str:
    """Give a document in which something is set to another value, added, repeated, cut off or mangled."""
    text = draw(st.sampled_from(originals()))
    for _ in range(draw(st.integers(0, 3))):
        text = _spoil(draw, text)
    return text


def _spoil(draw: DrawFn, text: str) -> str:
    change = draw(st.sampled_from(("value", "value", "value", "key", "key", "cut", "repeat", "mangle", "drop")))
    if change == "value":
        found = list(_SETTING.finditer(text))
        if found:
            setting = draw(st.sampled_from(found))
            return f"{text[: setting.start()]}{setting[1].removeprefix('# ')}{draw(_value)}{text[setting.end() :]}"
    if change == "key":
        key, value = draw(st.sampled_from(_KEYS)), draw(_value)
        line = f"{key}\n" if key.startswith("[") else f"{key} = {value}\n"
        return line + text if draw(st.booleans()) else f"{text}\n{line}"
    if change == "mangle":
        at = draw(st.integers(0, len(text)))
        return text[:at] + draw(st.text(max_size=6)) + text[at + draw(st.integers(0, 6)) :]
    if change == "cut":
        return text[: draw(st.integers(0, len(text)))]
    lines = text.splitlines(keepends=True) or [""]
    at = draw(st.integers(0, len(lines) - 1))
    return "".join(lines[:at] + ([lines[at]] * 2 if change == "repeat" else []) + lines[at + 1 :])


@cache
def studies() -> tuple[str, ...]:
    return ("", *(f'kind = "{kind}"\n' for kind in KINDS), *map(template, KINDS))


@cache
def rule_files() -> tuple[str, ...]:
    shipped = (resources.files("carromsim.data") / "rules" / f"{name}.toml" for name in NAMES)
    return ('extends = "icf"\n', *(path.read_text(encoding="utf-8") for path in shipped))


@cache
def boards() -> tuple[str, ...]:
    shipped = (resources.files("carromsim.data") / "equipment" / f"{name}.toml" for name in PRESETS)
    return ('extends = "icf"\n', *(path.read_text(encoding="utf-8") for path in shipped))


@cache
def measurements() -> tuple[str, ...]:
    return (example(), "[[slide]]\ndistance = [0.35, 0.52]\nframes = [200, 238]\n", "[[hit]]\ndistance = 0.06\n")


@cache
def positions() -> tuple[str, ...]:
    return ("", 'queen = [0.0, 0.0]\nwhite = [[0.1, 0.1], [0.2, -0.1]]\nblack = []\nequipment = "icf"\n')


def _study(text: str, folder: Path) -> None:
    study = study_from_toml(text, source=str(folder / "study.toml"))
    json.dumps(study.declaration(), allow_nan=False)
    assert study_from_toml(study_to_toml(study)) == study


def _loaded(
    name: str, load: Callable[[Path], Any], same: Callable[[Any], str] | None = None
) -> Callable[[str, Path], None]:
    """Make what writes a text into a file and reads that, and reads what is written of it once more."""

    def act(text: str, folder: Path) -> None:
        path = folder / name
        path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        found = load(path)
        if same is not None:
            path.write_text(same(found), encoding="utf-8", newline="")
            assert load(path) == found

    return act


def _position(text: str, folder: Path) -> None:
    path = folder / "given.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    try:
        read_position(path)
    except BadInput as error:
        raise ValueError(str(error)) from None


_json = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**65), 2**65),
        st.floats(),
        st.text(max_size=5),
        st.sampled_from(["white", "black", "icf", "on_board", "../x.toml"]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["white", "black", "own", "queen", "striker", "opponent"]) | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)
_CASE: dict[str, Any] = {
    "ruleset": "icf",
    "before": {
        "shooter": "white",
        "on_board": {"white": 6, "black": 5},
        "queen": "on_board",
        "dues": {"white": 0, "black": 0},
    },
    "stroke": {"pocketed": {"own": 1, "striker": True}, "overboard": {}, "fell_between_strokes": {"white": 0}},
    "options": {"double_due_agreed": False},
}
_STROKE = (
    "pocketed",
    "overboard",
    "fell_between_strokes",
    "improper",
    "technical_fouls",
    "decline_dues",
    "board_lost_by",
)
_BEFORE = (
    "shooter",
    "on_board",
    "pocketed",
    "held",
    "ever_pocketed",
    "queen",
    "dues",
    "score",
    "boards_played",
    "break_made",
)


@st.composite
def cases(draw: DrawFn) -> str:
    """Give a case with something else in it."""
    case = json.loads(json.dumps(_CASE))
    for _ in range(draw(st.integers(0, 3))):
        where = draw(st.sampled_from(["top", "before", "stroke", "options"]))
        table = case if where == "top" or not isinstance(case.get(where), dict) else case[where]
        keys = {"top": (*_CASE, "id", "x"), "before": _BEFORE, "stroke": _STROKE, "options": ("double_due_agreed",)}[
            where
        ]
        table[draw(st.sampled_from(keys))] = draw(_json)
    text = json.dumps(case)
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 9)) == 0 else text


def _case(text: str, folder: Path) -> None:
    for case in cases_of(text, "case.json"):
        rule_case(case)


def _toml(name: str, originals: Callable[[], tuple[str, ...]], act: Callable[[str, Path], None], *words: str) -> Target:
    inputs: SearchStrategy[str] = st.one_of(spoilt_toml(originals), spoilt_toml(originals), st.text(max_size=60))
    return Target(name, inputs, act, lambda given: words)


TARGETS = (
    _toml("study files", studies, _study, "study.toml"),
    _toml("rule files", rule_files, _loaded("own.toml", RuleSet.load, RuleSet.to_toml), "own.toml"),
    _toml("equipment files", boards, _loaded("own.toml", Equipment.load, Equipment.to_toml), "own.toml"),
    _toml("measurements", measurements, _loaded("measured.toml", Measurements.load), "measured.toml"),
    _toml("positions", positions, _position, "given.toml"),
    Target(
        "cases",
        st.one_of(cases(), _json.map(json.dumps), st.text(max_size=30)),
        _case,
        lambda given: ("case", "rule set", "before", "stroke"),
    ),
)
