"""What stands around the code: the citation, the workflow, the page on releases."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.sources

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FIELDS = {"cff-version", "message", "title", "abstract", "type", "version", "license", "authors", "keywords"}


def test_the_citation_is_of_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert set(cited) == FIELDS
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert (str(cited["version"]), cited["license"]) == (PROJECT["version"], PROJECT["license"])
    assert [author["name"] for author in cited["authors"]] == [author["name"] for author in PROJECT["authors"]]
    assert cited["keywords"] == PROJECT["keywords"]


def test_the_workflow_may_read_and_no_more() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets" not in text
    assert set(workflow["jobs"]) == {"all", "lowest"}
    for name, job in workflow["jobs"].items():
        assert "permissions" not in job, name
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/none@v0")), step
    steps = workflow["jobs"]["all"]["steps"]
    assert steps[0]["with"] == {"persist-credentials": False}
    assert steps[-1] == {"run": ".ci/run"}
    assert workflow["jobs"]["lowest"]["steps"][-1] == {"run": "nox -s lowest"}


def test_what_is_run_by_name_is_there() -> None:
    """Of nox, which the page on releases and the workflow ask for."""
    sessions = set(re.findall(r"@nox\.session.*\ndef (\w+)", (ROOT / "noxfile.py").read_text(encoding="utf-8")))
    page = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    assert sessions == {"tests", "lowest", "newest", "golden"}
    assert all(f"`{name}`" in page or f"nox -s {name}`" in page for name in sessions)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert set(re.findall(r"`make ([a-z -]+)`", page)) <= {"test-all lint docs", *targets}
