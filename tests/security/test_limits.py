"""What is said of texts that are too long, too deep or of too many keys, and what is not too many."""

import dataclasses
import json

import pytest

import carromsim as cs
from carromsim.rules.cases import CaseError, cases_of
from carromsim.studies.declaring.fields import _equipment
from carromsim.toml import DEEPEST, MOST_BYTES, MOST_KEYS, DeclarationError, parse, parse_json

DEEP = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)


def test_a_message_names_its_file_once() -> None:
    many = "\n".join(f"k{number} = 1" for number in range(MOST_KEYS + 1))
    for read, text in ((parse, many), (parse, f"a = {DEEP}"), (parse_json, DEEP)):
        with pytest.raises(DeclarationError) as caught:
            read(text, "own")
        assert str(caught.value).count("own") == 1


def test_a_file_of_cases_may_have_many() -> None:
    cases: list[dict[str, dict[str, int]]] = [{"before": {}, "stroke": {}} for _ in range(MOST_KEYS)]
    assert len(cases_of(json.dumps(cases), "own")) == MOST_KEYS


@pytest.mark.parametrize("text", [" " * (MOST_BYTES + 1), "\u0915" * (MOST_BYTES // 2)])
def test_cases_have_a_largest_size_wherever_they_come_from(text: str) -> None:
    with pytest.raises(CaseError, match=f"at most {MOST_BYTES:,} bytes"):
        cases_of(text, "standard input")


def test_an_equipment_may_leave_out_what_has_a_default() -> None:
    told = dataclasses.asdict(cs.Equipment.preset("icf"))
    del told["face_hole"]
    assert _equipment(told) == cs.Equipment(**told)
    for wrong in (told | {"sides": 1}, {key: told[key] for key in told if key != "side"}):
        with pytest.raises(ValueError, match="must have every field of Equipment that has no default.*'side"):
            _equipment(wrong)
