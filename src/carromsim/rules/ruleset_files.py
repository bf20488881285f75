"""Rule sets as TOML: the shipped ones and anyone's own, with the law of every value.

A file says `extends`, a shipped rule set or another file, and whatever differs from that; or, without `extends`,
everything. It has a table for each group of `RuleSet`. The comment behind a value begins with its law, up to the first
colon; [A] before it marks an assumption.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any

from carromsim.rules.ruleset import KEYS, NAMES, RuleSet, field_problems, law_problems, rule_set
from carromsim.rules.ruleset_groups import GROUPS, KINDS
from carromsim.rules.ruleset_pairs import Clash, clashes
from carromsim.toml import mistake, toml_value, unknown_key
from carromsim.toml_files import Layer, Problems, Reading, Shelf, Source

__all__ = ["load", "written"]

_TOP = ("extends", "name", "equipment", *GROUPS)


def load(origin: str | PathLike[str]) -> RuleSet:
    """Give a shipped rule set, or read one from a file; see `RuleSet.load`."""
    if isinstance(origin, str) and origin in NAMES:
        return _shipped(origin)
    return RuleFile.of(origin).rule_set()


@cache
def _shipped(name: str) -> RuleSet:
    return RuleFile.shipped(name).rule_set()


def written(rules: RuleSet) -> str:
    """Write a rule set as TOML, nothing left out, the comment of each value or else its law behind it."""
    lines = [f"# {' '.join(rules.about.split())}", ""] if rules.about else []
    lines += [f"name = {toml_value(rules.name)}", *_with_comments(rules, ["equipment"])]
    for group in GROUPS:
        laws = [key for key in KINDS if key.startswith(f"{group}.")]
        lines += ["", f"[{group}]", *_with_comments(rules, laws)]
    return "\n".join(lines) + "\n"


def _with_comments(rules: RuleSet, keys: list[str]) -> Iterator[str]:
    """Yield the lines of some laws, the comments in one column."""
    values = rules.values
    said = [f"{key.rpartition('.')[2]} = {toml_value(_in_file(values[key]))}" for key in keys]
    width = max(map(len, said))
    for text, key in zip(said, keys, strict=True):
        source = rules.sources.get(key)
        comment = source.comment if source is not None and source.comment else rules.law(key)
        yield f"{text:{width}}  # {comment}"


def _in_file(value: object) -> object:
    return "none" if value is None else value


@dataclass(frozen=True)
class RuleFile(Layer):
    """A file that describes a rule set."""

    shelf = Shelf("rule set", "rules", NAMES)

    def rule_set(self) -> RuleSet:
        """Give what the file describes.

        Raises
        ------
        DeclarationError
            A ValueError: it names every mistake with its file, line and key.
        """
        values, sources, problems = self.read()
        missing = [key for key in KEYS if key not in values]
        if missing and not problems:
            start = f'to start from a rule set say extends = "{NAMES[0]}"'
            problems.append(self.note(f"{', '.join(missing)}: missing; {start}"))
        if not problems:
            problems = [self._clash(clash, sources) for clash in clashes(values)]
        if problems:
            raise self.refuse(problems)
        return rule_set(values, self.about(), sources)

    def own(self) -> Reading:
        """Read the laws that the file says itself."""
        said: dict[str, Any] = {}
        problems: Problems = []
        for path, value in self._said():
            if path[0] not in _TOP:
                problems.append(self.note(unknown_key(path[0], _TOP), *path))
            elif path[0] not in GROUPS:
                said[path[0]] = value
            elif len(path) == 1:
                problems.append(self.note("must be a table", *path, value=value))
            elif ".".join(path) not in KINDS:
                known = [key.partition(".")[2] for key in KINDS if key.startswith(f"{path[0]}.")]
                problems.append(self.note(unknown_key(path[1], known), *path))
            else:
                said[".".join(path)] = value
        said.pop("extends", None)
        problems += [self.note(allowed, *key.split("."), value=value) for key, value, allowed in field_problems(said)]
        values = {key: KINDS[key].clean(value) if key in KINDS else value for key, value in said.items()}
        sources = {key: self.source(*key.split(".")) for key in said}
        problems += [
            self.note(f"law {law!r} {allowed}", *key.split(".")) for key, law, allowed in law_problems(sources)
        ]
        return Reading(values, sources, problems)

    def _said(self) -> Iterator[tuple[tuple[str, ...], Any]]:
        """Yield path and value of everything that is said; of a group its fields."""
        for key, value in self.given.items():
            if key in GROUPS and isinstance(value, dict):
                yield from (((key, field), inner) for field, inner in value.items())
            else:
                yield (key,), value

    def _clash(self, clash: Clash, sources: Mapping[str, Source]) -> tuple[int, str]:
        """Word two laws that do not go together: at the first, unless only the second is said in this file."""
        first, second = sources[clash.field], sources[clash.other]
        at_second = second.file == self.label != first.file
        field, value, text = clash.reverse() if at_second else clash.problem()
        source = second if at_second else first
        return source.line, mistake(source.file, source.line, text, field, value=_in_file(value))
