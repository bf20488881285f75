"""Makes the JSON schema of a study's TOML from the study's fields and the words of its docstring.

``python -m carromsim.studies.schema.build`` writes the files beside this one.
"""

import inspect
import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, TypeAdapter

from carromsim.equipment import PRESETS, Equipment
from carromsim.equipment_limits import EACH_DISC, OPTIONAL, WORDS
from carromsim.players.policy import POLICIES
from carromsim.players.skill import SKILLS
from carromsim.rules.records import COLOURS
from carromsim.rules.ruleset import NAMES
from carromsim.rules.ruleset_fields import Kind, Number, Word
from carromsim.rules.ruleset_groups import GROUPS
from carromsim.rules.ruleset_groups import KINDS as LAWS
from carromsim.stats.checks import LEAST_LEVEL
from carromsim.studies.counting.stopping import Until
from carromsim.studies.declared import DeclaredStudy
from carromsim.studies.declaring.fields import RULES
from carromsim.studies.declaring.laws import RATES
from carromsim.studies.declaring.parameters import Parameter
from carromsim.studies.kinds import KINDS, kind_of
from carromsim.studies.optimising.declaration import TERMS, OptimiseDeclaration
from carromsim.studies.optimising.jobs import CONDITIONS
from carromsim.studies.playing.declaration import PlayersDeclaration
from carromsim.studies.playing.start import MOST_MEN, QUEENS
from carromsim.studies.shots.declaration import MOST_SKILLS
from carromsim.studies.variants.declaration import MOST_VARIANTS, NAME
from carromsim.studies.variants.declaration import RULES as COMPARED
from carromsim.surfaces import SURFACES
from carromsim_kernels.state import N_DISCS

_FILE = {"type": "string", "pattern": r"\.toml$|/"}
_ORIGIN = {"anyOf": [{"enum": list(PRESETS)}, _FILE]}
"""A preset, or a file of equipment."""
_RULES = {"anyOf": [{"enum": list(NAMES)}, _FILE]}
"""A shipped rule set, or a file."""


_POINT = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
_MEN = {"type": "array", "items": _POINT, "maxItems": MOST_MEN}
MOST_ROWS = 2**40
_PLAYERS = ("skill", "policy")
"""Fields that are one for all sides, or several."""


def build(kind: str) -> str:
    """Make the JSON schema of a kind, as text.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    """
    study = kind_of(kind)
    sentences = _sentences(study.__doc__ or "")
    properties: dict[str, Any] = {"kind": {"const": kind, "description": "What the file declares."}}
    for name in told_fields(study):
        properties[name] = {"description": sentences[name], **_type_of(study, name)}
        if name in study.angles:
            in_degrees = sentences[name].replace("[rad]", "[degrees]").replace("pi / 2", "90")
            properties[f"{name}_deg"] = {"description": in_degrees, **_type_of(study, name)}
            properties[f"{name}_deg"].pop("default", None)  # that of the field is in radians
    used = json.dumps(properties)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"carromsim: a {kind} study",
        "type": "object",
        "required": ["kind"],
        "additionalProperties": False,
        "properties": properties,
        "allOf": [{"not": {"required": [name, f"{name}_deg"]}} for name in study.angles],
        "$defs": {name: told for name, told in _definitions().items() if f'"#/$defs/{name}"' in used},
    }
    return json.dumps(schema, indent=2) + "\n"


def told_fields(study: type[DeclaredStudy]) -> list[str]:
    """Name the fields that a file may give."""
    return [name for name in study.model_fields if name != "until" or study.ends_early]


