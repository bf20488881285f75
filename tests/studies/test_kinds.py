"""What holds for every kind of study: the registry, declarations, templates, schemas, tables."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest

from carromsim import cli
from carromsim.cli.studies import Kind
from carromsim.equipment import Equipment
from carromsim.studies.breaks.study import BreakStudy
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.declaring.declare import DeclarationError, schema, study_from_toml, study_to_toml, template
from carromsim.studies.declaring.parameters import Grid, Uniform
from carromsim.studies.kinds import KINDS, kind_of, study_from_declaration
from carromsim.studies.optimising.study import BreakOptimisation
from carromsim.studies.playing.boards import BoardStudy
from carromsim.studies.playing.matches import MatchStudy
from carromsim.studies.runs.study import study_hash
from carromsim.studies.schema.build import build, told_fields
from carromsim.studies.shots.study import ShotStudy
from carromsim.studies.variants.study import VariantStudy

ME = {"name": "me", "sd_x": 0.002, "sd_angle_deg": 0.5, "sd_speed": 0.1, "sd_spin": 3}
START = {"white": [[0.1, 0.1]], "black": [[0.2, 0.0], [0.0, 0.3]], "queen": "covered_black", "dues": [1, 0]}
STUDIES: tuple[DeclaredStudy, ...] = (
    BreakStudy(),
    ShotStudy(),
    ShotStudy(
        ruleset="ukca",
        strokes=12,
        skill=["club", ME],
        way="bank",
        pocket="bottom left",
        distance=Uniform(0.8, 0.9),
        cut=Grid([-0.1, 0.0, 0.1]),
        speed=2.0,
        blockers=[[0.1, 0], (-0.1, 0.05)],
    ),
    BoardStudy(),
    BoardStudy(ruleset="bell_ii", boards=7, policy=["greedy", "lookahead:16"], skill=["novice", ME], start=START),
    MatchStudy(),
    VariantStudy(),
    VariantStudy(
        variants=[
            "bell_ii",
            {"ruleset": "icf", "name": "queen5", "changes": {"queen": {"value": 5}}, "rotation": 0.1, "skill": ME},
            {"ruleset": "ukca", "equipment": "bell", "gap": 0.001, "conduct": {"improper": 0.1}, "policy": "random"},
        ],
        baseline="queen5",
        matches=3,
        sensitivity={"rows": 2, "skill": [ME, ["club", "expert"]], "policy": [], "mu_surface": [0.2]},
    ),
    BreakOptimisation(),
    BreakOptimisation(
        ruleset="caint",
        objective={"men": 1, "striker": -0.5},
        pareto=True,
        skill=ME,
        policy="random",
        gap=0.0001,
        jitter=0.00001,
        robustness={"e_disc": [0.8]},
        conduct={"improper": 0.1},
    ),
    MatchStudy(matches=3, doubles=True, jitter=0.0, gap=0.001, keep_strokes=False, conduct={"improper": 0.1}, seed=9),
)


def test_every_kind_is_found_under_its_name() -> None:
    for name in KINDS:
        assert kind_of(name).kind == name
    assert {study.kind for study in STUDIES} == set(KINDS) == set(get_args(Kind))
    with pytest.raises(ValueError, match="kind = 'brake': did you mean 'break'"):
        kind_of("brake")
    with pytest.raises(ValueError, match="kind = None: known: board, break, match, optimise, shot, variants"):
        study_from_declaration({})


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.kind)
def test_a_declaration_holds_the_whole_study(study: DeclaredStudy) -> None:
    told = json.loads(json.dumps(study.declaration(), allow_nan=False))
    assert set(told) == {"kind", *type(study).model_fields}
    again = study_from_declaration(told)
    assert again == study
    assert study_hash(again.declaration()) == study_hash(study.declaration())
    assert study_from_toml(study_to_toml(study)) == study


def test_a_hash_hangs_on_every_field_of_a_skill() -> None:
    hashes = {study_hash(ShotStudy(skill=ME | {name: 0.3}).declaration()) for name in ("sd_x", "sd_speed", "sd_spin")}
    assert len(hashes) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_the_template_shows_the_defaults(kind: str) -> None:
    assert study_from_toml(template(kind)) == kind_of(kind)()
    optional = re.sub(r"^# (?=\w+ = |\[equip|\[conduct|\[start|\[sens)", "", template(kind), flags=re.MULTILINE)
    assert study_from_toml(optional).kind == kind
    shown = {key.removesuffix("_deg") for key in tomllib.loads(optional)}
    assert shown == {"kind", *told_fields(kind_of(kind))} - ({"matches"} if kind == "variants" else set())


@pytest.mark.parametrize("kind", KINDS)
def test_the_examples_of_the_template_are_valid(kind: str) -> None:
    examples = re.findall(r"^#   (\w+ = [\[{].*?[\]}])(?:  |$)", template(kind), flags=re.MULTILINE)
    assert len(examples) >= 1
    for example in examples:
        study_from_toml(f'kind = "{kind}"\n{example}')


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_is_the_one_of_the_code_and_knows_every_key(kind: str) -> None:
    assert schema(kind) == build(kind), "run python -m carromsim.studies.schema.build"
    told = json.loads(schema(kind))
    study = kind_of(kind)
    assert set(told["properties"]) == {"kind", *told_fields(study), *(f"{name}_deg" for name in study.angles)}
    assert all(len(value.get("description", "")) > 10 for value in told["properties"].values())
    used = set(re.findall(r"#/\$defs/(\w+)", json.dumps(told["properties"])))
    assert used == set(told["$defs"])


@pytest.mark.parametrize("kind", KINDS)
def test_new_and_check(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["new", kind]) == 0
    (tmp_path / "study.toml").write_text(capsys.readouterr().out)
    assert cli.run(["check", str(tmp_path / "study.toml")]) == 0
    study = kind_of(kind)()
    article = "an" if kind == "optimise" else "a"
    words = f"is valid: {article} {kind} study of {study.rows:,} {study.noun}, seed 1\n"
    assert words in capsys.readouterr().out


def test_tables_of_all_studies_have_titles_and_folders_of_their_own() -> None:
    titles = {table.title: table for study in STUDIES for table in study.tables}
    assert set(titles) == {"strokes", "shots", "boards", "games", "matches", "played.strokes", "evaluations"} | {
        f"compared.{name}" for name in ("boards", "games", "matches")
    }
    for study in STUDIES:
        folders = [table.name for table in study.tables]
        assert len(set(folders)) == len(folders)


def test_a_file_may_name_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text('extends = "bell"\nmu_surface = 0.2\n')
    skill = "{sd_x = 0, sd_angle_deg = 1, sd_speed = 0, sd_spin = 0}"
    text = f'kind = "shot"\nequipment = "board.toml"\ncut_deg = {{grid = [0, 10]}}\nskill = {skill}'
    study = study_from_toml(text, source=str(tmp_path / "study.toml"))
    assert isinstance(study, ShotStudy)
    assert study.equipment == Equipment.load(tmp_path / "board.toml")
    assert study.cut == Grid([0.0, 10 * 0.017453292519943295])
    assert study.skill[0].sd_angle == pytest.approx(0.017453292519943295)


TWO = """[[variants]]
ruleset = "icf"

