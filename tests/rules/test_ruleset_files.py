"""Rule sets as TOML: house rules, what is written is read back, and what is wrong with a file."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from carromsim.rules.ruleset import NAMES, RuleSet, RuleSetError
from carromsim.rules.ruleset_fields import Number, Word
from carromsim.rules.ruleset_groups import KINDS
from carromsim.studies.declaring.laws import ruleset_declaration, ruleset_of
from carromsim.toml import DeclarationError
from carromsim.toml_files import Source
from carromsim_kernels.laws import CannotPay

ICF = RuleSet.load("icf")

HOUSE = """# Our rules
extends = "icf"
queen.value = 5                  # the house: as at grandmother's
dues.cannot_pay = "forget"
opening.attempts = 2
"""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("house.toml").write_text(HOUSE, encoding="utf-8")
    return "house.toml"


def problems(name: str) -> list[str]:
    with pytest.raises(DeclarationError) as caught:
        RuleSet.load(name)
    return list(caught.value.problems)


# House rules


def test_a_house_variant_of_five_lines(house: str) -> None:
    ours = RuleSet.load(house)
    changes = {"name": "house", "queen.value": 5, "dues.cannot_pay": "forget", "opening.attempts": 2}
    assert ours == ICF.replace(changes)
    assert (ours.about, ours.params["dues_cannot_pay"][0]) == ("Our rules", CannotPay.FORGET)
    assert [ours.law(key) for key in changes if key != "name"] == ["the house", "house.toml:4", "house.toml:5"]
    assert ours.law("queen.cutoff") == "ICF 54"
    assert ours.sources["queen.value"] == Source("house.toml", 3, "the house: as at grandmother's")
    assert ours.replace({"queen.value": 4}).law("queen.value") == "changed"


def test_a_file_may_have_tables_and_extend_a_file_in_its_folder(house: str) -> None:
    Path("club").mkdir()
    text = 'extends = "../house.toml"\nname = "club"\nequipment = "ukca"\n[queen]\nvalue = 4 # club 7: voted\n[score]\n'
    Path("club/ours.toml").write_text(text)
    club = RuleSet.load("club/ours.toml")
    assert club == RuleSet.load(house).replace({"name": "club", "equipment": "ukca", "queen.value": 4})
    assert [club.law(key) for key in ("queen.value", "dues.cannot_pay")] == ["club 7", "club/../house.toml:4"]
    assert RuleSet.load(Path("club/ours.toml")) == club


@pytest.mark.parametrize("name", NAMES)
def test_what_is_written_is_read_back_with_its_laws(name: str, tmp_path: Path) -> None:
    rules = RuleSet.load(name)
    path = tmp_path / "all.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    again = RuleSet.load(path)
    assert (again, again.about) == (rules, rules.about)
    assert [again.law(key) for key in KINDS] == [rules.law(key) for key in KINDS]
    assert again.to_toml() == rules.to_toml()


def test_what_was_changed_is_written_with_that_law(house: str) -> None:
    Path("new.toml").write_text(RuleSet.load(house).replace({"score.target": 11, "name": 'a "new" one'}).to_toml())
    new = RuleSet.load("new.toml")
    laws = [new.law(key) for key in ("score.target", "queen.value", "opening.attempts")]
    assert (new.name, new.score.target, laws) == ('a "new" one', 11, ["changed", "the house", "house.toml:5"])


def value_of(key: str) -> st.SearchStrategy[Any]:
    kind = KINDS[key]
    if isinstance(kind, Word):
        return st.sampled_from(kind.words)
    if not isinstance(kind, Number):
        return st.booleans()
    whole = st.integers(kind.low, kind.high)
    values = whole.filter(lambda value: value % 2 == 1) if kind.odd else whole
    values = values if kind.is_whole else st.floats(kind.low, kind.high)
    return st.none() | values if kind.optional else values


few_changes = st.lists(st.sampled_from(list(KINDS)), max_size=5, unique=True).flatmap(
    lambda keys: st.fixed_dictionaries({key: value_of(key) for key in keys})
)


@given(few_changes, st.sampled_from(NAMES))
def test_any_rule_set_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, changes: dict[str, Any], name: str
) -> None:
    try:
        rules = RuleSet.load(name).replace(changes)
    except RuleSetError as error:
        assume("needs" not in str(error))  # contradictions are refused; nothing else is wrong with what is drawn
        raise
    path = tmp_path_factory.getbasetemp() / "written.toml"
    path.write_text(rules.to_toml(), encoding="utf-8")
    assert RuleSet.load(path) == rules


# What is wrong

SHIPPED = "bell_i, bell_ii, caint, icf, point, short_set, ukca, usca"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('extends = "icf"\n[quen]\nvalue = 5', "own.toml:2: quen: unknown key, did you mean 'queen'?"),
        ('extends = "icf"\n\n[queen]\nvalu = 5', "own.toml:4: queen.valu: unknown key, did you mean 'value'?"),
        (
            'extends = "icf"\n[opening]\nzzz = 5',
            "own.toml:3: opening.zzz: unknown key; known: rotation, attempts, missed_striker_due",
        ),
        ('extends = "icf"\nqueen = 5', "own.toml:2: queen = 5: must be a table"),
        (
            'extends = "icf"\n[queen]\nvalue = "five"',
            'own.toml:3: queen.value = "five": must be a whole number from 0 to 100',
        ),
        (
            'extends = "icf"\n[queen]\ncutoff = "never"',
            'own.toml:3: queen.cutoff = "never": must be a whole number from 0 to 8000 or "none"',
        ),
        ('extends = "icf"\nturn.striker_ends = "no"', 'own.toml:2: turn.striker_ends = "no": must be true or false'),
        (
            'extends = "icf"\nmatch.games = 2',
            "own.toml:2: match.games = 2: must be an odd number from 1 to 99",
        ),
        (
            'extends = "icf"\n[dues]\npay = "at_once"\ndecline = "all_on"',
            "own.toml:4: dues.decline = \"all_on\": did you mean 'all_only'? known: all_only, each, no",
        ),
        (
            'extends = "icf"\nequipment = "wood"',
            'own.toml:2: equipment = "wood": known: bell, caint, icf, ukca',
        ),
        ('extends = "icf"\nname = 7', "own.toml:2: name = 7: must be a string"),
        (
            'extends = "ukca"\n# Bell\'s\ndues.striker_own_returned = "one_same_pocket"',
            'own.toml:3: dues.striker_own_returned = "one_same_pocket": must be "none" with '
            'dues.double = "on_same_pocket"',
        ),
        (
            'extends = "icf"\ndues.double = "on_same_pocket"',
            'own.toml:2: dues.double = "on_same_pocket": needs dues.striker_own_returned = "none", it is "all"',
        ),
        (
            'extends = "wrong.toml"\n\nqueen.value = 4',
            'wrong.toml:2: dues.double = "on_same_pocket": needs dues.striker_own_returned = "none", it is "all"',
        ),
        ('extends = "own.toml"', 'own.toml:1: extends = "own.toml": extends itself: own.toml -> own.toml'),
        ('extends = "a.toml"', 'b.toml:1: extends = "a.toml": extends itself: own.toml -> a.toml -> b.toml -> a.toml'),
        (
            'extends = "none.toml"',
            'own.toml:1: extends = "none.toml": none.toml: cannot be read (No such file or directory)',
        ),
        (
            'extends = "icff"',
            f"own.toml:1: extends = \"icff\": did you mean 'icf'? known: {SHIPPED}; or a file that ends in .toml",
        ),
        ('extends = "icf"\nqueen.value = 5\nqueen.value = 6\n', "own.toml:3: Cannot overwrite a value (column 16)"),
        (
            "\n".join(line for line in ICF.to_toml().splitlines() if not line.startswith(("value", "cutoff"))),
            'own.toml:1: queen.value, queen.cutoff: missing; to start from a rule set say extends = "ukca"',
        ),
    ],
)
def test_each_mistake_has_one_clear_message(house: str, text: str, message: str) -> None:
    Path("a.toml").write_text('extends = "b.toml"')
    Path("b.toml").write_text('extends = "a.toml"')
    Path("wrong.toml").write_text('extends = "icf"\ndues.double = "on_same_pocket"')
    Path("own.toml").write_text(text, encoding="utf-8")
    assert problems("own.toml") == [message]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_lines(house: str) -> None:
    Path("below.toml").write_text('extends = "house.toml"\nscore.white = -1\nhouse = 2')
    Path("own.toml").write_text(
        'queen.value = 101\nextends = "below.toml"\n[end]\nown_last = "win"\n[laws]\n'
        '[score]\ntarget = 25.5\ntye = "none"'
    )
    assert problems("own.toml") == [
        "own.toml:1: queen.value = 101: must be a whole number from 0 to 100",
        "below.toml:2: score.white = -1: must be a whole number from 0 to 100",
        "below.toml:3: house: unknown key; known: extends, name, equipment, opening, stroke, turn, dues, placing,"
        " queen, end, score, match",
        'own.toml:4: end.own_last = "win": known: continue, finish, lose, return_and_due',
        "own.toml:5: laws: unknown key; known: extends, name, equipment, opening, stroke, turn, dues, placing,"
        " queen, end, score, match",
        "own.toml:7: score.target = 25.5: must be a whole number from 1 to 8000",
        "own.toml:8: score.tye: unknown key, did you mean 'tie'?",
    ]


def test_a_variant_that_moves_the_queen_to_the_end_is_told_all_that_follows(house: str) -> None:
    Path("own.toml").write_text(
        'extends = "icf"\n[queen]\nright = "after_last_own_man"\n[end]\nown_last = "continue"\n'
    )
    assert problems("own.toml") == [
        'own.toml:3: queen.right = "after_last_own_man": needs queen.cover = "none", it is "next_stroke"',
        'own.toml:5: end.own_last = "continue": needs end.opponent_last = "continue", it is "opponent_wins_with_queen"',
        'own.toml:5: end.own_last = "continue": must be "lose" with end.demand_points = true',
    ]


def test_what_is_neither_a_name_nor_a_file_is_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown rule set 'ikf': did you mean 'icf'\? known: .*; or a file that"):
        RuleSet.load("ikf")
    with pytest.raises(ValueError, match=r"unknown rule set 3: known: "):
        RuleSet.load(3)  # type: ignore[arg-type]


def test_a_law_must_be_told_apart_from_others(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('extends = "icf"\nqueen.value = 5 # [house] 3; a\n')
    with pytest.raises(ValueError, match="own.toml:2: queen.value: law '.house. 3; a' must be one law, without '; '"):
        RuleSet.load(file)
    file.write_text('extends = "icf"\nqueen.value = 5 # house 3: a; b\n')
    rules = RuleSet.load(file)
    assert rules.law("queen.value") == "house 3"
    told = ruleset_declaration(rules)
    told["laws"]["queen.value"] = "house 3; a"
    with pytest.raises(ValueError, match="queen.value"):
        ruleset_of(told)
