# The front door. Every target first makes .venv, if need be, with the versions of constraints.txt.

PYTHON  ?= python3
VENV    := .venv
BIN     := $(VENV)/bin
READY   := $(VENV)/ready

STROKES ?= 20000
SOAK    ?= runs/soak
OUT     ?= runs/break-$(shell date -u +%Y%m%dT%H%M%SZ)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-all coverage soak lint bench peers validate docs gallery clean
.DELETE_ON_ERROR:

help:  ## what can be made
	@echo "make TARGET [PYTHON=python3.12]"
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: $(READY)  ## make or renew .venv

run: $(READY)  ## simulate STROKES breaks (20000) into OUT (a new directory in runs/) and print what came of them
	$(BIN)/carromsim break --strokes $(STROKES) --out $(OUT)

# All is compiled before the tests are dealt to the cores, once: the kernels, and the sources, which every process that
# a test starts would compile for itself where PYTHONDONTWRITEBYTECODE is set. A core that has no tests left takes half
# of another's, so that both end together.
TESTED := -n auto --dist worksteal

test: $(READY)  ## the quick tests, nine to twelve minutes
	$(BIN)/python -m compileall -q src kernels
	$(BIN)/carromsim warmup
	$(BIN)/python -m pytest -m "not slow" $(TESTED)

test-all: $(READY)  ## all tests
	$(BIN)/python -m compileall -q src kernels
	$(BIN)/carromsim warmup
	$(BIN)/python -m pytest $(TESTED)

coverage: $(READY)  ## how many branches of the kernels small cases reach, the JIT being off: at least 95 %; some minutes
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -m "kernel and not slow" --quiet
	$(BIN)/python -m coverage report
	$(BIN)/python tests/kernels/branches.py

# May be stopped: the strokes go on where they were, runners are killed anew unless all were, the inputs begin again.
soak: STROKES = 10000000
soak: $(READY)  ## play STROKES random strokes (10000000) in SOAK (runs/soak), kill 1000 runners, try 100000 inputs; two hours
	$(BIN)/python tests/soak/strokes.py --strokes $(STROKES) --out $(SOAK)
	$(MAKE) $(SOAK)/kills/kills.json
	$(BIN)/python tests/fuzz/run.py --inputs 100000 --workers 2 --kept $(SOAK)/fuzz

%/kills/kills.json: $(READY)
	$(BIN)/python tests/faults/kills.py --kills 1000 --out $(@D)

lint: $(READY)  ## style, formatting, types, import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)  ## benchmarks, some eight minutes: a table, and all rounds and the machine as JSON in .benchmarks/
	$(BIN)/python -m pytest benchmarks --quiet --benchmark-quiet --benchmark-autosave

peers: $(READY) .venv-peers/ready .venv-pooltool/ready  ## the same work by other programs, in turn; needs 0.8 GB; some minutes
	$(BIN)/python benchmarks/peers/compare.py

validate: $(READY)  ## compare with laws, formulas and programs of others; writes docs/validation.md; some minutes
	$(BIN)/python -m validation

docs: $(READY)  ## build the documentation into docs/_build/html and look whether its links lead somewhere; a minute or two
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py
	@echo "docs/_build/html/index.html"

gallery: $(READY)  ## make the pictures of the documentation's gallery anew; needs the browser Chromium; a minute or two
	$(BIN)/python docs/draw_gallery.py

clean:  ## remove .venv and what tools left behind; runs/ stays
	rm -rf $(VENV) .coverage .venv-peers .venv-pooltool docs/_build docs/made dist .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src kernels tests benchmarks validation -name __pycache__ -type d -prune -exec rm -rf {} +

define CHECK_PYTHON
import sys
if sys.version_info < (3, 11):
    sys.exit("carromsim needs Python 3.11 or later; %s is %s. Try: make PYTHON=python3.12" % (sys.executable, sys.version.split()[0]))
try:
    import ensurepip, venv
except ImportError as error:
    sys.exit("%s cannot make virtual environments (%s). On Debian and Ubuntu: apt install python3-venv" % (sys.executable, error))
endef
export CHECK_PYTHON

# The build backend is installed, pinned, before the package, which is then built without an environment of its own:
# constraints do not reach into that one.
$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "no Python found as '$(PYTHON)'. Try: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c "$$CHECK_PYTHON"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip hatchling
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable . --group dev
	@touch $@

# Environments of other programs; what they import must not come near ours.
.venv-%/ready: benchmarks/peers/requirements-%.txt
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@
