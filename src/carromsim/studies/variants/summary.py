"""What a variant study found: each variant beside the baseline, and how far that hangs on who plays on what."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from carromsim.play.records import Ended
from carromsim.rules.ruleset_groups import KINDS
from carromsim.studies.counting.frequencies import LEVEL, finite, frequency_dict, json_ready
from carromsim.studies.counting.laws import by_frequency
from carromsim.studies.counting.metrics import Metric
from carromsim.studies.counting.pairs import MetricDifference, differences_of
from carromsim.studies.playing.counts import PlayCounts
from carromsim.studies.variants.counts import VariantCounts, unit_metrics
from carromsim.studies.variants.laws import LawDifference, differing

if TYPE_CHECKING:
    from carromsim.studies.variants.declaration import VariantDeclaration

HEADLINES = {"board": ("won_breaker", "points", "strokes"), "match": ("won_opener", "boards", "strokes")}
"""Metrics whose conclusions are looked at in every scenario."""

MUCH = 0.01
"""Share of rows that were not ended by the rules, from which on the reader is warned."""


class Verdict(StrEnum):
    """What a scenario says about a conclusion of the comparison."""

    HOLDS = "holds"
    """Both find a difference of one sign."""
    STILL_NONE = "none here too"
    """Neither finds a difference."""
    NOT_SEEN = "not seen here"
    """The comparison finds a difference; the scenario, with its fewer rows, does not."""
    WEAKER = "weaker here"
    """The comparison finds a difference; the scenario does not, and all of its interval is less than what was found."""
    APPEARS = "appears here"
    """Only the scenario finds a difference."""
    TURNS = "turns round"
    """Both find a difference, and of opposite signs."""
    UNKNOWN = "too few ended"
    """The rules ended both rows of fewer than `FEW` pairs."""


class Standing(NamedTuple):
    """A conclusion in a scenario: of which variant, the difference there, and what that says."""

    scenario: str
    variant: str
    found: MetricDifference
    verdict: Verdict


FEW = 30
"""Pairs below which a scenario says nothing [A]: the few boards that ended are no fair sample."""


def verdict_of(main: MetricDifference, other: MetricDifference) -> Verdict:
    """Tell whether a conclusion stands, each found by the p-value that is corrected within its own table."""
    if other.rows_a < FEW:
        return Verdict.UNKNOWN
    here, there = main.found, other.found
    if here and there:
        return Verdict.HOLDS if main.difference * other.difference > 0 else Verdict.TURNS
    if here:
        less = other.high < main.difference if main.difference > 0.0 else other.low > main.difference
        return Verdict.WEAKER if less else Verdict.NOT_SEEN
    return Verdict.APPEARS if there else Verdict.STILL_NONE


@dataclass(frozen=True, kw_only=True)
class VariantSummary:
    """What was found, with intervals in which the truth may lie.

    Parameters
    ----------
    study : VariantStudy
        What was asked.
    counts : VariantCounts
        Of all rows.
    seconds : float or None
        Wall time, writing included. None: read from a run, which does not know.
    stopped : None
        As in other summaries: why it ended before all rows were played. It never does.
    """

    study: "VariantDeclaration"
    counts: VariantCounts
    seconds: float | None = None
    stopped: None = None

    @property
    def per_second(self) -> float | None:
        """Rows per second of wall time, if known."""
        return self.counts.rows / self.seconds if self.seconds else None

    @property
    def metrics(self) -> dict[str, Metric]:
        """What is compared, by key."""
        return unit_metrics(self.study.unit)

    def played(self, variant: str, scenario: str = "") -> PlayCounts | None:
        """Give what a variant played; None if no row of it is there yet."""
        return self.counts.played.get((scenario, variant))

    @cached_property
    def laws(self) -> dict[str, list[LawDifference]]:
        """By variant, all but the baseline: the laws in which it differs, and which of these could not fire."""
        study = self.study
        main = study.scenarios[0]
        base = study.cell(main, study.base).setup()
        return {each.name: differing(base, study.cell(main, each).setup()) for each in study.others}

    def decided(self, variant: str, law: LawDifference) -> int | None:
        """Count the rows of a variant in which a field decided something; None of one that rules on no stroke."""
        return self.counts.fields.get(("", variant), {}).get(law.field, 0) if law.rules_on_strokes else None

    @cached_property
    def differences(self) -> dict[str, dict[str, MetricDifference]]:
        """By variant, all but the baseline, and key: variant less baseline, p corrected for all of these together."""
        return self._compared("", tuple(self.metrics))

    @cached_property
    def standings(self) -> list[Standing]:
        """What the scenarios say about the conclusions, p corrected for all comparisons of one scenario together."""
        found = []
        for scenario in self.study.scenarios[1:]:
            keys = HEADLINES[self.study.unit]
            for variant, differences in self._compared(scenario.name, keys).items():
                for key, other in differences.items():
                    main = self.differences.get(variant, {}).get(key)
                    if main is not None:
                        found.append(Standing(scenario.name, variant, other, verdict_of(main, other)))
        return found

    def _compared(self, scenario: str, keys: tuple[str, ...]) -> dict[str, dict[str, MetricDifference]]:
        metrics = self.metrics
        names = [each.name for each in self.study.others if (scenario, each.name) in self.counts.pairs]
        pairs = [(name, key) for name in names for key in keys]
        compared = [(key, metrics[key], self.counts.pairs[scenario, name][key]) for name, key in pairs]
        found: dict[str, dict[str, MetricDifference]] = {name: {} for name in names}
        for (name, key), difference in zip(pairs, differences_of(compared, paired=True), strict=True):
            found[name][key] = difference
        return found

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before he believes the numbers."""
        found = []
        for (scenario, name), counts in self.counts.played.items():
            left = counts.rows - counts.finished
            if not scenario and left > MUCH * counts.rows:
                found.append(
                    f"{name}: {left:,} of {counts.rows:,} {counts.noun} were not ended by the rules, and are in no"
                    " comparison but those of how they ended"
                )
        for variant in self.study.variants:
            if variant.declared:
                found.append(f"{variant.name} differs in more than rules: {', '.join(variant.declared)}")
        return found + self._of_scenarios()

    def _of_scenarios(self) -> list[str]:
        """Say which scenarios are none, and which hardly end: their conclusions rest on few pairs."""
        found = []
        for scenario in self.study.scenarios[1:]:
            if self.study.is_usual(scenario):
                found.append(f"{scenario.name} is as declared: the same luck again, which confirms nothing")
            every = {each.name: self.played(each.name, scenario.name) for each in self.study.variants}
            left = {name: each.rows - each.finished for name, each in every.items() if each is not None}
            worst = max(left, key=lambda name: left[name], default="")
            counts = every.get(worst)
            if counts is not None and left[worst] > MUCH * counts.rows:
                found.append(
                    f"{scenario.name}: up to {left[worst]:,} of {counts.rows:,} {counts.noun} of a variant ({worst})"
                    " were not ended by the rules, and are in none of its conclusions"
                )
        return found

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain numbers for JSON; what cannot be known is None."""
        return {
            "unit": self.study.unit,
            "baseline": self.study.baseline,
            "rows": self.counts.rows,
            "level": LEVEL,
            "variants": {each.name: self._variant_dict(each.name) for each in self.study.variants},
            "differences": {
                variant: {key: difference_dict(each) for key, each in found.items()}
                for variant, found in self.differences.items()
            },
            "laws": {
                variant: [self._law_dict(variant, each) for each in found] for variant, found in self.laws.items()
            },
            "sensitivity": [
                {
                    "scenario": each.scenario,
                    "variant": each.variant,
                    "verdict": each.verdict.value,
                    **difference_dict(each.found),
                }
                for each in self.standings
            ],
            **finite(seconds_of_work=self.seconds or float("nan"), rows_per_second=self.per_second or float("nan")),
            "warnings": self.warnings,
        }

    def _variant_dict(self, name: str) -> dict[str, Any]:
        counts = self.played(name)
        if counts is None:
            return {}
        n = counts.finished
        return {
            counts.noun: counts.rows,
            "ended": {way.name.lower(): frequency_dict(int(counts.ended[way]), counts.rows) for way in Ended},
            "over": {key: frequency_dict(counts.over[key], n) for key in counts.words},
            **{key: counts.tallies[key].to_dict() for key in counts.measured},
            "laws": by_frequency(self.counts.laws.get(("", name), {})),
        }

    def _law_dict(self, variant: str, law: LawDifference) -> dict[str, Any]:
        told = asdict(law)
        if law.field not in KINDS:  # the board that goes with the rules is no law
            told |= {"baseline_law": None, "variant_law": None}
        return {
            **told,
            "baseline_decided": self.decided(self.study.baseline, law),
            "variant_decided": self.decided(variant, law),
        }


def difference_dict(found: MetricDifference) -> dict[str, Any]:
    """Give a difference for JSON."""
    told: dict[str, Any] = json_ready(
        {
            "metric": found.metric,
            "words": found.words,
            "pairs": found.rows_a,
            "variant_value": found.a,
            "baseline_value": found.b,
            "difference": found.difference,
            "low": found.low,
            "high": found.high,
            "p": found.p,
            "p_holm": found.p_holm,
            "found": found.found,
            "test": found.test,
            "reduction": found.reduction,
        }
    )
    return told
