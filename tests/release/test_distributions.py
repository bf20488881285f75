"""What is in the wheel and in the sdist, and that the one is made of the other."""

import re
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

pytestmark = pytest.mark.sources

ROOT = Path(__file__).parents[2]
PACKAGES = {"carromsim": ROOT / "src" / "carromsim", "carromsim_kernels": ROOT / "kernels" / "carromsim_kernels"}
KINDS = {".py", ".typed", ".toml", ".json", ".npz", ".css", ".js", ".html"}


def build(builder: type[WheelBuilder] | type[SdistBuilder], root: Path, folder: Path) -> Path:
    (built,) = builder(str(root)).build(directory=str(folder), versions=["standard"])
    return Path(built)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(WheelBuilder, ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SdistBuilder, ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def project() -> dict[str, object]:
    loaded: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return loaded


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_file_of_the_packages_and_no_other(wheel: Path, project: dict[str, object]) -> None:
    about = f"carromsim-{project['version']}.dist-info"
    inside = {name for name in names_in(wheel) if not name.startswith(f"{about}/")}
    files = {
        f"{package}/{file.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert inside == files
    assert {Path(name).suffix or Path(name).name for name in inside} <= KINDS
    rest = {name.removeprefix(f"{about}/") for name in names_in(wheel) - inside}
    assert rest == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}


def test_the_wheel_holds_what_is_no_code(wheel: Path) -> None:
    """Each kind of it, so that a rule of the build that leaves one out is noticed though the folder is empty too."""
    names = names_in(wheel)
    assert {"carromsim/py.typed", "carromsim_kernels/py.typed", "carromsim/data/motion_full_disc.npz"} <= names
    for pattern, least in (
        (r"carromsim/data/rules/\w+\.toml", 8),
        (r"carromsim/data/equipment/\w+\.toml", 4),
        (r"carromsim/studies/schema/\w+\.json", 6),
        (r"carromsim/studies/schema/\w+\.toml", 6),
        (r"carromsim/viz/assets/\w+\.\w+", 7),
        (r"carromsim/calibration/example\.toml", 1),
    ):
        assert sum(re.fullmatch(pattern, name) is not None for name in names) >= least, pattern


def test_the_wheel_says_what_the_project_says(wheel: Path, project: dict[str, object]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        said = message_from_string(archive.read(metadata).decode())
        commands = archive.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    assert (said["Name"], said["Version"]) == (project["name"], project["version"])
    assert said["Requires-Python"] == project["requires-python"]
    assert said.get_all("Classifier") == project["classifiers"]
    assert said["License-Expression"] == "MIT"
    needed = [line for line in said.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert sorted(needed) == sorted(project["dependencies"])  # type: ignore[call-overload]
    assert set(said.get_all("Provides-Extra") or []) == set(project["optional-dependencies"])  # type: ignore[call-overload]
    assert "carromsim = carromsim.cli:main" in commands


def test_the_sdist_holds_what_it_takes_to_test_and_build(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "constraints.txt", "noxfile.py", "Makefile", "LICENSE", "README.md", "CHANGELOG.md"}
    wanted |= {"CONTRIBUTING.md", "GLOSSARY.md", "CITATION.cff", "PKG-INFO"}
    assert wanted <= files
    tops = {name.partition("/")[0] for name in files} - wanted
    assert tops <= {
        "src",
        "kernels",
        "tests",
        "validation",
        "benchmarks",
        "docs",
        "notebooks",
        ".gitignore",
        "SECURITY.md",
    }
    assert not [
        name for name in files if re.search(r"__pycache__|\.pyc$|\.orig$|(^|/)\.(venv|git)/|^docs/_build", name)
    ]
    assert "tests/data/golden_strokes.json" in files


def test_the_sdist_builds_the_same_wheel(sdist: Path, wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert build(WheelBuilder, unpacked, tmp_path / "again").read_bytes() == wheel.read_bytes()


def test_classifiers_are_the_pythons_that_are_tested(project: dict[str, object]) -> None:
    prefix = "Programming Language :: Python :: 3."
    pythons = [line.removeprefix(prefix) for line in project["classifiers"] if line.startswith(prefix)]  # type: ignore[attr-defined]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    sessions = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    assert pythons == ["11", "12", "13"]
    assert project["requires-python"] == f">=3.{pythons[0]}"
    for minor in pythons:
        assert f'"3.{minor}"' in workflow
        assert f'"3.{minor}"' in sessions
