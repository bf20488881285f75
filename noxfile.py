"""The suite from the built wheel, with every Python and with the oldest and the newest dependencies.

`nox` runs all sessions, `nox -s tests-3.12` one of them, `nox -s tests-3.12 -- tests/kernels` some of its tests. The
interpreters are those that nox finds. Daily work needs none of this: see the Makefile.
"""

import shutil
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PYTHONS = ["3.11", "3.12", "3.13"]
EXTRAS = "calibrate,faces,dask,duckdb,optimise,viz"
PINNED = ("--constraint", str(ROOT / "constraints.txt"))

nox.options.default_venv_backend = "venv"


def tell_lower_bounds() -> list[str]:
    """Give each dependency of the package, those of its extras too, in the lowest version that it may have."""
    project = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
    needed = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    return sorted({line.replace(">=", "==") for line in needed})


def install(session: nox.Session, *options: str) -> Path:
    """Build sdist, wheel from the sdist, install that; give what was in the sdist but the packages."""
    folder = Path(session.create_tmp()).resolve()
    shutil.rmtree(folder)
    groups = nox.project.dependency_groups(nox.project.load_toml(ROOT / "pyproject.toml"), "test")
    session.install("hatchling", *PINNED)
    session.run("python", "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder))
    shutil.unpack_archive(next(folder.glob("*.tar.gz")), folder, filter="data")
    (tree,) = [path for path in folder.iterdir() if path.is_dir()]
    with session.chdir(tree):
        session.run("python", "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    wheel = next(folder.glob("*.whl"))
    session.install(f"{wheel}[{EXTRAS}]", *groups, *options)
    session.install("--no-deps", "--force-reinstall", str(wheel))
    for packages in ("src", "kernels"):
        shutil.rmtree(tree / packages)
    return tree


def test(session: nox.Session, tree: Path, *arguments: str) -> None:
    """Compile the kernels, then run tests in the tree without the packages."""
    session.chdir(tree)
    session.run("carromsim", "warmup")
    session.run("python", "-m", "pytest", "-n", "auto", "--dist", "loadfile", "-m", "not slow", *arguments)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the quick tests with dependencies as pinned."""
    test(session, install(session, *PINNED), *session.posargs)


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Run the quick tests with the lower bounds of pyproject.toml."""
    test(session, install(session, *tell_lower_bounds()), *session.posargs)


@nox.session(python="3.13")
def newest(session: nox.Session) -> None:
    """Run the quick tests with the newest versions of everything."""
    test(session, install(session, "--upgrade"), *session.posargs)


@nox.session(python=PYTHONS)
def golden(session: nox.Session) -> None:
    """Compare golden strokes to the bit: by processes, by a cluster, on a processor without extras."""
    session.chdir(install(session, *PINNED))
    session.run("carromsim", "warmup")
    session.run("python", "-m", "pytest", "tests/determinism")
