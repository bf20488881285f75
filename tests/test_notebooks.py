"""The notebooks run as they are, from the top, and are kept without outputs.

The longer ones are left to `make test-all`; `make docs` runs every notebook and fails if one does.
"""

import html
import re
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_notebooks_are_these() -> None:
    assert [path.name for path in NOTEBOOKS] == [
        "01_first_stroke.ipynb",
        "02_break_outcomes.ipynb",
        "03_shot_success.ipynb",
        "04_rule_variants.ipynb",
        "05_break_optimisation.ipynb",
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped_and_begins_with_its_size(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in code_cells(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None
        assert len(cell.source.splitlines()) <= 20  # a notebook shows; what it needs is in the package
    first = re.match(r"N_[A-Z]+ = ([\d_]+)", notebook.cells[0].source)
    assert first is not None
    assert int(first[1]) <= 2000


class Said(NamedTuple):
    """What an executed notebook prints, how many pictures it draws, and what it shows as HTML."""

    text: str
    pictures: int
    shown: str

    def replay(self) -> str:
        """Give the page that is embedded, the only one."""
        (page,) = re.findall(r'<iframe [^>]*srcdoc="([^"]*)"', self.shown)
        return html.unescape(page)


@pytest.fixture(scope="module")
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Said:
    path: Path = request.param
    folder = tmp_path_factory.mktemp(path.stem)
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):  # nothing of the user's own
            patch.setenv(variable, str(folder / variable))
        patch.delenv("MPLBACKEND", raising=False)
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    text = "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)
    text = re.sub(r"\x1b\[[\d;]*m", "", text)  # rich knows that a notebook has colours
    data = [output.get("data", {}) for output in outputs]
    return Said(text, sum("image/png" in each for each in data), "".join(each.get("text/html", "") for each in data))


@pytest.mark.parametrize("said", [FOLDER / "01_first_stroke.ipynb"], indirect=True)
def test_the_first_stroke(said: Said) -> None:
    assert said.pictures == 2
    assert "disc hit" in said.text
    assert "queen, 1 white, 1 black" in said.shown
    assert "<h1>The first stroke</h1>" in said.replay()
    found = re.search(r"([\d.]+)% of 400 directions pocket it; cut: ([\d.]+) to ([\d.]+) deg", said.text)
    assert found is not None
    share, low, high = map(float, found.groups())
    assert 10 < share < 25
    assert 0.8 < high - low < 1.5  # "about a degree"


@pytest.mark.parametrize("said", [FOLDER / "02_break_outcomes.ipynb"], indirect=True)
def test_break_outcomes(said: Said) -> None:
    assert said.pictures == 3
    for words in ("2,000 strokes, seed 1", "surface friction uniform 0.05 to 0.13", "What varied", "2,000 ok"):
        assert words in said.text
    thirds = [float(mean) for mean in re.findall(r"│ [123] .* 66[67] +┆ ([\d.]+) +┆", said.text)]
    assert len(thirds) == 3
    assert thirds == sorted(thirds, reverse=True)  # the less friction, the more falls
    assert re.findall(r"│ ([4567].0) +┆ 500 ", said.text) == ["4.0", "5.0", "6.0", "7.0"]
    found = re.search(r"2000 rows; row (\d+) pocketed [3-9] men in \d+ events", said.text)
    assert found is not None
    assert f"row {found[1]} of break" in said.replay()


@pytest.mark.slow
@pytest.mark.parametrize("said", [FOLDER / "03_shot_success.ipynb"], indirect=True)
def test_shot_success(said: Said) -> None:
    text = said.text
    assert said.pictures == 2
    assert "champion, row " in said.replay()
    for words in ("2,000 strokes by each skill", "cut grid of 5: 0, 15, 30, 45, 60 deg"):
        assert words in text
    success = [float(share) for share in re.findall(r"^(?:novice|club|expert|champion) +2,000 +([\d.]+) %", text, re.M)]
    assert len(success) == 4
    assert success == sorted(success)
    table = {
        int(row[0]): [float(share) for share in row[1:]] for row in re.findall(r"│ (\d+) +" + r"┆ ([\d.]+) +" * 4, text)
    }
    assert list(table) == [0, 15, 30, 45, 60]
    assert all(
        0.4 < straight < 1.0 and steep < straight / 2 for straight, steep in zip(table[0], table[60], strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("said", [FOLDER / "04_rule_variants.ipynb"], indirect=True)
def test_rule_variants(said: Said) -> None:
    text = said.text
    assert said.pictures == 4
    for words in (
        "200 boards of each variant",
        "breaker's advantage",
        "queen5: icf, queen.value = 5",
        "both play on icf",
    ):
        assert words in text
    told = {name: (int(n), float(mean)) for name, n, mean in re.findall(r"(\w+): (\d+) pairs, strokes (\S+),", text)}
    joined = re.findall(r"│ (\w+) +┆ (\d+) +┆ (-?[\d.]+) +│", text)
    assert sorted(told) == [name for name, *_ in joined] == ["bell_i", "queen5", "ukca"]
    for name, n, mean in joined:
        assert (int(n), float(mean)) == (told[name][0], pytest.approx(told[name][1], abs=0.006))
    assert re.search(r"ukca: \d+ laws differ, \d+ of them could not show", text)


@pytest.mark.slow
@pytest.mark.parametrize("said", [FOLDER / "05_break_optimisation.ipynb"], indirect=True)
def test_break_optimisation(said: Said) -> None:
    text = said.text
    assert said.pictures == 3
    for words in ("Search for a break under ukca", "2,000 fresh strokes", "Around it"):
        assert words in text
    gain = re.search(r"The winner gains ([\d.]+) men \(([\d.]+) to ([\d.]+)\)", text)
    assert gain is not None
    assert 0.3 < float(gain[2]) < float(gain[1]) < float(gain[3]) < 4.0
    claim = re.search(r"The search claimed (\d+\.\d+) for its best break; fresh strokes say (\d+\.\d+)", text)
    assert claim is not None
    assert abs(float(claim[1]) - float(claim[2])) < 0.5