def _type_of(study: type[DeclaredStudy], name: str) -> dict[str, Any]:
    """Say in the schema's terms what a field may be."""
    if name == "ruleset":
        return {"default": RULES, "anyOf": [_RULES, {"$ref": "#/$defs/ruleset"}]}
    if name == "equipment":
        return {"anyOf": [_ORIGIN, {"$ref": "#/$defs/equipment"}]}
    if name == "conduct":
        return {"$ref": "#/$defs/conduct"}
    if name == "mu_surface":
        return {"anyOf": [{"$ref": "#/$defs/parameter"}, {"$ref": "#/$defs/surface"}]}
    field = study.model_fields[name]
    if field.annotation in (Parameter, Parameter | None):
        return {"$ref": "#/$defs/parameter"}
    if name in _PLAYERS and issubclass(study, OptimiseDeclaration):  # one hand, and one policy for both sides
        return {"$ref": f"#/$defs/{name}"}
    if name in ("objective", "robustness"):
        return {"default": study.model_fields[name].default, **(_weights() if name == "objective" else _conditions())}
    if name in _PLAYERS:
        return _one_or_several({"$ref": f"#/$defs/{name}"}, 2 if issubclass(study, PlayersDeclaration) else MOST_SKILLS)
    if name == "start":
        return {"$ref": "#/$defs/start"}
    if name == "until":
        return {"$ref": "#/$defs/until"}
    if name == "blockers":
        return _MEN
    if name in study.nested:
        return _nested(study, name)
    if name in ("boards", "matches"):
        return {**_default(study, name), "maximum": MOST_ROWS, "minimum": 1, "type": "integer"}
    if get_args(field.annotation) and type(None) in get_args(field.annotation):  # left out rather than null
        return {"type": "number", "minimum": 0}
    made = TypeAdapter(study).json_schema()["properties"][name]
    return {key: value for key, value in made.items() if key not in ("title", "description")}


def _default(study: type[DeclaredStudy], name: str) -> dict[str, Any]:
    value = study.model_fields[name].default
    return {"default": value} if isinstance(value, int) else {}


def _nested(study: type[DeclaredStudy], name: str) -> dict[str, Any]:
    """Say what a table, or an array of tables, may hold."""
    model = study.nested[name]
    players = {key: _one_or_several({"$ref": f"#/$defs/{key}"}, 2) for key in _PLAYERS}
    if name == "sensitivity":
        several = {key: {"type": "array", "items": one} for key, one in players.items()}
        numbers = {"type": "array", "items": {"type": "number", "minimum": 0}}
        return _told(model, {"rows": {"type": "integer", "minimum": 2}, **several, "mu_surface": numbers})
    number = {"type": "number"}
    variant = _told(
        model,
        {
            "ruleset": {"anyOf": [_RULES, {"$ref": "#/$defs/ruleset"}]},
            "name": {"type": "string", "pattern": NAME},
            "changes": _table(_laws()),
            **players,
            "equipment": {"anyOf": [_ORIGIN, {"$ref": "#/$defs/equipment"}]},
            "gap": number | {"minimum": 0},
            "rotation": number,
            "rotation_deg": number,
            "conduct": {"$ref": "#/$defs/conduct"},
        },
    )
    items = {"anyOf": [_RULES, {**variant, "required": ["ruleset"]}]}
    return {"type": "array", "items": items, "minItems": 2, "maxItems": MOST_VARIANTS, "default": list(COMPARED)}


def _told(model: type[BaseModel], properties: dict[str, Any]) -> dict[str, Any]:
    """Describe a table of a model with the words of its docstring."""
    sentences = _sentences(model.__doc__ or "")
    return _table(
        {key: {"description": sentences[key.removesuffix("_deg")], **told} for key, told in properties.items()}
    )


def _weights() -> dict[str, Any]:
    """Say what an objective may be made of."""
    return {**_table({term: {"type": "number"} for term in TERMS}), "minProperties": 1}


def _conditions() -> dict[str, Any]:
    """Say which other conditions there may be."""
    return _table({name: {"type": "array", "items": {"type": "number"}} for name in CONDITIONS})


def _one_or_several(one: dict[str, Any], most: int) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": most}]}


def _players() -> dict[str, Any]:
    """Say what a skill, a policy and a position may be."""
    numbers = {
        name: {"type": "number", "minimum": 0} for name in ("sd_x", "sd_angle", "sd_angle_deg", "sd_speed", "sd_spin")
    }
    return {
        "skill": {"anyOf": [{"enum": list(SKILLS)}, _table({"name": {"type": "string"}} | numbers)]},
        "policy": {"type": "string", "pattern": f"^({'|'.join(POLICIES)}|lookahead:[0-9]+)$"},
        "start": _table(
            {
                "white": _MEN,
                "black": _MEN,
                "queen": {"anyOf": [_POINT, {"enum": list(QUEENS)}]},
                "shooter": {"enum": list(COLOURS)},
                "dues": {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 2, "maxItems": 2},
            }
        ),
    }


