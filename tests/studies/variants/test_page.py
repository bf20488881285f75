"""The page of variants: its files are valid, its tables can be filled."""

import re
import sys
from pathlib import Path

import pytest

from carromsim.studies.declaring.declare import load_study, study_from_toml
from carromsim.studies.variants.study import VariantStudy

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "variants.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_files_are_valid() -> None:
    _, text = blocks("toml")
    study = study_from_toml(text)
    assert isinstance(study, VariantStudy)
    assert [variant.name for variant in study.variants] == ["icf", "ukca", "queen5"]
    whole = load_study(DOCS / "variants.toml")
    assert isinstance(whole, VariantStudy)
    assert whole.rows == 7 * (20_000 + 5 * 500)
    assert {whole.cell(scenario, each).equipment.name for scenario in whole.scenarios for each in whole.variants} == {
        "icf"
    }


@pytest.mark.slow
def test_the_script_fills_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    import fill_variants  # type: ignore[import-not-found]

    study = VariantStudy(variants=["icf", "ukca"], boards=6, sensitivity={"rows": 2, "skill": ["expert"], "policy": []})
    summary = study.summarise()
    text = fill_variants.page(PAGE, summary)
    assert "6 boards of each variant, seed 1." in text
    for name in fill_variants.PARTS:
        part = re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, flags=re.DOTALL)
        assert part is not None
        assert "ukca" in part[1]
    assert fill_variants.page(text, summary) == text
    for name in ("fill_variants", "filling"):
        sys.modules.pop(name, None)