[[variants]]
ruleset = "ukca"
{}"""
"""Two variants, with a line of the second."""

BAD: list[tuple[str, str, int, str]] = [
    ("shot", "distance = 0.9", 2, "no such shot from x = 0 m with a cut of 0 degrees: the man would lie behind"),
    ("shot", "x = 0.2", 2, "the striker may stand at"),
    ("shot", 'skill = ["club", "club"]', 2, "no two may have one name"),
    ("shot", "skill = []", 2, "0 skills: must be 1 to 20"),
    ("shot", "skill = {sd_x = 0}", 2, "must have sd_x, sd_angle, sd_speed, sd_spin"),
    ("shot", 'way = "combination"', 2, "must be 'direct' or 'bank'"),
    ("shot", 'pocket = "top"', 2, "must be 'bottom left', 'bottom right', 'top right' or 'top left'"),
    ("shot", "blockers = [[0.1, 0.2, 0.3]]", 2, "must be a list [[x, y], ...] of at most 9 men"),
    ("shot", "blockers = [[0.5, 0.0]]", 2, "outside the board"),
    ("shot", "speed = 0", 2, "must be greater than 0 and at most 10000 m/s"),
    ("shot", "cut_deg = 81", 2, "must be from -1.39626 to 1.39626 rad (-80 to 80 degrees)"),
    ("shot", "strokes = 2\ncut_deg = {grid = [0, 10, 20]}", 2, "must be at least 3, one for each combination"),
    ("board", 'policy = "gredy"', 2, "must be one of random, greedy, lookahead"),
    ("board", 'skill = ["club", "club", "club"]', 2, "3 given: must be one for both sides, or two"),
    ("board", "stroke_limit = 5000", 2, "must be less than or equal to 4096"),
    ("board", "gap = 0.2", 2, "outside the board"),
    ("board", "jitter = 0.1", 2, "must be from 0 to gap / (2 sqrt 2)"),
    ("board", "start = {white = [[0.1, 0.1]]}", 2, "queen = None: must be [x, y], or one of pending"),
    ("board", 'start = {whit = [], queen = "pending"}', 2, "whit: did you mean 'white'?"),
    ("board", 'start = {white = [[0.0, 0.0], [0.01, 0.0]], queen = "covered_white"}', 2, "overlap"),
    ("optimise", "objective = {mn = 1.0}", 2, "mn: did you mean 'men'?"),
    ("optimise", "until = {metric = 'men', half_width = 0.1}", 2, "plays all of its rows"),
    ("optimise", "pareto = true", 2, "objective must have 2 terms to trade off, not 1"),
    ("match", "matches = 0", 2, "must be greater than or equal to 1"),
    ("match", "start = 1", 2, "unknown key"),
    ("variants", 'variants = ["icf"]', 2, "at least 2 items"),
    ("variants", 'variants = "icf"', 2, "must be a list of variants"),
    ("variants", 'variants = ["icf", "icf"]', 2, "'icf' is there twice: every variant must have a name of its own"),
    ("variants", 'variants = ["icf", "ukac"]', 2, "unknown rule set 'ukac': did you mean 'ukca'"),
    ("variants", 'variants = ["icf", "ukca"]\nbaseline = "caint"', 3, "known: icf, ukca"),
    ("variants", "boards = 5\nmatches = 5", 3, "must have boards or matches, and not both"),
    ("variants", "gap = 0.2", 2, "gap = 0.2: 'icf' cannot be played: "),
    ("variants", "until = {metric = 'icf:won_breaker', half_width = 0.1}", 2, "plays all of its rows"),
    ("variants", "[sensitivity]\nrows = 1", 3, "must be greater than or equal to 2"),
    ("variants", '[sensitivity]\nskill = ["expret"]', 3, "expret"),
    ("variants", '[sensitivity]\nskil = ["expert"]', 3, "did you mean 'skill'?"),
    ("variants", "[sensitivity]\nmu_surface = [0.1, 0.1]", 2, "mu_surface=0.1 is there twice"),
    ("variants", TWO.format("chnages = {queen.value = 5}"), 7, "did you mean 'changes'?"),
    ("variants", TWO.format("changes = {queen.valu = 5}"), 7, "did you mean 'queen.value'?"),
    ("variants", TWO.format("changes = {queen.value = -5}"), 7, "must be a whole number from"),
    ("variants", TWO.format('name = "a:b"'), 7, "pattern"),
    ("variants", TWO.format('policy = "gredy"'), 7, "must be one of random, greedy, lookahead"),
    ("variants", TWO.format("[variants.conduct]\nimproper = 2"), 8, "must be"),
]


@pytest.mark.parametrize(("kind", "text", "line", "message"), BAD, ids=[f"{kind} {text}" for kind, text, *_ in BAD])
def test_mistakes_are_told_with_their_line(kind: str, text: str, line: int, message: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        study_from_toml(f'kind = "{kind}"\n{text}')
    (told,) = refused.value.problems
    assert told.startswith(f"study.toml:{line}: ")
    assert message in told


@pytest.mark.parametrize("value", [5, {"policy": 1}, [["greedy"]], [object(), object()]])
def test_a_declaration_names_policies(value: Any) -> None:
    with pytest.raises(ValueError, match="policy"):
        BoardStudy(policy=value)