def _definitions() -> dict[str, Any]:
    def form(name: str, numbers: dict[str, Any], text: str) -> dict[str, Any]:
        return {
            "description": text,
            "type": "object",
            "required": [name],
            "additionalProperties": False,
            "properties": {name: numbers},
        }

    def numbers(count: int) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}

    spaced = {
        "type": "object",
        "required": ["from", "to", "count"],
        "additionalProperties": False,
        "properties": {
            "from": {"type": "number"},
            "to": {"type": "number"},
            "count": {"type": "integer", "minimum": 2},
        },
    }
    listed = {"type": "array", "items": {"type": "number"}, "minItems": 1, "uniqueItems": True}
    return {
        "parameter": {
            "anyOf": [
                {"type": "number"},
                form("uniform", numbers(2), "Every value is equally likely: [low, high]."),
                form("normal", numbers(2), "Normal distribution: [mean, sd]."),
                form("truncated", numbers(4), "Normal distribution, only within ends: [mean, sd, low, high]."),
                form("grid", {"anyOf": [listed, spaced]}, "These values in turn; every combination equally often."),
            ]
        },
        "ruleset": _table(
            {"extends": _RULES, "name": {"type": "string"}, "equipment": {"enum": list(PRESETS)}} | _laws()
        ),
        "equipment": _table(
            {"extends": _ORIGIN}
            | {field.name: _of_board(field.name) for field in fields(Equipment)}
            | {"surface": {"enum": list(SURFACES)}}
        ),
        "conduct": _table({name: {"type": "number", "minimum": 0, "maximum": 1} for name in RATES}),
        **_players(),
        "until": _until(),
        "surface": form("surface", {"enum": list(SURFACES)}, "Every friction in the range of the surface."),
    }


def _until() -> dict[str, Any]:
    """Say what may stop a study."""
    positive = {"type": "number", "exclusiveMinimum": 0}
    wishes = {"half_width": positive, "against": {"type": ["string", "number"]}}
    usual = Until.model_fields["level"].default
    level = {"type": "number", "minimum": LEAST_LEVEL, "exclusiveMaximum": 1, "default": usual}
    return {
        **_table({"metric": {"type": "string"}, **wishes, "level": level}),
        "required": ["metric"],
        "oneOf": [{"required": [wish]} for wish in wishes],
    }


def _table(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _laws() -> dict[str, Any]:
    """Say what the tables of a rule set may hold, by group."""
    return {
        group: _table({field.name: _of_law(LAWS[f"{group}.{field.name}"]) for field in fields(kind)})
        for group, kind in GROUPS.items()
    }


def _of_law(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, Word):
        told: dict[str, Any] = {"enum": list(kind.words)}
    elif isinstance(kind, Number):
        told = {"type": "integer" if kind.is_whole else "number", "minimum": kind.low, "maximum": kind.high}
        told = {"anyOf": [told, {"const": "none"}]} if kind.optional else told
    else:
        told = {"type": "boolean"}
    return {"description": f"{kind.about}.", **told}


def _of_board(name: str) -> dict[str, Any]:
    if name == "name":
        return {"type": "string"}
    if name in WORDS:
        return {"enum": list(WORDS[name])}
    number: dict[str, Any] = {"type": "number"}
    if name in EACH_DISC:
        number = {"type": "array", "items": number, "minItems": N_DISCS, "maxItems": N_DISCS}
    return {"anyOf": [number, {"const": "none"}]} if name in OPTIONAL else number


def _sentences(docstring: str) -> dict[str, str]:
    """Give what a numpydoc docstring says of each parameter, in one line."""
    section = inspect.cleandoc(docstring).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section):
        names, _, text = entry.partition("\n")
        words = " ".join(text.split())
        found |= dict.fromkeys(names.partition(" : ")[0].split(", "), words)
    return found


if __name__ == "__main__":
    for _kind in KINDS:
        (Path(__file__).parent / f"{_kind}.json").write_text(build(_kind), encoding="utf-8")
