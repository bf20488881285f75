"""Comparison of the package with laws, formulas and programs that it shares no code with: ``make validate``.

Each part is a module with a function that returns a `validation.report.Part`; ``python -m validation`` runs them all
and writes ``docs/validation.md``.
"""

import sys
from pathlib import Path

# The slow judges of the tests judge here too; like the tests, they are no part of the installed package.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
